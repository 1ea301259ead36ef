#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times `next` over a barrier when all waves have stopped in front of it, with many waves against 16.

Usage: barrier.py BARRIER_PROGRAM [WAVES...]

Build BARRIER_PROGRAM of barrier.hip. The goal for each number is twice the time with 16 waves."""
import os
import sys
import time

import lldb

GOAL = 2.0


def command(debugger, text):
    result = lldb.SBCommandReturnObject()
    debugger.GetCommandInterpreter().HandleCommand(text, result)
    if not result.Succeeded():
        sys.exit(f"{text}: {result.GetError()}")


def measure(program, waves):
    """Seconds to step over the line before the barrier, and over the barrier: the shortest time of each."""
    debugger = lldb.SBDebugger.Create()
    debugger.SetAsync(False)
    debugger.SetOutputFileHandle(open(os.devnull, "w"), True)
    target = debugger.CreateTarget(program)
    target.BreakpointCreateBySourceRegex("all stop here", lldb.SBFileSpec("barrier.hip"))
    command(debugger, f"process launch -- {waves}")
    # By line; the rounds are alike.
    times = {}
    for _ in range(12):
        waves_target = debugger.GetSelectedTarget()
        frame = waves_target.GetProcess().GetSelectedThread().GetFrameAtIndex(0)
        line = frame.GetLineEntry().GetLine()
        begin = time.monotonic()
        command(debugger, "next")
        times.setdefault(line, []).append(time.monotonic() - begin)
    listed = debugger.GetSelectedTarget().GetProcess().GetNumThreads()
    debugger.GetSelectedTarget().GetProcess().Kill()
    lldb.SBDebugger.Destroy(debugger)
    return {line: min(taken) for line, taken in times.items()}, listed


def main():
    # Waves of a launch are all resident.
    os.environ.update(WAVELANE_PROCESSOR=",".join(["gfx90a"] * 5), WAVELANE_CUS="80")
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "barrier.hip")
    with open(source) as file:
        before = next(n for n, line in enumerate(file, 1) if "// all stop here" in line)
    first = None
    for waves in [int(n) for n in sys.argv[2:]] or (16, 1000, 4000, 10000):
        times, listed = measure(sys.argv[1], waves)
        barrier = times[before + 1]
        first = first or barrier
        ratio = barrier / first
        print(f"{waves:6} waves ({listed} threads): next over the line before {times[before] * 1000:6.0f} ms, over the barrier {barrier * 1000:6.0f} ms, "
              f"{ratio:.2f} times that with the first number (goal {GOAL:.0f} or less){'' if ratio <= GOAL else ', MISSED'}", flush=True)


if __name__ == "__main__":
    main()
