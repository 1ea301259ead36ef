"""Attaches to HIP programs before and after their GPU's runtime starts, detaches with waves at breakpoints, attaches again."""
import os
import select
import subprocess
import sys
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
        time.sleep(0.05)


def gpu():
    targets = [debugger.GetTargetAtIndex(i) for i in range(debugger.GetNumTargets())]
    return next((t for t in targets if t.GetTriple().startswith("amdgcn") and t.GetProcess().IsValid()), None)


class Program:
    """A program in a terminal of its own; say() lets it take a step."""

    def __init__(self, *command):
        self.process = subprocess.Popen([run, *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.text = ""
        self.hear("started")
        self.pid = self.process.pid

    def hear(self, expected):
        # Events are taken meanwhile, as a debugger's user interface does.
        def look():
            if select.select([self.process.stdout], [], [], 0)[0]:
                self.text += os.read(self.process.stdout.fileno(), 4096).decode()
            return "\n" in self.text

        wait(look)
        line, self.text = self.text.split("\n", 1)
        assert line == expected, line

    def say(self):
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()

    def end(self):
        out = self.process.stdout.read().decode()
        return self.process.wait(60), " ".join(out.split())


def attach(program):
    answer = command(f"process attach -p {program.pid}")
    assert "failed" not in answer, answer


def spinning():
    """How many waves there are once all have begun."""
    for _ in range(100):
        count = gpu().GetProcess().GetNumThreads() if gpu() else 0
        if count == 2:
            break
        debugger.SetAsync(True)
        process = debugger.GetSelectedTarget().GetProcess()
        process.Continue()
        wait(lambda: process.GetState() == lldb.eStateRunning)
        process.Stop()
        wait(lambda: process.GetState() == lldb.eStateStopped)
        debugger.SetAsync(False)
    return count


# Before the runtime starts: a breakpoint waits for the kernel.
program = Program(f"{programs}/attach")
attach(program)
print("before:", "no GPU yet" if not gpu() else "a GPU already")
command("breakpoint set -f attach.hip -p spinning")
debugger.SetAsync(False)
program.say()
command("continue")
print("stopped:", command("thread lane info").split(", at ")[1].strip().split(":")[0], command("frame variable i").strip())
print("lane 9:", command("thread lane select 9") and command("frame variable i").strip())
# Waves stand at a breakpoint: detached, the program goes on to its right end.
print("detach:", "failed" not in command("process detach"))
program.hear("running")

# Attached again, while its waves run.
attach(program)
print("again:", spinning(), "waves;", command("target list").count("amdgcn"), "GPU")
debugger.SetSelectedTarget(gpu())
gpu().GetProcess().SetSelectedThread(gpu().GetProcess().GetThreadAtIndex(1))
print("wave:", command("thread lane info").split("'")[1])
print("bt:", "spin" in command("bt"))
print("detach:", "failed" not in command("process detach"))
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
debugger.SetAsync(True)
command("continue")
debugger.SetAsync(False)
program.hear("running")
program.say()
host = debugger.GetSelectedTarget().GetProcess()
wait(lambda: gpu() and gpu().GetProcess().GetState() == host.GetState() == lldb.eStateStopped)
debugger.SetSelectedTarget(gpu())
print("stopped in", command("frame info").split("`")[1].split("(")[0])
command("breakpoint delete -f")
debugger.SetAsync(True)
command("continue")
program.hear("out[21] = 63")
program.hear("unloaded")
program.say()
wait(lambda: program.process.poll() is not None)
print("end:", program.process.returncode)
lldb.SBDebugger.Destroy(debugger)
