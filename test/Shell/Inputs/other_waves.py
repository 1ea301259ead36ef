# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`thread lane origin --follow` to other waves: of the same kernel, of an earlier one, and to what the host has done."""
import json
import sys
import lldb
from stops import Session

program = sys.argv[1]


def follow(variable, kind):
    """Follows the last step of that kind of a variable of lane 3."""
    with Session(program) as s:
        s.at("end", source="other-waves.hip")
        s.run()
        s.command("breakpoint delete -f")
        s.command("thread lane select 3")
        steps = json.loads(s.command(f"thread lane origin --json -- {variable}"))["steps"]
        chosen = max((number for number, step in enumerate(steps, 1) if kind(step)), default=None)
        if chosen is None:
            print(f"{variable}: no such step in {steps}")
            return
        step = steps[chosen - 1]
        before = s.where()
        x = s.waves.GetSelectedThread().GetFrameAtIndex(0).FindVariable("x").GetValueAsUnsigned()
        answer = s.command(f"thread lane origin --follow {chosen} -- {variable}")
        after = s.where()
        print(f"{variable}: {answer if after == before else after}")
        frame = s.waves.GetSelectedThread().GetFrameAtIndex(0)
        if after != before and step["kind"] == "host":
            copied = int(step["text"].split(" to ")[1].split()[0], 16)
            read = [s.waves.ReadUnsignedFromMemory(address + 4 * 3, 4, lldb.SBError()) for address in (copied, x)]
            print("  copied and squared:", *read)
        elif after != before:
            print("  lane and instruction of the step:", frame.FindRegister("lane").GetValueAsUnsigned() == step["lane"], frame.GetPC() == step["pc"])
            print("  stored:", frame.FindVariable("square").GetValue())


follow("far", lambda step: "squares" in step.get("wave", ""))
follow("sum", lambda step: step["kind"] == "store" and "total" in step.get("wave", ""))
follow("other", lambda step: step["kind"] == "host")
follow("i", lambda step: step["kind"] == "start")
