# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Running backwards: waves go back in what is recorded, and forward again; the host stands still."""
import sys
import lldb
from stops import Session

with Session(sys.argv[1]) as s:
    s.command("breakpoint set -f saxpy.hip -l 13")
    s.run()
    s.command("thread lane select 17")
    print("stop:", s.where(), s.value("t"))
    for text in ("reverse-stepi", "reverse-next", "thread step-over --reverse", "reverse-next", "reverse-next", "reverse-next"):
        print(f"{text}:", s.step(text))
    print("host:", s.command("target select 0") and s.command("continue"))
    s.command("target select 1")
    print("next:", s.step("next"))
    print("next:", s.step("next"))
    print("continue:", s.resume(), s.value("t"))
    for text in ("reverse-step", "reverse-step", "reverse-finish", "reverse-finish"):
        print(f"{text}:", s.step(text))
    s.command("breakpoint set -f saxpy.hip -l 5 -c 'b == 17'")
    s.command("breakpoint set -f saxpy.hip -l 6 -c 'b == -1'")
    print("condition forward:", s.resume())
    print("present:", s.step("gpu time now"))
    print("condition:", s.step("process continue --reverse"))
    print("ContinueInDirection:", s.waves.ContinueInDirection(lldb.eRunReverse).GetCString(), s.where())
    # The direction isn't remembered.
    s.command("gpu time now")
    s.command("breakpoint delete -f")
    s.command("watchpoint set variable t")
    s.command("breakpoint set -f saxpy.hip -l 15")
    print("continue:", s.resume())
    print("who wrote t:", s.step("reverse-continue"))
    s.command("watchpoint delete -f")
    s.command("breakpoint delete -f")
    print("present:", s.step("gpu time now"))
    s.command("settings set plugin.process.amdgpu.record off")
    print("off:", s.step("reverse-stepi"))
    print("off:", s.command("gpu time"))
    s.command("continue")
    print("continue: ended with", s.host.GetProcess().GetExitStatus())

# Stops that LLDB itself passes: going on has the same direction.
with Session(sys.argv[2], settings=("plugin.process.amdgpu.record auto",)) as s:
    s.at("end", source="origins.hip")
    s.run()
    s.command("watchpoint set variable t")
    print("wrote t:", s.step("reverse-continue"))
    print("wrote the same:", s.step("reverse-continue"))
    s.command("watchpoint delete -f")
    s.command("gpu time now")
    s.at("added", source="origins.hip")
    s.command("breakpoint command add -s python -o 'return False' 2")
    print("a script passes it:", s.step("reverse-continue"))
    # Steps don't leave the wave's kernel.
    s.command("breakpoint delete -f")
    s.command("gpu time now")
    for text in ("reverse-finish", "reverse-stepi", "reverse-next", "next", "reverse-continue"):
        print(f"{text}:", s.step(text))
