# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kills a process of a session while waves are stopped, or run: what is reported without a command, in LLDB or in lldb-dap, and the next run.

lost.py LLDB PROGRAM WHICH [running|kill], or lost.py LLDB-DAP PROGRAM WHICH SOURCE: WHICH is program, device or server; with kill, LLDB kills the program
before it notices."""
import os
import re
import signal
import sys
import tempfile
import time

from dap_client import Client
from terminal import Terminal

tool, program, which = sys.argv[1:4]
NAMES = {"program": os.path.basename(program), "device": "wavelane-gpu", "server": "lldb-server"}


def find(session):
    """The process of that session, by the environment that it inherits."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as environment, open(f"/proc/{pid}/comm") as name:
                if session in environment.read().split(b"\0") and name.read().strip() == NAMES[which][:15]:
                    return int(pid)
        except OSError:
            pass
    raise SystemExit(f"there is no {NAMES[which]}")


def plain(text):
    return re.sub(r"\d{2,}", "N", re.sub(r" \(0x[0-9a-f]+\)", "", text))


mark = f"WAVELANE_TEST_SESSION={os.getpid()}"
os.environ.update([mark.split("=")])
folder = tempfile.TemporaryDirectory()
os.environ["XDG_RUNTIME_DIR"] = os.environ["TMPDIR"] = folder.name
mark = mark.encode()

if os.path.basename(tool) == "lldb":
    t = Terminal(tool, "-X", "-O", "settings set show-statusline false", "-O", "settings set use-color false", program, "--", "endless")
    stop = rb"stop reason = breakpoint"
    t.wait(rb"\(lldb\) $|\(lldb\) .*\x1b\[8G$")
    t.ask("breakpoint set -n endless", b"Breakpoint 1")
    t.ask("run", stop)
    if "running" in sys.argv:
        t.ask("breakpoint disable", b"disabled")
        t.type("continue")
        t.wait(b"Process [0-9]+ resuming")
    t.output = b""
    os.kill(find(mark), signal.SIGKILL)
    reported = [line for line in t.lines(rb"exited|error:") if re.search("exited|error:", line)]
    print("reported:", *map(plain, reported), sep="\n")
    t.settle()
    t.ask("breakpoint enable", b"enabled")
    if "kill" in sys.argv:
        t.ask("process kill", b"exited")
        print("files left:", [name for _, _, names in os.walk(folder.name) for name in names])
    elif which == "device" and "running" not in sys.argv:
        print(*(plain(line) for line in t.ask("continue", b"exited") if "exited" in line or "wavelane:" in line), sep="\n")
    print("again:", *(line for line in t.ask("run", stop) if "stop reason" in line))
    t.end()
    if which == "server":
        # The server ends after LLDB.
        end = time.monotonic() + 10
        while (left := [name for name in os.listdir(folder.name) if "findings" in name]) and time.monotonic() < end:
            time.sleep(0.1)
        print("folders left:", left)
else:
    c = Client(tool)
    c.launch(program, sys.argv[4], [17], args=["endless"])
    print("stopped:", c.event("stopped")["reason"])
    os.kill(find(mark), signal.SIGKILL)
    if which == "device":
        print("reported:", plain(c.event("output", lambda body: "to restart" in body["output"])["output"].strip()))
        stop = c.event("stopped", lambda body: body["reason"] != "breakpoint")
        names = [t["name"] for t in c.body("threads")["threads"]]
        print("stopped:", stop["reason"], "waves left:", sum(name.startswith("endless (") for name in names))
    else:
        print("reported:", plain(c.event("output", lambda body: "to restart" in body["output"])["output"].split("\n")[0].strip()))
        print("exit code:", c.event("exited")["exitCode"])
        c.event("terminated")
    print("adapter:", c.disconnect())
