# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""breakpoint_moves.py PROGRAM SOURCES [ADAPTER]: breakpoints on lines without code, set by the SB API or by an editor, as each value of the setting has them."""
import os
import sys

program = sys.argv[1]
source = sys.argv[2] + "/ordinary/moves.c"


def by_api(setting):
    import lldb
    debugger = lldb.SBDebugger.Create(False)
    debugger.SetAsync(False)
    debugger.HandleCommand(f"settings set plugin.process.amdgpu.breakpoint-moves {setting}")
    target = debugger.CreateTarget(program)
    for line in 11, 13:
        target.BreakpointCreateByLocation("moves.c", line)
    process = target.LaunchSimple(None, None, os.getcwd())
    stops = []
    while process.GetState() == lldb.eStateStopped:
        thread = process.GetSelectedThread()
        stops.append([thread.GetStopReasonDataAtIndex(i) for i in range(0, thread.GetStopReasonDataCount(), 2)])
        process.Continue()
    print(f"{setting}, SB API: stops by {stops}, exit {process.GetExitStatus()}")
    lldb.SBDebugger.Destroy(debugger)


def by_editor(setting):
    from dap_client import Client
    c = Client(sys.argv[3])
    c.body("initialize", adapterID="wavelane-test", linesStartAt1=True)
    launched = c.send("launch", program=program, initCommands=[f"settings set plugin.process.amdgpu.breakpoint-moves {setting}"])
    c.event("initialized")
    for found in c.breakpoints(source, 11, 9, 19):
        print(f"{setting}, editor: line {found['line']}, verified {found['verified']}, {found.get('reason')}, {found.get('message')}")
    c.body("configurationDone")
    assert c.response(launched)["success"]
    lines = []
    while c.next_event("stopped", "terminated")["event"] == "stopped":
        wave = c.body("threads")["threads"][0]["id"]
        lines.append(c.top(wave)["line"])
        c.body("continue", threadId=wave)
    print(f"{setting}, editor: stops at {lines}, adapter {c.disconnect()}")


for value in "report", "refuse":
    (by_editor if len(sys.argv) > 3 else by_api)(value)
