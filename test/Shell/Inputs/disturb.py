# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Disturbs a program whose waves spin: an interrupt, a killed device, a killed server."""
import os
import signal
import socket
import struct
import subprocess
import sys
import time

import lldb


def wait(condition, seconds=30):
    end = time.monotonic() + seconds
    event = lldb.SBEvent()
    while time.monotonic() < end:
        while debugger.GetListener().GetNextEvent(event):
            pass
        if condition():
            return True
        time.sleep(0.05)
    return False


def gpu():
    targets = [debugger.GetTargetAtIndex(i) for i in range(debugger.GetNumTargets())]
    return next((t for t in targets if t.GetTriple().startswith("amdgcn")), None)


def device_pid(program):
    """The process that listens on the program's device socket."""
    folder = os.environ.get("WAVELANE_RUNTIME_DIR") or (
        os.environ["XDG_RUNTIME_DIR"] + "/wavelane" if "XDG_RUNTIME_DIR" in os.environ else f"/tmp/wavelane-{os.getuid()}")
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(f"{folder}/gpu-{program}.sock")
        return struct.unpack("3i", client.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]


program, how = sys.argv[1:3]
debugger = lldb.SBDebugger.Create()
debugger.SetAsync(True)
process = debugger.CreateTarget(program).Launch(lldb.SBLaunchInfo(["endless"]), lldb.SBError())
pid = process.GetProcessID()
print("gpu target:", wait(lambda: gpu() and gpu().GetProcess().IsValid()))
time.sleep(1)  # The waves begin.
if how == "interrupt":
    process.SendAsyncInterrupt()
    waves = gpu().GetProcess()
    print("both stopped:", wait(lambda: process.GetState() == waves.GetState() == lldb.eStateStopped))
    wave = waves.GetThreadAtIndex(0)
    print(waves.GetNumThreads(), "waves,", wave.GetName(), "in", wave.GetFrameAtIndex(0).GetFunctionName())
    process.Kill()
elif how == "device":
    os.kill(device_pid(pid), signal.SIGKILL)
else:
    listing = subprocess.run(["ps", "-o", "pid=,comm=", "--ppid", str(os.getpid())], capture_output=True, text=True).stdout
    os.kill(next(int(l.split()[0]) for l in listing.splitlines() if "lldb-server" in l), signal.SIGKILL)
print("ended:", wait(lambda: process.GetState() in (lldb.eStateExited, lldb.eStateDetached)))


def is_left():
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


print("program left behind:", not wait(lambda: not is_left()))
result = lldb.SBCommandReturnObject()
debugger.GetCommandInterpreter().HandleCommand("version", result)
print("usable:", result.Succeeded())
lldb.SBDebugger.Destroy(debugger)
