#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times the operations for which a user waits with many stopped waves, and with many stopped threads of a CPU program.

Usage: scaling.py WAVES_PROGRAM THREADS_PROGRAM [WAVES...]"""
import os
import sys
import time

import lldb

# The layout of the save area limits how many waves a GPU holds.
DEVICES, UNITS = 4, 80
REPEATS = 5


def seconds(work, *arguments):
    begin = time.monotonic()
    result = work(*arguments)
    return time.monotonic() - begin, result


class Session:
    """A program that is stopped at its line, in synchronous mode."""

    def __init__(self, program, mark, count, *arguments):
        self.debugger = lldb.SBDebugger.Create()
        self.debugger.SetAsync(False)
        # Printing is part of the time, but not to this terminal.
        self.debugger.SetOutputFileHandle(open(os.devnull, "w"), True)
        target = self.debugger.CreateTarget(program)
        name = "waves.hip" if program.endswith("waves") else "threads.cpp"
        target.BreakpointCreateBySourceRegex(mark, lldb.SBFileSpec(name))
        self.command("process launch -- " + " ".join([str(count), *arguments]))
        self.process = self.debugger.GetSelectedTarget().GetProcess()
        if self.process.GetState() != lldb.eStateStopped:
            sys.exit(f"{program} {count} hasn't stopped")

    def command(self, text):
        result = lldb.SBCommandReturnObject()
        self.debugger.GetCommandInterpreter().HandleCommand(text, result)
        if not result.Succeeded():
            sys.exit(f"{text}: {result.GetError()}")
        return result.GetOutput() or ""

    def end(self):
        self.process.Kill()
        lldb.SBDebugger.Destroy(self.debugger)

    def wait(self, state):
        event = lldb.SBEvent()
        while self.debugger.GetListener().WaitForEvent(300, event):
            if (lldb.SBProcess.EventIsProcessEvent(event)
                    and lldb.SBProcess.GetProcessFromEvent(event).GetUniqueID() == self.process.GetUniqueID()
                    and lldb.SBProcess.GetStateFromEvent(event) == state
                    and not lldb.SBProcess.GetRestartedFromEvent(event)):
                return
        sys.exit(f"the process hasn't come to be {lldb.SBDebugger.StateAsCString(state)}")

    def interrupt(self):
        """Seconds from the request to stop until the prompt."""
        for target in range(self.debugger.GetNumTargets()):
            self.debugger.GetTargetAtIndex(target).DisableAllBreakpoints()
        self.debugger.SetAsync(True)
        self.process.Continue()
        self.wait(lldb.eStateRunning)
        time.sleep(0.3)
        begin = time.monotonic()
        self.process.SendAsyncInterrupt()
        self.wait(lldb.eStateStopped)
        self.command("process status")
        self.debugger.SetAsync(False)
        return time.monotonic() - begin


def measure(program, count):
    """Seconds, the best of several runs: the machine may be busy."""
    session = Session(program, "stop here", count)
    result = {}
    for text in ("continue", "thread list", "thread lane list", "next"):
        if text != "thread lane list" or program.endswith("waves"):
            timed = [seconds(session.command, text) for _ in range(REPEATS)]
            result[text] = min(time for time, _ in timed)
            result[text + " lines"] = timed[0][1].count("\n")
            if text == "thread list":
                result["first list"] = timed[0][0]
    result["stop"] = min(session.interrupt() for _ in range(REPEATS))
    session.end()
    return result


def show(name, count, figures):
    def of(key):
        if key not in figures:
            return f"{'':>10}"
        return f"{figures[key] * 1000:7.0f} ms"
    print(f"{count:6} {name:8} {of('continue')} {of('stop')} {of('first list')} {of('thread list')} ({figures['thread list lines']:5} lines)"
          f" {of('thread lane list')} {of('next')}", flush=True)


def main():
    waves_program, threads_program = sys.argv[1:3]
    os.environ.update(WAVELANE_PROCESSOR=",".join(["gfx90a"] * DEVICES), WAVELANE_CUS=str(UNITS))
    print("continue: to the next stop, running included; stop: from the request to the prompt")
    print(f"{'':15}   continue       stop first list    list again               lane list       next")
    figures = {}
    for name, program, counts in (("threads", threads_program, (16, 256, 1024)),
                                  ("waves", waves_program, [int(n) for n in sys.argv[3:]] or (16, 256, 4096, 10000))):
        for count in counts:
            figures[name, count] = measure(program, count)
            show(name, count, figures[name, count])
    last = max(count for name, count in figures if name == "waves")
    for key in ("continue", "stop", "first list", "thread list", "next"):
        ratio = figures["waves", last][key] / figures["threads", 1024][key]
        print(f"{key} with {last} waves: {ratio:.2f} times that with 1024 threads")
    cpu = Session(threads_program, "all set", 1, "locals")
    one, _ = seconds(cpu.command, "frame variable")
    cpu.end()
    gpu = Session(waves_program, "all set", 1, "locals")
    all_lanes, output = seconds(gpu.command, "thread lane apply all frame variable")
    gpu.end()
    print(f"100 locals in 64 lanes ({output.count(chr(10))} lines): {all_lanes * 1000:.0f} ms, "
          f"{all_lanes / 64 / one:.2f} times a CPU thread's for each lane")


if __name__ == "__main__":
    main()
