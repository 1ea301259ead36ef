# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where values come from: `thread lane origin`, and the Python package's view of it."""
import re
import sys
import wavelane
from stops import Session

programs = sys.argv[1]
# The debugger's own lines are in between.
sys.stdout.reconfigure(line_buffering=True)


def shown(text):
    """Without what differs from run to run."""
    return re.sub(r"0x[0-9a-f]{5,}", "0x..", text.rstrip())


def origin(s, text):
    print(f"-- {text}")
    print(shown(s.command(f"thread lane origin {text}")))


for level in ("O0", "O2"):
    print(f"== {level}")
    with Session(f"{programs}/origins-{level}") as s:
        s.at("end", source="origins.hip")
        s.run()
        s.command("thread lane select 3")
        for text in ("t", "--until isnan n", "neighbor"):
            origin(s, text)
        if level == "O0":
            origin(s, "--history t")
            origin(s, "--until '> 100' t")
            origin(s, "1 + 2")
            origin(s, "--until never t")
            origin(s, "--follow 99 t")
            print("follow:", s.step("thread lane origin --follow 1 t"))
            print("earlier kernel:", s.step("reverse-continue"))
            print("present:", s.step("gpu time now"))
            wave = wavelane.selected(s.debugger)
            lane = wave.lanes[3]
            tree = lane.origin("t")
            print("Python:", tree.value, [step.kind for step in tree.leaves][0], [float(step.value) for step in lane.history("t")],
                  wave.back("stop"))
            try:
                wave.back()
            except wavelane.Error as error:
                print("gone:", error)
    with Session(f"{programs}/origins-{level}", "wide") as s:
        # Values of 64 bits are added half by half.
        s.at("wide end", source="origins.hip")
        s.run()
        s.command("thread lane select 3")
        for text in ("sum", "--until '> 20000000000' sum", "--until '> 13000000000' sum", "--history sum"):
            origin(s, text)
        if level == "O0":
            # What the debugger writes in the past is an origin.
            s.step("reverse-next")
            s.command("expression sum = 5")
            origin(s, "sum")
