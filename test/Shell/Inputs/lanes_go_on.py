# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where inactive lanes continue: according to `thread lane list`, and as seen when stepping the wave by instruction."""
import json
import sys
from stops import Session, line_of

programs = sys.argv[1]
LIMIT = 3000


def lanes(s):
    return json.loads(s.command("thread lane list --json"))["lanes"]


def goes_on(lane):
    return "done" if lane.get("done") else lane.get("goes_on_at", "unknown")


def marked(place, source):
    """The mark of a place's line, or the line's text."""
    if ":" not in place:
        return place
    with open(f"{sys.argv[2]}/hip/{source}") as file:
        text = file.read().splitlines()[int(place.split(":")[1]) - 1]
    return text.split("// ")[1].strip() if "// " in text else text.strip()


def works(mnemonic):
    return not mnemonic.startswith(("s_", "v_readlane", "v_writelane", "v_readfirstlane")) or mnemonic.startswith("s_swappc")


def line_at(s, frame):
    """As shown to the user: line 0 becomes the following line."""
    address = frame.GetPCAddress()
    for _ in range(200):
        line = address.GetLineEntry().GetLine()
        if line:
            return line
        address.OffsetAddress(4)
    return 0


def follow(s, waiting):
    """Steps until each of the lanes has done something; returns the places where they did."""
    wave = s.waves.GetSelectedThread()
    thread_id, found, whole_wave = wave.GetThreadID(), {}, False
    for _ in range(LIMIT):
        wave = s.waves.GetThreadByID(thread_id)
        if not wave.IsValid() or len(found) == len(waiting):
            break
        frame = wave.GetFrameAtIndex(0)
        instruction = s.waves.GetTarget().ReadInstructions(frame.GetPCAddress(), 1)[0]
        mnemonic = instruction.GetMnemonic(s.waves.GetTarget())
        operands = instruction.GetOperands(s.waves.GetTarget())
        if mnemonic == "s_endpgm":
            break
        exec_mask = frame.FindRegister("exec").GetValueAsUnsigned()
        for lane in waiting:
            if lane not in found and exec_mask >> lane & 1 and not whole_wave and works(mnemonic):
                found[lane] = str(line_at(s, frame))
        if mnemonic.startswith("s_") and "exec" in mnemonic + operands.split(",")[0] and "branch" not in mnemonic:
            whole_wave = operands.replace(" ", "").endswith(",-1")
        wave.StepInstruction(False)
    return found


for name, kernel, source, *marks in json.loads(sys.argv[3]):
    gpu = "gfx1100" if "wave32" in name else "gfx90a"
    for mark in marks:
        with Session(f"{programs}/{name}", kernel, settings=[f"target.env-vars WAVELANE_PROCESSOR={gpu}"]) as s:
            s.at(mark, source=source)
            s.run()
            s.command("breakpoint delete -f")
            groups = {}
            for lane in lanes(s):
                if not lane["active"]:
                    groups.setdefault(goes_on(lane), []).append(lane["lane"])
            print(f"{name}, at '{mark}':", "; ".join(f"{v[0]}-{v[-1]} ({len(v)}) {marked(k, source)}" for k, v in groups.items()))
            seen = follow(s, [v[0] for k, v in groups.items() if k != "unknown"])
            for place, members in groups.items():
                reported = place.split(":")[1] if ":" in place else place
                if reported not in (seen.get(members[0], "done"), "unknown"):
                    print(f"  lane {members[0]} was to go on at {reported}, went on at {seen.get(members[0], 'no line')}")
