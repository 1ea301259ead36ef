# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Proves that utils/check-facts finds violations.

Usage: facts_violations.py <check-facts>
"""

import sys

from proof import prove

GOOD = {
    "source/GPU/Known.cpp": "return P.generation() >= 11;\n",
    "source/Simulator/ISA/Op.cpp": 'T.add("v_add_u32", lane());\n',
    "source/GPU/Facts.h": 'return Name == "s_barrier" ? 0x0001000000000000 : find("private_lane");\n',
    "source/High/High.cpp": 'read("flat_scratch"); // generation 9 > 8, "s_barrier"\nconst unsigned Generation = 0;\n',
}
# What is added to the good files, and the error that it must give.
VIOLATIONS = [
    ({"Plugins/P.cpp": "if (processor->generation() == 9)\n"}, "Plugins/P.cpp:1: compares"),
    ({"tools/T.cpp": "\nif (isa::generation(T) < 11)\n"}, "tools/T.cpp:2: compares"),
    ({"source/S.h": "return 10 <= Family.Generation;\n"}, "source/S.h:1: compares"),
    ({"source/S.cpp": "switch (Generation) {\n"}, "source/S.cpp:1: compares"),
    ({"source/S.cpp": "if (P.TargetVersion >= 110000)\n"}, "source/S.cpp:1: compares"),
    ({"source/S.cpp": 'if (Name.starts_with("v_mov_"))\n'}, "source/S.cpp:1: names an instruction"),
    ({"Plugins/P.cpp": 'if (name == "S_BRANCH")\n'}, "Plugins/P.cpp:1: names an instruction"),
    ({"source/High/High.cpp": 'read("flat_scratch", "image_load");\n'}, "High.cpp:1: names an instruction"),
    ({"Plugins/P.cpp": 'if (name == "private_wave")\n'}, "Plugins/P.cpp:1: names an address space"),
    ({"source/S.h": "constexpr uint64_t Local = 0x0001'0000'0000'0000;\n"}, "source/S.h:1: names an address space"),
    ({"source/S.h": "constexpr uint64_t Private = 0x2000000000000ull;\n"}, "source/S.h:1: names an address space"),
]


if __name__ == "__main__":
    sys.exit(prove(sys.argv[1], GOOD, VIOLATIONS))
