# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps, frames, their variables and lanes' stacks with the Python package."""
import sys

import wavelane


def place(wave):
    return str(wave.lanes[0].stack[0]).strip("<>")


def main():
    with wavelane.Session(sys.argv[1]) as session:
        session.breakpoint(function="large")
        wave = session.run()
        print("stopped:", wave.name, place(wave))
        for frame in wave.frames:
            print("frame:", sorted(frame.variables)[:3])
        print("of the caller:", wave.frame(1).lanes[5].variable("i").value)
        print("stack of lane 5:", [str(frame).strip("<>").split("(")[0] for frame in wave.lanes[5].stack])
        before = wave.lanes[0].value("$pc")
        wave = wave.step_instruction()
        print("an instruction:", wave.lanes[0].value("$pc") != before)
        print("over:", place(wave.step_over()))
        wave = session.selected.step_out()
        print("out:", place(wave))
        print("into:", place(wave.step_into()))
        try:
            session.selected.lanes[3].variable("nothing")
        except wavelane.Error as error:
            print("error:", error)


if __name__ == "__main__":
    main()
