# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kills lldb-server while it starts a program; then LLDB detaches one: launch_killed.py SERVER LIBRARY LLDB"""
import os
import pathlib
import re
import subprocess
import sys
import time

server, library, *lldb = sys.argv[1:]
# No other process sleeps for so long.
seconds = str(1_000_000 + os.getpid())


def runs():
    """Whether the program does."""
    return subprocess.run(["pgrep", "-f", f"^/bin/sleep {seconds}$"], stdout=subprocess.DEVNULL, check=False).returncode == 0


for place in ("before 1", "after 1", "before 2", "after 2"):
    process = subprocess.Popen([server, "gdbserver", "localhost:0", "--", "/bin/sleep", seconds], env=dict(os.environ, LD_PRELOAD=library, DIES=place),
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        outcome = f"signal {-process.wait(30)}"
    except subprocess.TimeoutExpired:
        process.kill()
        outcome = "it serves"
    end = time.monotonic() + 5
    while runs() and time.monotonic() < end:
        time.sleep(0.05)
    print(f"{place}: {outcome}, the program", "runs" if runs() else "has ended")
    subprocess.run(["pkill", "-KILL", "-f", f"^/bin/sleep {seconds}$"], check=False)

# A program that was detached outlives its server.
done = subprocess.run([*lldb, "-b", "-o", f"process launch --stop-at-entry -- {seconds}", "-o",
                       "script import os; print('servers', os.popen(f'pgrep -P {os.getpid()} lldb-server').read().split())",
                       "-o", "process detach", "/bin/sleep"], capture_output=True, text=True, timeout=120, check=False)
servers = [pathlib.Path("/proc", number) for number in re.findall(r"(?m)^servers \['(\d+)'\]$", done.stdout)]
end = time.monotonic() + 30
while any(server.exists() for server in servers) and time.monotonic() < end:
    time.sleep(0.05)
print("detached from", len(servers), "server: the program", "runs" if runs() else "has ended")
subprocess.run(["pkill", "-KILL", "-f", f"^/bin/sleep {seconds}$"], check=False)
