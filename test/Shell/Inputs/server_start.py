# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The first lldb-server of a session dies, stops or is slow before it answers anything.

server_start.py BUILD PROGRAM dies|stops|slow|remote|platform FILE: FILE is written. remote: as stops, of a server that a platform's server starts.
platform: the platform's server itself is stopped."""
import os
import signal
import subprocess
import sys
import time

from terminal import Terminal

build, program, how, file = sys.argv[1:]
STOPS = f"echo > {file}.stopped; kill -STOP $$"
FIRST = {"dies": "kill -9 $$", "stops": STOPS, "remote": STOPS, "slow": "sleep 8", "platform": ":"}[how]  # LLDB itself waits 6 s
for old in (f"{file}.once", f"{file}.stopped", f"{file}.port", f"{file}.packets"):
    if os.path.exists(old):
        os.remove(old)
with open(file, "w") as script:
    script.write(f'#!/bin/sh\n[ -e {file}.once ] || {{ echo > {file}.once; {FIRST}; }}\nexec {build}/bin/lldb-server "$@"\n')
os.chmod(file, 0o755)
os.environ["LLDB_DEBUGSERVER_PATH"] = file
before, platform = [], None
if how in ("remote", "platform"):
    folder = f"{file}.there"  # programs are copied to it
    os.makedirs(folder, exist_ok=True)
    platform = subprocess.Popen([f"{build}/bin/lldb-server", "platform", "--server", "--listen", "127.0.0.1:0", "--socket-file", f"{file}.port"],
                                cwd=folder)
    while not os.path.exists(f"{file}.port"):
        time.sleep(0.02)
    with open(f"{file}.port") as reported:
        port = reported.read().strip("\0\n")
    before = ["-O", "platform select remote-linux", "-O", f"platform connect connect://127.0.0.1:{port}"]
t = Terminal(f"{build}/bin/lldb", "-X", "-O", "settings set show-statusline false", "-O", "settings set use-color false", *before, program, "--", "endless")
ANSWER = rb"(?:error: |stop reason = )"


def shown(lines):
    return next(line for line in lines if "error:" in line or "stop reason" in line)


t.wait(rb"\(lldb\) $|\(lldb\) .*\x1b\[8G$")
t.ask("breakpoint set -n endless", b"Breakpoint 1")
if how == "platform":
    t.ask(f"log enable -f {file}.packets gdb-remote packets")
    packets = open(f"{file}.packets", "rb")
    os.kill(platform.pid, signal.SIGSTOP)
if FIRST == STOPS or how == "platform":
    t.type("run")
    while FIRST == STOPS and not os.path.exists(f"{file}.stopped"):
        pass
    while how == "platform" and b"send packet" not in packets.read():
        time.sleep(0.02)  # A log sends no event.
    lines = t.interrupt(ANSWER)
    print(*(line.removeprefix("^C") for line in lines if "hasn't answered" in line), sep="\n")
    print("run:", shown(lines))
else:
    print("run:", shown(t.ask("run", ANSWER)))
if how == "platform":
    os.kill(platform.pid, signal.SIGCONT)
if how not in ("slow", "remote"):
    print("again:", shown(t.ask("run", ANSWER)))
t.end()
if platform:
    platform.kill()
    # The first server, which is stopped, ends when it goes on: its connection has.
    subprocess.run(["pkill", "-CONT", "-f", f"{build}/bin/lldb-server gdbserver|{file}"], check=False)
