# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What an editor learns of values that aren't the current ones: in the variables of the frame and of a lane, in all lanes, as watches and hovers, and in log messages.

usage: dap_stale.py ADAPTER PROGRAM SOURCE
"""
import sys
from dap_client import Client

adapter, program, source = sys.argv[1:]
LINE = 16

c = Client(adapter)
c.launch(program, source, [{"line": 12}, {"line": LINE}])
for _ in range(2):
    stop = c.event("stopped")
    frame = c.top(stop["threadId"])
    shown = {v["name"]: v for v in c.body("variables", variablesReference=c.scope(frame["id"], "Locals"))["variables"]}
    print(f"line {frame['line']}:", [(name, shown[name]["value"], shown[name].get("presentationHint", {}).get("attributes")) for name in ("t", "n")])
    if frame["line"] == LINE:
        break
    c.body("continue", threadId=stop["threadId"])
frame = frame["id"]
for context, expression in ("watch", "t + 1"), ("hover", "t"):
    print(context, c.body("evaluate", expression=expression, frameId=frame, context=context)["result"])
lanes = c.variables(c.scope(frame, "Lanes"))
entries = {v["name"]: v for v in c.body("variables", variablesReference=c.scope(frame, "Lanes"))["variables"]}
print("lane 5:", c.variables(entries["lane 5"]["variablesReference"])["t"])
names = {v["name"]: v for v in c.body("variables", variablesReference=entries["variables"]["variablesReference"])["variables"]}
print("in all lanes:", c.variables(names["t"]["variablesReference"])["lane 7"])
c.breakpoints(source, {"line": 17, "logMessage": "t and one are {t + 1}"})
c.body("continue", threadId=stop["threadId"])
c.event("exited")
print(next((line for line in c.output().splitlines() if line.startswith("t and one")), "no log"))
c.disconnect()
