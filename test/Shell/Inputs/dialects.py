# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The same programs as clang and as ROCm's compiler describe them: every variable of every frame is the same in each lane.

usage: dialects.py PROGRAMS SOURCES JSON, a list of [[program, its other build], gpu, argument, source, mark...].
"""
import json
import sys
from stops import Session, line_of

programs = sys.argv[1]
LANES = (0, 1, 5, 18, 31)


def leaves(value, path):
    """The values of a variable and its members. A pointer shows its space only, since its target differs between the builds."""
    if value.GetNumChildren() and not value.GetType().IsPointerType():
        for child in value.children:
            yield from leaves(child, f"{path}.{child.GetName()}")
        return
    error = value.GetError().GetCString() if value.GetError().Fail() else ""
    summary = value.GetSummary() or ""
    yield path, value.GetType().GetName(), value.GetValue() if not error else None, summary, error


def look(s, found):
    """Adds the values seen at a stop."""
    wave = s.waves.GetSelectedThread()
    stop = len(found["stops"])
    found["stops"].append([(f.GetFunctionName(), f.GetLineEntry().GetLine()) for f in wave])
    for level, frame in enumerate(wave):
        s.command(f"frame select {level}")
        for variable in frame.GetVariables(True, True, False, True):
            reported = json.loads(s.command(f"dwarf variable --json {variable.GetName()}").split("\nerror:")[0])
            steps = [step["operation"] for step in reported.get("steps", [])]
            found["operations"] |= {step.split()[0] for step in steps}
            found["extension"] += any(step.startswith("LLVM_") for step in steps)
            found["upstream"] += any(step.startswith(("fbreg", "xderef")) or
                                     (step.startswith("regx") and len(steps) == 1)
                                     for step in steps)
            found["variables"] += 1
    s.command("frame select 0")
    active = [lane["active"] for lane in json.loads(s.command("thread lane list --json"))["lanes"]]
    for lane in LANES:
        s.command(f"thread lane select {lane}")
        for level, frame in enumerate(s.waves.GetSelectedThread()):
            for variable in frame.GetVariables(True, True, False, True):
                for path, *shown in leaves(variable, variable.GetName()):
                    found["values"][stop, level, lane, path] = [*shown, active[lane]]


def session(program, gpu, argument, source, marks):
    found = {"stops": [], "values": {}, "operations": set(), "variables": 0, "extension": 0, "upstream": 0}
    with Session(f"{programs}/{program}", *filter(None, [argument]),
                 settings=[f"target.env-vars WAVELANE_PROCESSOR={gpu}"]) as s:
        for mark in marks:
            s.at(mark, source=source)
        where = s.run()
        while "breakpoint" in where and len(found["stops"]) < 12:
            look(s, found)
            where = s.resume()
    return found


operations = set()
for (plain, other), gpu, argument, source, *marks in json.loads(sys.argv[3]):
    upstream, rocm = (session(name, gpu, argument, source, marks) for name in (plain, other))
    names = f"{plain} and {other}"
    operations |= rocm["operations"]
    if upstream["stops"] != rocm["stops"]:
        print(f"{names}: stops differ:", *zip(upstream["stops"], rocm["stops"]), sep="\n  ")
        continue
    wrong, more, waiting, earlier = [], 0, 0, 0
    for key, shown in upstream["values"].items():
        got = rocm["values"].get(key)
        if got == shown:
            continue
        if got and not got[4]:
            # A waiting lane is shown where it waits; clang has no information about that.
            waiting += 1
        elif got and shown[3] and not got[3]:
            more += 1
        elif got and got[3] and (shown[2] or "").startswith("[value at line "):
            # What calls keep in registers is only known of clang's own locations.
            earlier += 1
        elif not (got and shown[3] and got[3]):
            wrong.append(f"{key}: {shown}, {got}")
    values = sum(not shown[3] for shown in upstream["values"].values())
    print(f"{names}: {len(upstream['stops'])} stops, {max(map(len, upstream['stops']))} frames, {values} values, "
          f"{len(wrong)} differ; {rocm['extension']} of {rocm['variables']} by the extension, {rocm['upstream']} as upstream")
    print(f"  beside: {upstream['extension']} and {upstream['upstream']}; {more} are there in the latter alone, {waiting} of waiting lanes; "
          f"{earlier} earlier values in the former alone")
    for text in wrong[:20]:
        print("  " + text)
print("operations:", *sorted(operations))
