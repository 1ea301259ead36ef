# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""step_traces.py PROGRAM HOST SOURCE SEED...: steps with two lanes of each seed's kernel, forward and back, against the lines that the host notes."""
import os
import random
import re
import subprocess
import sys
import lldb

program, host, source, *seeds = sys.argv[1:]
FORWARD, BACK = 60, 60
NAME = os.path.basename(source)
with open(source) as file:
    CONDITIONS = {n for n, text in enumerate(file, 1) if re.search(r"\bT\(", text)}
counts, errors = {}, []


def once(items):
    """Without what is the same as its predecessor."""
    return [item for n, item in enumerate(items) if n == 0 or item != items[n - 1]]


def compare(what, seen, wanted):
    """Each place seen must be the next one of those wanted, or one that was there already: a line's code may be in parts.
    Returns the places, and whether each is one of those wanted."""
    at, known, path = 0, set(), []
    for place in seen:
        is_wanted = at < len(wanted) and place == wanted[at]
        if is_wanted:
            at += 1
        elif place not in known and place in wanted[at:]:
            to = wanted.index(place, at)
            errors.append(f"{what}: skipped {wanted[at:to][:5]} before {place}")
            at = to + 1
        elif place not in known:
            errors.append(f"{what}: {place} isn't executed there")
        known.add(place)
        path.append((place, is_wanted))
    return path


def compare_back(what, seen, path, conditions):
    """The places of the path, each once; only those that aren't wanted may be left out. Where the ways from a condition join, there is code of its
    line, which a step forward may pass as its lane becomes active again."""
    def follow(at, place):
        if place[1] in conditions and any(place == other for other, _ in path[at:]):
            yield at
        while at < len(path):
            if path[at][0] == place:
                yield at + 1
            if path[at][1]:
                return
            at += 1

    ends = {0}
    for n, place in enumerate(seen):
        before, ends = ends, {end for at in ends for end in follow(at, place)}
        if not ends:
            errors.append(f"{what}: {place} after {seen[max(0, n - 3):n]} instead of {[path[at][0] for at in sorted(before) if at < len(path)]}")
            return


class Refused(Exception):
    """A command that fails. On a busy machine, lldb-server may not answer in time."""


class Lane:
    def __init__(self, debugger, lane):
        self.debugger, self.lane = debugger, lane

    def command(self, text):
        result = lldb.SBCommandReturnObject()
        self.debugger.GetCommandInterpreter().HandleCommand(text, result)
        if not result.Succeeded():
            raise Refused(f"{text}: {result.GetError().strip()}")

    @property
    def thread(self):
        return self.debugger.GetSelectedTarget().GetProcess().GetSelectedThread()

    def place(self):
        """(depth, line), or None outside of the program's source."""
        frame = self.thread.GetFrameAtIndex(0)
        entry = frame.GetLineEntry()
        if entry.GetFileSpec().GetFilename() != NAME:
            return None
        if not frame.FindRegister("active").GetValueAsUnsigned() >> self.lane & 1:
            errors.append(f"lane {self.lane} isn't active at {self.thread.GetNumFrames()}:{entry.GetLine()}")
        if frame.FindRegister("lane").GetValueAsUnsigned() != self.lane:
            errors.append(f"the focus lane has changed from {self.lane}")
        return self.thread.GetNumFrames(), entry.GetLine()

    def walk(self, command, most, last=None):
        places = [self.place()]
        wave = self.thread.GetThreadID()
        for _ in range(most):
            if places[-1] == last:
                break  # after it, the wave ends
            self.command(command)
            if not self.thread.IsValid() or self.thread.GetThreadID() != wave:
                break
            if self.thread.GetStopReason() == lldb.eStopReasonHistoryBoundary:
                break
            places.append(self.place())
        return once([place for place in places if place])

    def run(self, command, wanted):
        """Of a kernel that is about to be launched."""
        target = self.debugger.GetTargetAtIndex(0)
        breakpoint = target.BreakpointCreateByLocation(NAME, wanted[0][1])
        self.command("continue")
        target.BreakpointDelete(breakpoint.GetID())
        process = self.debugger.GetSelectedTarget().GetProcess()
        process.SetSelectedThread(next(thread for thread in process if "(0,0,0)/0" in thread.GetName()))
        self.command(f"thread lane select {self.lane}")
        lines = {place[1] for place in wanted}
        if command == "next":
            wanted = [place for place in wanted if place[0] == 1]
        wanted = once(wanted)
        forward = [place for place in self.walk(command, FORWARD, wanted[-1]) if place[1] in lines]
        counts["forward"] += len(forward)
        path = compare(f"{command}, lane {self.lane}", forward, wanted)
        back = [place for place in self.walk("reverse-" + command, BACK) if place[1] in lines]
        compare_back(f"reverse-{command}, lane {self.lane}", back, path[::-1], CONDITIONS)
        counts["back"] += len(back)
        self.command("gpu time now")


def trace(debugger, seed):
    choice = random.Random(int(seed))
    counts.update(forward=0, back=0)
    errors.clear()
    for command in ("next", "step"):
        lane = choice.randrange(32)
        noted = subprocess.run([host, seed, str(lane)], capture_output=True, text=True, check=True).stdout
        Lane(debugger, lane).run(command, [tuple(map(int, line.split())) for line in noted.splitlines()])
    if not counts["forward"] or not counts["back"]:
        errors.append("no steps were made")
    print(f"seed {seed}: {counts['forward']} steps, {counts['back']} back, {len(errors)} wrong", *errors[:8], sep="\n  ", flush=True)


debugger = lldb.SBDebugger.Create(False)
debugger.SetAsync(False)
debugger.HandleCommand("settings set target.output-path /dev/null")
debugger.SetOutputFileHandle(open(os.devnull, "w"), True)
target = debugger.CreateTarget(program)
main = target.BreakpointCreateByName("main")
target.LaunchSimple(None, None, os.getcwd())
target.BreakpointDelete(main.GetID())
for seed in seeds:
    try:
        trace(debugger, seed)
    except Refused as why:
        # Those after it don't count either.
        print(f"seed {seed}: no result: {why}", flush=True)
        break
target.GetProcess().Kill()
lldb.SBDebugger.Destroy(debugger)
