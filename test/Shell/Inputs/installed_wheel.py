# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Python package as a wheel, which finds the installed LLDB."""
import shutil
import subprocess
import sys

ASK = """
import wavelane
with wavelane.Session({program!r}) as session:
    session.breakpoint(file="saxpy.hip", line=13)
    wave = session.run()
    print(wave.lanes[17].variable("i").value, "lanes active" in wave._repr_html_())
"""


def ask(script, python=sys.executable, **environment):
    done = subprocess.run([python, "-c", script], env={"PATH": "/usr/bin:/bin", **environment}, text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
    return done.stdout


def check(build, root, work, program, expect):
    top = work / "source"
    top.mkdir()
    package = next((root / "lib/wavelane").glob("*/lib/python3*/dist-packages/wavelane"))
    shutil.copytree(package, top / "wavelane", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(build / "python/pyproject.toml", top)
    made = subprocess.run([sys.executable, "-c", "from setuptools.build_meta import build_wheel; build_wheel('..')"], cwd=top, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    wheel = next(work.glob("*.whl"), None)
    if not wheel:
        print(made.stdout)
        return
    # What pip does with a wheel without programs.
    site = str(work / "site")
    subprocess.run([sys.executable, "-m", "zipfile", "-e", str(wheel), site], check=True)
    script = ASK.format(program=str(program))
    path = f"{root}/bin:/usr/bin:/bin"
    expect("wheel", ask(script, PYTHONPATH=site, PATH=path), r"(?m)^17 True$")
    expect("wheel without an LLDB", ask("import wavelane", PYTHONPATH=site),
           "ImportError: no LLDB with Wavelane: install Wavelane, or put its bin folder into PATH(; /\\S+ is an LLDB without it)?\n$")
    (info,) = (root / "lib/wavelane").glob("*/lib/python3*/dist-packages/wavelane-*.dist-info")
    newer = info.rename(info.with_name("wavelane-9.8.7.dist-info"))
    expect("wheel of another version", ask("import wavelane", PYTHONPATH=site, PATH=path),
           r"ImportError: the Wavelane of .*/lib/wavelane is 9.8.7, and this package is \d+\.\d+\.\d+: pip install wavelane-9.8.7-py3-none-any.whl\n$")
    newer.rename(info)
    old = work / "old" / "lldb"
    old.mkdir(parents=True)
    (old / "__init__.py").write_text("")
    expect("wheel with an old LLDB", ask("import lldb, wavelane", PYTHONPATH=f"{site}:{old.parent}", PATH=path) + ask(script, PYTHONPATH=f"{site}:{old.parent}", PATH=path),
           r"ImportError: the lldb of \S+ has no Wavelane: import wavelane before lldb[^\n]*\n(.*\n)*17 True\n$")
    script = "import sys; sys.version_info = type('V', (), {'major': 3, 'minor': 99}); import wavelane"
    expect("wheel with another Python", ask(script, PYTHONPATH=site, PATH=path),
           r"ImportError: the LLDB of .* is for python3\.\d+, and this is python3.99: use python3\.\d+\n$")
