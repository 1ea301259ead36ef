# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Going back over what the host has changed itself between two kernels."""
import re
import sys
from stops import Session

with Session(sys.argv[1]) as s:
    s.at("stored", source="between.hip")

    def shown(what):
        memory = re.sub(r".*= ", "", s.command("frame variable p[5]").splitlines()[-1])
        print(f"{what}: old {s.value('old')}, p[5] {memory}, n {s.value('n')}: {s.where().rpartition(': ')[2]}")

    s.run()
    s.command("thread lane select 5")
    shown("first")
    for name in ("second", "third", "fourth"):
        s.resume()
        s.command("thread lane select 5")
        shown(name)
    print(re.sub("0x[0-9a-f]+", "0x..", s.command("thread lane origin old")))
    for name in ("third", "second", "first"):
        s.step("reverse-continue")
        s.command("thread lane select 5")
        shown(f"back, {name}")
        if name == "third":
            print(re.sub("0x[0-9a-f]+", "0x..", s.command("thread lane origin old")))
    for name in ("second", "third", "fourth"):
        s.resume()
        s.command("thread lane select 5")
        shown(f"forward, {name}")
    s.command("breakpoint delete -f")
    s.command("gpu time now")
    print("end:", s.resume())

# What the host changes while a kernel runs can't be repeated; the present stays as it is.
with Session(sys.argv[1], "wait") as s:
    s.at("answered", source="between.hip")
    print("answered:", s.run())
    for text in ("reverse-next", "thread lane origin --history seen"):
        print(f"{text}:", s.command(text))
    print("reverse-stepi:", s.step("reverse-stepi"), s.value("seen"))
    print("next:", s.step("next"))
    print("next:", s.step("next"), s.command("frame variable p[0]"))
    s.command("breakpoint delete -f")
    print("end:", s.resume())
