# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pauses of thousands of waves: resident.py PROGRAM"""
import os
import select
import sys
import tempfile

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


def wait_for_rounds():
    """Each wave that counts goes on. Of the rounds that the program reports, the third one has begun since it was resumed."""
    try:
        while os.read(rounds, 65536):
            pass
    except BlockingIOError:
        pass
    for _ in range(3):
        select.select([rounds], [], [])
        os.read(rounds, 1)


def pause():
    debugger.SetAsync(True)
    process = the_process()
    process.Continue()
    wait_for_rounds()
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


def report(title, before, least=1):
    process = the_process()
    print(f"== {title}: {process.GetNumThreads()} waves, {len(set(t.GetThreadID() for t in process))} different")
    counts = [count_of(process.GetThreadByIndexID(index)) for index in (1, 2, 1001)]
    print("counts have grown" if all(now - then >= least for now, then in zip(counts, before)) else f"{before} {counts}")
    return counts


command(f"target create {sys.argv[1]}")
command("breakpoint set -p '// first' -f resident.hip")
folder = tempfile.TemporaryDirectory()
pipe = folder.name + "/rounds"
os.mkfifo(pipe)
rounds = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
command(f"run {pipe}")
numbers = report("breakpoint", [0, 0, 0], least=0)
command("breakpoint disable 1")
for turn in "first pause", "second pause":
    pause()
    command("process status")
    numbers = report(turn, numbers)
command("thread select 1001")
command("next")
pause()
command("process status")
numbers = report("another wave", numbers)
command("breakpoint enable 1")
debugger.SetAsync(False)
command("continue")
command("thread list")
numbers = report("the breakpoint of one", numbers, least=0)
command("breakpoint command add -s python -o 'print(frame.GetThread().GetProcess().GetNumThreads(), \"waves in the command\")' 1")
command("continue")
report("with a command", numbers, least=0)
command("kill")
