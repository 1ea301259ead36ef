# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kills each side of a program whose wave is stopped, in synchronous mode: kill_host.py PROGRAM"""
import sys

import lldb

debugger = lldb.SBDebugger.Create()
debugger.SetAsync(False)
target = debugger.CreateTarget(sys.argv[1])
target.BreakpointCreateByLocation("saxpy.hip", 13)


def states():
    processes = [debugger.GetTargetAtIndex(i).GetProcess() for i in range(debugger.GetNumTargets())]
    return [lldb.SBDebugger.StateAsCString(process.GetState()) for process in processes]


for side in range(2):
    target.Launch(lldb.SBLaunchInfo([]), lldb.SBError())
    print(states())
    debugger.GetTargetAtIndex(side).GetProcess().Kill()
    for wait in range(50):  # the other side's end comes a little later, without an event that a script could wait for
        if states() == ["exited", "exited"]:
            break
        lldb.SBListener("pause").WaitForEvent(1, lldb.SBEvent())
    print(states())
lldb.SBDebugger.Destroy(debugger)
