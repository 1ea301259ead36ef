# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inlined functions at -O2: at every instruction, the frames and the values of lanes; stepping and finishing; breakpoints.

usage: inlined.py PROGRAM [GPU...]
"""
import re
import sys
import time
import lldb
from stops import Session, line_of

SOURCE = "inlined.hip"
LANES = (0, 5, 30)
TABLE = [i * 7 % 50 + 1 for i in range(64)]
# The calls, inlined or not, and their lines.
CALLS = {("inlined", "outer"): "first", ("inlined", "calling"): "second", ("calling", "called"): "calling", ("called", "outer"): "called calls",
         ("outer", "inner"): "outer calls"}
LIMIT = 2000


def function_of(frame):
    return frame.GetFunctionName().split("(")[0].lstrip(":")


def is_mine(frame):
    """Without HIP's headers, which are inlined, too."""
    return (frame.GetLineEntry().GetFileSpec().GetFilename() or "") == SOURCE


def expected(lane, chain, seen):
    """The values in a lane of those variables of the last function of a chain of calls that never change."""
    within = "called" in chain
    value = (lane + 1) & 31 | (lane & 32) if within else lane
    if within or "calling" in chain:
        seen += 256
    return {"inlined": {"lane": lane}, "calling": {"value": lane, "kept": lane * 5, "seen": seen},
            "called": {"which": lane, "before": TABLE[lane], "seen": seen},
            "outer": {"value": value, "scaled": TABLE[value] * 2, "seen": seen},
            "inner": {"base": TABLE[value] * 2, "count": value % 4 + 1}}[chain[-1]]


class Inlined(Session):
    def __init__(self, program, gpu):
        super().__init__(program, settings=[f"target.env-vars WAVELANE_PROCESSOR={gpu}"])
        self.wrong, self.shown, self.missing = [], {}, {}

    @property
    def wave(self):
        return self.waves.GetSelectedThread()

    def begin(self, breakpoint="-n inlined"):
        self.command(f"breakpoint set {breakpoint}")
        self.run()
        self.first = self.wave.GetThreadID()
        self.command("thread lane select 5")
        return self

    def is_over(self):
        """Whether the first wave has ended."""
        return self.waves.GetState() != lldb.eStateStopped or not self.waves.GetThreadByID(self.first).IsValid()

    def frames(self):
        return [frame for frame in reversed(list(self.wave)) if is_mine(frame)]

    def chain(self):
        return tuple(function_of(frame) for frame in self.frames())

    def check_frames(self):
        frames = self.frames()
        chain = tuple(function_of(frame) for frame in frames)
        if chain[:1] != ("inlined",):
            self.wrong.append(f"frames {chain}")
        for outer, inner in zip(frames, frames[1:]):
            mark = CALLS.get((function_of(outer), function_of(inner)))
            if not mark or outer.GetLineEntry().GetLine() != line_of(mark, SOURCE):
                self.wrong.append(f"{function_of(outer)} calls {function_of(inner)} in line {outer.GetLineEntry().GetLine()}")
            if inner.IsInlined() == (function_of(inner) == "called"):
                self.wrong.append(f"{function_of(inner)} is inlined: {inner.IsInlined()}")
        return chain

    def check_values(self, seen):
        for lane in LANES:
            self.command(f"thread lane select {lane}")
            frames = self.frames()
            chain = tuple(function_of(frame) for frame in frames)
            for depth, frame in enumerate(frames, 1):
                want = expected(lane, chain[:depth], seen)
                for variable in frame.GetVariables(True, True, False, True):
                    name = variable.GetName()
                    if name not in want:
                        continue
                    if variable.GetValue() is None:
                        text = str(variable.GetError()).strip().replace("error: ", "")
                        self.missing[text] = self.missing.get(text, 0) + 1
                        continue
                    place = f"{chain[depth - 1]}'s {name}" + (" from within" if depth < len(frames) else "")
                    self.shown[place] = self.shown.get(place, 0) + 1
                    if int(variable.GetValue(), 0) != want[name]:
                        self.wrong.append(f"at {frame.GetPC():x} lane {lane}: {name} of {' > '.join(chain[:depth])} is {variable.GetValue()}, "
                                          f"not {want[name]}")

    def report(self, what, chains):
        print(f"{what}: wrong {len(self.wrong)}", *self.wrong[:10], sep="\n  " if self.wrong else "")
        for chain in dict.fromkeys(chains):
            print("  " + " > ".join(chain))


def every_instruction(s):
    s.begin()
    s.command("breakpoint delete -f")
    text = ""
    for _ in range(100):  # The program has printed it; LLDB may still be reading.
        text += s.host.GetProcess().GetSTDOUT(1000)
        if re.search(r"seen: \S+\s", text):
            break
        time.sleep(0.1)  # The session's own listener takes the event.
    seen = int(text.split("seen: ")[1].split()[0], 16)
    chains, target = [], s.waves.GetTarget()
    for _ in range(LIMIT):
        chains.append(s.check_frames())
        s.check_values(seen)
        if target.ReadInstructions(s.wave.GetFrameAtIndex(0).GetPCAddress(), 1)[0].GetMnemonic(target) == "s_endpgm":
            break
        s.wave.StepInstruction(False)
    s.report("instructions", chains)
    print("  shown:", ", ".join(sorted(s.shown)))
    print("  not shown:", ", ".join(sorted(s.missing)))


def steps(s, how):
    """The functions that `step` enters, and `next` and `finish` don't."""
    s.begin()
    s.command("breakpoint delete -f")
    chains = []
    for _ in range(LIMIT):
        before = s.check_frames()
        s.step(how)
        if s.is_over():
            break
        now = s.check_frames()
        chains.append(now)
        if how == "next" and before[:len(now)] != now:
            s.wrong.append(f"next went from {before} to {now}")
    s.report(how, chains)


def finish(s):
    """From the innermost function outward; each leaves at least one, and all end in the kernel."""
    s.begin("-n inner -o true")
    chains = []
    for entered in range(2):
        if entered:
            s.command("breakpoint set -n inner -o true")
            s.waves.Continue()
        while len(s.chain()) > 1:
            before = s.check_frames()
            chains.append(before)
            s.step("finish")
            now = s.check_frames()
            if now == before or before[:len(now)] != now:
                s.wrong.append(f"finish went from {before} to {now}")
    s.report("finish", chains)


def breakpoints(s, what, option, function):
    s.begin(option)
    found = []
    while not s.is_over():
        chain = s.check_frames()
        found.append(chain)
        if chain[-1] != function or "breakpoint" not in s.wave.GetStopDescription(100):
            s.wrong.append(f"stopped in {chain}: {s.wave.GetStopDescription(100)}")
        s.waves.Continue()
    s.report(f"breakpoint at {what}", found)


for gpu in sys.argv[2:] or ("gfx90a",):
    print("==", gpu)
    with Inlined(sys.argv[1], gpu) as session:
        every_instruction(session)
    for way in ("step", "next"):
        with Inlined(sys.argv[1], gpu) as session:
            steps(session, way)
    with Inlined(sys.argv[1], gpu) as session:
        finish(session)
    with Inlined(sys.argv[1], gpu) as session:
        breakpoints(session, "a function", "-n inner", "inner")
    with Inlined(sys.argv[1], gpu) as session:
        breakpoints(session, "a line", f"-f {SOURCE} -l {line_of('inner', SOURCE)}", "inner")
    # A stop at a call is at the beginning of what is inlined there, and is in the caller for every lane.
    for mark, name in ("first", "lane"), ("called calls", "which"), ("outer calls", "value"):
        with Session(sys.argv[1], settings=[f"target.env-vars WAVELANE_PROCESSOR={gpu}"]) as session:
            session.at(mark, f"-c '{name} == 5'", source=SOURCE)
            stop = session.run()
            found = session.command(f"thread lane find {name} == 9").split(": ")[-1]
            frame = session.waves.GetSelectedThread().GetSelectedFrame()
            print(f"{name} == 5: {stop}; then {found} in {function_of(frame)}")
