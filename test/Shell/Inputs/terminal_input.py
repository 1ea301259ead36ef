# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is typed for a program that goes on after Ctrl-C. usage: terminal_input.py LLDB PROGRAM"""
import sys
from terminal import Terminal

terminal = Terminal(sys.argv[1], "--no-lldbinit", "-O", "settings set show-statusline false", "-O", "settings set use-color false", sys.argv[2])
terminal.wait(rb"\(lldb\) ")
terminal.type("run")
terminal.wait(rb"tick")
for number in range(30):
    terminal.type(f"line {number}")
    terminal.wait(rb"read: line %d\b|not a valid command" % number)
    if b"read: line %d" % number not in terminal.output:
        sys.exit(f"LLDB has taken line {number} as a command")
    terminal.interrupt(b"stop reason = signal SIGSTOP")
    terminal.type("continue")
    # The program's output is shown once its input goes to it.
    terminal.wait(rb"(?s)resuming.*tick")
print("the program has read all lines")
terminal.end()
