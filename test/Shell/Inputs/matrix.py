# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The matrices of a matrix instruction, before and after it."""
import json
import sys
from stops import Session
from why import whether

with Session(f"{sys.argv[1]}/stops-O2", "tiles") as s:
    s.command("breakpoint set -n tiles")
    s.run()
    print(s.command("gpu matrix a"))
    print(s.command("gpu matrix x"))
    for _ in range(200):
        if "error" not in s.command("gpu matrix a"):
            break
        s.waves.GetSelectedThread().StepInstruction(False)
    a = json.loads(s.command("gpu matrix a --json"))
    b = json.loads(s.command("gpu matrix b --json"))["blocks"][0]
    rows = range(16)
    print("at", a["instruction"], "which is done" if a["done"] else "which is next",
          "A", whether(a["blocks"][0] == [[row * 2 + k for k in rows] for row in rows], a["blocks"][0]),
          "B", whether(b == [[int(k == column) for column in rows] for k in rows], b))
    s.waves.GetSelectedThread().StepInstruction(False)
    print(s.command("gpu matrix d"))
