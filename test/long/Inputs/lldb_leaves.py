# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""For LLDB: `lldb_leaves PROGRAM STOPS OUT` does what gdb_leaves.py does."""
import json
import shlex

import lldb

DEPTH, ELEMENTS = 6, 12
RECORDS = lldb.eTypeClassStruct | lldb.eTypeClassUnion | lldb.eTypeClassClass


def leaves(value, path, found, depth=0):
    of = value.GetType().GetCanonicalType()
    if of.GetTypeClass() & RECORDS and depth < DEPTH:
        for at in range(value.GetNumChildren()):
            child = value.GetChildAtIndex(at)
            leaves(child, f"{path}.{child.GetName()}", found, depth + 1)
    elif of.IsArrayType() and depth < DEPTH:
        count = value.GetNumChildren()
        found[f"{path} elements"] = count or None  # An error is the reason.
        for at in range(min(count, ELEMENTS)):
            leaves(value.GetChildAtIndex(at), f"{path}[{at}]", found, depth + 1)
    elif of.GetBasicType() in (lldb.eBasicTypeFloat, lldb.eBasicTypeDouble):
        found[path] = f"{float(value.GetValue()):.6g}" if value.GetValue() else None
    elif not of.IsPointerType():
        error = lldb.SBError()
        signed = of.GetTypeFlags() & lldb.eTypeIsSigned
        number = value.GetValueAsSigned(error) if signed else value.GetValueAsUnsigned(error)
        found[path] = None if error.Fail() else number & (1 << 64) - 1


def run(debugger, command, result, _):
    program, stops, out = shlex.split(command)
    debugger.SetAsync(False)
    target = debugger.CreateTarget(program)
    target.BreakpointCreateByName("use")
    launch = lldb.SBLaunchInfo([])
    launch.AddOpenFileAction(1, "/dev/null", False, True)
    process = target.Launch(launch, lldb.SBError())
    with open(out, "w") as file:
        for _ in range(int(stops)):
            if process.GetState() != lldb.eStateStopped:
                break
            frames = []
            for frame in process.GetSelectedThread():
                if frame.GetFunctionName() in (None, "__libc_start_call_main"):
                    break
                found = {}
                for value in frame.GetVariables(True, True, False, True):
                    leaves(value, f"{value.GetName()}@{value.GetDeclaration().GetLine()}", found)
                frames.append({"function": frame.GetFunctionName(), "pc": frame.GetPC(), "leaves": found})
            print(json.dumps(frames), file=file)
            process.Continue()
    if process.GetState() == lldb.eStateStopped:
        process.Kill()


def __lldb_init_module(debugger, _):
    debugger.HandleCommand(f"command script add -o -f {__name__}.run lldb_leaves")
