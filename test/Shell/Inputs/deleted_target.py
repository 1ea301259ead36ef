# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A script deletes a program's targets while the program's end is about to be shown.

deleted_target.py PROGRAM"""
import gc
import sys
import threading

import lldb

shows, deleted = threading.Event(), threading.Event()


def log(text):
    """Called on the thread that shows the end, just before it does."""
    if "FollowerHostEnds -> " in text:
        shows.set()
        deleted.wait(20)


def stopped_waves(debugger):
    event = lldb.SBEvent()
    for _ in range(60):
        debugger.GetListener().WaitForEvent(1, event)
        for target in (debugger.GetTargetAtIndex(index) for index in range(debugger.GetNumTargets())):
            if target.GetTriple().startswith("amdgcn") and target.GetProcess().GetState() == lldb.eStateStopped and target.GetProcess().GetNumThreads():
                return target.GetProcess()
    return None


def session():
    debugger = lldb.SBDebugger.Create(False, log)
    debugger.SetAsync(True)
    target = debugger.CreateTarget(sys.argv[1])
    target.BreakpointCreateByName("saxpy")
    target.LaunchSimple(None, None, ".")
    waves = stopped_waves(debugger)
    debugger.HandleCommand("log enable lldb process")
    target.DeleteAllBreakpoints()
    waves.Continue()
    event = lldb.SBEvent()
    for _ in range(400):
        if shows.wait(0.1):
            break
        debugger.GetListener().GetNextEvent(event)
    print("shows the end:", shows.is_set())
    for index in reversed(range(debugger.GetNumTargets())):
        debugger.DeleteTarget(debugger.GetTargetAtIndex(index))
    return debugger


debugger = session()
gc.collect()
deleted.set()
lldb.SBDebugger.Destroy(debugger)
print("ends")
