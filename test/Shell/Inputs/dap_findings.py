# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Findings of checks in an editor: exception filters, the exception's box, and changes while the program runs.

usage: dap_findings.py ADAPTER PROGRAMS SOURCES
"""
import sys

import checks_table
from dap_client import Client, line_of
from why import whether

adapter, programs, sources = sys.argv[1:4]


def start(program, arguments, filters, breakpoints=()):
    """Up to the point where the program runs: the client's filters come after the launch."""
    c = Client(adapter)
    offered = c.body("initialize", adapterID="wavelane-test", linesStartAt1=True)["exceptionBreakpointFilters"]
    launched = c.send("launch", program=f"{programs}/{program}", args=arguments)
    c.event("initialized")
    if breakpoints:
        c.body("setFunctionBreakpoints", breakpoints=[{"name": name} for name in breakpoints])
    verified = c.body("setExceptionBreakpoints", filters=filters).get("breakpoints", [])
    assert all(entry["verified"] for entry in verified), verified
    c.body("configurationDone")
    assert c.response(launched)["success"]
    return c, offered


print("== a bad access")
c, offered = start("memory-bugs-O0", ["overrun"], ["gpu_check_memory"])
filters = [f for f in offered if f["filter"].startswith("gpu_check_")]
print("a filter for each check:", whether([(f["filter"], f["label"]) for f in filters] == [("gpu_check_" + name, "GPU check: " + label) for name, label, _ in checks_table.entries("CHECK")], filters))
print("races:", [f["label"] for f in filters if f["filter"] == "gpu_check_race"], "on by default:", [f["label"] for f in filters if f.get("default")])
stop = c.event("stopped")
print("stopped:", stop["reason"], "|", stop["description"], "|", stop["text"])
print("at:", c.top(stop["threadId"])["line"] == line_of(f"{sources}/hip/memory-bugs.hip", "LINE: overrun"))
info = c.body("exceptionInfo", threadId=stop["threadId"])
print("exception:", info["exceptionId"], info["breakMode"], "|", info["description"])
print("details:", info["details"]["typeName"], info["details"]["stackTrace"].splitlines()[:2])
reported = info["details"]["stackTrace"]
print("the host's stack is reported:", whether("hipMalloc" in reported and "=====" not in reported, reported))
c.body("continue", threadId=stop["threadId"])
print("exit code:", c.event("exited")["exitCode"], "adapter:", c.disconnect())

print("== a call of the host")
c, _ = start("memory-bugs-O0", ["doublefree"], ["gpu_check_memory", "gpu_check_sync"])
stop = c.event("stopped")
print("stopped:", stop["reason"], "|", stop["text"])
info = c.body("exceptionInfo", threadId=stop["threadId"])
print("exception:", info["exceptionId"])
c.body("continue", threadId=stop["threadId"])
print("exit code:", c.event("exited")["exitCode"], "adapter:", c.disconnect())

print("== without a filter")
c, _ = start("memory-bugs-O0", ["overrun"], ["gpu_memory"])
print("not stopped, exit code:", c.event("exited")["exitCode"], "adapter:", c.disconnect())

print("== turned off at a stop")
c, _ = start("memory-bugs-O0", ["overrun"], ["gpu_check_memory"], ["overrun"])
stop = c.event("stopped")
c.body("setFunctionBreakpoints", breakpoints=[])
c.body("setExceptionBreakpoints", filters=[])
c.body("continue", threadId=stop["threadId"])
print("not stopped, exit code:", c.event("exited")["exitCode"], "adapter:", c.disconnect())

print("== turned on too late")
c, _ = start("memory-bugs-O0", ["overrun"], [], ["overrun"])
stop = c.event("stopped")
c.body("setFunctionBreakpoints", breakpoints=[])
c.body("setExceptionBreakpoints", filters=["gpu_check_race"])
c.body("continue", threadId=stop["threadId"])
print("exit code:", c.event("exited")["exitCode"])
print([line for line in c.output().splitlines() if "plugin.process.amdgpu.check" in line], "adapter:", c.disconnect())
