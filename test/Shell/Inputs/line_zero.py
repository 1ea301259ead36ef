# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps a wave by instructions through a loop of whose code parts have no line, and asks each view where it is."""
import os
import re
import sys
from stops import Session, SOURCES
from why import whether

programs = sys.argv[1]
with open(os.path.join(SOURCES, "faults.hip")) as file:
    loop = next(n for n, text in enumerate(file, 1) if "while (*go == 0)" in text)
lines = range(loop, loop + 3)


def has_line(text):
    found = re.search(r"faults\.hip:(\d+)", text)
    return bool(found) and int(found[1]) in lines


with Session(f"{programs}/faults-O0", "endless") as s:
    s.command(f"breakpoint set -f faults.hip -l {loop}")
    s.run()
    s.command("breakpoint delete -f")
    lost = {}
    for _ in range(40):
        stop = s.command("thread step-inst")
        wave = s.waves.GetSelectedThread()
        frame = wave.GetFrameAtIndex(0)
        address = s.debugger.GetSelectedTarget().ResolveLoadAddress(frame.GetPC())
        views = {
            "address": address.GetLineEntry().GetLine() in lines,
            "SB": frame.GetLineEntry().GetLine() in lines and frame.GetLineEntry().GetFileSpec().basename == "faults.hip",
            "stop": has_line(stop),
            "thread list": has_line(next(line for line in s.command("thread list").splitlines() if line.startswith("*"))),
            "frame info": has_line(s.command("frame info")),
            "bt": has_line(s.command("bt 1")),
            "source": "while (*go == 0)" in s.command("frame select 0"),
            "gpu wave list": has_line(s.command("gpu wave list")),
        }
        for view, ok in views.items():
            if not ok:
                lost.setdefault(view, []).append(hex(frame.GetPC()))
    print("places:", whether(not lost, lost))
