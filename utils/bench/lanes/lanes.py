#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times an expression in all lanes of a wave against one lane, and a search of all waves.

Usage: lanes.py WAVES_PROGRAM [WAVES]

Prints ratios, with their goals. Build WAVES_PROGRAM of utils/bench/scaling/waves.hip."""
import os
import sys
import time

import lldb

REPEATS = 9
GOAL_LANES, GOAL_SEARCH = 3.0, 1.0


class Session:
    def __init__(self, program, *arguments):
        self.debugger = lldb.SBDebugger.Create()
        self.debugger.SetAsync(False)
        self.debugger.SetOutputFileHandle(open(os.devnull, "w"), True)
        target = self.debugger.CreateTarget(program)
        target.BreakpointCreateBySourceRegex("stop here|all set|all alike", lldb.SBFileSpec("waves.hip"))
        self.command("process launch -- " + " ".join(arguments))

    def command(self, text):
        result = lldb.SBCommandReturnObject()
        self.debugger.GetCommandInterpreter().HandleCommand(text, result)
        if not result.Succeeded():
            sys.exit(f"{text}: {result.GetError()}")
        return result.GetOutput() or ""

    def time(self, *texts):
        """Milliseconds: the shortest time of each, in turns, after one to fill caches."""
        times = [[self.first(text) for text in texts] for _ in range(1 + REPEATS)][1:]
        return [min(column) for column in zip(*times)]

    def first(self, text):
        """Milliseconds of one time."""
        begin = time.monotonic()
        self.command(text)
        return 1000 * (time.monotonic() - begin)

    def end(self):
        self.debugger.GetSelectedTarget().GetProcess().Kill()
        lldb.SBDebugger.Destroy(self.debugger)


def report(what, ratio, goal):
    print(f"  {what}: {ratio:.2f} (goal {goal:.0f} or less){'' if ratio <= goal else ', MISSED'}")


def lanes(program):
    print("64 lanes against one, one wave")
    session = Session(program, "16", "locals")
    for expression in ("v37", "v37 * 2 + 1", "v37 > v36", "out[v37 % 16]", "&out[v37]"):
        for name in ("print --", "print --json --", "find"):
            one, every = session.time(f"thread lane print --lanes 5 -- {expression}", f"thread lane {name} {expression}")
            report(f"{name.removesuffix(' --')} {expression}: {every:.2f} / {one:.2f} ms", every / one, GOAL_LANES)
    session.end()


def search(program, waves):
    print(f"a search of {waves} waves")
    session = Session(program, str(waves), "alike")
    session.command("thread backtrace")
    for expression in ("count > 5", "item == 70", "arrived[0] == 3"):
        command = f"thread lane find --all-waves {expression} || item == 3"
        report(f"{expression}, first time, seconds", session.first(command) / 1000, GOAL_SEARCH)
        report(f"{expression}, again, seconds", session.time(command)[0] / 1000, GOAL_SEARCH)
    session.end()


if __name__ == "__main__":
    # Waves of a launch are all resident.
    os.environ.update(WAVELANE_PROCESSOR=",".join(["gfx90a"] * 4), WAVELANE_CUS="80")
    lanes(sys.argv[1])
    search(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1000)
