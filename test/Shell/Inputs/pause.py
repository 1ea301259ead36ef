# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ctrl-C while a kernel hangs: the stop is shown in the waves, and steps after it move the stepped wave only."""
import os
import re
import sys
import tempfile

from stops import line_of
from terminal import Terminal

program = sys.argv[1] + "/daily-O0"
home = tempfile.TemporaryDirectory()
os.environ["HOME"] = home.name
BOTH = rb"(?s)Process \d+ stopped.*more waves are stopped"


def show(lines, *words):
    for line in lines:
        if any(word in line for word in words):
            print("|" + re.sub(r"0x[0-9a-f]+", "0x", re.sub(r"tid = \w+, ", "", line)).replace(os.path.dirname(program), ""))


def step(terminal, command):
    """Steps, and shows the stop. LLDB may draw its prompt between the lines of a stop."""
    terminal.type(command)
    lines = terminal.lines(rb"Process \d+ stopped.*stop reason = [^\r\n]+\r?\n")
    show([line[line.index("thread #"):] for line in lines if "stop reason" in line and "thread #" in line][:1], "stop reason")


def start(mode, mark):
    """The program, stopped there."""
    terminal = Terminal(f"{os.environ['WAVELANE_BUILD']}/bin/lldb", "--no-lldbinit", "-O", "settings set show-statusline false", program, "--", mode)
    terminal.wait(rb"\(lldb\) ")
    terminal.ask(f"breakpoint set -f daily.hip -l {line_of(mark, 'daily.hip')}")
    terminal.ask("run", BOTH)
    terminal.ask("breakpoint delete -f", rb"All breakpoints removed")
    return terminal


terminal = start("hang", "spins")
# The other waves reach the barrier, sooner or later.
for leader in ("gpu", "host"):
    print("==", leader, "leads")
    for _ in range(100):
        if leader == "host":
            terminal.ask("target select 0")
        terminal.type("continue")
        terminal.wait(rb"resuming")
        lines = terminal.interrupt(rb"the host's thread")
        if any("waits at a barrier" in line for line in lines):
            break
    show(lines, "stop reason", "more waves", "the host's")
show(terminal.ask("gpu wave list"), "hang (")
# The wave that is shown waits, in a function of HIP's headers: so it is when it is selected again.
shown = next(re.search(r"thread #(\d+)", line)[1] for line in lines if "waits at a barrier" in line)
show(terminal.ask("thread select " + shown, rb"->[^\n]*\n"), "->")
print("== a step of another wave")
for line in terminal.ask("thread list", rb"thread #4:[^\n]*\n"):
    listed = re.search(r"thread #(\d+):", line)
    if listed and "daily.hip:%d" % line_of("spins", "daily.hip") in line:
        spinning = listed[1]
terminal.ask("thread select " + spinning, rb"thread #\d+,")
step(terminal, "stepi")
step(terminal, "next")
print("the spinning one:", spinning)
terminal.end()

# All waves turn, each in a workgroup of its own: a step of one ends without the others.
print("== an interrupted step")
terminal = start("turn", "turns")
terminal.ask("thread select 2", rb"thread #2,")
terminal.type("thread until %d" % line_of("out of it", "daily.hip"))
terminal.wait(rb"resuming|error")
show(terminal.interrupt(rb"the host's thread"), "stop reason", "more waves", "the host's")
show(terminal.ask("thread plan list 2"), "lement", "lan")
terminal.ask("thread select 4", rb"thread #4,")
step(terminal, "next")
show([line for line in terminal.ask("thread list", rb"thread #4:[^\n]*\n") if re.search(r"thread #\d+:", line)], "stop reason")
terminal.ask("thread select 3", rb"thread #3,")
step(terminal, "stepi")
terminal.end()
