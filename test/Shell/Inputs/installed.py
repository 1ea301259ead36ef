# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Uses an installed Wavelane as a stranger does: README's session, and each program once.

Usage: installed.py BIN PROGRAM [WORD...]: the folder with wavelane, and README's program; both as the words' command sees them (chroot,
setpriv). The environment is empty but for PATH and a home that can't be written."""
import json
import pathlib
import re
import subprocess
import sys

import shown

folder, program, prefix = sys.argv[1], sys.argv[2], sys.argv[3:]
top = pathlib.Path(__file__).resolve().parents[3]
wrong = []


def run(*words, stdin="", path=f"{folder}:/usr/bin:/bin", seconds=120):
    """A program's exit code and both outputs."""
    environment = ["/usr/bin/env", "-i", f"PATH={path}", "HOME=/proc", "LC_ALL=C.UTF-8"]
    done = subprocess.run([*prefix, *environment, *words], input=stdin, text=True, timeout=seconds, errors="replace",
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


def expect(name, text, wanted):
    if re.search(wanted, text):
        print(f"{name}: yes")
    else:
        wrong.append(name)
        print(f"{name}: NO, but: {text[:2000]}")


def session():
    """README's session says what README shows."""
    example = next(block for block in re.findall(r"^```\w*\n(.*?)^```", (top / "README.md").read_text(), re.M | re.S) if "(lldb)" in block)
    wanted = shown.split(example.splitlines(), "(lldb) ")
    commands = [word for command, _ in wanted for word in ("-o", command)]
    _, text = run("wavelane-lldb", "--batch", "--no-use-colors", *commands, "--", program)
    real = shown.split(text.splitlines(), "(lldb) ")[1:]
    if [command for command, _ in wanted] != [command for command, _ in real]:
        return expect("README's session", text, "$^")
    faults = [fault for (command, lines), (_, other) in zip(wanted, real)
              if lines and (fault := shown.fault(lines, other, command == "run"))]
    expect("README's session", "; ".join(faults) or "fine", "^fine$")


def adapter():
    """The adapter answers its first request."""
    request = json.dumps({"seq": 1, "type": "request", "command": "initialize", "arguments": {"adapterID": "lldb-dap"}})
    _, text = run("wavelane-lldb-dap", stdin=f"Content-Length: {len(request)}\r\n\r\n{request}")
    expect("wavelane-lldb-dap", text, '"supportsConfigurationDoneRequest":true')


_, text = run("wavelane-lldb", "--version")
expect("versions", text, r"^wavelane \d+\.\d+\.\d+\nlldb \d+\.\d+\.\d+\nrocdbgapi 0\.\d+\.\d+ \(the simulated GPU's\)\n$")
session()
adapter()
expect("wavelane-run", run("wavelane-run", program)[1], "saxpy: PASSED")
expect("wavelane check", run("wavelane", "check", program)[1], "0 findings")
expect("wavelane-lldb-server", run("wavelane-lldb-server", "version")[1], "^wavelane ")
expect("wavelane-dwarf", run("wavelane-dwarf", "disassemble", "91 2c")[1], r"^DW_OP_fbreg 44\n$")
_, text = run("wavelane-lldb", "--batch", "-o", "script import wavelane, json, ssl, sys; print(wavelane.Wave.__name__, sys.version_info[0])")
expect("Python", text, r"\nWave 3\n")
# All lessons, in a folder of its own, and without a compiler: only what they start is in PATH.
_, text = run("/bin/sh", "-c", """
  folder=$(mktemp -d) && mkdir "$folder/bin" && ln -s $(command -v python3) $(command -v sh) $(command -v env) "$folder/bin/"
  for lesson in 1 2 3 4 5; do PATH="$1:$folder/bin" wavelane tutorial "$folder/programs" $lesson || break; done
  cd "$folder/programs" && PATH="$1:$folder/bin" wavelane compile sum.hip
  cd / && rm -rf "$folder" """, "sh", folder)
expect("tutorial", text, r"(?s)saxpy: PASSED.*\(int\) i = 17\n.*lanes 51-63\n.*lanes 37\n.*\[race #1\].*Lesson 4.*Lesson 5.*no compiler for HIP")
# The program being debugged doesn't see what LLDB's Python needs.
_, text = run("wavelane-lldb", "--batch", "-o", "run", "--", "/usr/bin/env")
expect("the program's environment", text, r"(?s)^(?!.*PYTHONHOME=).*LINES|HOME=/proc(?!.*PYTHONHOME=)")
expect("an expression", run("wavelane-lldb", "--batch", "-o", "breakpoint set -n main", "-o", "run", "-o", "p (int)sizeof(int) + 1", "--", program)[1], r"\(int\)( \$0 =)? 5")
code, text = run("wavelane", "doctor")
expect("doctor", f"{code}\n{text}", r"^0\n")
print(f"{len(wrong)} wrong")
