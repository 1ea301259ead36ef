# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""lldb-server is stopped while waves run, or stand: Ctrl-C gives the prompt back, and `process kill` ends the program; the next run is like the first.

unanswered.py LLDB PROGRAM running|stopped|patient kill|continue: the waves, and what is done once the prompt is back. "patient": stopped, and no Ctrl-C."""
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

from terminal import Terminal

lldb, program, waves, then = sys.argv[1:5]
t = Terminal(lldb, "-X", "-O", "settings set show-statusline false", "-O", "settings set use-color false", program, "--", "endless")
t.wait(rb"\(lldb\) $|\(lldb\) .*\x1b\[8G$")
stop = rb"stop reason = breakpoint"
t.ask("breakpoint set -n endless", b"Breakpoint 1")
t.ask("run", stop)
t.ask("breakpoint disable", b"disabled")
packets = tempfile.NamedTemporaryFile()
t.ask(f"log enable -f {packets.name} gdb-remote packets")
if waves == "running":
    t.type("continue")
    t.wait(b"Process [0-9]+ resuming")
server = int(subprocess.check_output(["pgrep", "-P", str(t.pid), "-x", "lldb-server"]))
os.kill(server, signal.SIGSTOP)
ANSWER = rb"ends the program\."
if waves == "running":
    t.interrupt(ANSWER)
else:
    packets.seek(0, os.SEEK_END)
    t.type("thread lane print *go")
    if waves != "patient":
        while b"send packet" not in packets.read():
            time.sleep(0.01)  # A log sends no event. Before, Ctrl-C takes the command back.
        t.output = b""
        os.write(t.fd, b"\x03")
    t.wait(ANSWER + rb"(?s:.*)\(lldb\) ")
print("reported:", re.sub(r"\d\.\d|CONT \d+", "N", re.search(rb"lldb-server (doesn't|is stopped).*program\.", t.output)[0].decode()))
if waves != "running":
    print("waves:", *(line for line in t.ask("continue", b"error:") if "error:" in line))
print("prompt:", *(line for line in t.ask("version", b"lldb version") if "lldb version" in line))
if then == "kill":
    print("kill:", *(re.sub(r"\d{2,}", "N", line) for line in t.ask("process kill", b"exited with") if "exited with" in line))
    end = time.monotonic() + 2  # LLDB's thread waits for it
    while os.path.exists(f"/proc/{server}") and time.monotonic() < end:
        time.sleep(0.05)
    print("the server is", "left" if os.path.exists(f"/proc/{server}") else "gone")
else:
    t.output = b""
    os.kill(server, signal.SIGCONT)
    if waves == "running":
        t.wait(rb"stop reason = (?s:.*)\(lldb\) ")
        print("goes on:", re.search(rb"stop reason = .*", t.output)[0].decode().strip())
    else:
        t.wait(rb"answers again(?s:.*)\(lldb\) ")
        print("value:", *(line for line in t.ask("thread lane print *go", b"0-63") if "0-63" in line))
    t.ask("process kill", b"exited with")
t.ask("breakpoint enable", b"enabled")
print("again:", *(line for line in t.ask("run", stop) if "stop reason" in line))
t.end()
