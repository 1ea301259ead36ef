# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""lldb-server is stopped while LLDB prints the stop of waves: the prompt comes nevertheless, and `process kill` ends the program.

unprinted.py LLDB PROGRAM; LLDB imports this file, too."""
import os
import signal
import subprocess
import sys
import time


def freeze(thread, _):
    """For thread-stop-format, once."""
    thread.process.GetTarget().GetDebugger().HandleCommand("settings clear thread-stop-format")
    os.kill(int(subprocess.check_output(["pgrep", "-P", str(os.getpid()), "-x", "lldb-server"])), signal.SIGSTOP)
    return "stopped"


def main():
    from terminal import Terminal
    lldb, program = sys.argv[1:]
    t = Terminal(lldb, "-X", "-O", "settings set show-statusline false", "-O", "settings set use-color false", "-O", f"command script import {__file__}",
                 "-O", r'settings set thread-stop-format "${script.thread:unprinted.freeze}\n"', program, "--", "endless")
    t.wait(rb"\(lldb\) $|\(lldb\) .*\x1b\[8G$")
    t.ask("breakpoint set -n endless", b"Breakpoint 1")
    t.type("run")
    t.wait(rb"launched(?s:.*)\(lldb\) ")
    print("prompt:", *(line for line in t.ask("version", b"lldb version") if "lldb version" in line))
    reported = []
    while not any("exited with" in line for line in reported):
        t.type("process kill")
        t.wait(rb"process kill\r\n")
        time.sleep(0.5)  # Until it waits for lldb-server: before, Ctrl-C takes the command back.
        reported = t.interrupt(b"exited with|Interrupted")
    print("kill:", *(line.split(" (0x")[0].split("Process ")[-1].split(" ", 1)[1] for line in reported if "exited with" in line))
    print("again:", *(line for line in t.ask("run", rb"stop reason = breakpoint") if "stop reason" in line))
    t.end()


if __name__ == "__main__":
    main()
