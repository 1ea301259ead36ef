# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Damages a GPU's code object, again and again; a program launches its kernel, and the debugger shows all there is.

usage: mutate_code_object.py PROGRAM CODE-OBJECT FIRST END LOG [KEEP]

PROGRAM is rich.hip's, CODE-OBJECT's name begins with its GPU. Numbers FIRST to END, exclusive, are the seeds: each is one damaged copy of CODE-OBJECT, always the same one; -1 is the
undamaged one. A seed is written to LOG before it is tried, to identify a crash. With KEEP the damaged copies are kept there."""
import os
import random
import sys
import tempfile

import lldb
from mutate_dwarf import all_sections, damage, look_at_all

LOOKS = ("thread list", "bt", "frame variable", "thread lane print lane", "thread lane list", "source list", "disassemble --count 4", "image lookup -v -a $pc",
         "gpu dispatch list", "expression lane + n", "thread step-over", "frame variable", "thread step-out", "frame variable", "memory region $pc",
         "image dump line-table rich.hip", "image dump symtab")


def places(data, seed):
    """Where this seed damages: in debug information, or in headers, symbols, notes, kernel descriptors and what else there is."""
    found = all_sections(data)
    debug = [(offset, size) for name, offset, size in found if name.startswith(".debug_")]
    kind = random.Random(seed).randrange(4)
    if kind < 2:
        return debug
    if kind == 2:
        offset = int.from_bytes(data[40:48], "little")
        return [(0, 64), (64, 56 * int.from_bytes(data[56:58], "little")), (offset, len(data) - offset)]
    return [(offset, size) for name, offset, size in found if not name.startswith(".debug_") and name != ".text"]


def stop(debugger, program, copy):
    """Launches the program; the debugger selects what has stopped, its waves if it has some."""
    target = debugger.CreateTarget(program)
    # With the environment, which a new SBLaunchInfo lacks.
    error, launch = lldb.SBError(), target.GetLaunchInfo()
    launch.SetArguments([copy], False)
    launch.AddSuppressFileAction(1, False, True)
    launch.AddSuppressFileAction(2, False, True)
    target.BreakpointCreateByName("rich")
    target.Launch(launch, error)


def look(debugger):
    """Shows what there is at each of a few stops; returns how many variables were shown."""
    seen, answer = 0, lldb.SBCommandReturnObject()
    target = debugger.GetSelectedTarget()
    process = target.GetProcess()
    for _ in range(3):
        if process.GetState() != lldb.eStateStopped:
            break
        seen += look_at_all(target, process.GetSelectedThread())
        for command in LOOKS:
            debugger.GetCommandInterpreter().HandleCommand(command, answer)
        debugger.GetCommandInterpreter().HandleCommand("process continue", answer)
        target = debugger.GetSelectedTarget()
        process = target.GetProcess()
    return seen


def main():
    program, original, first, end, log = sys.argv[1:6]
    keep = sys.argv[6] if len(sys.argv) > 6 else None
    with open(original, "rb") as file:
        data = file.read()
    os.environ["WAVELANE_PROCESSOR"] = os.path.basename(original).split("-")[0]
    debugger = lldb.SBDebugger.Create()
    debugger.SetAsync(False)
    debugger.SetOutputFile(lldb.SBFile.Create(open(os.devnull, "w")))
    debugger.SetErrorFile(lldb.SBFile.Create(open(os.devnull, "w")))
    seen = 0
    with tempfile.TemporaryDirectory() as folder, open(log, "a") as progress:
        for seed in range(int(first), int(end)):
            print(seed, file=progress, flush=True)
            copy = os.path.join(keep or folder, f"{os.path.basename(original)}.{seed}")
            damaged = damage(data, places(data, seed), seed) if seed >= 0 else data
            if seed % 16 == 15:
                damaged = damaged[:random.Random(seed).randrange(len(damaged))]
            with open(copy, "wb") as file:
                file.write(damaged)
            stop(debugger, program, copy)
            seen += look(debugger)
            for index in reversed(range(debugger.GetNumTargets())):
                target = debugger.GetTargetAtIndex(index)
                target.GetProcess().Kill()
                debugger.DeleteTarget(target)
            if not keep:
                os.unlink(copy)
        print("end", seen, file=progress, flush=True)
    lldb.SBDebugger.Destroy(debugger)


if __name__ == "__main__":
    main()
