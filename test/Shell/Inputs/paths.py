# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`frame variable` with paths into local and private memory."""
import sys
from stops import Session

program, gpu, lane = sys.argv[1], sys.argv[2], int(sys.argv[3])
# Pointers, in registers or private memory.
FOLLOW = ("line->member[1].x", "line->to->z[2]", "*line->to", "line->more", "&line->member[1].y", "*&line->to->z[2]", "*point", "point[1].z[3]", "&point->y",
          "*&point->y", "point->x[0:3]", "*place", "place[-1]", "place[0]", "&place[-17]", "-*place", "(float)*place")
# Objects in local memory, then in private memory, and what isn't optimized.
LOCAL = ("tile[3]", "lines[1].member[1]", "lines[1].member[0].z[2]", "lines[1].to->z[2]", "*lines[0].to", "lines[1].bits", "lines[0].more",
         "&tile[3]", "*&tile[3]", "&lines[0].member[1].y", "-tile[3]", "(float)tile[3]", "tile[3][1:4]", "$lane")
PRIVATE = ("tile[i]", "tile[-i]", "own[1]", "own[2].y", "own[0].z[3]", "*&own[1].x", "&own[0].x", "own[1].x[0:3]", "point->y", "*point", "point[1].x", "&point->z", "*place", "place[-1]", "+i")
# Nonexistent members, and paths that LLDB doesn't support yet.
WRONG = ("tile[100000000]", "lines[0].nothing", "tile[3] + 1", "*lines", "**lines", "tile[lines]", "tile[", "*tile[3]")


def show(s, paths):
    for path in paths:
        print(" ".join(s.command(f"frame variable -- '{path}'").split()))


with Session(program, settings=(f"target.env-vars WAVELANE_PROCESSOR={gpu}",)) as s:
    s.at("follow", source="paths.hip")
    print("stopped:", s.run())
    s.command(f"thread lane select {lane}")
    show(s, FOLLOW)
    print("finished:", s.step("finish"))
    show(s, LOCAL)
    if "-O0" in program:
        show(s, PRIVATE)
    show(s, WRONG)
    # Of another lane.
    s.command(f"thread lane select {lane - 1}")
    show(s, ("$lane", "tile[16]", "*point") if "-O0" in program else ("$lane", "tile[16]"))
