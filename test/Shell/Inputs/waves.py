# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Debugs a kernel through the SB API only, in synchronous mode."""
import sys
import lldb

debugger = lldb.SBDebugger.Create()
debugger.SetAsync(False)
host = debugger.CreateTarget(sys.argv[1])
host.BreakpointCreateByLocation("saxpy.hip", 13)
process = host.LaunchSimple(None, None, ".")
gpu = debugger.GetSelectedTarget()
print("gpu", gpu.GetTriple())
waves = gpu.GetProcess()
print("waves", waves.GetNumThreads())
wave = waves.GetSelectedThread()
reason = {lldb.eStopReasonBreakpoint: "breakpoint"}.get(wave.GetStopReason(), "another reason")
print(f"{wave.GetName()}: {reason} at {wave.GetSelectedFrame().GetLineEntry().GetLine()}")
result = lldb.SBCommandReturnObject()
debugger.GetCommandInterpreter().HandleCommand("thread lane select 17", result)
frame = wave.GetSelectedFrame()
print("lane 17:", ", ".join(f"{n} = {frame.FindVariable(n).GetValue()}" for n in ("i", "t")))
gpu.DeleteAllBreakpoints()
host.DeleteAllBreakpoints()
waves.Continue()
print("waves:", lldb.SBDebugger.StateAsCString(waves.GetState()))
lldb.SBDebugger.Destroy(debugger)
