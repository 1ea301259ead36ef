#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What recording costs: how much slower a kernel is with it, how long a step back takes, and memory.

usage: recording.py BUILD-FOLDER PROGRAM [SMALL LARGE]

PROGRAM is recording.hip at -O0; SMALL and LARGE are sizes of its kernel in millions of wave instructions, 10 and 100. The kernel's time
is processor time of the simulated device, which other programs disturb less than the clock's; steps are measured by the clock.
Each figure is printed with its goal, and the last line says which fall short.
"""
import json
import os
import statistics
import sys
import time
import lldb

RATIO, STEP = 1.3, 0.100


class Session:
    """A program that stops at the end of a wave of its kernel."""

    def __init__(self, program, millions, record):
        self.debugger = lldb.SBDebugger.Create()
        self.debugger.SetAsync(False)
        self.command(f"settings set plugin.process.amdgpu.record {record}")
        target = self.debugger.CreateTarget(program)
        self.command("breakpoint set -n work")
        target.LaunchSimple([str(millions)], None, ".")
        self.device = self.find_device()
        self.command("breakpoint delete -f")
        self.command("breakpoint set -p '// end' -f recording.hip")
        begin, used = time.monotonic(), self.used()
        self.command("continue")
        self.seconds, self.processor = time.monotonic() - begin, self.used() - used

    def command(self, text):
        """Its output, or its error."""
        result = lldb.SBCommandReturnObject()
        self.debugger.GetCommandInterpreter().HandleCommand(text, result)
        return (result.GetOutput() or "") + (result.GetError() or "")

    def find_device(self):
        """The process ID of the newest simulated device."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/comm", encoding="utf-8") as comm:
                    if comm.read().strip() == "wavelane-gpu":
                        found.append(int(pid))
            except OSError:
                pass
        return max(found)

    def used(self):
        """The device's processor time in seconds."""
        with open(f"/proc/{self.device}/schedstat", encoding="utf-8") as file:
            return int(file.read().split()[0]) / 1e9

    def end(self):
        """Ends the program."""
        self.debugger.GetSelectedTarget().GetProcess().Kill()
        lldb.SBDebugger.Destroy(self.debugger)


def main():
    """Measures, and compares with the goals."""
    program = sys.argv[2]
    small, large = (int(sys.argv[3]), int(sys.argv[4])) if len(sys.argv) > 4 else (10, 100)
    short = []

    def report(what, value, goal, text):
        print(f"{what}: {text}" + ("" if goal is None else f" (goal {goal:.3g}{'' if value <= goal else ', falls short'})"), flush=True)
        if goal is not None and value > goal:
            short.append(what)

    ratios = []
    for _ in range(3):
        seconds = {}
        for record in ("off", "on"):
            session = Session(program, small, record)
            seconds[record] = session.processor
            session.end()
        ratios.append(seconds["on"] / seconds["off"])
    report("a kernel while it is recorded", min(ratios), RATIO,
         f"{min(ratios):.2f} times as long, the best of {', '.join(f'{ratio:.2f}' for ratio in ratios)}")
    medians = []
    for millions in (small, large):
        session = Session(program, millions, "on")
        where = json.loads(session.command("gpu time --json"))
        count = where["now"] - where["begin"]
        steps = []
        for _ in range(7):
            begin, used = time.monotonic(), session.used()
            session.command("reverse-stepi")
            steps.append((time.monotonic() - begin, session.used() - used))
        medians.append(statistics.median(wall for wall, _ in steps))
        report(f"steps back after {count / 1e6:.0f} million instructions", medians[-1], STEP,
             f"{medians[-1] * 1000:.0f} ms, the first {steps[0][0] * 1000:.0f} ms, of which {steps[0][1] * 1000:.0f} ms are the device's")
        print(f"memory after {count / 1e6:.0f} million instructions: {where['bytes'] / count * 1e6 / (1 << 20):.2f} MiB a million")
        session.end()
    report("steps back in the larger kernel", medians[1] / medians[0], 1.5, f"{medians[1] / medians[0]:.2f} times as long as in the smaller")
    print("falls short of its goal: " + ("; ".join(short) or "nothing"))


if __name__ == "__main__":
    main()
