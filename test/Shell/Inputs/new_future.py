# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writing in the past begins a new future there, after a warning."""
import sys
from stops import Session

# The debugger's own lines are in between.
sys.stdout.reconfigure(line_buffering=True)
with Session(sys.argv[1]) as s:
    s.command("breakpoint set -f saxpy.hip -l 13")
    s.run()
    s.command("thread lane select 17")
    print("stop:", s.where(), s.value("t"))
    print("back:", s.step("reverse-step"))
    print("write:", s.command("expression product = 1000"))
    print("now:", s.command("gpu time").split("\n")[0])
    s.command("breakpoint delete -f")
    s.command("breakpoint set -f saxpy.hip -l 15")
    print("on:", s.resume(), s.value("i"))
    print("back again:", s.step("reverse-next"), s.value("t"))
    print("register:", s.command("register write s4 5"))
    print("read:", s.command("register read s4"))
    s.command("breakpoint delete -f")
    print("the host:", s.command("continue"), s.where())
