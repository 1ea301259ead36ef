# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attaches to HIP programs before and after their GPU's runtime starts, detaches with waves at breakpoints, attaches again."""
import subprocess
import sys
import threading
import time

import lldb

run, programs = sys.argv[1:3]
debugger = lldb.SBDebugger.Create()
debugger.SetAsync(False)


def command(text):
    result = lldb.SBCommandReturnObject()
    debugger.GetCommandInterpreter().HandleCommand(text, result)
    return result.GetOutput() if result.Succeeded() else "failed: " + result.GetError()


def wait(condition, seconds=60):
    end, event = time.monotonic() + seconds, lldb.SBEvent()
    while not condition():
        while debugger.GetListener().GetNextEvent(event):
            pass
        assert time.monotonic() < end, "it takes too long"
        time.sleep(0.05)  # Some conditions are another process's, which sends no event.


def gpu():
    targets = [debugger.GetTargetAtIndex(i) for i in range(debugger.GetNumTargets())]
    return next((t for t in targets if t.GetTriple().startswith("amdgcn") and t.GetProcess().IsValid()), None)


class Program:
    """A program in its own terminal; say() lets it take a step."""

    def __init__(self, *command):
        self.process = subprocess.Popen([run, *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.hear("started")
        self.pid = self.process.pid

    def hear(self, expected):
        line = self.process.stdout.readline().decode().strip()
        assert line == expected, line

    def say(self):
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()

    def answer(self, *lines):
        """Meanwhile hears the lines, and lets the program take a step at those that are steps."""
        def run():
            for line in lines:
                self.hear(line)
                if not line.startswith("out"):
                    self.say()
        thread = threading.Thread(target=run)
        thread.start()
        return thread

    def end(self):
        out = self.process.stdout.read().decode()
        return self.process.wait(60), " ".join(out.split())


def attach(program):
    answer = command(f"process attach -p {program.pid}")
    assert "failed" not in answer, answer


def spinning():
    """The number of waves once all have begun."""
    for _ in range(100):
        count = gpu().GetProcess().GetNumThreads() if gpu() else 0
        if count == 2:
            break
        debugger.SetAsync(True)
        process = debugger.GetSelectedTarget().GetProcess()
        process.Continue()
        wait(lambda: process.GetState() == lldb.eStateRunning)
        process.Stop()
        wait(lambda: process.GetState() == lldb.eStateStopped and (not gpu() or gpu().GetProcess().GetState() == lldb.eStateStopped))
        debugger.SetAsync(False)
    return count


# Before the runtime starts: a breakpoint waits for the kernel.
program = Program(f"{programs}/attach")
attach(program)
print("before:", "no GPU yet" if not gpu() else "a GPU already")
other = lldb.SBDebugger.Create()
refused = lldb.SBCommandReturnObject()
other.GetCommandInterpreter().HandleCommand(f"process attach -p {program.pid}", refused)
print("by two:", refused.GetError().strip())
lldb.SBDebugger.Destroy(other)
command("breakpoint set -f attach.hip -p spinning")
debugger.SetAsync(False)
program.say()
command("continue")
print("stopped:", command("thread lane info").split(", at ")[1].strip().split(":")[0], command("frame variable i").strip())
print("lane 9:", command("thread lane select 9") and command("frame variable i").strip())
# Waves are stopped at a breakpoint: after a detach, the program continues to its correct end.
print("detach:", command("process detach").strip())
program.hear("running")

# Attach again, while its waves are running.
attach(program)
print("again:", spinning(), "waves;", command("target list").count("amdgcn"), "GPU")
debugger.SetSelectedTarget(gpu())
gpu().GetProcess().SetSelectedThread(gpu().GetProcess().GetThreadAtIndex(1))
print("wave:", command("thread lane info").split("'")[1])
print("bt:", gpu().GetProcess().GetSelectedThread().GetFrameAtIndex(0).GetFunctionName())
print("detach:", command("process detach").strip())
program.say()
print("end:", *program.end())
command("target delete --all")
command("breakpoint delete -f")

# A program that loads the runtime late, and unloads it.
program = Program(f"{programs}/late", f"{programs}/libattach.so")
attach(program)
print("late:", "no GPU yet" if not gpu() else "a GPU already")
command("breakpoint set -f attach.hip -p released")
program.say()
answers = program.answer("running", "out[21] = 63", "unloaded")
command("continue")
print("stopped in", command("frame info").split("(")[0].split()[-1])
command("breakpoint delete -f")
command("continue")
answers.join(60)
print("end:", program.process.wait(60))
lldb.SBDebugger.Destroy(debugger)
