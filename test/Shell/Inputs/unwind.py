# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps one instruction at a time through calls of every kind; the frames are always those of the calls that were made."""
import sys
import wavelane
from stops import Session, line_of

# Only the steps, without what follows them: unwind.py PROGRAMS --steps NAME...
programs, names = sys.argv[1], [name for name in sys.argv[2:] if name != "--steps"]
LIMIT = 6000
CALLED = ("middle", "fibonacci", "triple", "keeping")
LANE = 5


def frames(wave):
    """The functions of the wave's own frames, the kernel first; inlined ones have none, and stripped ones no name."""
    return [(f.GetSymbol().GetName() or "?").split("(")[0] for f in reversed(list(wave)) if not f.IsInlined()]


def start(program):
    """A program may name its GPU: calls-gpus-O2:gfx942."""
    program, _, gpu = program.partition(":")
    gpu = gpu or ("gfx1100" if "wave32" in program else "gfx90a")
    return Session(program, settings=[f"target.env-vars WAVELANE_PROCESSOR={gpu}"])


def follow(program):
    with start(program) as s:
        s.command("breakpoint set -n calls")
        s.run()
        s.command("breakpoint delete -f")
        s.command(f"thread lane select {LANE}")
        wave = s.waves.GetSelectedThread()
        thread_id = wave.GetThreadID()
        # From the instructions: a call adds a frame, and a return removes one.
        known, seen, wrong, steps, shown, held = frames(wave), [], [], 0, 0, 0
        while steps < LIMIT:
            frame = wave.GetFrameAtIndex(0)
            mnemonic = s.waves.GetTarget().ReadInstructions(frame.GetPCAddress(), 1)[0].GetMnemonic(s.waves.GetTarget())
            if mnemonic == "s_endpgm":
                break
            wave.StepInstruction(False)
            steps += 1
            wave = s.waves.GetThreadByID(thread_id)
            now = frames(wave)
            if mnemonic.startswith("s_swappc"):
                known = known + [now[-1]]
                marks = ["[guess]" in line for line in s.command("thread backtrace --unfiltered").splitlines() if " frame #" in line]
                seen.append(" > ".join(known) + (" [guess]" if any(marks) else ""))
                thread = wavelane.Session(debugger=s.debugger).thread(wave)
                if marks != [thread.frame(i).is_guess for i in range(thread.frame_count)]:
                    wrong.append(f"bt and Python don't agree on guesses: {marks}")
            elif mnemonic.startswith("s_setpc"):
                known = known[:-1]
            if now != known:
                wrong.append(f"after {mnemonic}: {now}, not {known}")
                known = now
            for f in wave:
                # The optimizer may have no location for it; if there is one, it must be right.
                lane = f.FindVariable("lane")
                # In a register that its callee changes.
                if known[-1] == "changing" and f.GetFrameID() == 1:
                    value = f.FindVariable("held").GetValue()
                    held += value is not None
                    if value != str(LANE * 13):
                        wrong.append(f"keeping's held is {value}")
                if lane.IsValid() and len(known) > 1 and known[1] in CALLED:
                    value = lane.GetValue()
                    shown += value is not None
                    if value != str(LANE) and (value is not None or ("-O0" in program and "stripped" not in program)):
                        wrong.append(f"in {known[-1]} the kernel's lane is {value}: {lane.GetError()}")
        print(f"ended: {mnemonic}, depth {len(known)}, wrong: {len(wrong)}, lane shown: {'yes' if shown else 'never'}, saved register shown: {'yes' if held else 'never'}")
        for text in wrong[:10]:
            print(text)
        for text in seen:
            print(text)


for level in names:
    print(f"== {level}")
    follow(f"{programs}/{level}")


def finish(program, function):
    """What `finish` shows of a result, in the focus lane."""
    with start(program) as s:
        s.command(f"breakpoint set -n {function}")
        s.run()
        s.command("breakpoint delete -f")
        s.command(f"thread lane select {LANE}")
        s.waves.GetSelectedThread().StepOut()
        wave = s.waves.GetSelectedThread()
        value = wave.GetStopReturnValue()
        parts = [str(part).split(" = ", 1)[1].replace("\n", "") for part in value]
        print(f"{function} in {wave.GetFrameAtIndex(0).GetSymbol().GetName().split('(')[0]}:", value.GetValue() or parts)


def lanes_of_callers(program):
    """Each lane's variables in the callers of a function that runs without half of the lanes: a callee saves registers for its own lanes
    alone, the others still have them."""
    with start(program) as s:
        s.command("breakpoint set -n half")
        s.run()
        s.command(f"breakpoint set -f calls.hip -l {line_of('small', 'calls.hip')}")
        s.waves.Continue()
        depth = s.waves.GetSelectedThread().GetNumFrames()
        wrong, shown = [], 0
        for lane in range(s.waves.GetSelectedThread().GetFrameAtIndex(0).FindRegister("exec").GetByteSize() * 8):
            s.command(f"thread lane select {lane}")
            for frame, name in ((depth - 2, "value"), (depth - 2, "kept"), (depth - 1, "lane")):
                if name == "value" and "rocm" in program:
                    continue  # At the `if` where lanes wait, the compiler has put it into a register that holds its lowest bit.
                variable = s.waves.GetSelectedThread().GetFrameAtIndex(frame).FindVariable(name)
                expected = lane * 11 if name == "kept" else lane
                shown += variable.GetValue() is not None
                if variable.GetValue() not in (None, str(expected)):
                    wrong.append(f"lane {lane}: {name} is {variable.GetValue()}")
        print(f"callers' variables: {shown} shown, {len(wrong)} wrong", *wrong[:5])


if "--steps" in sys.argv:
    sys.exit()
for level in [name for name in names if "stripped" not in name]:
    lanes_of_callers(f"{programs}/{level}")
for level in [name for name in names if "stripped" not in name]:
    print(f"== results, {level}")
    for function in ("leaf", "triple", "mixed", "large"):
        finish(f"{programs}/{level}", function)
