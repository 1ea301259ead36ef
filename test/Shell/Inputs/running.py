# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Commands about the GPU while its waves run."""
import sys
import time

import lldb

debugger = lldb.SBDebugger.Create()
debugger.SetAsync(True)
process = debugger.CreateTarget(sys.argv[1]).Launch(lldb.SBLaunchInfo(["endless"]), lldb.SBError())
event = lldb.SBEvent()


def gpu():
    targets = [debugger.GetTargetAtIndex(i) for i in range(debugger.GetNumTargets())]
    return next((t for t in targets if t.GetTriple().startswith("amdgcn")), None)


end = time.monotonic() + 120
while not gpu() or gpu().GetProcess().GetState() != lldb.eStateRunning:
    assert time.monotonic() < end, "the GPU doesn't run"
    debugger.GetListener().WaitForEvent(1, event)
debugger.SetSelectedTarget(gpu())
for line in ("gpu agent list", "gpu queue list", "gpu dispatch list", "gpu wave list"):
    result = lldb.SBCommandReturnObject()
    debugger.GetCommandInterpreter().HandleCommand(line, result)
    print(f"{line}: {(result.GetOutput() or '') + (result.GetError() or '')}".strip())
process.Kill()
lldb.SBDebugger.Destroy(debugger)
