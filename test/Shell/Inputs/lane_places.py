# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The places of lanes according to debug information, and the values of their variables there.

usage: lane_places.py PROGRAMS SOURCES
"""
import json
import sys
from stops import Session, line_of

programs = sys.argv[1]


def marked(place, source):
    """The mark of a place's line, or the line's number."""
    if not place or ":" not in place:
        return place
    number = int(place.split(":")[1])
    with open(f"{sys.argv[2]}/hip/{source}") as file:
        text = file.read().splitlines()[number - 1]
    return text.split("// ")[1].strip() if "// " in text else str(number)


def groups(s, source):
    """Lanes grouped by place, as 'active at then: 1,5; inactive at branch: 0,2'."""
    found = {}
    for lane in json.loads(s.command("thread lane list --json"))["lanes"]:
        state = "active" if lane["active"] else "inactive"
        place = "done" if lane.get("done") else lane.get("line") or lane.get("goes_on_at")
        found.setdefault(f"{state} at {marked(place, source)}", []).append(lane["lane"])
    return "; ".join(f"{place}: {lanes[0]}..{lanes[-1]} ({len(lanes)})" for place, lanes in sorted(found.items()))


def session(name, kernel=""):
    gpu = "gfx1100" if "wave32" in name else "gfx90a"
    return Session(f"{programs}/{name}", *filter(None, [kernel]), settings=[f"target.env-vars WAVELANE_PROCESSOR={gpu}"])


def instruction(s):
    wave = s.waves.GetSelectedThread()
    return s.waves.GetTarget().ReadInstructions(wave.GetFrameAtIndex(0).GetPCAddress(), 1)[0].GetMnemonic(s.waves.GetTarget())


def step_until(s, wanted):
    """Steps by instruction until the next one has that name."""
    for _ in range(500):
        if instruction(s) == wanted:
            return
        s.waves.GetSelectedThread().StepInstruction(False)
    raise SystemExit(f"no {wanted} comes")


def values(s, name, lanes):
    shown = []
    for lane in lanes:
        s.command(f"thread lane select {lane}")
        value = s.waves.GetSelectedThread().GetFrameAtIndex(0).FindVariable(name)
        shown.append(value.GetValue() if value.GetError().Success() else "none")
    return " ".join(map(str, shown))


# The attribute places waiting lanes at the `if`, or where its branches meet; the code shows where they do something next.
for name in ("stops-O2", "stops-rocm-O2", "stops-rocm-wave32-O2"):
    for mark in ("odd", "even again"):
        with session(name, "diverge") as s:
            s.at(mark)
            s.run()
            print(f"{name} at '{mark}': {groups(s, 'stops.hip')}")

# Nested: each lane is at the innermost branch that it waits for.
for name in ("places-rocm-O2", "places-rocm-wave32-O2"):
    with session(name) as s:
        s.at("deep", source="places.hip")
        s.run()
        print(f"{name} at 'deep': {groups(s, 'places.hip')}")

# Between two of its values, the variable has none for lanes that are there. Others still have the value that they wait with.
for name in ("places-O2", "places-rocm-O2"):
    with session(name) as s:
        s.at("then", source="places.hip")
        s.run()
        s.command("breakpoint delete -f")
        step_until(s, "v_addc_co_u32_e32")
        print(f"{name}, value of lanes 21, 25, 5, 17, 0, 2: {values(s, 'value', (21, 25, 5, 17, 0, 2))}")
        s.command("thread lane select 5")
        print("  in lane 5:", s.command("dwarf variable value").splitlines()[-1])

# Lanes that wait to return still have their argument; for the others, it has moved.
for name in ("calls-O2", "calls-rocm-O2"):
    with session(name) as s:
        s.at("small", source="calls.hip")
        s.run()
        print(f"{name}, n of lanes 0, 1, 5, 13: {values(s, 'n', (0, 1, 5, 13))}")

# All lanes execute to spill a register, but fewer are logically active.
for name in ("stops-O0", "stops-rocm-O0"):
    with session(name, "diverge") as s:
        s.at("odd")
        s.run()
        s.command("breakpoint delete -f")
        step_until(s, "s_or_saveexec_b64")
        s.waves.GetSelectedThread().StepInstruction(False)
        executing = bin(s.waves.GetSelectedThread().GetFrameAtIndex(0).FindRegister("exec").GetValueAsUnsigned()).count("1")
        active = [lane["active"] for lane in json.loads(s.command("thread lane list --json"))["lanes"]]
        print(f"{name}: {executing} lanes execute, {sum(active)} are active")
