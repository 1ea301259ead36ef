# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An editor's buttons for going back: they appear when something is recorded, and do what the commands do."""
import sys

from dap_client import Client
from why import outcome

adapter, saxpy, source = sys.argv[1:]
c = Client(adapter)
c.launch(saxpy, source, [13])
reported = c.event("capabilities", lambda body: "supportsStepBack" in body["capabilities"])
print("recorded:", reported["capabilities"])
stop = c.event("stopped")
wave = stop["threadId"]
print("stop:", c.top(wave)["line"])
print("stepBack:", outcome(c.request("stepBack", threadId=wave)))
stop = c.event("stopped")
print("at:", c.top(stop["threadId"])["line"], stop["reason"], stop.get("threadCausedFocus"))
print("by an instruction:", outcome(c.request("stepBack", threadId=stop["threadId"], granularity="instruction")))
stop = c.event("stopped")
print("at:", c.top(stop["threadId"])["line"], stop["reason"])
print("origin:", c.body("evaluate", expression="`thread lane origin i", context="repl", frameId=c.top(stop["threadId"])["id"])["result"].splitlines()[-1])
print("reverseContinue:", outcome(c.request("reverseContinue", threadId=stop["threadId"])))
stop = c.event("stopped")
print("at:", c.top(stop["threadId"])["line"], stop["reason"], "|", stop["description"], "|", stop.get("text"))
print("a host thread:", outcome(c.request("stepBack", threadId=1)))
print("no thread:", outcome(c.request("reverseContinue", threadId=4711)))
print("adapter:", c.disconnect(terminateDebuggee=True))
