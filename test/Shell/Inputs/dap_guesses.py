# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Frames of code without symbols in an editor, and in the Python package: those that may not exist are marked."""
import sys
from dap_client import Client

adapter, program = sys.argv[1:]
LIMIT = 300


def follow(format=None, **more):
    """The stack at the first function that is called from a called one, with a client's format of frames."""
    c = Client(adapter)
    c.body("initialize", adapterID="wavelane-test")
    launched = c.send("launch", program=program, **more)
    c.event("initialized")
    c.body("setFunctionBreakpoints", breakpoints=[{"name": "calls"}])
    c.body("configurationDone")
    assert c.response(launched)["success"]
    thread = c.event("stopped", lambda body: body["reason"] == "breakpoint")["threadId"]
    for _ in range(LIMIT):
        stack = c.body("stackTrace", threadId=thread, **({"format": format} if format else {}))["stackFrames"]
        if len(stack) > 2:
            break
        c.body("stepIn", threadId=thread, granularity="instruction")
        c.event("stopped")
    print("frames:", [("[guess]" if "[guess]" in frame["name"] else "known", frame.get("presentationHint")) for frame in stack], stack[-1]["name"])
    print("adapter:", c.disconnect(terminateDebuggee=True))


follow()
follow(customFrameFormat="${function.name}!")
follow(format={"module": True})
# A format that can't be followed without a line: LLDB takes the function's name.
follow(customFrameFormat="${function.name}!${line.number}")
