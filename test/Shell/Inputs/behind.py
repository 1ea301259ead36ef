# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The place of a wave whose access has failed: right behind the instruction, or later."""
import os
import re
import sys
from stops import Session

program, mode = sys.argv[1:]
late = {"late": "3", "precise": "3", "at the barrier": "1000"}
if mode in late:
    os.environ["WAVELANE_LATE_FAULTS"] = late[mode]


def mnemonics(s):
    """Of the instructions before the PC and at it."""
    target = s.debugger.GetSelectedTarget()
    frame = s.waves.GetSelectedThread().GetFrameAtIndex(0)
    found = [(i.GetAddress().GetLoadAddress(target), i.GetMnemonic(target)) for i in frame.GetFunction().GetInstructions(target)]
    return [name for at, name in found if at < frame.GetPC()][-1], [name for at, name in found if at == frame.GetPC()][0]


def show(s):
    print(s.where())
    thread = s.waves.GetSelectedThread()
    print("  pc: behind {}, at {}".format(*mnemonics(s)))
    print("  lane:", thread.GetFrameAtIndex(0).FindRegister("lane").GetValueAsUnsigned())
    print("  list:", *sorted(set(re.findall(r"behind\.hip:\d+", s.command("gpu wave list")))))
    print(f"  value: {s.value('value')}, called from its line: {s.command('up').count('// call')}")
    s.command("down")


settings = ["plugin.process.amdgpu.precise-memory true"] if mode == "precise" else []
with Session(program, settings=settings) as s:
    s.run()
    show(s)
    if mode == "back":
        # The recording has the access, too.
        print("back:", s.step("reverse-stepi"), "at", mnemonics(s)[1])
        print("now:", s.step("gpu time now"), "at", mnemonics(s)[1])
if mode == "back":
    with Session(program, "division") as s:
        print(s.run())
