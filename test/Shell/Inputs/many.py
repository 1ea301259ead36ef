# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sets and clears breakpoints while thousands of waves come and go; each stop is examined."""
import sys
import time

import lldb
from why import whether

program, groups, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
debugger = lldb.SBDebugger.Create()
debugger.SetAsync(False)
target = debugger.CreateTarget(program)
breakpoint = target.BreakpointCreateByName("many")
process = target.Launch(lldb.SBLaunchInfo([groups]), lldb.SBError())
stops, seen, wrong = 0, set(), 0
began = time.monotonic()
while process.GetState() == lldb.eStateStopped:
    gpu = debugger.GetSelectedTarget()
    if not gpu.GetTriple().startswith("amdgcn"):
        break
    thread = gpu.GetProcess().GetSelectedThread()
    frame = thread.GetFrameAtIndex(0)
    if frame.GetFunctionName() is None or "many" not in frame.GetFunctionName():
        wrong += 1
    stops += 1
    seen.add(thread.GetName().split(",")[0])
    if stops >= rounds:
        breakpoint.SetEnabled(False)
    else:
        # Cleared and set again, at another place.
        target.BreakpointDelete(breakpoint.GetID())
        if stops % 2:
            breakpoint = target.BreakpointCreateBySourceRegex("counted", lldb.SBFileSpec("many.hip"))
        else:
            breakpoint = target.BreakpointCreateByName("many")
    gpu.GetProcess().Continue()
print("stops:", stops, "of", rounds, "wrong:", wrong, "several waves:", whether(len(seen) > 1, seen))
print("ended:", lldb.SBDebugger.StateAsCString(process.GetState()), process.GetExitStatus())
print(process.GetSTDOUT(1000).strip())
print(f"{time.monotonic() - began:.1f} s", file=sys.stderr)
lldb.SBDebugger.Destroy(debugger)
