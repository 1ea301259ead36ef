# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`wavelane tutorial`, in this folder.

Usage: tutorial.py BUILD PAGE"""
import json
import os
import pathlib
import pty
import re
import select
import shutil
import stat
import subprocess
import sys
import textwrap

import shown

build, page = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
wavelane = str(build / "bin" / "wavelane")
sources = pathlib.Path(__file__).resolve().parents[2] / "programs" / "hip"
wrong = []


def run(*words, **environment):
    """The exit code and both outputs of the command, for somebody without a compiler in PATH."""
    done = subprocess.run([wavelane, "tutorial", *words], text=True, errors="replace", timeout=120, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, env={**os.environ, "PATH": str(tools), **environment})
    return done.returncode, done.stdout


def expect(name, result, code, wanted):
    if result[0] == code and re.search(wanted, result[1], re.S):
        print(f"{name}: yes")
    else:
        wrong.append(name)
        print(f"{name}: NO, but: {result[0]} {result[1][:2000]}")


def lessons():
    """The page's lessons: the commands with what they print."""
    for section in re.split(r"(?m)^## \d\. ", page.read_text())[1:]:
        lines = [line for block in re.findall(r"(?m)^```\n(.*?)^```", section, re.S) for line in block.splitlines()]
        yield commands(lines)


def commands(lines):
    """The commands of a shell and of a session, each with the lines below it."""
    parts = []
    for line in lines:
        if line.startswith(("$ ", "(lldb) ")):
            parts.append((line, []))
        elif parts:
            parts[-1][1].append(line)
    return parts


def compare(wanted, text):
    """What is wrong with a walk through a lesson; prose stands between an empty line and the next one."""
    real = commands(text.splitlines())
    if [command for command, _ in wanted] != [command for command, _ in real]:
        return f"the commands are {[command for command, _ in real]}, not {[command for command, _ in wanted]}"
    prose = {line for step in steps for line in step}
    faults = []
    for (command, lines), (_, other) in zip(wanted, real):
        other = [line for line in other if line not in prose and not line.startswith("Next: wavelane tutorial ")]
        if lines and (fault := shown.fault(lines, other, True)):
            faults.append(f"'{command}' {fault}")
    return "; ".join(faults)


def in_a_terminal(folder):
    """The first lesson, with Enter for each command; then a command of the reader's own."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(TERM="dumb", PATH=f"{tools}")
        os.execv(wavelane, [wavelane, "tutorial", str(folder), "1"])
    text = b""

    def until(wanted):
        nonlocal text
        start = len(text)
        while not re.search(wanted, text[start:].decode(errors="replace")):
            if not select.select([terminal], [], [], 60)[0]:
                return False
            try:
                text += os.read(terminal, 65536)
            except OSError:
                return False
        return True

    expected = next(lessons())
    good = True
    for command, _ in expected:
        good = good and until(re.escape(command) + r"$")
        os.write(terminal, b"\n")
    good = good and until("The session is yours") and until(r"\(lldb\) $")
    os.write(terminal, b"p 40 + i\n")
    good = good and until(r"\(int\) (= )?57")
    os.write(terminal, b"quit\n")
    good = good and until("Next: wavelane tutorial")
    os.close(terminal)
    os.waitpid(pid, 0)
    expect("in a terminal", (0, f"{good} {text.decode(errors='replace')}"), 0, "^True")


# A shell and nothing else.
tools = pathlib.Path("tools").resolve()
tools.mkdir()
(tools / "sh").symlink_to("/bin/sh")

folder = pathlib.Path("my tutorial")
code, overview = run(str(folder))
expect("the overview", (code, overview), 0, r"Five short programs .* 1  saxpy .* 5  stuck .*wavelane tutorial 'my tutorial' 1")
names = re.findall(r"(?m)^  \d  (\w+)", overview)
for name in names:
    expect(f"{name}'s source", (0, str((folder / f"{name}.hip").read_bytes() == (sources / f"{name}.hip").read_bytes())), 0, "True")
    expect(f"{name} can be run", (0, str(bool((folder / name).stat().st_mode & stat.S_IXUSR))), 0, "True")
(folder / "list.hip").write_text("mine\n")
expect("again", run(str(folder)), 0, "Five short programs")
expect("the reader's own file", (0, (folder / "list.hip").read_text()), 0, "^mine\n$")
(folder / "list.hip").unlink()

steps = [textwrap.wrap(step["text"], 100) for lesson in json.loads((build / "share" / "tutorial" / "lessons.json").read_text())
         for step in lesson["steps"] if "text" in step]
for number, (name, wanted) in enumerate(zip(names, lessons(), strict=True), 1):
    # A lesson has a number and a name.
    code, text = run(str(folder), str(number) if number % 2 else name)
    expect(f"lesson {number}, {name}", (code, compare(wanted, text) or "fine"), 0, "^fine$")
expect("no folder", run(), 2, "^wavelane tutorial: error: give a folder to copy the programs to: wavelane tutorial ~/wavelane-tutorial\n$")
expect("a lesson without a folder", run("2"), 2,
       "^wavelane tutorial: error: give a folder before the lesson: wavelane tutorial ~/wavelane-tutorial 2\n$")
expect("no such lesson", run("other", "6"), 1, "there is no lesson '6': give a number from 1 to 5, or saxpy, rows, sum, list or stuck")
expect("a folder that can't be made", run("/proc/tutorial"), 1, "/proc/tutorial: No such file or directory")
in_a_terminal(folder)

if not subprocess.run([wavelane, "compile", "--dry-run", "sum.hip"], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode:
    source = folder / "sum.hip"
    source.write_text(source.read_text().replace("  part[i] = in[i];\n", "  part[i] = in[i];\n  __syncthreads();\n"))
    subprocess.run([wavelane, "compile", "sum.hip"], cwd=folder, stdout=subprocess.DEVNULL, check=True)
    done = subprocess.run([wavelane, "check", "./sum"], cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    expect("mended", (done.returncode, done.stdout), 0, "PASSED.*0 findings")
else:
    print("mended: yes, without a compiler nothing")
shutil.rmtree(folder)
print(f"{len(wrong)} wrong")
