# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values of variables whose target has been deleted. usage: kept_values.py PROGRAM FUNCTION"""
import sys
import lldb

debugger = lldb.SBDebugger.Create()
debugger.SetAsync(False)
target = debugger.CreateTarget(sys.argv[1])
target.BreakpointCreateByName(sys.argv[2])
frame = target.LaunchSimple(None, None, ".").GetSelectedThread().GetSelectedFrame()
kept = [frame.FindVariable(name) for name in ("x", "y")]
print("before:", kept[0].GetTypeName(), kept[0].GetValue())
del target, frame
result = lldb.SBCommandReturnObject()
debugger.GetCommandInterpreter().HandleCommand("target delete --all --clean", result)
print("after:", [(value.GetName(), value.GetTypeName(), value.GetValue(), value.GetNumChildren(), value.GetLocation(), value.IsValid()) for value in kept])
print("its error:", kept[0].GetError())
del result
lldb.SBDebugger.Destroy(debugger)
lldb.SBModule.GarbageCollectAllocatedModules()
print("modules left:", lldb.SBModule.GetNumberAllocatedModules())
