# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A core runs on, and its simulated GPU is killed meanwhile: the session says so at once, and stays usable.

core_device_killed.py PROGRAM CORE"""
import os
import signal
import sys

import lldb

program, path = sys.argv[1:]
signal.alarm(120)


def command(debugger, text):
    result = lldb.SBCommandReturnObject()
    debugger.GetCommandInterpreter().HandleCommand(text, result)
    return ((result.GetOutput() or "") + (result.GetError() or "")).strip()


def devices(server_of):
    """The devices whose programs' parent is this process, by their arguments."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                words = file.read().split(b"\0")
            if not words[0].endswith(b"wavelane-gpu"):
                continue
            owner = int(words[words.index(b"--pid") + 1])
            with open(f"/proc/{owner}/stat") as file:
                parent = int(file.read().rsplit(")", 1)[1].split()[1])
        except (OSError, ValueError):
            continue
        if parent == server_of:
            found.append(int(pid))
    return found


debugger = lldb.SBDebugger.Create()
debugger.SetAsync(False)
debugger.CreateTarget(program)
command(debugger, "breakpoint set -n endless")
command(debugger, "run endless")
command(debugger, f"process save-core {path}")
command(debugger, "target select 0")
command(debugger, "process kill")
lldb.SBDebugger.Destroy(debugger)

debugger = lldb.SBDebugger.Create()
debugger.SetAsync(False)
command(debugger, f"target create --core {path}")
command(debugger, "target select 1")
waves = debugger.GetSelectedTarget().GetProcess()
print("loaded:", waves.GetState() == lldb.eStateStopped)
debugger.SetAsync(True)
listener = debugger.GetListener()
waves.Continue()
event = lldb.SBEvent()
while waves.GetState() != lldb.eStateRunning:
    listener.WaitForEvent(1, event)
device, = devices(os.getpid())
os.kill(device, signal.SIGKILL)
while waves.GetState() == lldb.eStateRunning:
    listener.WaitForEvent(5, event)
state = debugger.StateAsCString(waves.GetState())
print("state:", state)
print("description:", (waves.GetExitDescription() or "").replace(str(device), "PID"))
print("next command:", command(debugger, "continue").replace(str(device), "PID"))
print("other target:", command(debugger, "target select 0").splitlines()[-1].split(":")[0].strip("* "))
lldb.SBDebugger.Destroy(debugger)
