# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""utils/update-lldb with a small LLDB and six patches: one finds its place, one has other lines around it, one is in conflict, one is in the
new version, two are as they were, one of them in upstream/. Then the conflict is solved, and a patch is added."""
import difflib
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

repository = pathlib.Path(sys.argv[1]).resolve()
OLD, NEW = "77.1.0", "78.2.1"
LINES = [f"line {number}\n" for number in range(1, 61)]
# The file that each patch changes a line of, and the lines that are others in the new version, with what stands in front of them.
PATCHES = {"0001-place": ("a.cpp", 30), "0002-around": ("b.cpp", 30), "0003-conflict": ("c.cpp", 30), "0004-upstream": ("d.cpp", 30), "0101-same": ("e.cpp", 30),
           "upstream/0002-last": ("e.cpp", 31)}
UPSTREAM = {"a.cpp": {3: "new\nnew\nline 3\n"}, "b.cpp": {28: "another 28\n"}, "c.cpp": {30: "theirs\n"}, "d.cpp": {30: "ours\n"}}
APT_CACHE = """for last; do :; done
case $last in {cases} esac"""
APT_GET = """for last; do :; done
case $last in {cases} esac"""


def changed(lines, changes):
    return [changes.get(number, line) for number, line in enumerate(lines, 1)]


def patch(name, file, line):
    # Another patch may have changed the line in front of it.
    before = changed(LINES, {other: "ours\n" for source, other in PATCHES.values() if source == file and other < line})
    diff = "".join(difflib.unified_diff(before, changed(before, {line: "ours\n"}), f"a/lldb/{file}", f"b/lldb/{file}"))
    # As git writes it.
    diff = re.sub(r"(@@ -(\d+).*@@)", lambda match: f"{match[1]} line {int(match[2]) - 1}", diff)
    return f"""From 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001
From: Wavelane <wavelane@localhost>
Date: Sun, 22 Nov 2026 09:00:00 +0000
Subject: [PATCH] [lldb] Change a line, which is what the patch {name} does
 and no other

It was wrong.
---
Test: {name}'s.

 lldb/{file} | 2 +-
 1 file changed, 1 insertion(+), 1 deletion(-)

diff --git a/lldb/{file} b/lldb/{file}
{diff}"""


def show(what, done):
    print(f"{what}: exit {done.returncode}")
    text = re.sub(r"\b[0-9a-f]{12}\b", "COMMIT", (done.stdout + done.stderr).replace(str(top), "TOP"))
    print("".join(f"  {line}\n" for line in text.splitlines() if not line.startswith("build-lldb: fetching")), end="", flush=True)


with tempfile.TemporaryDirectory() as name:
    top = pathlib.Path(name)
    utils, cache, tree, tools = top / "utils", top / "cache", top / "tree", top / "tools"
    for folder in utils / "lldb-patches" / "upstream", utils / "lldb", cache, tools:
        folder.mkdir(parents=True)
    for file in "update-lldb", "build-lldb", "build-steps", "drop-stale", "lldb/faster.cmake":
        shutil.copy2(repository / "utils" / file, utils / file)
    (utils / "packages").write_text("clang-77\ncmake\nlibclang-rt-77-dev\n")
    (utils / "packages-tests").write_text("clang-19\nclang-format-77\n")
    for file, (source, line) in PATCHES.items():
        (utils / "lldb-patches" / f"{file}.patch").write_text(patch(file, source, line))
    listed, copied = [], []
    for version, upstream in (OLD, {}), (NEW, UPSTREAM):
        package = f"llvm-toolchain-{version.split('.')[0]}"
        source = top / version / package / "lldb"
        source.mkdir(parents=True)
        for file, _ in PATCHES.values():
            (source / file).write_text("".join(changed(LINES, upstream.get(file, {}))))
        tarball = top / f"{package}_{version}.orig.tar.xz"
        subprocess.run(("tar", "-cJf", tarball, "-C", top / version, package), check=True)
        digest = hashlib.sha256(tarball.read_bytes()).hexdigest()
        listed.append(f"{package}) echo 'Version: 1:{version}-1'; echo ' {digest} 123 {tarball.name}' ;;")
        copied.append(f"{package}=*) cp {tarball} . ;;")
        if version == OLD:
            (utils / "llvm-version").write_text(version + "\n")
            (utils / "lldb/source-hash").write_text(digest + "\n")
    for program, text, cases in ("apt-cache", APT_CACHE, listed), ("apt-get", APT_GET, copied):
        (tools / program).write_text("#!/bin/sh\n" + text.format(cases=" ".join(cases)) + "\n")
        (tools / program).chmod(0o755)
    environment = {**os.environ, "WAVELANE_LLDB_CACHE": str(cache), "PATH": f"{tools}:{os.environ['PATH']}", "HOME": str(top)}

    def update(*arguments):
        return subprocess.run((utils / "update-lldb", *arguments, "--tree", tree), env=environment, capture_output=True, text=True)

    def git(*arguments):
        return subprocess.run(("git", "-C", tree, *arguments), env={**environment, "GIT_EDITOR": "true"}, capture_output=True, text=True)

    def state():
        return {str(path.relative_to(utils)): path.read_text() for path in sorted(utils.rglob("*")) if path.is_file()}

    def show_changes(before):
        after = state()
        print("  changed:", *sorted(file for file in before.keys() | after.keys() if before.get(file) != after.get(file)))

    before = state()
    show("no such version", update("79.1.0"))
    show_changes(before)
    show("a bad version", update("78"))
    show("the same version", update(OLD))
    show_changes(before)
    shutil.rmtree(tree)
    show("the next version", update(NEW))
    show_changes(before)
    print("  version:", (utils / "llvm-version").read_text().strip(), "packages:", *(utils / "packages").read_text().split(),
          *(utils / "packages-tests").read_text().split())
    show("again", update(NEW))

    commit = git("log", "--format=%h", "old", "--grep=0003-conflict").stdout.strip()
    git("cherry-pick", commit)
    (tree / "lldb/c.cpp").write_text("".join(changed(LINES, {30: "ours and theirs\n"})))
    git("add", "-A")
    git("cherry-pick", "--continue")
    (tree / "lldb/new.cpp").write_text("new\n")
    git("add", "-A")
    git("commit", "-q", "-m", "[lldb] Have a new file, which wasn't there\n\nIt was missing.")
    before = state()
    show("mended", update("--patches"))
    show_changes(before)
    # What git makes of the patches is what is in the tree.
    fresh = top / "fresh"
    subprocess.run(("git", "clone", "-q", "--no-checkout", tree, fresh), env=environment, check=True)
    subprocess.run(("git", "-C", fresh, "checkout", "-q", "llvm"), check=True)
    done = subprocess.run(("git", "-C", fresh, "-c", "user.name=a", "-c", "user.email=b", "am", "-q", *sorted((utils / "lldb-patches").glob("*.patch")), *(utils / "lldb-patches/upstream").glob("*.patch")),
                          capture_output=True, text=True)
    print("git am:", done.stderr.strip() or "all", "the same:", subprocess.run(("diff", "-r", tree / "lldb", fresh / "lldb")).returncode == 0)
    print((utils / "lldb-patches/0003-conflict.patch").read_text().split("diff --git")[0])
    git("reset", "-q", "--hard", "HEAD~1")
    show("a commit dropped", update("--patches"))
