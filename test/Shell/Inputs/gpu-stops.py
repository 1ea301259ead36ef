# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stops of a wave, on each GPU in turn: the reason, the place, and the consequences."""
import sys
import lldb


def session(program_path, gpu, kind):
    debugger = lldb.SBDebugger.Create()
    debugger.SetAsync(False)
    host = debugger.CreateTarget(program_path)
    debugger.HandleCommand(f"settings set target.env-vars WAVELANE_PROCESSOR={gpu}")
    program = host.LaunchSimple([kind], None, ".")
    waves = debugger.GetSelectedTarget().GetProcess()
    wave = waves.GetSelectedThread()
    frame = wave.GetFrameAtIndex(0)
    print(f"{gpu} {kind}: {wave.GetStopDescription(400)}")
    print("  in", [wave.GetFrameAtIndex(k).GetFunctionName() for k in range(wave.GetNumFrames())][-1],
          "line", frame.GetLineEntry().GetLine())
    if kind == "debugtrap":
        # Waves of a workgroup may reach the trap at different times.
        traps = 0
        while waves.GetState() == lldb.eStateStopped and traps < 2:
            waves.Continue()
            traps += 1
        print("  then", lldb.SBDebugger.StateAsCString(waves.GetState()))
    else:
        program.Kill()
    lldb.SBDebugger.Destroy(debugger)


programs = sys.argv[1]
for name in sys.argv[2:]:
    program, gpu = name.split(":")
    for kind in ("violation", "assert", "illegal", "trap", "debugtrap"):
        session(f"{programs}/{program}", gpu, kind)
