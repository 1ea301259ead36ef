# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Expressions in all lanes, which the server evaluates, against LLDB's own values lane by lane.

usage: lane_evaluation.py PROGRAM..."""
import json
import os
import sys
import tempfile

import lldb

from stops import SOURCES

LANES = (0, 1, 7, 33, 63)
AT = {
    "if (t < s)": ["t", "t * 2 + 1", "-t", "~t", "t < s", "t == 5 && s > 1", "in", "in[t]", "&in[t]", "&in[t] == in", "t ? s : -t", "!t",
                   "threadIdx.x", "blockIdx.x * blockDim.x", "warpSize - 1", "in[t] % 7", "in[t] << 3", "t / (t - 7)", "n > 1u", "s * 1.5", "in[t] * 2ul"],
    "c[row * n + col] = sum": ["row", "col", "sum", "sum * 2", "a[row]", "b[col + 1] - a[0]", "row * n + col", "sum > 100.0f", "c", "&c[col]", "(row + col) & 3"],
}
FORMATS = ("type format add --format hex int 'unsigned int'", "type summary add --summary-string 'about ${var%d}' float bool int")


def line_of(text):
    """The first line of compute.hip with that text."""
    with open(os.path.join(SOURCES, "compute.hip")) as file:
        return next(number for number, line in enumerate(file, 1) if text in line)


def command(debugger, text):
    result = lldb.SBCommandReturnObject()
    debugger.GetCommandInterpreter().HandleCommand(text, result)
    return (result.GetOutput() or "") + (result.GetError() or "")


def compare(debugger, log, differences):
    """How many of the expressions at this stop the server has evaluated."""
    thread = debugger.GetSelectedTarget().GetProcess().GetSelectedThread()
    by_server = 0
    for mark, expressions in AT.items():
        if line_of(mark) != thread.GetFrameAtIndex(0).GetLineEntry().GetLine():
            continue
        for expression in expressions:
            before = os.path.getsize(log)
            text = command(debugger, f"thread lane print --lanes {','.join(map(str, LANES))} --json -- {expression}")
            with open(log) as file:
                file.seek(before)
                is_by_server = "is evaluated by the server" in file.read()
            by_server += is_by_server
            if not text.startswith("{"):
                differences.append((expression, text)) if is_by_server else None
                continue
            reported = json.loads(text)
            for value in reported["values"]:
                command(debugger, f"thread lane select {value['lane']}")
                frame = thread.GetFrameAtIndex(0)
                own = frame.FindVariable(expression)
                if not own.IsValid():
                    own = frame.EvaluateExpression(expression)
                error = lldb.SBError()
                size = own.GetByteSize()
                own_bytes = own.GetData().ReadRawData(error, 0, size).hex() if own.GetError().Success() else None
                own_text = " ".join(filter(None, (own.GetValue(), own.GetSummary()))) if own_bytes else None
                if own_bytes != value.get("bytes") or own_text != value.get("value") or (own_bytes and own.GetType().GetUnqualifiedType().GetName() != reported["type"].removeprefix("const ")):
                    differences.append((expression, value, reported["type"], own_bytes, own_text, own.GetTypeName()))
    return by_server


for program in sys.argv[1:]:
    debugger = lldb.SBDebugger.Create()
    debugger.SetAsync(False)
    differences = []
    with tempfile.NamedTemporaryFile() as log:
        command(debugger, f"log enable -f {log.name} wavelane expressions")
        debugger.CreateTarget(program)
        for mark in AT:
            command(debugger, f"breakpoint set -o true -f compute.hip -l {line_of(mark)}")
        command(debugger, "process launch")
        count = 0
        for _ in AT:
            count += compare(debugger, log.name, differences)
            # What the user wants of a type holds for all lanes.
            for change in FORMATS:
                command(debugger, change)
                compare(debugger, log.name, differences)
            for undo in ("type format clear", "type summary clear"):
                command(debugger, undo)
            path = command(debugger, "frame variable a[row]") if program.endswith("-O2") else ""
            if path and "undeclared" not in path:
                print("no index:", " ".join(path.split()))
            command(debugger, "continue")
        print(f"-O{program[-1]}: {count} expressions by the server")
        print("differences:", differences)
        command(debugger, "log disable")
    debugger.GetSelectedTarget().GetProcess().Kill()
    lldb.SBDebugger.Destroy(debugger)
