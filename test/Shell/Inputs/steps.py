# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps over code where lanes and waves diverge: branches, loops, barriers, calls, the end."""
import json
import re
import sys
import lldb
from stops import Session, line_of

programs = sys.argv[1]
program = f"{programs}/stops-O0"


def follow(title, s, lane, first, steps, settings=()):
    print(f"== {title}")
    s.at(first)
    s.run()
    s.command("breakpoint delete -f")
    s.command(f"thread lane select {lane}")
    print(s.where())
    for text in steps:
        print(f"{text}: {s.step(text)} value = {s.value('value')}")


for lane in (4, 5):
    with Session(program, "diverge") as s:
        follow(f"lane {lane} of a branch", s, lane, "branch", ["next"] * (7 if lane == 5 else 5))
with Session(program, "diverge") as s:
    follow("a lane that is off already", s, 5, "even again", ["next", "next", "step"])
with Session(program, "diverge") as s:
    s.command("settings set plugin.process.amdgpu.step-unit wave")
    follow("the wave's own way", s, 5, "branch", ["next", "next", "next"])
    s.command("settings clear plugin.process.amdgpu.step-unit")
with Session(program, "diverge") as s:
    follow("until", s, 5, "branch", [f"thread until {line_of('odd')}", f"thread until {line_of('end')}"])
for lane in (2, 9):
    with Session(program, "leave") as s:
        follow(f"lane {lane} in a call with an early return", s, lane, "call", ["step", "next", "next", "next"])
with Session(program, "leave") as s:
    follow("finish in a lane that returns early", s, 2, "test", ["finish"])
with Session(program, "leave") as s:
    # Lanes above 20 leave the kernel first, which ends when all have.
    follow("over a return of others", s, 3, "returns", ["next"])

print("== barrier and local memory")
with Session(program, "exchange") as s:
    s.at("fill")
    s.run()
    s.command("breakpoint delete -f")
    s.command("thread lane select 5")
    for _ in range(4):
        print(s.step(), "other =", s.value("other"), "own =", s.value("own"))
    # The workgroup's other wave has run to the barrier; those of the other workgroup haven't run. Their breakpoint is gone, and with it
    # their stop reason.
    print("the others:", [(wave.GetFrameAtIndex(0).GetLineEntry().GetLine() - line_of("fill"), wave.GetStopDescription(100)) for wave in s.waves][1:])

print("== whose stop it is, and the end of a wave")
with Session(program, "exchange") as s:
    s.at("out")
    s.run()
    reasons = {wave.GetThreadID(): wave.GetStopDescription(100) for wave in s.waves}
    wave = s.waves.GetSelectedThread().GetThreadID()
    s.step()
    after = {wave.GetThreadID(): wave.GetStopDescription(100) for wave in s.waves}
    print("the wave's own:", after.pop(wave), "others change theirs:",
          {key: (reasons[key], value) for key, value in after.items() if reasons[key] != value})
    count, steps = s.waves.GetNumThreads(), 0
    while s.waves.GetNumThreads() == count and steps < 20:
        text, steps = s.step(), steps + 1
    print("the last step:", text.split(": ")[1])

print("== all waves run along, past a breakpoint, and a wait for a lane is given up")
with Session(program, "exchange") as s:
    s.at("fill")
    s.run()
    s.command("breakpoint delete -f")
    s.at("out")
    reasons = set()
    for _ in range(30):
        s.step("next --run-mode all-threads")
        if s.waves.GetState() != lldb.eStateStopped or not s.waves.GetNumThreads():
            break
        reasons |= {wave.GetStopDescription(100) for wave in s.waves}
    print("reasons:", ", ".join(sorted(reasons - {"", "trace"})))

print("== waves in turn")
with Session(program, "exchange") as s:
    s.at("fill")
    s.run()
    for number, step in (1, "next"), (2, "next"), (3, "stepi"), (2, "next"):
        s.command(f"thread select {number}")
        reported = s.command(step)
        print(re.search(r"thread #.*", reported)[0], "at", re.search(r" at (\S+?):\d+$", reported, re.M)[1])
    reasons = [wave["stop_reason"] for wave in json.loads(s.command("gpu wave list --json"))]
    print("the list:", reasons)
