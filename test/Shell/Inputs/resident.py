# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pauses of thousands of waves: resident.py PROGRAM"""
import os
import sys
import time

import lldb

os.environ.update(WAVELANE_PROCESSOR="gfx90a", WAVELANE_CUS="80")
debugger = lldb.SBDebugger.Create()
debugger.SetAsync(False)


def command(text):
    result = lldb.SBCommandReturnObject()
    debugger.GetCommandInterpreter().HandleCommand(text, result)
    print((result.GetOutput() or "") + (result.GetError() or ""), end="", flush=True)


def the_process():
    return debugger.GetSelectedTarget().GetProcess()


def pause():
    debugger.SetAsync(True)
    process = the_process()
    process.Continue()
    time.sleep(0.5)
    process.SendAsyncInterrupt()
    event = lldb.SBEvent()
    while debugger.GetListener().WaitForEvent(60, event):
        if lldb.SBProcess.GetStateFromEvent(event) == lldb.eStateStopped and not lldb.SBProcess.GetRestartedFromEvent(event):
            break
    else:
        print("no stop")
    debugger.SetAsync(False)


def count_of(thread):
    """What one of the counting waves has counted to, by the wave's own registers and memory."""
    for frame in thread:
        value = frame.FindVariable("round")
        if value.IsValid():
            return value.GetValueAsUnsigned()
    return 0


def tell(title, before, least=1):
    process = the_process()
    print(f"== {title}: {process.GetNumThreads()} waves, {len(set(t.GetThreadID() for t in process))} different")
    counts = [count_of(process.GetThreadByIndexID(index)) for index in (1, 2, 1001)]
    print("counts have grown" if all(now - then >= least for now, then in zip(counts, before)) else f"{before} {counts}")
    return counts


command(f"target create {sys.argv[1]}")
command("breakpoint set -p '// first' -f resident.hip")
command("run")
numbers = tell("breakpoint", [0, 0, 0], least=0)
command("breakpoint disable 1")
for turn in "first pause", "second pause":
    pause()
    command("process status")
    numbers = tell(turn, numbers)
command("thread select 1001")
command("next")
pause()
command("process status")
numbers = tell("another wave", numbers)
command("breakpoint enable 1")
debugger.SetAsync(False)
command("continue")
command("thread list")
numbers = tell("the breakpoint of one", numbers, least=0)
command("breakpoint command add -s python -o 'print(frame.GetThread().GetProcess().GetNumThreads(), \"waves in the command\")' 1")
command("continue")
tell("with a command", numbers, least=0)
command("kill")
