# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Running backwards: reports that nothing has been recorded, and does nothing else."""
import sys
import lldb
from stops import Session

with Session(sys.argv[1]) as s:
    s.command("breakpoint set -f saxpy.hip -l 12")
    s.run()
    print("wave:", s.where())
    for text in ("process continue --reverse", "continue -R"):
        print(f"{text}: {s.command(text)}")
    print("still:", s.where())
    print("ContinueInDirection:", s.waves.ContinueInDirection(lldb.eRunReverse).GetCString())
    print("still:", s.where())
    print("lane 17:", s.command("thread lane select 17") and s.command("frame variable i"))
    # The direction isn't remembered.
    print("next:", s.step())
    s.command("breakpoint delete -f")
    s.command("target select 0")
    print("host: process continue --reverse:", s.command("process continue --reverse"))
    print("host: ContinueInDirection:", s.host.GetProcess().ContinueInDirection(lldb.eRunReverse).GetCString())
    s.command("continue")
    print("continue: ended with", s.host.GetProcess().GetExitStatus())
