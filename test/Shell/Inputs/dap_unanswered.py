# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""lldb-server, or the process that simulates the GPU, is stopped while waves stand in an editor's session.

dap_unanswered.py ADAPTER PROGRAM server|device"""
import os
import signal
import subprocess
import sys

from dap_client import Client

adapter, program, victim = sys.argv[1:]
c = Client(adapter)
c.body("initialize", adapterID="wavelane-test", supportsInvalidatedEvent=True)
launched = c.send("launch", program=program, args=["endless"])
c.event("initialized")
c.body("setFunctionBreakpoints", breakpoints=[{"name": "endless"}])
c.send("configurationDone")
c.response(launched)
thread = c.event("stopped")["threadId"]


def evaluate(text):
    return c.body("evaluate", expression=text, context="repl")["result"].strip()


def reported():
    return "reported:", c.event("output", lambda body: body["output"].startswith(("lldb-server", "wavelane-gpu")))["output"].strip()


def found(*arguments):
    return int(subprocess.check_output(["pgrep", *arguments]))


pid = found("-P", str(c.process.pid), "-x", "lldb-server")
if victim == "device":
    pid = found("-f", f"wavelane-gpu .*--pid {found('-P', str(pid))} ")
os.kill(pid, signal.SIGSTOP)
if victim == "server":
    print("stopped:", evaluate("gpu wave list"))
print("next:", c.request("next", threadId=thread)["message"])
print(*reported())
os.kill(pid, signal.SIGCONT)
print("continued:", pid)
print(*reported())
print("invalidated:", c.event("invalidated")["areas"])
print("goes on:", evaluate("thread lane print go"))
c.body("next", threadId=thread)
print(c.event("stopped")["reason"])
c.send("disconnect", terminateDebuggee=True)
print("ends:", c.process.wait(20))
