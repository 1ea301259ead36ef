# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The first lldb-server of a session dies, stops or is slow before it answers anything.

server_start.py BUILD PROGRAM dies|stops|slow FILE: FILE is written."""
import os
import sys

from terminal import Terminal

build, program, how, file = sys.argv[1:]
FIRST = {"dies": "kill -9 $$", "stops": f"echo > {file}.stopped; kill -STOP $$",
         "slow": "sleep 8"}[how]  # LLDB itself waits 6 s
for old in (f"{file}.once", f"{file}.stopped"):
    if os.path.exists(old):
        os.remove(old)
with open(file, "w") as script:
    script.write(f'#!/bin/sh\n[ -e {file}.once ] || {{ echo > {file}.once; {FIRST}; }}\nexec {build}/bin/lldb-server "$@"\n')
os.chmod(file, 0o755)
os.environ["LLDB_DEBUGSERVER_PATH"] = file
t = Terminal(f"{build}/bin/lldb", "-X", "-O", "settings set show-statusline false", "-O", "settings set use-color false", program, "--", "endless")
ANSWER = rb"(?:error: |stop reason = )"


def shown(lines):
    return next(line for line in lines if "error:" in line or "stop reason" in line)


t.wait(rb"\(lldb\) $|\(lldb\) .*\x1b\[8G$")
t.ask("breakpoint set -n endless", b"Breakpoint 1")
if how == "stops":
    t.type("run")
    while not os.path.exists(f"{file}.stopped"):
        pass
    print("run:", shown(t.interrupt(ANSWER)))
else:
    print("run:", shown(t.ask("run", ANSWER)))
if how != "slow":
    print("again:", shown(t.ask("run", ANSWER)))
t.end()
