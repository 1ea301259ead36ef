# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""dap_copies.py ADAPTER PROGRAM SOURCE LINE...: how an editor is notified of breakpoints on lines that copies of their loop lack code for."""
import sys
from dap_client import Client

c = Client(sys.argv[1])
program, source, *lines = sys.argv[2:]
c.body("initialize", adapterID="wavelane-test", linesStartAt1=True)
launched = c.send("launch", program=program)
c.event("initialized")
reported = {}
for line, found in zip(lines, c.breakpoints(source, *map(int, lines))):
    reported[found["id"]] = line
    print(f"line {line}, at first: {found['verified']}, {found.get('message')}")
c.body("configurationDone")
assert c.response(launched)["success"]
thread = c.event("stopped")["threadId"]
print(f"stops at {c.top(thread)['line']}")
# Code of a GPU comes later; the last event of each says what holds.
last = {event["body"]["breakpoint"]["id"]: event["body"]["breakpoint"] for event in c.events if event["event"] == "breakpoint"}
for number, found in sorted(last.items()):
    print(f"line {reported[number]}, later: {found['verified']}, {found.get('message')}")
print("adapter:", c.disconnect(terminateDebuggee=True))
