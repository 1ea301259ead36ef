# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The lines that steps of a lane show, from one line to another."""
import sys
from stops import Session

program, lane = sys.argv[1:]
with Session(program) as s:
    s.at("one or the other", source="turns.hip")
    s.run()
    s.command("breakpoint delete -f")
    s.command(f"thread lane select {lane}")
    marks = []
    while len(marks) < 20 and marks[-1:] != ["end"]:
        mark = s.where().partition("at '")[2].partition("':")[0]
        if marks[-1:] != [mark]:
            marks.append(mark)
        s.step("step")
    print(f"lane {lane}: {', '.join(marks)}")
