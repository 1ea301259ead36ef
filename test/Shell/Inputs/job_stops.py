# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Watchpoints and breakpoints of all ranks, and of some.

usage: job_stops.py LAUNCHER PROGRAM
"""
import re
import sys

from job_session import JobSession, first

launcher, program = sys.argv[1:3]


def heads(text):
    """The ranks with equal output."""
    return re.findall(r"^ranks? [0-9,-]+:$", text, re.M)


with JobSession(launcher) as s:
    s.debugger.CreateTarget(program)
    s.launch(4, program, options="--stop-at-entry")
    s.command("rank apply 1-2 breakpoint set -n misbehave")
    print("some:", heads(s.command("rank apply all breakpoint list -b")))
    # It has the same number in each.
    print("number:", first(s.command("breakpoint set -n compute"), "Breakpoint [0-9]+"))
    s.command("settings set plugin.process.amdgpu.run-unit rank")
    s.command("job continue")
    print("stopped:", [first(rank["where"], "compute") for rank in s.json("rank list --json") if rank.get("reason") == "breakpoint 2.1"])
    s.command("settings set plugin.process.amdgpu.run-unit job")
    s.command("breakpoint delete -f")
    print("set:", first(s.command("watchpoint set variable result"), "^also in .*$"))
    print("everywhere:", *heads(s.command("rank apply all watchpoint list -b")))
    s.command("rank apply 2 watchpoint set variable rank")
    print("one:", heads(s.command("rank apply all watchpoint list -b")))
    print("changed:", first(s.command("watchpoint modify -c '2 > 1' 1"), "^also in .*$"))
    lists = s.command("rank apply all watchpoint list")
    print("conditions:", lists.count("condition = '2 > 1'") == len(heads(lists)) or lists)
    print("deleted:", first(s.command("watchpoint delete 1"), "^also in .*$"))
    print("left:", heads(s.command("rank apply all watchpoint list -b")))
    print("wrong:", s.command("watchpoint set variable no_such_variable").replace("\n", " "))
    s.command("watchpoint set variable result")
    print("hit:", first(s.command("continue"), "stop reason = watchpoint [0-9]+"))
    s.command("job kill")
