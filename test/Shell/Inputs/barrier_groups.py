# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A step over a workgroup's barrier moves only that workgroup's waves."""
import sys
from stops import Session

program = sys.argv[1]


def places(s):
    """PCs and reasons of the waves, by workgroup; the selected one is the first."""
    found = {}
    for thread in s.waves.threads:
        found.setdefault(thread.GetName().split(" (")[1].split(")")[0], []).append((thread.GetFrameAtIndex(0).GetPC(), thread.GetStopReason()))
    return found


def mnemonic(s):
    """Of the selected wave's next instruction."""
    target = s.debugger.GetSelectedTarget()
    return target.ReadInstructions(s.waves.GetSelectedThread().GetFrameAtIndex(0).GetPCAddress(), 1)[0].GetMnemonic(target)


with Session(program) as s:
    s.command("breakpoint set -f compute.hip -l 9")
    print(s.run())
    own = s.waves.GetSelectedThread().GetName().split(" (")[1].split(")")[0]
    before = places(s)
    print("workgroups of four waves:", len(before) > 1 and {len(waves) for waves in before.values()} == {4})
    print(s.step("next"))
    # To the barrier itself, and over it.
    steps = 0
    while not mnemonic(s).startswith("s_barrier") and steps < 1000:
        s.waves.GetSelectedThread().StepInstruction(False)
        steps += 1
    print("at", mnemonic(s))
    s.waves.GetSelectedThread().StepInstruction(False)
    print("behind it:", mnemonic(s) != "s_barrier")
    after = places(s)
    print("others moved:", sorted(group for group in before if group != own and before[group] != after.get(group)))
    print("own moved:", before[own] != after[own])
    s.command("breakpoint delete -f")
    print(s.resume())
