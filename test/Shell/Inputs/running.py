# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lists of the GPU's objects while its waves run: LLDB sees no stop, and the waves go on.

usage: running.py PROGRAM [idle]
"""
import json
import os
import re
import sys
import tempfile
import time

import lldb

debugger = lldb.SBDebugger.Create()
debugger.SetAsync(True)
listener = debugger.GetListener()


def command(line):
    result = lldb.SBCommandReturnObject()
    debugger.GetCommandInterpreter().HandleCommand(line, result)
    return ((result.GetOutput() or "") + (result.GetError() or "")).strip()


def gpu():
    targets = [debugger.GetTargetAtIndex(i) for i in range(debugger.GetNumTargets())]
    return next((t for t in targets if t.GetTriple().startswith("amdgcn")), None)


def wait(done, what):
    """The waves send no event when they begin."""
    event = lldb.SBEvent()
    end = time.monotonic() + 120
    while not done():
        assert time.monotonic() < end, what
        listener.WaitForEvent(1, event)


def shown(text):
    return " | ".join(re.sub(r"0x[0-9a-f]+", "0x", " ".join(line.split())) for line in text.splitlines())


def begin(argument, *breakpoints):
    host = debugger.CreateTarget(sys.argv[1])
    for place in breakpoints:
        command(place)
    process = host.Launch(lldb.SBLaunchInfo([argument]), lldb.SBError())
    wait(lambda: gpu() and gpu().GetProcess().GetState() in (lldb.eStateRunning, lldb.eStateStopped), "no GPU is used")
    debugger.SetSelectedTarget(gpu())
    return process


if sys.argv[2:] == ["idle"]:
    # No wave is on the GPU.
    process = begin("idle")
    print("idle", [shown(command("gpu wave list")) for _ in range(3)])
    print("both run", [target.GetProcess().GetState() for target in (process.GetTarget(), gpu())] == [lldb.eStateRunning] * 2)
    process.Kill()
    lldb.SBDebugger.Destroy(debugger)
    sys.exit()

process = begin("endless")
wait(lambda: len(json.loads(command("gpu wave list --json"))) == 4, "the waves don't begin")
for line in ("gpu agent list", "gpu queue list", "gpu dispatch list", "gpu workgroup list", "gpu wave list", "gpu wave summary", "thread list", "info threads",
             "gpu wave list 2-3", "gpu wave list state=stopped"):
    print(f"{line}: {shown(command(line))}")
print("json", [(wave["state"], wave["stop_reason"], "pc" in wave) for wave in json.loads(command("gpu wave list --json"))])
print("summary", [(row["waves"], row["state"], len(row["threads"])) for row in json.loads(command("gpu wave summary --json"))])
with tempfile.TemporaryDirectory() as folder:
    page = os.path.join(folder, "out.html")
    print("report", re.sub(r": /.*", "", command(f"wavelane report {page} --variable go")))
    with open(page) as file:
        text = file.read()
    print("page", "The GPU is running" in text, "endless" in text)
states = [target.GetProcess().GetState() for target in (process.GetTarget(), gpu())]
print("both run", states == [lldb.eStateRunning] * 2)

# The pause that the user asks for comes behind a hundred samples.
for _ in range(100):
    command("gpu wave list")
command("process interrupt")
wait(lambda: gpu().GetProcess().GetState() == lldb.eStateStopped, "the waves don't stop")
print("stopped", gpu().GetProcess().GetNumThreads(), shown(command("gpu wave list 1")))

# One wave alone: a list would let the others go on.
command("thread continue 2")
wait(lambda: gpu().GetProcess().GetState() == lldb.eStateRunning, "the wave doesn't run")
print("alone", command("gpu wave list"))
process.Kill()
lldb.SBDebugger.Destroy(debugger)
