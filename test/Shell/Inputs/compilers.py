# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The same kernel by each compiler: each value shown is right, in every frame and lane, or reported as missing.

usage: compilers.py PROGRAMS-FOLDER CLANG-VERSION...
"""
import json
import os
import sys
import lldb


def expected(lane):
    """The values of compilers/kernel.hip in a lane, by frame and variable."""
    first, tile = (63 - lane) ** 2, lane * lane
    added, before = first * 3 + tile, 3 * lane + first
    values = [added, added + lane, [7, 8, 9, 10][lane & 3]]
    return [
        {"both.first": first, "both.second": lane * 0.5, "*at": tile, "lane": lane, "sum": added, "values[0]": values[0],
         "values[1]": values[1], "values[2]": values[2], "*chosen": values[lane % 3], "table[1]": 8},
        {"lane": lane, "scale": 3, "bias": 0.5, "tile[5]": 25, "both.first": first, "both.second": lane * 0.5,
         "wide": before + lane % 2 * 10**12, "ratio": before * 0.5},
    ]


def expected_opencl(lane):
    """What compilers/kernel.cl computes, and the summaries of its pointers."""
    first, mine = lane * 7, lane * 5
    added, before = first * 3 + mine, 3 * lane + first
    values = [added, added + lane, int(lane == 2)]
    return [
        {"both.first": first, "both.second": lane * 0.5, "*own": mine, "at": f"local#{lane * 4:#x}", "own": "private_lane#",
         "lane": lane, "sum": added, "values[0]": values[0], "values[1]": values[1], "values[2]": values[2],
         "*chosen": values[lane % 3], "chosen": "private_lane#"},
        {"lane": lane, "scale": 3, "bias": 0.5, "mine": mine, "both.first": first, "both.second": lane * 0.5,
         "wide": before + lane % 2 * 10**12},
    ]


def is_right(value, want):
    if isinstance(want, str):
        return (value.GetSummary() or "").startswith(want)
    return float(value.GetValue()) == want


def session(path, code, gpu):
    """Prints how many values were right, which were reported as missing, and which were wrong."""
    debugger = lldb.SBDebugger.Create()
    debugger.SetAsync(False)
    target = debugger.CreateTarget(path)
    debugger.HandleCommand(f"settings set target.env-vars WAVELANE_PROCESSOR={gpu}")
    is_opencl = "opencl" in code
    target.BreakpointCreateBySourceRegex("in the function", lldb.SBFileSpec("kernel.cl" if is_opencl else "kernel.hip"))
    program = target.LaunchSimple([code, "work" if is_opencl else "kernel"], None, ".")
    wave = debugger.GetSelectedTarget().GetProcess().GetSelectedThread()
    names = [frame.GetFunctionName() for frame in wave]
    right, missing, wrong = 0, set(), []
    interpreter, out = debugger.GetCommandInterpreter(), lldb.SBCommandReturnObject()
    for lane in (0, 5, 18, 31):
        interpreter.HandleCommand(f"thread lane select {lane}", out)
        interpreter.HandleCommand("thread lane info --json", out)
        item = json.loads(out.GetOutput())["work_item"][0]
        for level, variables in enumerate((expected_opencl if is_opencl else expected)(item)):
            for name, want in variables.items():
                value = wave.GetFrameAtIndex(level).GetValueForVariablePath(name)
                if value.GetError().Fail():
                    missing.add(f"{level}:{name}")
                elif is_right(value, want):
                    right += 1
                else:
                    wrong.append(f"{level}:{name} in lane {lane} is {value.GetValue()} {value.GetSummary()} instead of {want}")
    print(f"{os.path.basename(code)}: {len(names)} frames, {right} right, {len(wrong)} wrong", *wrong)
    if "-O0" in code:
        print("  missing", *sorted(missing))
    program.Kill()
    lldb.SBDebugger.Destroy(debugger)


programs = sys.argv[1]
for version in sys.argv[2:]:
    for gpu in ("gfx90a", "gfx1030", "gfx1100"):
        for level in (0, 2):
            for language in ("", "-opencl"):
                code = f"{programs}/clang{version}-{gpu}-O{level}{language}.co"
                if os.path.exists(code):
                    session(f"{programs}/compilers", code, gpu)
