# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a script in synchronous mode reads of commands that let a program run."""
import re
import sys

import lldb


def make():
    debugger = lldb.SBDebugger.Create()
    debugger.SetAsync(False)
    return debugger, debugger.CreateTarget(sys.argv[1])


def run(debugger, line):
    """A command's output, without numbers of processes and addresses."""
    result = lldb.SBCommandReturnObject()
    debugger.GetCommandInterpreter().HandleCommand(line, result)
    text = (result.GetOutput() or "") + (result.GetError() or "")
    print(f"== {line}: {'succeeded' if result.Succeeded() else 'failed'}")
    print(re.sub(r"^\* |frame #0: 0x\S+ .*? (?=at )", "", re.sub(r"Process \d+", "Process N", text), flags=re.M).strip())


debugger, target = make()
# A step of a wave shows its own stop; for a command on the host, the wave's stop is another process's.
for line in ("breakpoint set -n saxpy", "run", "thread step-over", "target select 0", "breakpoint set -f saxpy.hip -l 13",
             "continue", "breakpoint disable", "continue"):
    run(debugger, line)
lldb.SBDebugger.Destroy(debugger)

debugger, target = make()
target.BreakpointCreateByName("saxpy")
process = target.LaunchSimple(None, None, ".")
result = lldb.SBCommandReturnObject()
debugger.GetCommandInterpreter().HandleCommand("version", result)
print(f"== the API alone: {debugger.GetSelectedTarget().GetTriple()}, reported by the next command: {'stop reason' in result.GetOutput()}")
process.Kill()
lldb.SBDebugger.Destroy(debugger)

# A program that ends while its wave's fault is being shown: nothing is left to continue.
for _ in range(3):
    debugger, target = make()
    result = lldb.SBCommandReturnObject()
    debugger.GetCommandInterpreter().HandleCommand(f"target create {sys.argv[2]}", result)
    debugger.GetCommandInterpreter().HandleCommand("run raw fault", result)
    states = {lldb.SBDebugger.StateAsCString(t.process.state) for t in (debugger.GetTargetAtIndex(i) for i in range(debugger.GetNumTargets()))
              if t.process.IsValid()}
    reported = "exited with status = 3" in result.GetOutput() or "memory violation" in result.GetOutput()
    print(f"== run raw fault: {'reported' if reported else result.GetOutput()}, {', '.join(sorted(states))}")
    lldb.SBDebugger.Destroy(debugger)
