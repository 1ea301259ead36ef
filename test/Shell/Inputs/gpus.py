# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One session for each GPU in turn, with a user's first steps."""
import sys
import lldb
from why import whether


def command(debugger, text):
    result = lldb.SBCommandReturnObject()
    debugger.GetCommandInterpreter().HandleCommand(text, result)
    return (result.GetOutput() or "") + (result.GetError() or "")


def session(program_path, gpu, lanes):
    debugger = lldb.SBDebugger.Create()
    debugger.SetAsync(False)
    host = debugger.CreateTarget(program_path)
    inside = host.BreakpointCreateByLocation("saxpy.hip", 5)
    command(debugger, f"settings set target.env-vars WAVELANE_PROCESSOR={gpu}")
    program = host.LaunchSimple(None, None, ".")
    target = debugger.GetSelectedTarget()
    waves = target.GetProcess()
    wave = waves.GetSelectedThread()
    frame = wave.GetSelectedFrame()
    print(f"== {gpu}: {target.GetTriple()}, {waves.GetNumThreads()} waves, {wave.GetName()} "
          f"at {frame.GetLineEntry().GetLine()}")

    # Into a device function, and out of it.
    print("frames", [wave.GetFrameAtIndex(k).GetFunctionName().split("(")[0]
                     for k in range(wave.GetNumFrames())])
    print("caller's lane 0: i =", wave.GetFrameAtIndex(1).FindVariable("i").GetValue())
    host.BreakpointDelete(inside.GetID())
    wave.StepOut()
    print("finished in", wave.GetFrameAtIndex(0).GetFunctionName().split("(")[0])
    host.BreakpointCreateByLocation("saxpy.hip", 13)
    waves.Continue()
    wave = waves.GetThreadAtIndex(0)
    frame = wave.GetFrameAtIndex(0)
    print("then at", frame.GetLineEntry().GetLine())
    print(command(debugger, "thread lane list").splitlines()[0])
    command(debugger, "thread lane select 17")
    frame = wave.GetSelectedFrame()
    print("lane 17:", ", ".join(f"{n} = {frame.FindVariable(n).GetValue()}" for n in ("i", "t", "n")))
    command(debugger, f"thread lane select {lanes - 1}")
    frame = wave.GetSelectedFrame()
    print("last lane:", frame.FindVariable("i").GetValue(), "and",
          command(debugger, f"thread lane select {lanes}").strip())

    # Registers by class; a vector register has an element for each lane.
    registers = {r.GetName(): r for group in frame.GetRegisters() for r in group}
    print("exec", registers["exec"].GetValue(), "vcc", registers["vcc"].GetValue(),
          "v0", registers["v0"].GetByteSize() // 4, "accumulation registers" if "a0" in registers else "no accumulation registers",
          "pc", whether(registers["pc"].GetValueAsUnsigned() == frame.GetPC(), registers["pc"].GetValue(), hex(frame.GetPC())))

    # A lane computes with the value that the debugger writes.
    command(debugger, "thread lane select 5")
    error = lldb.SBError()
    wave.GetSelectedFrame().FindVariable("t").SetValueFromCString("1000", error)
    print("t of lane 5 is now", wave.GetSelectedFrame().FindVariable("t").GetValue())

    # One step, over code that reads and writes private memory and registers.
    host.DeleteAllBreakpoints()
    before = frame.GetPC()
    wave.StepInstruction(False)
    after = wave.GetFrameAtIndex(0).GetPC()
    print("stepi over one instruction:", whether(0 < after - before <= 12, f"{before:#x} to {after:#x}"))
    wave.StepOver()
    print("next", wave.GetFrameAtIndex(0).GetLineEntry().GetLine())

    waves.Continue()
    print("waves:", lldb.SBDebugger.StateAsCString(waves.GetState()))
    print(program.GetSTDOUT(4096), end="")
    lldb.SBDebugger.Destroy(debugger)


programs = sys.argv[1]
for name in sys.argv[2:]:
    program, gpu, lanes = name.split(":")
    session(f"{programs}/{program}", gpu, int(lanes))
