# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Watchpoints on global, local and private memory: which wave and lanes hit, and unsupported watchpoints."""
import sys
from stops import Session

programs = sys.argv[1]



def first_group(s):
    """Stops the first wave of the first workgroup before it has written anything."""
    s.at("fill")
    s.run()
    s.command("breakpoint delete -f")
    for wave in s.waves:
        if "(0,0,0)/0" in wave.GetName():
            s.waves.SetSelectedThread(wave)


def watch(s, text):
    answer = s.command(f"watchpoint set variable {text}")
    if "error" in answer:
        print(text, "->", " ".join(answer.split("error: ", 1)[1].split()))


with Session(f"{programs}/stops-O0", "exchange") as s:
    first_group(s)
    watch(s, "-w write *total")
    where = s.resume()
    print("global:", where.replace("(1,", "(0,"), "own", s.value("own"))

with Session(f"{programs}/stops-O0", "exchange") as s:
    first_group(s)
    watch(s, "-w write tile[9]")
    print("local write:", s.resume())
    s.command("watchpoint delete -f")
    watch(s, "-w read tile[9]")
    print("local read:", s.resume())
    # The other workgroup has a separate variable.
    print("then:", s.resume())

with Session(f"{programs}/stops-O0", "exchange") as s:
    first_group(s)
    s.command("thread lane select 30")
    watch(s, "own")
    print("private:", s.resume(), "own", s.value("own"))
    s.command("watchpoint delete -f")
    watch(s, "-w read own")
    print("private read:", s.resume())

with Session(f"{programs}/stops-O0", "exchange") as s:
    first_group(s)
    for i in range(5):
        watch(s, f"tile[{i}]")
    print(s.command("watchpoint list").splitlines()[0])
    answer = s.command("watchpoint set expression -s 4 -- total")
    print("global ->", answer.split("error: ")[-1])

with Session(f"{programs}/stops-O2", "exchange") as s:
    s.at("own")
    s.run()
    watch(s, "other")
