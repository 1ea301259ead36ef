# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A kernel's stop in an LLDB without Wavelane, over Wavelane's lldb-server: what the second target shows.

usage: stock_session.py PROGRAM LINE
"""
import sys

import lldb

SECONDS = 100


def wait(listener, process, state):
    """Waits for the event by which the process has a state, and keeps it."""
    event = lldb.SBEvent()
    while listener.WaitForEvent(SECONDS, event):
        if (lldb.SBProcess.EventIsProcessEvent(event) and lldb.SBProcess.GetProcessFromEvent(event).GetTarget() == process.GetTarget()
                and lldb.SBProcess.GetStateFromEvent(event) == state and not lldb.SBProcess.GetRestartedFromEvent(event)):
            return
    sys.exit(f"not {lldb.SBDebugger.StateAsCString(state)} after {SECONDS} s")


def main(program, line):
    debugger = lldb.SBDebugger.Create()
    debugger.SetAsync(True)
    # Without a processor, LLDB 23 and 24 end when they disassemble GPU code.
    debugger.HandleCommand("settings set stop-disassembly-display never")
    listener = debugger.GetListener()
    host = debugger.CreateTarget(program)
    error = lldb.SBError()
    process = host.Launch(listener, None, None, None, None, None, ".", 0, False, error)
    if error.Fail():
        sys.exit(f"launch: {error}")
    wait(listener, process, lldb.eStateStopped)
    print("targets:", debugger.GetNumTargets())
    gpu = debugger.GetTargetAtIndex(1)
    waves = gpu.GetProcess()
    print("triple:", gpu.GetTriple())
    print("code objects:", gpu.GetNumModules())
    print("kernel:", gpu.FindFunctions("saxpy").GetContextAtIndex(0).GetFunction().GetName())
    breakpoint = gpu.BreakpointCreateByLocation("saxpy.hip", line)
    print("breakpoint:", breakpoint.GetNumLocations())
    print("continue:", waves.Continue(), process.Continue())
    wait(listener, waves, lldb.eStateStopped)
    thread = next(thread for thread in waves if thread.GetStopReason() == lldb.eStopReasonBreakpoint)
    frame = thread.GetFrameAtIndex(0)
    print("waves:", waves.GetNumThreads())
    print("wave:", thread.GetName())
    print("place:", frame.GetLineEntry().GetFileSpec().GetFilename(), frame.GetLineEntry().GetLine())
    print("exec:", frame.FindRegister("exec").GetValue())
    print("bytes of v0:", frame.FindRegister("v0").GetByteSize())
    read = waves.ReadMemory(frame.GetPC(), 8, error)
    # The stored code has no breakpoint.
    section = frame.GetPCAddress().GetSection()
    stored = section.GetSectionData(frame.GetPCAddress().GetOffset(), 8).ReadRawData(error, 0, 8)
    print("memory:", "as in the file" if read == stored and any(read) else f"{read} {stored}")
    gpu.BreakpointDelete(breakpoint.GetID())
    print("continue:", waves.Continue())
    wait(listener, process, lldb.eStateExited)
    print("exit status:", process.GetExitStatus())


main(sys.argv[1], int(sys.argv[2]))
