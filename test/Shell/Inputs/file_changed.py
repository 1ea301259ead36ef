# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attaches to programs whose file was deleted, replaced, or moved, or is the same: file_changed.py LLDB WAVELANE-RUN PROGRAM OTHER-PROGRAM FOLDER"""
import os
import re
import shutil
import subprocess
import sys
import time

lldb, run, program, other, folder = sys.argv[1:]
os.makedirs(folder, exist_ok=True)
path = os.path.join(folder, "program")


def deleted():
    os.unlink(path)


def replaced():
    shutil.copy(other, path + ".new")
    os.rename(path + ".new", path)


def copied():
    os.rename(path, path + ".old")
    shutil.copy(path + ".old", path)


for change in (None, deleted, replaced, copied):
    shutil.copy(program, path)
    with subprocess.Popen([run, "--runtime", "wavelane", path, "endless"]) as process:
        # The kernel runs when the device does.
        device, end = None, time.monotonic() + 60
        while not device and time.monotonic() < end:
            time.sleep(0.1)
            device = subprocess.run(["pgrep", "-f", f"wavelane-gpu .*--pid {process.pid}( |$)"], capture_output=True, text=True, check=False).stdout.strip()
        time.sleep(1)
        if change:
            change()
        text = subprocess.run([lldb, "--no-lldbinit", "-b", "-o", f"process attach -p {process.pid}", "-o", "gpu dispatch list", "-o", "frame variable go", "-o", "kill"],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False).stdout
        process.kill()
    print("==", change.__name__ if change else "the same")
    print(*re.findall(r"^(?:warning: .*|1 +1 +1 +\w+|\(volatile int \*\) go|error: .*undeclared.*)", text, re.MULTILINE), sep="\n")
