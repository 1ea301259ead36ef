# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LLDB's `gui` command with waves: their threads, the line, and the focus lane's variables."""
import os
import re
import sys
import tempfile

from terminal import Terminal

home = tempfile.TemporaryDirectory()
os.environ["HOME"] = home.name
terminal = Terminal(f"{os.environ['WAVELANE_BUILD']}/bin/lldb", "--no-lldbinit", "-O", "settings set show-statusline false", sys.argv[1])
terminal.wait(rb"\(lldb\) ")
terminal.ask("breakpoint set -f saxpy.hip -l 13")
terminal.ask("run", rb"more waves are stopped")
terminal.ask("thread lane select 17")
terminal.type("gui")
for text in (rb"<Threads>", rb"<Variables>", rb"\(int\) i = 17", rb"thread #16", rb"breakpoint 1.1"):
    terminal.wait(text)
    print("shows", text.decode())
# Only what changes is drawn again.
terminal.output = b""
os.write(terminal.fd, b"n")
terminal.wait(rb"step over")
print("shows", "step over")
os.write(terminal.fd, b"\x1b")
terminal.wait(rb"1049l")
for command, answer in (("frame variable i", r"\(int\) i = \d+"), ("thread lane info", r"thread #.*saxpy.hip:[0-9:]+")):
    lines = terminal.ask(command, answer.encode())
    print(re.search(answer, "\n".join(lines))[0])
terminal.end()
