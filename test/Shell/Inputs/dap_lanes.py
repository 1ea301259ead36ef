# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Lanes in lldb-dap: the same for a wave of a GPU and for a widened loop.
import sys
from dap_client import Client
from why import outcome, whether

adapter, program, source, line, variable = sys.argv[1:6]
c = Client(adapter)
c.launch(program, source, [int(line)], client={"supportsInvalidatedEvent": True}, lanesAsThreads=True)
stop = c.event("stopped")
thread = stop["threadId"]
frame = c.top(thread)["id"]
names = [s["name"] for s in c.body("scopes", frameId=frame)["scopes"]]
print("scopes:", names)


def value(lane=None):
    return c.variables(c.scope(frame, "Locals"))[variable]


def changed():
    """The client has to read the values again, and does."""
    c.event("invalidated", lambda body: "variables" in body["areas"])


lanes = c.scope(frame, "Lanes")
entries = {v["name"]: v for v in c.body("variables", variablesReference=lanes)["variables"]}
print("focus:", entries["focus"]["value"], "and", len(entries) - 2, "lanes")
print("lane 2:", entries["lane 2"]["value"].split(",")[0])
print("in lane 0:", value())
print("lane 3's:", c.variables(entries["lane 3"]["variablesReference"])[variable], "the focus stays:", value())
by_name = {v["name"]: v["variablesReference"] for v in c.body("variables", variablesReference=entries["variables"]["variablesReference"])["variables"]}
across = c.variables(by_name[variable])
print("in all lanes:", [across[f"lane {n}"] for n in range(6)])

# The focus lane is set like a variable.
answer = c.body("setVariable", variablesReference=lanes, name="focus", value="5")
changed()
print("focus set to", answer["value"], "then:", value())
for wrong in "4000", "five":
    answer = c.request("setVariable", variablesReference=lanes, name="focus", value=wrong)
    print("set:", outcome(answer))
answer = c.request("setVariable", variablesReference=lanes, name="lane 2", value="1")
print("set:", outcome(answer))
# Also by a command.
c.body("evaluate", expression="`thread lane select 4", frameId=frame, context="repl")
changed()
print("by command:", value())

# The register view of a wave shows it, too.
registers = c.scope(frame, "Registers")
first = c.body("variables", variablesReference=registers)["variables"][0]
if first["name"] == "Wave":
    c.body("setVariable", variablesReference=first["variablesReference"], name="lane", value="6")
    changed()
    print("by register:", value())

# Lanes as threads.
threads = [t for t in c.body("threads")["threads"] if t["name"].startswith("lane 7: ")]
print("thread of lane 7:", len(threads), threads[0]["name"].split(": ")[1].split(",")[0])
c.events[:] = [event for event in c.events if event["event"] != "thread"]
top = c.top(threads[0]["id"])
print("its variable:", c.variables(c.scope(top["id"], "Locals"))[variable])
# The list of threads has another focus lane now, as the client sees.
c.event("thread", lambda body: body["reason"] == "started" and body["threadId"] == thread)
names = {t["id"]: t["name"] for t in c.body("threads")["threads"]}
print("focus lane:", [name.split(",")[0] for name in names.values() if "focus lane" in name], names[thread].split(", ")[-1])
c.body("next", threadId=threads[0]["id"])
stop = c.event("stopped")
print("stepped:", whether(stop["threadId"] == thread, stop, thread))
c.breakpoints(source)
c.body("continue", threadId=thread)
c.event("terminated")
print("adapter:", c.disconnect())
