# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A misbehaving client: requests out of order, for objects that are gone or never existed, and a sudden end.
import json
import sys
import psutil
from dap_client import Client, line_of
from why import outcome

adapter, programs, sources = sys.argv[1:]
stops, source = programs + "/stops-O0", sources + "/hip/stops.hip"
store = line_of(source, "store")


def refused(c, command, **arguments):
    print(f"{command}:", outcome(c.request(command, **arguments)))


print("== out of order")
c = Client(adapter)
refused(c, "threads")
refused(c, "launch", program=stops)
c.body("initialize", adapterID="wavelane-test")
refused(c, "initialize", adapterID="wavelane-test")
refused(c, "next", threadId=1)
refused(c, "setBreakpoints", source={"path": source}, breakpoints=[{"line": store}])
refused(c, "fly")
launched = c.send("launch", program=stops, lanesAsThreads=True)
c.event("initialized")
refused(c, "attach", pid=1)
refused(c, "continue", threadId=1)
refused(c, "setExceptionBreakpoints")
c.process.stdin.write(b"Content-Length: 3\r\n\r\n}{!" + b"Content-Length: 2\r\n\r\n[]")
c.breakpoints(source, store)
c.body("configurationDone")
c.response(launched)
stop = c.event("stopped")
refused(c, "configurationDone")
refused(c, "pause", threadId=1)
wave, frame = stop["threadId"], c.top(stop["threadId"])["id"]
reference = c.scope(frame, "Locals")
print("and goes on:", c.variables(reference)["i"])

print("== what isn't there")
refused(c, "stackTrace", threadId=wave + 4711)
refused(c, "stackTrace")
refused(c, "scopes", frameId=frame + (77 << 19))
refused(c, "variables", variablesReference=123456)
for reference_text in ("0x1000", "nowhere", "0xfffffffffffffffe"):
    found = c.body("setInstructionBreakpoints", breakpoints=[{"instructionReference": reference_text}])["breakpoints"]
    print(f"at {reference_text}:", [breakpoint["verified"] for breakpoint in found])
c.body("setInstructionBreakpoints", breakpoints=[])
# Numbers that LLDB's maps keep for themselves.
c.invents_numbers = True
for number in (1 << 63) - 1, (1 << 63) - 2:
    refused(c, "variables", variablesReference=number)
    refused(c, "setVariable", variablesReference=number, name="i", value="1")
    answer = json.dumps({"seq": 0, "type": "response", "request_seq": number, "command": "runInTerminal", "success": True}).encode()
    c.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(answer) + answer)
refused(c, "stepIn", threadId=wave, targetId=(1 << 64) - 1)
refused(c, "stepIn", threadId=wave, targetId=(1 << 64) - 2)
c.invents_numbers = False
refused(c, "evaluate", expression="i", frameId=frame + (77 << 19), context="watch")
refused(c, "setVariable", variablesReference=reference, name="nobody", value="1")
lane = next(t["id"] for t in c.body("threads")["threads"] if "lane 5: " in t["name"])
refused(c, "stackTrace", threadId=lane + (100 << 37))
refused(c, "next", threadId=lane + (100 << 37))
refused(c, "scopes", frameId=c.top(lane)["id"] + (100 << 37))
print("and goes on:", c.variables(c.scope(c.top(lane)["id"], "Locals"))["i"])

print("== what is gone")
with open(source) as file:
    end = next(n for n, line in enumerate(file, 1) if 'return report("stops"' in line)
c.breakpoints(source, end)
c.body("continue", threadId=wave)
stop = c.event("stopped")
refused(c, "stackTrace", threadId=wave)
refused(c, "next", threadId=wave)
refused(c, "scopes", frameId=frame)
refused(c, "variables", variablesReference=123456)
print("and goes on: line", c.top(stop["threadId"])["line"] - end)
c.body("continue", threadId=stop["threadId"])
print("exit code:", c.event("exited")["exitCode"])
c.event("terminated")
refused(c, "continue", threadId=stop["threadId"])
print("adapter:", c.disconnect())

print("== an early end")
c = Client(adapter)
print("adapter:", c.disconnect())
c = Client(adapter)
c.body("initialize", adapterID="wavelane-test")
print("adapter:", c.disconnect())


def left(processes):
    """The processes that are still there after a while."""
    gone, alive = psutil.wait_procs(processes, timeout=60)
    return [p.name() for p in alive]


print("== gone without a word")
for when in "step", "run", "stop", "killed":
    c = Client(adapter)
    c.launch(stops, source, [store])
    thread = c.event("stopped")["threadId"]
    everything = [psutil.Process(c.process.pid)]
    everything += everything[0].children(recursive=True)
    names = sorted({p.name() for p in everything})
    if when == "step":
        c.send("next", threadId=thread)
    elif when == "run":
        c.send("continue", threadId=thread)
    if when == "killed":
        c.process.kill()
    c.process.stdin.close()
    c.process.wait(60)
    print(f"{when}:", names, "left:", left(everything))

print("== two adapters on one program")
a = Client(adapter)
a.launch(stops, source, [store])
program = a.event("process")["systemProcessId"]
stop = a.event("stopped")
b = Client(adapter)
b.body("initialize", adapterID="wavelane-test")
refused(b, "attach", pid=program)
print("adapter:", b.disconnect())
a.breakpoints(source)
a.body("continue", threadId=stop["threadId"])
print("the first goes on, exit code:", a.event("exited")["exitCode"], "adapter:", a.disconnect())
