# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The lines of one lane, forward and back, with the depth of calls, where lanes differ."""
import sys
import lldb
from stops import Session


def place(s, lane):
    """The line's mark, with a * for each call and (off) if the lane isn't active."""
    thread = s.waves.GetSelectedThread()
    frame = thread.GetFrameAtIndex(0)
    mark = s.where().split(" at '")[1].split("'")[0]
    active = frame.FindRegister("active").GetValueAsUnsigned() >> lane & 1
    return "*" * (thread.GetNumFrames() - 1) + mark + ("" if active else " (off)")


def walk(program, first, last, lane, forward, back, source="active.hip"):
    with Session(program) as s:
        s.at(first, source=source)
        s.run()
        s.command("breakpoint delete -f")
        s.command(f"thread lane select {lane}")
        for command, end in ((forward, last), (back, first)):
            places = [place(s, lane)]
            while places[-1] != end and len(places) < 60:
                s.command(command)
                if s.waves.GetSelectedThread().GetStopReason() != lldb.eStopReasonPlanComplete:
                    break
                places.append(place(s, lane))
            print(f"lane {lane}, {command}: {', '.join(places)}")


if __name__ == "__main__":
    for program in sys.argv[1:]:
        print("==", program.split("-")[-1])
        for lane in (0, 2):
            walk(program, "loop", "stored", lane, "next", "reverse-next")
        for lane in (0, 2):
            walk(program, "recursion", "recursion ends", lane, "step", "reverse-step")
        walk(program, "recursion", "recursion ends", 3, "next", "reverse-next")
        for lane in (0, 5):
            walk(program, "some", "some ends", lane, "step", "reverse-step")
