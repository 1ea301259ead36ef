# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Installs a build, moves it, and uses it there (installed.py).

Usage: install.py BUILD FOLDER"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import installed_wheel
import pages

build = pathlib.Path(sys.argv[1])
here = pathlib.Path(__file__).resolve().parent
top = here.parents[2]


def run(*words, **options):
    return subprocess.run(words, text=True, errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=170, **options)


def expect(name, text, wanted):
    print(f"{name}: yes" if re.search(wanted, text) else f"{name}: NO, but: {text}")


def look(root):
    """What must not be in an installation, or differ in it."""
    files = [path for path in root.rglob("*") if path.is_symlink() or path.is_file()]
    links = [path for path in files if path.is_symlink()]
    outside = [str(link) for link in links
               if os.path.isabs(os.readlink(link)) or root not in link.resolve().parents or not link.exists()]
    print("links that lead outside:", outside)
    plain = [path for path in files if not path.is_symlink()]
    paths, reported = set(), []
    folders = [str(folder).encode() for folder in (top, build, build.parent, pathlib.Path.home() / ".cache")]
    for path in plain:
        data = path.read_bytes()
        if data[:4] == b"\x7fELF":
            text = run("readelf", "-dW", str(path)).stdout
            paths.update(re.findall(r"(?:RUNPATH|RPATH).*\[(.*)\]", text))
        # Text that names the builder's folders leads there; a path in a binary may be an assertion's.
        elif any(folder in data for folder in folders) and path.suffix != ".pyc":
            reported.append(str(path.relative_to(root)))
    print("search paths:", sorted(paths))
    print("builder's folders in:", reported)
    print("dead links:", list(pages.dead_links(root / "share/doc/wavelane")))
    missing = [name for name in ("share/doc/wavelane/docs/commands.schema.json", "share/man/man1/wavelane-rank.1") if not (root / name).exists()]
    print("missing:", missing, "schemas:", len(list(root.rglob("commands.schema.json"))))


def snapshot(root):
    return {path: path.lstat().st_mtime_ns for path in root.rglob("*")}


def bad_input(root, work):
    """What people have by mistake: one line says what to do."""
    others = work / "others"
    others.mkdir()
    (others / "lldb").write_text("#!/bin/sh\necho lldb version 14.0.6\n")
    (others / "lldb").chmod(0o755)
    path = f"{others}:{root}/bin:/usr/bin:/bin"
    text = run("wavelane", "debug", "--version", env={"PATH": path}).stdout + run("wavelane", "doctor", env={"PATH": path}).stdout
    expect("an old LLDB first in PATH", text,
           r"(?s)^wavelane .*lldb 22.*note +lldb in PATH +\S+/lldb \(lldb version 14.0.6\) doesn't have Wavelane\n +-> start wavelane-lldb instead\n")
    second = work / "second" / "bin"
    second.mkdir(parents=True)
    shutil.copy(root / "lib/wavelane/bin/wavelane", second / "wavelane")
    text = run("wavelane", "doctor", env={"PATH": f"{root}/bin:{second}:/usr/bin:/bin"}).stdout
    expect("installed twice", text, r"warning +twice +another wavelane is in PATH: \S+/second/bin/wavelane; this one comes first\n +-> remove one")
    (second / "lldb").write_text("")
    (second / "lldb").chmod(0o755)
    (second.parent / "lib/lldb/plugins").mkdir(parents=True)
    (second.parent / "lib/lldb/plugins/libwavelane.so").write_text("")
    text = run("wavelane", "doctor", env={"PATH": f"{root}/bin:{second}:/usr/bin:/bin"}).stdout
    expect("its LLDB", text, r"^(?!(.|\n)*lldb in PATH)(.|\n)*twice")
    own = root / "lib/wavelane/bin/lldb"
    sound = own.read_bytes()
    own.write_bytes(sound.replace(b"libedit.so.2", b"libnone.so.2"))
    text = run(root / "bin/wavelane-lldb", "--batch").stdout
    expect("a missing library", text,
           r"^wavelane-lldb: error: libnone.so.2 is missing: sudo apt-get install libnone2; or unpack Wavelane's tarball, which has all libraries in it\n$")
    own.unlink()
    text = run(root / "bin/wavelane-lldb", "--batch").stdout
    expect("a missing program", text, r"^wavelane: error: \S.*/bin/lldb can't be started: No such file or directory; the installation is incomplete, install it again\n$")
    own.write_bytes(sound)
    own.chmod(0o755)
    text = run(root / "bin/wavelane-annotate-lanes", "one.s", env={"PATH": str(others)}).stdout
    expect("no python3", text, r"^wavelane-annotate-lanes: error: there is no python3 in PATH: sudo apt-get install python3\n$")
    text = run(root / "bin/wavelane-annotate-lanes", "one.s").stdout
    expect("wavelane-annotate-lanes", text, r"^annotate-lanes: give the output file: wavelane-annotate-lanes FILE.s -o OUT.s\n$")


# lit closes its own temporary folder to others.
with tempfile.TemporaryDirectory(dir="/tmp") as name:
    work = pathlib.Path(name)
    work.chmod(0o755)
    first, root = work / "Wörk shop" / "usr", work / "другое место"
    os.umask(0o022)
    done = run("cmake", "--install", str(build), "--prefix", str(first))
    if done.returncode:
        print(done.stdout)
    first.rename(root)
    look(root)

    # README's program, made with the installed command.
    demo = work / "demo"
    demo.mkdir()
    for file in "saxpy.hip", "check.h":
        shutil.copy(root / "share/doc/wavelane/examples" / file, demo)
    done = run(str(root / "bin/wavelane"), "compile", "saxpy.hip", "-o", "saxpy", cwd=demo)
    if done.returncode:
        print(done.stdout)
    before = snapshot(root)
    stranger = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.geteuid() == 0 else []
    print(run(sys.executable, str(here / "installed.py"), str(root / "bin"), str(demo / "saxpy"), *stranger, cwd=demo).stdout, end="")
    after = snapshot(root)
    print("files changed:", sorted(str(path.relative_to(root)) for path in before.keys() ^ after.keys()))

    bad_input(root, work)
    installed_wheel.check(build, root, work, demo / "saxpy", expect)
