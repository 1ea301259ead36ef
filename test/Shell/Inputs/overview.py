# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lanes and waves for which an expression holds, and waves that wait at a barrier."""
import sys
from stops import Session

programs = sys.argv[1]
with Session(f"{programs}/stops-O0") as s:
    s.at("store")
    s.run()
    print(s.command("thread lane find i % 20 == 3"))
    print(s.command("thread lane find --all-waves i == 777 || i == 70"))
    print(s.command("thread lane select --where 'i % 64 == 33'"))
    print(s.command("thread lane select --where --all-waves 'i == 777'"))
    print(s.where(), s.value("i"))
    print(s.command("thread lane select --where 'i == 1'"))
    print(s.command("thread lane select --where"))
    print(s.command("thread lane select --where 'nothing == 1'").splitlines()[0])
    # A template by its name, a position without brackets, blanks or none.
    for words in ("kernel=scale", "'kernel=scale< int >' workgroup=3,0,0", "kernel=scal"):
        print("filter:", len(s.command(f"gpu wave list {words}").splitlines()))

with Session(f"{programs}/stops-O0", "straggle") as s:
    # The first wave waits at the barrier; the second is just before it.
    s.at("last")
    print(s.run())
    print(s.command("gpu workgroup list"))
