# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Back from an assertion, and over it again: the host has answered the kernel meanwhile."""
import sys
from stops import Session

with Session(sys.argv[1], "assert") as s:
    print("run:", s.run())
    for text in ("reverse-next", "reverse-continue", "next", "reverse-finish"):
        print(f"{text}:", s.step(text))
    print("forward:", s.resume())
    print("back again:", s.step("reverse-next"))
    print("present:", s.step("gpu time now"))
    print("on:", s.resume().rpartition(": ")[2])
