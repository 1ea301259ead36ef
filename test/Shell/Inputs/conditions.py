# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conditions, counts and kinds of breakpoints in kernels."""
import sys
from stops import Session
from why import whether

programs = sys.argv[1]
program = f"{programs}/stops-O0"

print("== one lane of a thousand")
for text in ("i == 777", "i == 777 && value > 1553", "pairs[i % 8].second == 3.5f && i > 990",
             "(unsigned char)i == 9 && (out + i)[0] == 0 && i / 256 == 3", "$lane == 9 && !(i < 700)"):
    with Session(program) as s:
        s.at("store", "--condition", f"'{text}'")
        print(f"{text}: {s.run()} i = {s.value('i')}")

with Session(program) as s:
    # LLDB evaluates in each lane what the server can't: here, a cast to a pointer.
    s.at("store", "--condition", "'*(int *)&i == 777'")
    print("by LLDB:", s.run(), "i =", s.value("i"))
    print("and on:", s.resume())

with Session(program) as s:
    s.at("store", "--condition", "'i == 5000'")
    print("never:", s.run())

with Session(program) as s:
    s.at("store", "--condition", "'nothing == 1'")
    print("no such variable:", s.run())

print("== a change while it is stopped")
with Session(program) as s:
    s.at("store", "--condition", "'i == 70'")
    print(s.run(), "i =", s.value("i"))
    s.command("breakpoint modify 1 --condition 'i == 900'")
    print(s.resume(), "i =", s.value("i"))
    s.command("breakpoint modify 1 --condition ''")
    print(s.resume().split(": ")[1])

print("== counts")
with Session(program, "scale", "1000") as s:
    s.at("store", "--ignore-count", "5")
    s.run()
    breakpoint = s.debugger.GetSelectedTarget().GetBreakpointAtIndex(0)
    print("ignored 5 waves:", s.where().split(": ")[1], "at least 6 hits:", whether(breakpoint.GetHitCount() >= 6, breakpoint.GetHitCount()),
          "left", breakpoint.GetIgnoreCount())
with Session(program) as s:
    s.at("store", "--one-shot", "true")
    print("one-shot:", s.run().split(": ")[1])
    print("then:", s.resume())

print("== for one wave, for one dispatch")
with Session(program) as s:
    s.command("breakpoint set -n 'scale<int>'")
    print("a template by name:", s.run())
    third = s.waves.GetThreadAtIndex(2)
    s.command("breakpoint delete -f")
    s.at("store", "-t", f"0x{third.GetThreadID():x}")
    print("-t:", s.resume())
    print("then:", s.resume())
with Session(program, "twice") as s:
    s.at("store", "--condition", "'$dispatch == 2'")
    print("second dispatch:", s.run())
    print("then:", s.resume())

print("== inlined code, code loaded later")
with Session(program) as s:
    s.at("inlined")
    s.run()
    print("inlined:", s.where().split(" at ")[1])
with Session(f"{programs}/stops-O2") as s:
    s.arguments = ["leave"]
    s.at("test")
    print("optimized:", s.run().split(" at ")[1], "of", s.waves.GetSelectedThread().GetFrameAtIndex(0).GetFunctionName(),
          "inlined" if s.waves.GetSelectedThread().GetFrameAtIndex(0).IsInlined() else "not inlined")
with Session(f"{programs}/modules", f"{programs}/modules.co") as s:
    s.command("breakpoint set -n fill")
    print("hipModuleLoad:", s.run().split(" at ")[0])
