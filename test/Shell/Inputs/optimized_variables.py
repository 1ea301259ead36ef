# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts which variables of optimized kernels have a value, and its source, at each line where a wave of each kernel stops.

usage: optimized_variables.py PROGRAM SOURCE GPU"""
import collections
import re
import sys

import lldb
from stops import SOURCES, Session

STEPS = 25
MARKS = {"from the arguments": "[the kernel's argument]", "from declarations": "[from its declaration]", "kept": "[value at line "}


def kernels_of(source):
    with open(f"{SOURCES}/{source}", encoding="utf-8") as file:
        return re.findall(r"__global__ (?:__launch_bounds__\(\d+\) )?void (?:__launch_bounds__\(\d+\) )?(\w+)\(", file.read())


class Count(Session):
    def __init__(self, program, gpu):
        super().__init__(program, settings=[f"target.env-vars WAVELANE_PROCESSOR={gpu}"])
        self.counts = {True: collections.Counter(), False: collections.Counter()}
        self.values, self.differing = {}, []

    def kernel_frame(self):
        """The frame of the kernel, into which others may be inlined."""
        wave = self.waves.GetSelectedThread()
        return wave.GetFrameAtIndex(wave.GetNumFrames() - 1)

    def look(self, kernel, seen):
        """Counts the variables of the kernel's frame, once for each line."""
        frame = self.kernel_frame()
        line = frame.GetLineEntry().GetLine()
        if line in seen:
            return
        seen.add(line)
        for is_argument, values in ((True, frame.GetVariables(True, False, False, True)), (False, frame.GetVariables(False, True, False, True))):
            for value in values:
                error, counts = value.GetError(), self.counts[is_argument]
                counts["all"] += 1
                if error.Fail():
                    counts["seen elsewhere" if "seen at line" in error.GetCString() else "nowhere"] += 1
                    continue
                counts["with a value"] += 1
                for source, mark in MARKS.items():
                    counts[source] += mark in (value.GetSummary() or "")
                if is_argument and value.GetValue():
                    known = self.values.setdefault((kernel, value.GetName()), value.GetValue())
                    if known != value.GetValue():
                        self.differing.append(f"{kernel}:{line}: '{value.GetName()}' is {value.GetValue()} and was {known}")

    def walk(self, kernels):
        for kernel in kernels:
            self.command(f"breakpoint set -n {kernel}")
        self.run()
        done = set()
        while self.waves.GetState() == lldb.eStateStopped:
            kernel = (self.kernel_frame().GetFunctionName() or "").split("(")[0]
            if kernel not in kernels or kernel in done:
                break
            done.add(kernel)
            self.command(f"breakpoint delete {kernels.index(kernel) + 1}")
            wave, seen = self.waves.GetSelectedThread().GetThreadID(), set()
            for _ in range(STEPS):
                self.look(kernel, seen)
                self.step("over")
                if self.waves.GetState() != lldb.eStateStopped or self.waves.GetSelectedThread().GetThreadID() != wave:
                    break
            if self.waves.GetState() == lldb.eStateStopped and self.waves.GetSelectedThread().GetStopReason() != lldb.eStopReasonBreakpoint:
                self.resume()
        return done


def main():
    program, source, gpu = sys.argv[1:4]
    with Count(program, gpu) as session:
        done = session.walk(kernels_of(source))
        print(f"{len(done)} kernels")
        for is_argument, counts in session.counts.items():
            print("arguments:" if is_argument else "variables:", ", ".join(f"{counts[what]} {what}" for what in (
                "all", "with a value", *MARKS, "seen elsewhere", "nowhere")))
        print("differing:", session.differing or "none")


if __name__ == "__main__":
    main()
