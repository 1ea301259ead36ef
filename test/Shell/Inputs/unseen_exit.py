# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Halts, kills and deletes a program that has been killed, which its client hasn't seen."""
import os
import signal
import time

import lldb


def launched():
    """A debugger and its process, whose exit is the next event, not taken yet."""
    debugger = lldb.SBDebugger.Create()
    debugger.SetAsync(True)
    debugger.HandleCommand("settings set target.process.interrupt-timeout 100000")
    target = debugger.CreateTarget("/bin/sleep")
    listener, event = debugger.GetListener(), lldb.SBEvent()
    process = target.Launch(lldb.SBLaunchInfo(["100000"]), lldb.SBError())
    while process.GetState() != lldb.eStateRunning:
        listener.WaitForEvent(60, event)
    os.kill(process.GetProcessID(), signal.SIGKILL)
    while True:
        if not listener.PeekAtNextEvent(event):
            time.sleep(0.01)
        elif lldb.SBProcess.GetStateFromEvent(event) == lldb.eStateExited:
            break
        else:
            listener.GetNextEvent(event)
    return debugger, process


debugger, process = launched()
print("stop:", process.Stop())
print("kill:", process.Kill())
lldb.SBDebugger.Destroy(debugger)
debugger, process = launched()
print("detach:", process.Detach())
lldb.SBDebugger.Destroy(debugger)
debugger, process = launched()
lldb.SBDebugger.Destroy(debugger)
print("destroyed")
