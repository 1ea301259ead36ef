# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ctrl-C at the prompt of a terminal, while a job runs that has never stopped.

job_interrupt.py LLDB LAUNCHER"""
import sys

from terminal import Terminal

lldb, launcher = sys.argv[1:3]
t = Terminal(lldb, "-X", "-O", "settings set show-statusline false", "-O", "settings set use-color false", "/bin/sleep")
t.wait(rb"\(lldb\) $|\(lldb\) .*\x1b\[8G$")
t.ask(f"job launch -- {launcher} --allow-run-as-root --oversubscribe -n 2 /bin/sleep 100", b"ranks 0-1 of")
print("Ctrl-C:", *(line for line in t.interrupt(b"ranks 0-1 interrupted") if "interrupted" in line))
print("list:", sum("stopped" in line for line in t.ask("rank list", rb"1 +\S+ +[0-9]+ +\w+")))
t.ask("job kill", b"killed|kill")
