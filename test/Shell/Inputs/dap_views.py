# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What keeps an editor's views of a wave right: the events after a change of the focus lane, of memory and of breakpoints."""
import os
import subprocess
import sys

from dap_client import Client
from why import outcome, whether

adapter, saxpy, source, faults, waves = sys.argv[1:]
CLIENT = {"supportsInvalidatedEvent": True, "supportsMemoryEvent": True}

c = Client(adapter)
c.launch(saxpy, source, [12], client=CLIENT)
stop = c.event("stopped")
wave = stop["threadId"]
frame = c.top(wave)["id"]

# A breakpoint of the running session, and a log point with the cursor's column.
(late,) = [b for b in c.breakpoints(source, 12, {"line": 13, "column": 1, "logMessage": "t is {t}"}) if b["line"] == 13]
found = late if late["verified"] else c.event("breakpoint", lambda body: body["breakpoint"].get("id") == late["id"])["breakpoint"]
print("log point:", "verified" if found["verified"] else found, "at line", found["line"])
c.breakpoints(source, 12)

# Another lane, of a wave that hasn't stopped by itself: its thread's name changes, and only variables are read again.
other = next(t["id"] for t in c.body("threads")["threads"] if t["name"].startswith("saxpy (2,0,0)/1"))
lanes = c.scope(c.top(other)["id"], "Lanes")
c.body("setVariable", variablesReference=lanes, name="focus", value="9")
print("thread", c.event("thread", lambda body: body["threadId"] == other)["reason"], "areas", c.event("invalidated")["areas"])
lanes = c.scope(c.top(other)["id"], "Lanes")
entries = {v["name"]: v["value"] for v in c.body("variables", variablesReference=lanes)["variables"]}
print("lane 9:", entries["lane 9"].split(", ")[-1], "- lane 8:", entries["lane 8"].split(", ")[-1])

# Memory shown in a view is read again after a step.
(y,) = [v for v in c.body("variables", variablesReference=c.scope(frame, "Locals"))["variables"] if v["name"] == "y"]
c.body("readMemory", memoryReference=y["memoryReference"], offset=0, count=16)
c.body("next", threadId=wave)
c.event("stopped")
memory = c.event("memory")
print("memory of y:", whether(memory["memoryReference"] == y["memoryReference"], memory), memory["offset"], memory["count"])
print("adapter:", c.disconnect(terminateDebuggee=True))

# The kind of an exception is its description; the rest is text.
c = Client(adapter)
c.launch(faults, client=CLIENT, args=["violation"])
stop = c.event("stopped", lambda body: body["reason"] == "exception")
print("exception:", stop["description"], "-", stop["text"])
print("adapter:", c.disconnect(terminateDebuggee=True))

# All of the folded waves can be requested at once.
c = Client(adapter)
c.launch(waves, f"{sys.argv[3].rsplit('/', 1)[0]}/many.hip", [6], client=CLIENT, waveLimit=5, args=["2048"],
         env={"WAVELANE_CUS": "80"})
c.event("stopped")
fold = c.body("threads")["threads"][-1]
total = c.body("stackTrace", threadId=fold["id"], startFrame=0, levels=20)["totalFrames"]
rest = c.body("stackTrace", threadId=fold["id"], startFrame=20, levels=total - 20)["stackFrames"]
print(fold["name"].split(" ", 1)[1].split(":")[0], "all there" if len(rest) == total - 20 and total > 1100 else (len(rest), total))
print("adapter:", c.disconnect(terminateDebuggee=True))

# A terminal of the client's, which has its own environment.
c = Client(adapter)
c.body("initialize", adapterID="wavelane-test", supportsRunInTerminalRequest=True)
launched = c.send("launch", program=saxpy, console="integratedTerminal")
asked = c.asked("runInTerminal")
terminal = subprocess.Popen(asked["args"], env={"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), **asked["env"]}, stdout=subprocess.PIPE)
c.event("initialized")
c.breakpoints(source, 13)
c.body("configurationDone")
print("launch in a terminal:", outcome(c.response(launched)))
stop = c.event("stopped")
print("stopped:", stop["reason"], c.top(stop["threadId"])["name"])
c.breakpoints(source)
c.body("continue", threadId=stop["threadId"])
print("exit code:", c.event("exited")["exitCode"], "adapter:", c.disconnect(), terminal.communicate()[0].decode().split("\x1b")[-1][-14:].strip())

# The disassembly view.
c = Client(adapter)
c.launch(saxpy, source, [12])
stop = c.event("stopped")
c.breakpoints(source)
here = c.top(stop["threadId"])["instructionPointerReference"]
after = [one["address"] for one in c.body("disassemble", memoryReference=here, instructionCount=4)["instructions"]]
(place,) = c.body("setInstructionBreakpoints", breakpoints=[{"instructionReference": after[3]}])["breakpoints"]
print("instruction breakpoint:", whether(place["verified"], place))
c.body("next", threadId=stop["threadId"], granularity="instruction")
stop = c.event("stopped")
print("one instruction:", whether(int(c.top(stop["threadId"])["instructionPointerReference"], 16) == int(after[1], 16), c.top(stop["threadId"]), after))
c.body("continue", threadId=stop["threadId"])
stop = c.event("stopped")
print("stopped there:", whether(int(c.top(stop["threadId"])["instructionPointerReference"], 16) == int(after[3], 16), c.top(stop["threadId"]), after))
c.body("setInstructionBreakpoints", breakpoints=[])
c.body("continue", threadId=stop["threadId"])
print("exit code:", c.event("exited")["exitCode"], "adapter:", c.disconnect())
