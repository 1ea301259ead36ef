# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ctrl-C while a kernel hangs: the stop is the waves', and steps after it are those of the wave that is stepped."""
import os
import re
import sys
import tempfile

from stops import line_of
from terminal import Terminal

program = sys.argv[1] + "/daily-O0"
home = tempfile.TemporaryDirectory()
os.environ["HOME"] = home.name
STOPPED = rb"Process \d+ stopped"
# The host stops with its GPU, later.
BOTH = rb"(?s)Process \d+ stopped.*Target 0: \(daily-O0\) stopped"


def show(lines, *words):
    for line in lines:
        if any(word in line for word in words):
            print("|" + re.sub(r"0x[0-9a-f]+", "0x", re.sub(r"tid = \w+, ", "", line)).replace(os.path.dirname(program), ""))


terminal = Terminal(f"{os.environ['WAVELANE_BUILD']}/bin/lldb", "--no-lldbinit", "-O", "settings set show-statusline false", program, "--", "hang")
terminal.wait(rb"\(lldb\) ")
terminal.ask(f"breakpoint set -f daily.hip -l {line_of('spins', 'daily.hip')}")
terminal.ask("run", BOTH)
terminal.ask("breakpoint delete -f")
# The other waves come to the barrier, sooner or later.
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
print("== a step of another wave")
for line in terminal.ask("thread list"):
    if "daily.hip:%d" % line_of("spins", "daily.hip") in line:
        spinning = re.search(r"thread #(\d+)", line)[1]
terminal.ask("thread select " + spinning)
show(terminal.ask("stepi", STOPPED), "stop reason")
show(terminal.ask("next", STOPPED), "stop reason")
print("the spinning one:", spinning)
terminal.end()
