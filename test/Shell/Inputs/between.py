# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Back over a copy of the host into memory that two kernels before have only read."""
import sys
from stops import Session

with Session(sys.argv[1]) as s:
    s.at("added", source="between.hip")
    s.run()
    print("first:", s.value("value"))
    s.resume()
    print("second:", s.value("value"))
    s.at("read", source="between.hip")
    print("third, before it reads:", s.resume().rpartition(": ")[2])
    s.command("breakpoint delete 2")
    for which in ("second", "first"):
        print(f"back to the {which}:", s.step("reverse-continue").rpartition(": ")[2], s.value("value"))
    print("forward:", s.step("continue").rpartition(": ")[2], s.value("value"))
