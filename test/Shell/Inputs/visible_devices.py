# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which GPUs a program sees with lists in its environment: Wavelane's runtime and AMD's agree.

usage: visible_devices.py WAVELANE-RUN FOLDER
"""
import os
import subprocess
import sys

wavelane_run, folder = sys.argv[1:3]
os.makedirs(folder, exist_ok=True)
program = f"{folder}/visible"
source = os.path.join(os.path.dirname(__file__), "visible.cpp")
subprocess.run(["g++", "-w", source, "-o", program, "-lamdhip64"], check=True)


def see(runtime, variables, *options):
    result = subprocess.run([wavelane_run, "--runtime", runtime, *options, program], capture_output=True, text=True,
                            env={**os.environ, **dict(one.split("=") for one in variables)})
    return result.stdout.strip(), result.stderr


three = ["--device", "gfx90a,gfx1030,gfx90a"]
for *variables, options in (
        (three,), ("HIP_VISIBLE_DEVICES=2,0", three), ("HIP_VISIBLE_DEVICES=", three), ("HIP_VISIBLE_DEVICES=-1", three),
        ("HIP_VISIBLE_DEVICES=1,7,0", three), ("HIP_VISIBLE_DEVICES=1,1,0", three), ("HIP_VISIBLE_DEVICES=0, 1", three),
        ("CUDA_VISIBLE_DEVICES=1", three), ("ROCR_VISIBLE_DEVICES=2, 1,1,0", three), ("ROCR_VISIBLE_DEVICES=", three),
        ("ROCR_VISIBLE_DEVICES=2,1", "HIP_VISIBLE_DEVICES=1", three),
        ("ROCR_VISIBLE_DEVICES=GPU-0000000057410001", three), ("ROCR_VISIBLE_DEVICES=GPU-57410001", three),
        # Without a choice, there are as many GPUs as the lists have numbers for.
        ("HIP_VISIBLE_DEVICES=2", []), ("ROCR_VISIBLE_DEVICES=1", "HIP_VISIBLE_DEVICES=0", [])):
    amd, own = see("amd", variables, *options), see("wavelane", variables, *options)
    same = "the same" if amd[0] == own[0] else f"AMD's: {amd}"
    print(*variables, "->", own[0].replace("hipSuccess, ", ""), f"[{same}]", own[1].strip())
