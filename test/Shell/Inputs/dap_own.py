# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What an editor's own views ask for: commands without a trace, and another wave to be shown."""
import json
import sys

from dap_client import Client, line_of
from why import outcome, whether

adapter, saxpy, source, daily, daily_source = sys.argv[1:]
c = Client(adapter)
c.launch(saxpy, source, [12], client={"supportsInvalidatedEvent": True})
stop = c.event("stopped")
frame = c.top(stop["threadId"])["id"]


def ask(command, frameId=frame):
    return json.loads(c.body("wavelaneCommand", commandLine=command, frameId=frameId)["text"])


other = c.top(next(t["id"] for t in c.body("threads")["threads"] if t["name"].startswith("saxpy (2,0,0)/1")))["id"]
print("lanes of:", ask("thread lane list --json", other)["wave"], "and of:", ask("thread lane list --json")["wave"])
waves = json.loads(c.body("wavelaneCommand", commandLine="gpu wave list --json")["text"])
print("waves:", len(waves), "at:", {wave["line"] for wave in waves})
print("history:", c.body("evaluate", expression="`session history", context="repl", frameId=frame)["result"].count("--json"))
print("selects:", outcome(c.request("wavelaneCommand", commandLine="thread lane select 9", frameId=frame)), c.event("invalidated")["areas"])
print("hover:", c.body("evaluate", expression="i", frameId=frame, context="hover")["result"],
      "watch:", c.body("evaluate", expression="i", frameId=frame, context="watch")["result"])
print("command:", outcome(c.request("wavelaneCommand", commandLine="thread lane select 99", frameId=frame)))
print("command:", outcome(c.request("wavelaneCommand", commandLine="thread lane list", frameId=frame + (77 << 19))))

wanted = next(wave for wave in waves if wave["name"] == "saxpy (2,0,0)/1")
print("wave:", outcome(c.request("wavelaneSelect", thread=wanted["thread"])))
shown = c.event("stopped")
names = {t["id"]: t["name"] for t in c.body("threads")["threads"]}
print("shown:", names[shown["threadId"]], shown["reason"], shown["isSelection"])
print("wave:", outcome(c.request("wavelaneSelect", thread=4711)))
c.body("evaluate", expression="`thread select 2", context="repl")
print("by the console:", names[c.event("stopped")["threadId"]])

c.breakpoints(source)
c.body("continue", threadId=stop["threadId"])
print("exit code:", c.event("exited")["exitCode"])
print("command:", outcome(c.request("wavelaneCommand", commandLine="gpu wave list --json")))
print("adapter:", c.disconnect())

# A pause isn't an exception, though the wave that it shows has a signal.
c = Client(adapter)
c.launch(daily, daily_source, [line_of(daily_source, "spins")], args=["hang"])
wave = c.event("stopped")["threadId"]
c.breakpoints(daily_source)
c.body("continue", threadId=wave)
c.body("pause", threadId=1)
stop = c.event("stopped")
print("paused:", stop["reason"], "-", stop["description"])
print("adapter:", c.disconnect(terminateDebuggee=True))
