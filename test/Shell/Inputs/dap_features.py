# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The features of editors, on a HIP program: conditions, log messages, data breakpoints, exception filters, memory, disassembly, watches,
# registers, pause, restart, and a disconnect that leaves the program running.
import base64
import os
import select
import sys
from dap_client import Client, line_of
from why import outcome, whether

adapter, programs, sources, folder = sys.argv[1:]
stops, source = programs + "/stops-O0", sources + "/hip/stops.hip"
store, barrier = line_of(source, "store"), line_of(source, "barrier")


def ended(c):
    """Runs to the end; returns the exit code."""
    c.body("continue", threadId=1)
    return c.event("exited")["exitCode"]


print("== condition, registers, memory, disassembly, expressions")
c = Client(adapter)
c.launch(stops, source, [{"line": store, "condition": "i == 77"}])
stop = c.event("stopped")
wave, top = stop["threadId"], c.top(stop["threadId"])
frame = top["id"]
entries = {v["name"]: v for v in c.body("variables", variablesReference=c.scope(frame, "Locals"))["variables"]}
print("stopped:", stop["reason"], "i", entries["i"]["value"], "value", entries["value"]["value"])
sets = c.body("variables", variablesReference=c.scope(frame, "Registers"))["variables"]
print("register lane:", c.variables(sets[0]["variablesReference"])["lane"])

memory = entries["pairs"]["memoryReference"]
data = base64.b64decode(c.body("readMemory", memoryReference=memory, offset=8, count=8)["data"])
print("memory of pairs[1]:", data.hex())
private = entries["value"]["memoryReference"]
print("written:", c.body("writeMemory", memoryReference=private, data=base64.b64encode(bytes([1, 2, 0, 0])).decode())["bytesWritten"])
print("value:", c.variables(c.scope(frame, "Locals"))["value"])
print("nothing there:", c.body("readMemory", memoryReference="0x10", count=8))
for wrong in {"memoryReference": "here", "count": 1}, {"memoryReference": memory, "count": 1 << 50}:
    print("refused:", c.request("readMemory", **wrong)["message"].split("\n")[0])

pc = top["instructionPointerReference"]
code = c.body("disassemble", memoryReference=pc, instructionOffset=-3, instructionCount=6)["instructions"]
again = c.body("disassemble", memoryReference=code[0]["address"], instructionCount=6)["instructions"]
print("instructions:", len(code), "the fourth is the pc's:", whether(int(code[3]["address"], 16) == int(pc, 16), code[3]["address"], pc),
      "same from there on:", whether(code == again, code, again))
far = c.body("disassemble", memoryReference=pc, instructionOffset=-5000, instructionCount=5002)["instructions"]
print("before the function:", len(far), far[0].get("presentationHint"), "the last is the fifth:", whether(far[-1] == code[4], far[-1], code[4]))

for context, expression in ("watch", "pairs[i % 8].first + value"), ("hover", "pairs[5].first"), ("watch", "blockIdx"), ("watch", "nothing"):
    answer = c.request("evaluate", expression=expression, frameId=frame, context=context)
    print(context, expression, "->", answer["body"]["result"] if answer["success"] else " ".join(answer["message"].split()))
c.body("stepIn", threadId=wave)
c.event("stopped", lambda body: body["reason"] == "step" and body["threadId"] == wave)
line = c.top(wave)["line"]
print("stepped:", whether(line != store, f"line {line}"))

print("== restart")
c.breakpoints(source, {"line": store, "condition": "i == 200"})
c.body("restart")
stop = c.event("stopped", lambda body: body["reason"] == "breakpoint")
print("i", c.variables(c.scope(c.top(stop["threadId"])["id"], "Locals"))["i"])
c.breakpoints(source)
print("exit code:", ended(c), "adapter:", c.disconnect())

print("== log messages")
c = Client(adapter)
c.launch(stops, source, [{"line": store, "logMessage": "i is {i}", "condition": "i % 100 > 97"}], args=["scale", "256"])
code = c.event("exited")["exitCode"]
print("".join(sorted(line for line in c.output().splitlines(True) if line.startswith("i is"))), end="")
print("exit code:", code, "adapter:", c.disconnect())
c = Client(adapter)
c.launch(stops, source, [{"line": line_of(source, "joined"), "logMessage": "here"}], args=["diverge"])
c.event("exited")
print([line for line in c.output().splitlines() if line.startswith("here")], "adapter:", c.disconnect())

print("== data breakpoints")
c = Client(adapter)
c.launch(stops, source, [barrier], args=["exchange"])
wave = c.event("stopped")["threadId"]
frame = c.top(wave)["id"]
info = c.body("dataBreakpointInfo", name="total", frameId=frame)
own = c.body("dataBreakpointInfo", name="own", variablesReference=c.scope(frame, "Locals"))
print("can be watched:", whether(info["dataId"] is not None, info), whether(own["dataId"] is not None, own))
answers = c.body("setDataBreakpoints", breakpoints=[{"dataId": info["dataId"], "accessType": "write"}])["breakpoints"]
print("verified:", *(whether(answer["verified"], answer) for answer in answers))
c.breakpoints(source)
c.body("continue", threadId=wave)
stop = c.event("stopped")
print("stopped:", stop["reason"], stop["description"])
c.body("setDataBreakpoints", breakpoints=[])
print("exit code:", ended(c), "adapter:", c.disconnect())

print("== many waves")
c = Client(adapter)
c.launch(stops, source, [store], waveLimit=5)
stop = c.event("stopped")


def listed():
    return [t for t in c.body("threads")["threads"] if "scale" in t["name"] or "more" in t["name"]]


print("listed:", len(listed()), "the last:", listed()[-1]["name"])
fold = listed()[-1]["id"]
part = c.body("stackTrace", threadId=fold, startFrame=4, levels=3)
print(part["totalFrames"], [frame["name"].split(",", 3)[-1] for frame in part["stackFrames"]])
frame = part["stackFrames"][2]
values = c.variables(c.scope(frame["id"], "Locals"))
names = [t["name"] for t in listed()]
print("variables of one of them:", int(values["i"]) % 64, "listed now:", len(names), whether(frame["name"] in names, frame["name"], names))
print("step:", outcome(c.request("next", threadId=fold)))
c.breakpoints(source)
print("exit code:", ended(c), "adapter:", c.disconnect())

print("== pause")
c = Client(adapter)
faults = sources + "/hip/faults.hip"
with open(faults) as file:
    loop = next(n for n, line in enumerate(file, 1) if "while (*go == 0)" in line)
c.launch(programs + "/faults-O0", faults, [loop], args=["endless"])
stop = c.event("stopped")
c.breakpoints(faults)
c.body("continue", threadId=stop["threadId"])
c.body("pause", threadId=1)
stop = c.event("stopped")
waves = [t["id"] for t in c.body("threads")["threads"] if t["name"].startswith("endless (")]
print("paused:", stop["reason"], "waves:", len(waves), "in", c.top(waves[2])["name"])
c.body("continue", threadId=waves[2])
c.body("pause", threadId=waves[2])
stop = c.event("stopped")
print("paused:", stop["reason"], "the wave asked for:", whether(stop["threadId"] == waves[2], stop, waves))
print("adapter:", c.disconnect())

print("== exception filters")
c = Client(adapter)
print([f["label"] for f in c.body("initialize", adapterID="wavelane-test")["exceptionBreakpointFilters"] if f["filter"].startswith("gpu_") and f.get("default")])
launched = c.send("launch", program=programs + "/faults-O0", args=["some"])
c.event("initialized")
c.body("setExceptionBreakpoints", filters=["gpu_memory"])
c.body("configurationDone")
c.response(launched)
stop = c.event("stopped")
print("stopped:", stop["reason"], c.body("exceptionInfo", threadId=stop["threadId"])["exceptionId"])
print("adapter:", c.disconnect())
c = Client(adapter)
c.body("initialize", adapterID="wavelane-test")
launched = c.send("launch", program=programs + "/faults-O0", args=["illegal"],
                  preRunCommands=["process handle SIGABRT --stop false"])
c.event("initialized")
c.body("setExceptionBreakpoints", filters=["gpu_memory"])
c.body("configurationDone")
c.response(launched)
print("not stopped, exit code:", c.event("exited")["exitCode"], "adapter:", c.disconnect())

print("== the program runs on")
output = os.path.join(folder, "output")
if os.path.exists(output):
    os.unlink(output)
c = Client(adapter)
c.launch(stops, source, [store], initCommands=["settings set target.output-path " + output])
program = c.event("process")["systemProcessId"]
c.event("stopped")
end = os.pidfd_open(program)
print("adapter:", c.disconnect(terminateDebuggee=False))
select.select([end], [], [], 60)
print(open(output).read().strip())
