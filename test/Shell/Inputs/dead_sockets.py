# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a program in a runtime folder that has the sockets of a device that was killed and of one that lives: dead_sockets.py WAVELANE-RUN PROGRAM FOLDER"""
import os
import socket
import subprocess
import sys
import time

run, program, folder = sys.argv[1:]
os.makedirs(folder, mode=0o700, exist_ok=True)
# Numbers that no process has.
dead, live = (os.path.join(folder, f"gpu-{2 ** 30 + number}.sock") for number in range(2))
for path in dead, live:
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen()
    if path == dead:
        listener.close()
subprocess.run([run, "--runtime", "wavelane", program], env=dict(os.environ, WAVELANE_RUNTIME_DIR=folder), check=True)


def others():
    return [name for name in os.listdir(folder) if name.endswith(".sock") and name not in live and name not in dead]


# The device that has run ends a little later than its program.
end = time.monotonic() + 10
while others() and time.monotonic() < end:
    time.sleep(0.05)
print("dead:", os.path.exists(dead), "live:", os.path.exists(live), "others:", others())
