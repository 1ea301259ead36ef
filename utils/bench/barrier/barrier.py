#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures `next` over a barrier when all waves have stopped in front of it, with many waves against 16: the processor time of the debugger,
of lldb-server and of the simulated GPUs together, which other programs of the machine hardly change.

Usage: barrier.py BARRIER_PROGRAM [WAVES...]

Build BARRIER_PROGRAM of barrier.hip. The goal for each number is twice the processor time with 16 waves."""
import ctypes
import os
import sys
import time

import lldb

GOAL = 2.0
PR_SET_CHILD_SUBREAPER = 36
# Times that each line is stepped over.
ROUNDS = 12


def command(debugger, text):
    result = lldb.SBCommandReturnObject()
    debugger.GetCommandInterpreter().HandleCommand(text, result)
    if not result.Succeeded():
        sys.exit(f"{text}: {result.GetError()}")


def read_parent(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return int(file.read().rpartition(")")[2].split()[1])
    except OSError:
        return None  # it has ended


def processor_time():
    """Seconds of this process and of those that it has started."""
    parents = {int(pid): read_parent(pid) for pid in os.listdir("/proc") if pid.isdigit()}
    own = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in own} - own:
        own |= more
    # The number that clock_getcpuclockid(3) returns.
    return sum(time.clock_gettime(~pid << 3 | 2) for pid in own)


def measure(program, waves):
    """Seconds of processor time to step over the line before the barrier, and over the barrier: the shortest of each."""
    debugger = lldb.SBDebugger.Create()
    debugger.SetAsync(False)
    debugger.SetOutputFileHandle(open(os.devnull, "w"), True)
    target = debugger.CreateTarget(program)
    target.BreakpointCreateBySourceRegex("all stop here", lldb.SBFileSpec("barrier.hip"))
    command(debugger, f"process launch -- {waves}")
    # By line; the rounds are alike.
    times = {}
    for _ in range(4 * ROUNDS):
        waves_target = debugger.GetSelectedTarget()
        frame = waves_target.GetProcess().GetSelectedThread().GetFrameAtIndex(0)
        line = frame.GetLineEntry().GetLine()
        begin = processor_time()
        command(debugger, "next")
        times.setdefault(line, []).append(processor_time() - begin)
    listed = debugger.GetSelectedTarget().GetProcess().GetNumThreads()
    debugger.GetSelectedTarget().GetProcess().Kill()
    lldb.SBDebugger.Destroy(debugger)
    return {line: min(taken) for line, taken in times.items()}, listed


def main():
    # The simulated GPU leaves who has started it.
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
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
        print(f"{waves:6} waves ({listed} threads): next over the line before {times[before] * 1000:6.1f} ms, over the barrier {barrier * 1000:6.1f} ms, "
              f"{ratio:.2f} times that with the first number (goal {GOAL:.0f} or less){'' if ratio <= GOAL else ', MISSED'}", flush=True)


if __name__ == "__main__":
    main()
