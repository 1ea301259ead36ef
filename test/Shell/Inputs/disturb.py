# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Disturbs a program whose waves spin: an interrupt, a killed device, also while the waves are stopped, a device that a signal has stopped, a killed server."""
import os
import signal
import socket
import struct
import subprocess
import sys
import time

import lldb


def wait(what, condition, seconds=60):
    end, event = time.monotonic() + seconds, lldb.SBEvent()
    while not condition():
        if time.monotonic() > end:
            sys.exit(f"{what}: not within {seconds} seconds; states: " + ", ".join(
                f"{t.GetTriple()} {lldb.SBDebugger.StateAsCString(t.GetProcess().GetState())}" for t in debugger))
        # Some changes send no event.
        if not debugger.GetListener().GetNextEvent(event):
            time.sleep(0.02)


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


def is_left(pid):
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


program, how = sys.argv[1:3]
debugger = lldb.SBDebugger.Create()
debugger.SetAsync(True)
target = debugger.CreateTarget(program)
begin = target.BreakpointCreateByName("endless")
process = target.Launch(lldb.SBLaunchInfo(["endless"]), lldb.SBError())
pid = process.GetProcessID()

# The waves have reached their kernel, and spin.
wait("a wave's stop", lambda: gpu() and gpu().GetProcess().GetState() == lldb.eStateStopped
     and gpu().GetProcess().GetThreadAtIndex(0).GetStopReason() == lldb.eStopReasonBreakpoint)
target.BreakpointDelete(begin.GetID())
waves = gpu().GetProcess()
wait("the host's stop", lambda: process.GetState() == lldb.eStateStopped)
if how == "stopped-device":
    os.kill(device_pid(pid), signal.SIGKILL)
    wait("the waves' end", lambda: waves.GetState() == lldb.eStateExited)
    print("waves:", waves.GetExitDescription(), "host:", lldb.SBDebugger.StateAsCString(process.GetState()))
    process.Continue()
elif how == "frozen-device":
    device = device_pid(pid)
    os.kill(device, signal.SIGSTOP)
    process.Kill()
    wait("the device's end", lambda: not is_left(device))
else:
    waves.Continue()
if not how.endswith("-device"):
    wait("both to run", lambda: process.GetState() == waves.GetState() == lldb.eStateRunning)
if how == "interrupt":
    process.SendAsyncInterrupt()
    wait("both to stop", lambda: process.GetState() == waves.GetState() == lldb.eStateStopped)
    wave = waves.GetThreadAtIndex(0)
    print(waves.GetNumThreads(), "waves,", wave.GetName(), "in", wave.GetFrameAtIndex(0).GetFunctionName())
    process.Kill()
elif how.endswith("-device"):
    pass
elif how == "device":
    os.kill(device_pid(pid), signal.SIGKILL)
else:
    listing = subprocess.run(["ps", "-o", "pid=,comm=", "--ppid", str(os.getpid())], capture_output=True, text=True).stdout
    os.kill(next(int(l.split()[0]) for l in listing.splitlines() if "lldb-server" in l), signal.SIGKILL)
wait("the end", lambda: process.GetState() in (lldb.eStateExited, lldb.eStateDetached))
print("ended:", lldb.SBDebugger.StateAsCString(process.GetState()), process.GetExitDescription() or process.GetExitStatus())


wait("the program's end", lambda: not is_left(pid))
result = lldb.SBCommandReturnObject()
debugger.GetCommandInterpreter().HandleCommand("version", result)
print("then:", result.GetOutput() or result.GetError(), end="")
lldb.SBDebugger.Destroy(debugger)
