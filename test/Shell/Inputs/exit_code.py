# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command, prints its exit code, and checks that no process of its own is left; fails if the code isn't the given one."""
import os
import subprocess
import sys
import time

expected, command = int(sys.argv[1]), sys.argv[2:]
mark = f"WAVELANE_TEST_SESSION={os.getpid()}"


def left():
    """Programs that have inherited the mark and are still running."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as environment:
                if mark.encode() in environment.read().split(b"\0"):
                    found.append(os.readlink(f"/proc/{pid}/exe"))
        except OSError:
            pass  # It has ended, or is another user's.
    return found


name, _, value = mark.partition("=")
done = subprocess.run(command, env={**os.environ, name: value}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                      stderr=subprocess.STDOUT, timeout=120)
sys.stdout.write(done.stdout.decode(errors="replace"))
print("\nexit code", done.returncode)
end = time.monotonic() + 30
while left() and time.monotonic() < end:
    time.sleep(0.05)  # Processes that aren't our children don't notify us of their end.
print("left behind:", left())
sys.exit(done.returncode != expected or bool(left()))
