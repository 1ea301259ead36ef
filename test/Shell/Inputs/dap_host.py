# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The adapter on a CPU program: the features of LLDB's own adapter, several targets in a session, and several sessions in an adapter.
import os
import signal
import subprocess
import sys
from dap_client import Client, line_of
from why import outcome, whether

adapter, program, source, folder = sys.argv[1:]
loop = line_of(source, "loop")
# A second program, up to its breakpoint.
second_target = ["target create " + program, f"breakpoint set -l {loop} -f {os.path.basename(source)}",
                 "script lldb.debugger.SetAsync(False)", "process launch -- 3", "script lldb.debugger.SetAsync(True)"]


def where(c, stop):
    """The function and its variables of the stop's thread."""
    frame = c.top(stop["threadId"])
    return frame["name"], c.variables(c.scope(frame["id"], "Locals"))


print("== columns, symbols, the value after step-out, standard output")
output = os.path.join(folder, "output")
c = Client(adapter)
c.body("initialize", adapterID="wavelane-test")
# An old client waits for this answer before it continues with the configuration.
print("launch:", outcome(c.response(c.send("launch", program=program, stdio=[None, output]))))
c.event("initialized")
places = c.body("breakpointLocations", source={"path": source}, line=loop)["breakpoints"]
columns = sorted({p["column"] for p in places if "column" in p})
print("columns of the line:", whether(len(columns) > 2, columns))
bound = c.breakpoints(source, {"line": loop, "column": columns[-1]})[0]
print("bound:", whether(bound["verified"], bound), "in the last column:", whether(bound["column"] == columns[-1], bound, columns))
c.body("configurationDone")
stop = c.event("stopped")
print("stopped:", stop["reason"], where(c, stop))
module = next(m for m in c.body("modules")["modules"] if m["name"] == os.path.basename(program))
symbols = c.body("__lldb_moduleSymbols", moduleId=module["id"], moduleName=module["name"])["symbols"]
print("symbols:", sorted(s["name"] for s in symbols if s["name"] in ("main", "work")))
pointer = next(v for v in c.body("variables", variablesReference=c.scope(c.top(stop["threadId"])["id"], "Locals"))["variables"] if v["name"] == "last")
print("a pointer's memory is what it points to:", whether(int(pointer["memoryReference"], 16) == int(pointer["value"], 16), pointer))
c.breakpoints(source)
c.body("stepOut", threadId=stop["threadId"])
print("stepped out:", where(c, c.event("stopped", lambda body: body["reason"] == "step"))[1]["(Return Value)"])
c.body("continue", threadId=stop["threadId"])
print("exit code:", c.event("exited")["exitCode"], "adapter:", c.disconnect(), open(output).read().strip())

print("== a terminal")
c = Client(adapter)
c.body("initialize", adapterID="wavelane-test", supportsRunInTerminalRequest=True)
launched = c.send("launch", program=program, console="integratedTerminal")
asked = c.asked("runInTerminal")
terminal = subprocess.Popen(asked["args"], stdout=subprocess.PIPE)
c.event("initialized")
c.body("configurationDone")
print("launch:", outcome(c.response(launched)), asked["kind"])
print("exit code:", c.event("exited")["exitCode"], "adapter:", c.disconnect(), terminal.communicate()[0].decode().split("\x1b")[-1][-7:].strip())

print("== what can't be launched")
c = Client(adapter)
c.body("initialize", adapterID="wavelane-test")
answer = c.request("launch", program=program + ".none")
print("launch:", outcome(answer), "the same in the body:", whether(answer["message"] == answer["body"]["error"]["format"], answer))
# Clients that wait for this before they ask how the launch went.
print("initialized:", c.event("initialized"))
print("adapter:", c.disconnect())

print("== a frame that is left")
c = Client(adapter)
c.launch(program, source, [loop], client={"supportsInvalidatedEvent": True})
thread = c.event("stopped")["threadId"]
c.body("evaluate", expression="`thread return 20", frameId=c.top(thread)["id"], context="repl")
print("invalidated:", c.event("invalidated")["areas"], "now in:", c.top(thread)["name"])
print("adapter:", c.disconnect(terminateDebuggee=True))

print("== two targets")
c = Client(adapter)
c.launch(program, source, [loop], postRunCommands=second_target)
stops = [c.event("stopped")]
threads = [t["id"] for t in c.body("threads")["threads"]]
print("threads:", len(threads))
for thread, other in zip(threads, reversed(threads)):
    frame = c.top(thread)["id"]
    watch = c.body("evaluate", expression="count", frameId=frame, context="watch")["result"]
    at = c.body("disassemble", memoryReference=c.top(thread)["instructionPointerReference"], instructionCount=1)["instructions"][0]
    print("count:", where(c, {"threadId": thread})[1]["count"], watch, at["line"] - loop)
info = c.body("dataBreakpointInfo", name="&sum", frameId=c.top(threads[1])["id"])
print("watched:", c.body("setDataBreakpoints", breakpoints=[{"dataId": info["dataId"], "accessType": "write"}, {"dataId": "nothing"}])["breakpoints"][1].get("message"))
c.body("evaluate", expression="`breakpoint delete -f", frameId=c.top(threads[1])["id"], context="repl")
c.body("stepOut", threadId=threads[1])
print("stopped:", c.event("stopped", lambda body: body["threadId"] == threads[1])["reason"], where(c, {"threadId": threads[1]})[1]["sum"])
print("adapter:", c.disconnect())

print("== several sessions")
server = subprocess.Popen([adapter, "--connection", "listen://127.0.0.1:0"], stdout=subprocess.PIPE)
port = int(server.stdout.readline().split(b":")[-1].strip(b"]\n"))
clients = [Client(port=port) for _ in range(3)]
for n, c in enumerate(clients):
    c.launch(program, source, [loop], args=[str(n + 3)])
stops = [c.event("stopped") for c in clients]
print("counts:", [where(c, stop)[1]["count"] for c, stop in zip(clients, stops)])
clients[0].socket.close()
clients[1].disconnect()
clients[2].breakpoints(source)
clients[2].body("continue", threadId=stops[2]["threadId"])
print("exit code:", clients[2].event("exited")["exitCode"])
clients[2].disconnect()

# A target that the first session has created gets its own session.
first, second = Client(port=port), Client(port=port)
first.launch(program, source, [loop], client={"supportsStartDebuggingRequest": True}, postRunCommands=second_target)
first.event("stopped")
ask = "`script print(lldb.debugger.GetID(), lldb.debugger.GetTargetAtIndex(1).GetGloballyUniqueID())"
debugger, target = map(int, first.body("evaluate", expression=ask, context="repl")["result"].split())
print("before:", len(first.body("threads")["threads"]))
second.body("initialize", adapterID="wavelane-test")
print("attach:", outcome(second.response(second.send("attach", session={"debuggerId": debugger, "targetId": target}, stopOnEntry=True))))
second.event("initialized")
second.body("configurationDone")
second.event("stopped")
threads = [c.body("threads")["threads"] for c in (first, second)]
print("after:", [len(t) for t in threads], [where(c, {"threadId": t[0]["id"]})[1]["count"] for c, t in zip((first, second), threads)])
first.body("evaluate", expression="`lldb-dap start-debugging launch '{\"program\": \"none\"}'", context="repl")
print("asked:", first.asked("startDebugging")["configuration"])
second.disconnect()
first.disconnect()
server.send_signal(signal.SIGINT)
print("adapter:", server.wait(60))
