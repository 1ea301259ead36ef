# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A session in OpenMP's target regions.

usage: openmp_regions.py PROGRAM
"""
import os
import re
import sys

import stops

def shown(text):
    return re.sub(r"\$\d+ = ", "", " ".join(text.split()))


SOURCE = os.path.join(stops.SOURCES, "..", "openmp", "regions.c")

with stops.Session(sys.argv[1]) as s:

    def show(*commands):
        for command in commands:
            print(f"{command}: {shown(s.command(command))}")

    def stack():
        wave = s.waves.GetSelectedThread()
        print("bt:", *(wave.GetFrameAtIndex(i).GetFunctionName().split("(")[0].lstrip(":") for i in range(wave.GetNumFrames())))

    s.at("region", source=SOURCE)
    print("region:", s.run())
    stack()
    frame = s.waves.GetSelectedThread().GetFrameAtIndex(0)
    print("locals:", ", ".join(f"{name} = {frame.FindVariable(name).GetValue()}" for name in ("scale", "a")))
    show("p a", "p a + 1", "p (*in_arr)[0]", "p in_arr[0][1] + scale", "expression scale * 2", "p twice(a)", "p device_number", "p a = 7",
         "p *(int *)private_lane#0 == *(int *)private_lane#0")
    print("next:", s.step())
    print("step:", s.step("step"))
    print("next:", s.step())
    stack()
    show("p v + result")
    print("finish:", s.step("finish"))
    s.command("breakpoint disable 1")
    s.at("loop", "-c 'i == 2'", source=SOURCE)
    print("loop:", s.resume())
    show("thread lane print i", "thread lane print value")
    s.command("breakpoint disable 2")
    s.at("sum", source=SOURCE)
    print("sum:", s.resume())
    show("p k")
    s.command("breakpoint disable")
    # Both sides have a variable of their own.
    s.command("target select 0")
    print("host:", shown(s.command("target variable device_number")).replace("device_number = ", ""))
    s.command("target select 1")
    print(s.resume(), s.program.GetSTDOUT(100).strip())
