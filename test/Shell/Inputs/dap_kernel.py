# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# One lldb-dap session debugs host and kernel; its launch request only names the program.
import sys
from dap_client import Client
from why import outcome, whether

adapter, program, source = sys.argv[1:]
c = Client(adapter)
c.launch(program, source, [13])
stop = c.event("stopped")
print("stopped:", stop["reason"], stop["description"])
bound = c.event("breakpoint")["breakpoint"]
print("breakpoint", bound["id"], "verified:", whether(bound["verified"], bound), "line", bound["line"])

threads = c.body("threads")["threads"]
print("threads of the host:", sum(t["name"].startswith("saxpy-O0") for t in threads))
print("waves:", sum(t["name"].startswith("saxpy (") for t in threads))
wave = stop["threadId"]
print("thread:", [t["name"] for t in threads if t["id"] == wave])
host = threads[0]["id"]
print("host stack:", c.top(host)["name"] or "no name", "kernel frame:", c.top(wave)["name"], c.top(wave)["line"])

frame = c.top(wave)["id"]
print("lane 0:", {k: v for k, v in c.variables(c.scope(frame, "Locals")).items() if k in "ait"})
print("watch:", c.body("evaluate", expression="a * t + i", frameId=frame, context="watch")["result"])
c.body("evaluate", expression="`thread lane select 17", frameId=frame, context="repl")
# A client that doesn't know the event "invalidated" gets a stop event, after which it reads everything again.
print("reported:", c.event("stopped", lambda body: body["reason"] == "focus lane")["description"])
print("lane 17:", {k: v for k, v in c.variables(c.scope(frame, "Locals")).items() if k in "ait"})
instructions = c.body("disassemble", memoryReference=c.top(wave)["instructionPointerReference"], instructionCount=2)["instructions"]
listing = c.body("evaluate", expression="`disassemble --pc --count 2", frameId=frame, context="repl")["result"]
print("instructions:", [whether(" ".join(one["instruction"].split()) in " ".join(listing.split()) and one["address"].lower() in listing, one, listing)
                        for one in instructions], *(one["instruction"].split("_")[0] for one in instructions))

c.breakpoints(source)
c.body("next", threadId=wave)
stop = c.event("stopped")
print("after next:", stop["reason"], "same wave:", whether(stop["threadId"] == wave, stop, wave), "line", c.top(wave)["line"])
print("gone thread:", outcome(c.request("next", threadId=wave + 999)))
refused = c.request("stepOut", threadId=wave)
print("step out of a kernel:", outcome(refused))

# The host also stops.
host_line = 29
c.breakpoints(source, host_line)
c.body("continue", threadId=wave)
stop = c.event("stopped")
print("host stopped:", stop["reason"], "line", c.top(stop["threadId"])["line"])
c.breakpoints(source)
c.body("continue", threadId=stop["threadId"])
print("exit code:", c.event("exited")["exitCode"])
c.event("terminated")
print("output:", " ".join(c.output().split()))
print("adapter:", c.disconnect())
