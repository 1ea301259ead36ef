# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""For an LLDB of any make: `show_variables PROGRAM STOPS OUT [LIKE]` steps through PROGRAM and writes what every variable of every frame is at each
stop, as lines of JSON. The first line is PROGRAM's environment, on which addresses in its stack depend; LIKE, an earlier OUT, gives it."""
import json
import shlex

import lldb

DEPTH, FRAMES, CHILDREN = 4, 4, 12


def show(value, depth):
    entry = {"value": value.GetValue(), "summary": value.GetSummary(), "error": value.GetError().GetCString()}
    if depth and not value.GetType().IsPointerType():
        children = [value.GetChildAtIndex(at) for at in range(min(value.GetNumChildren(), CHILDREN))]
        if children:
            entry["children"] = {f"{at} {child.GetName()}": show(child, depth - 1) for at, child in enumerate(children)}
    return entry


def show_all(values):
    """By name; of several of one name, such as those of nested blocks, in order. Static ones come in any order."""
    found = {}
    for value in values:
        name = value.GetName()
        at = sum(other.split("#")[0] == name for other in found)
        found[f"{name}#{at}"] = show(value, DEPTH)
    return found


def run(debugger, command, result, _):
    program, stops, out, *like = shlex.split(command)
    debugger.SetAsync(False)
    target = debugger.CreateTarget(program)
    target.BreakpointCreateByName("main")
    launch = lldb.SBLaunchInfo(["one"])
    if like:
        with open(like[0]) as file:
            launch.SetEnvironmentEntries(json.loads(file.readline())["environment"], False)
    process = target.Launch(launch, lldb.SBError())
    with open(out, "w") as file:
        with open(f"/proc/{process.GetProcessID()}/environ", errors="surrogateescape") as environment:
            print(json.dumps({"environment": [entry for entry in environment.read().split("\0") if entry]}), file=file)
        for stop in range(int(stops)):
            if process.GetState() != lldb.eStateStopped:
                break
            thread = process.GetSelectedThread()
            frames = []
            for frame in list(thread)[:FRAMES]:
                # Libraries hold values that differ in each run.
                if not frame.GetLineEntry().IsValid() or frame.GetModule() != target.GetModuleAtIndex(0):
                    continue
                frames.append({"function": frame.GetFunctionName(), "line": frame.GetLineEntry().GetLine(), "pc": frame.GetPC(),
                               "variables": show_all(frame.GetVariables(True, True, True, False))})
            print(json.dumps({"stop": stop, "frames": frames}), file=file)
            thread.StepInto()
    process.Kill()
    result.AppendMessage(f"{stop + 1} stops")


def __lldb_init_module(debugger, _):
    debugger.HandleCommand(f"command script add -o -f {__name__}.run show_variables")
