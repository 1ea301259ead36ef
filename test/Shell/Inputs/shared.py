# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Local memory of functions that kernels call, by name and as memory; regions of addresses."""
import re
import sys
import lldb
from stops import Session, line_of

folder = sys.argv[1]


def variables(s, *texts):
    return ", ".join(text + " = " + s.command("p " + text).split(") ")[-1] for text in texts)


def words(text):
    return [word for word in text.split() if not word.endswith(":")]


for level in (0, 2):
    print(f"== -O{level}")
    with Session(f"{folder}/shared-O{level}") as s:
        for mark in ("in reverse", "in inlined", "in both"):
            s.at(mark, source="shared.hip")
        print(s.run().split(":")[0])
        s.command("thread lane select 5")
        print(variables(s, "tile[63 - 5]", "tile[5]", "count"))
        print(s.command("dwarf variable tile").splitlines()[-2])
        if level == 0:
            # Read like other memory.
            address = re.search(r"local:(0x[0-9a-f]+)", s.command("dwarf variable tile"))[1]
            print("x:", words(s.command(f"x/4wd local#{address}")))
            print("memory read:", words(s.command(f"memory read -fd -s4 -c4 local#{address}")))
            print("gpu memory:", s.command(f"gpu memory read --format decimal --count 4 local#{address}"))
            print("written:", s.command(f"memory write -s 4 local#{address} 1000"), variables(s, "tile[0]"))
            s.command(f"memory write -s 4 local#{address} 0")
            print("floats:", s.command("gpu memory read --format float --count 2 private_lane#0").split(":")[0])
            print("unknown:", s.command("memory read nowhere#0").splitlines()[0][:60])
            print("watch:", s.command("watchpoint set variable tile[3]").splitlines()[0].split(":")[0])
            s.command("watchpoint delete -f")
        # The function's own mark, reached once for each workgroup.
        while "reverse" in s.where():
            s.resume()
        s.command("thread lane select 5")
        print("then", re.sub(r" at .*", "", s.where()), s.command("dwarf variable part").splitlines()[-2])
        # Optimized code reaches the line before it has written.
        for _ in range(20):
            if variables(s, "part[5]") == "part[5] = 25":
                break
            s.command("thread step-inst")
        print(variables(s, "part[4]", "part[5]"))
        while "pairs" not in s.command("frame variable"):
            s.resume()
        s.command("thread lane select 5")
        print("then", re.sub(r" at .*", "", s.where()), variables(s, "pairs[5]", "pairs[4]"))

print("== regions")
with Session(f"{folder}/shared-O0") as s:
    s.at("in reverse", source="shared.hip")
    s.run()
    s.command("up")
    frame = s.waves.GetSelectedThread().GetSelectedFrame()
    address = frame.FindVariable("in").GetValueAsUnsigned()
    s.command("down")
    # Arrays are named by themselves, as pointers are.
    for text in ("memory region tile", "memory read -fd -s4 -c1 tile"):
        print(f"{text} ->", re.sub(r"0x[0-9a-f]+", "0x", s.command(text)))
    s.command("up")
    for text in (hex(address), hex(address + 511), hex(address + 512), "$pc", "local#0", "local#0x204", "private_lane#0", "0"):
        line = s.command(f"memory region {text}").replace(hex(address)[2:], "IN")
        line = line.replace(f"{address + 512:x}", "END")
        print(text if not text.startswith("0x") else "in", "->", re.sub(r"0x[0-9a-f]+", "0x", line))
    # What no wave has is one region, since `memory region --all` and LLDB's search for free addresses go from one to the next.
    print("no wave's ->", s.command("memory region 0x6000ffff00000010"))
    print("allocated at line", line_of("in is allocated", source="shared.hip"))
