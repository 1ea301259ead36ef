# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stop hooks run once for a step of one wave, though all waves have hit the breakpoint; a breakpoint that is gone isn't a reason."""
import os
import sys
import tempfile

from stops import Session

with tempfile.TemporaryFile("w+") as output, Session(sys.argv[1] + "/shared-O0") as s:
    s.debugger.SetOutputFileHandle(output, False)
    s.at("rows", source="shared.hip")
    s.run()
    s.command("target stop-hook add -o 'p (int)$lane'")

    def hooks(command):
        """How many threads the hook has run for in a command."""
        output.flush()
        before = os.fstat(output.fileno()).st_size
        s.command(command)
        output.flush()
        output.seek(before)
        return output.read().count("(int)")

    print("waves:", s.waves.GetNumThreads(), "next:", hooks("next"), "next:", hooks("next"))
    others = [thread for thread in (s.waves.GetThreadAtIndex(i) for i in range(s.waves.GetNumThreads()))
              if thread.GetThreadID() != s.waves.GetSelectedThread().GetThreadID()]
    print("others:", {thread.GetStopDescription(100) for thread in others})
    s.command("breakpoint disable")
    s.command("stepi")
    print("disabled:", {thread.GetStopDescription(100) for thread in others})
    s.command("breakpoint enable")
    s.command("stepi")
    print("enabled:", {thread.GetStopDescription(100) for thread in others})
