# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The lines of a lane, forward and back, with a * for each function, through functions that are inlined in each other."""
import sys
from reverse_lanes import walk

for lane in (0, 3):
    walk(sys.argv[1], "begin", "end", lane, "step", "reverse-step", source="nested.hip")
    walk(sys.argv[1], "begin", "end", lane, "next", "reverse-next", source="nested.hip")
