# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attaches to programs whose file was deleted, replaced, or moved, or is the same: file_changed.py LLDB WAVELANE-RUN PROGRAMS FOLDER"""
import os
import re
import shutil
import subprocess
import sys
import time

lldb, run, programs, folder = sys.argv[1:]
program, other, late, library = (os.path.join(programs, name) for name in ("faults-O0", "saxpy-O0", "late", "libattach.so"))
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


def attach(pid, *commands):
    """What LLDB says of warnings, dispatches, variables, places and errors."""
    text = subprocess.run([lldb, "--no-lldbinit", "-b", "-o", f"process attach -p {pid}", "-o", "gpu dispatch list", "-o", "frame variable go",
                           *(word for command in commands for word in ("-o", command))],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False).stdout
    print(*dict.fromkeys(re.findall(r"^(?:warning: .*|1 +1 +1 +\w+|\(volatile int \*\) go|error: .*undeclared.*|error: Cannot launch.*)|main at [\w.]+", text, re.MULTILINE)), sep="\n")


def ticks(device):
    """The processor time that the device has used: a second is more than it needs to start."""
    with open(f"/proc/{device}/stat") as file:
        return sum(map(int, file.read().rsplit(")", 1)[1].split()[11:13]))


for change in (None, deleted, replaced, copied):
    print("==", change.__name__ if change else "the same")
    shutil.copy(program, path)
    with subprocess.Popen([run, "--runtime", "wavelane", path, "endless"]) as process:
        # The kernel runs when the device does.
        device, end = None, time.monotonic() + 60
        while not device and time.monotonic() < end:
            time.sleep(0.1)
            device = subprocess.run(["pgrep", "-f", f"wavelane-gpu .*--pid {process.pid}( |$)"], capture_output=True, text=True, check=False).stdout.strip()
        while time.monotonic() < end and ticks(device) < os.sysconf("SC_CLK_TCK"):
            time.sleep(0.1)  # The program says nothing when its kernel, which never ends, has begun.
        if change:
            change()
        attach(process.pid, "target select 0", "bt", "kill", *(["run"] if change == deleted else []))
        process.kill()

print("== a library, deleted")
shutil.copy(library, path)
with subprocess.Popen([run, "--runtime", "wavelane", late, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
    process.stdout.readline()  # started
    process.stdin.write(b"\n")
    process.stdin.flush()
    process.stdout.readline()  # running
    deleted()
    attach(process.pid, "kill")
    process.kill()
