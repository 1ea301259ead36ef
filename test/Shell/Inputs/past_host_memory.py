# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The host isn't taken back: while waves are in the past, its memory can't be read, in whatever way."""
import re
import sys
from stops import Session

with Session(sys.argv[1]) as s:
    s.command("breakpoint set -f saxpy.hip -l 13")
    s.run()
    main = s.host.FindFunctions("main")[0].symbol.addr.GetLoadAddress(s.host)
    ways = {
        "memory read": f"memory read -s 4 -f x -c 1 {main:#x}",
        "of a space": f"gpu memory read --space global --count 1 {main:#x}",
        "of the generic space": f"gpu memory read --space generic --count 1 {main:#x}",
        "expression": f"expression -- *(int *){main:#x}",
        "each lane": f"thread lane print --lanes 0-3 *(int *)({main:#x} + 4 * i)",
        "a condition": f"thread lane find *(int *)({main:#x} + 4 * i) != 0 || true",
        "recorded": "thread lane print --lanes 0-3 x[i]",
    }

    def read(when):
        for name, command in ways.items():
            text = s.command(command)
            failed = re.search(r"error: (.*)", text)
            # Addresses and contents are those of this build.
            print(f"{when}, {name}:", re.sub(r"0x[0-9a-f]+", "N", failed[1]) if failed else "read")

    read("now")
    s.command("reverse-next")
    read("before")
    s.command("gpu time now")
    read("now again")
