# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The variables after a restart with other arguments, in the same place of the new process. usage: dap_restart.py ADAPTER PROGRAM SOURCE MARK VARIABLE ARGUMENTS ARGUMENTS"""
import sys
from dap_client import Client, line_of

adapter, program, source, mark, variable, *runs = sys.argv[1:]
line = line_of(source, mark)
c = Client(adapter)
for number, words in enumerate(run.split() for run in runs):
    if number == 0:
        c.launch(program, source, [line], args=words)
    else:
        c.body("restart", arguments={"program": program, "args": words})
    thread = c.event("stopped")["threadId"]
    frame = c.top(thread)["id"]
    shown = c.variables(c.scope(frame, "Locals"))[variable]
    print(f"run {number + 1}:", variable, shown, c.body("evaluate", expression=variable, frameId=frame, context="watch")["result"])
print("adapter:", c.disconnect(terminateDebuggee=True))
