# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A job in an editor: a session starts it, and each rank has a child session, with its host threads and waves.

usage: dap_job.py LLDB-DAP LAUNCHER PROGRAM SOURCE
"""
import re
import sys

from dap_client import Client, line_of
from dap_ranks import SUPPORTS, Job, end, left, listen
from why import outcome

adapter, launcher, program, source = sys.argv[1:]
kernel, reduced = line_of(source, "in the kernel"), line_of(source, "all ranks") + 1


def start(count, breakpoints, **more):
    return Job(adapter, count, source, breakpoints, program=program,
               job=[launcher, "--allow-run-as-root", "--oversubscribe", "-n", str(count)], **more)


print("== a job")
# Each rank runs until it stops by itself.
job = start(3, [kernel], initCommands=["settings set plugin.process.amdgpu.run-unit rank"])
print("sessions:", job.names)
stops, shown = job.stops()
print("shown:", len(shown) > 0)
frames = []
for child, stop in zip(job.ranks, stops):
    top = child.top(stop["threadId"])
    frames.append(top["id"])
    local = child.variables(child.scope(top["id"], "Locals"))
    names = [t["name"] for t in child.body("threads")["threads"]]
    print(stop["reason"], stop["hitBreakpointIds"], top["name"], top["line"] - kernel, "factor", local["factor"] + ",",
          sum("scale" in name for name in names), "waves, host:", any(name.startswith("ring") for name in names))
print("evaluate:", [child.body("evaluate", expression="factor * 10", frameId=frame, context="watch")["result"] for child, frame in zip(job.ranks, frames)])
print("lanes:", [child.body("evaluate", expression="`thread lane print i", frameId=frame, context="repl")["result"].split("\n")[0] for child, frame in zip(job.ranks, frames)])
print("job:", job.parent.body("threads"), outcome(job.parent.request("next", threadId=1)))

print("== conditions, and a step")
job.parent.body("evaluate", expression="`settings clear plugin.process.amdgpu.run-unit", context="repl")
print("verified:", job.set({"line": kernel, "condition": "factor == 77"}, {"line": reduced, "condition": "rank == 1"}))
print("continue:", job.go_on(2))
print("others run:", [child.event("continued")["allThreadsContinued"] for child in job.ranks[:2]])
stops, shown = job.stops()
print("stops:", [stop["reason"] for stop in stops], "shown:", shown)
one = job.ranks[1]
top = one.top(stops[1]["threadId"])
print("rank 1 at:", top["line"] - reduced, one.body("evaluate", expression="sum", frameId=top["id"], context="hover")["result"])
print("step:", outcome(one.request("next", threadId=stops[1]["threadId"])))
stop = one.event("stopped")
print("at:", stop["reason"], one.top(stop["threadId"])["line"] - reduced)
print("others stay:", not any(e["event"] in ("stopped", "continued") for child in (job.ranks[0], job.ranks[2]) for e in child.events))

print("== to the end")
everything = job.processes()
job.set()
print("continue:", job.go_on(1))
print("exit codes:", [child.event("exited")["exitCode"] for child in job.ranks])
for session in [*job.ranks, job.parent]:
    session.event("terminated")
output = job.parent.output()
print("said:", sorted(re.findall(r"rank \d of 3: \d+", output)), re.findall(r"ranks? .* exited with status 0|the job has ended", output))
print("adapter:", job.end(), "left:", left(everything))

print("== a pause, and an end in between")
job = start(2, [], args=["hang", "1"])
everything = job.processes()
print("pause:", outcome(job.ranks[0].request("pause", threadId=0)))
stops, shown = job.stops()
print("stops:", len(stops), "shown:", len(shown))
print("continue:", job.go_on(0))
print("pause:", outcome(job.parent.request("pause", threadId=0)))
print("stops:", len(job.stops()[0]))
# The client disappears.
for session in [*job.ranks, job.parent]:
    session.socket.shutdown(2)
print("adapter:", end(job.adapter), "left:", left(everything))

print("== a rank that crashes")
job = start(3, [], args=["crash", "2"])
everything = job.processes()
stops, shown = job.stops()
print("stops:", [stop["reason"] for stop in stops], "shown:", shown)
print("at:", job.ranks[2].top(stops[2]["threadId"])["line"] - line_of(source, "the crash"))
# Open MPI's handler sends the signal again.
print("continue:", job.go_on(2))
print("again:", [stop["reason"] for stop in job.stops()[0]])
print("continue:", job.go_on(2))
print("rank 2:", job.ranks[2].event("exited")["exitCode"])
job.ranks[2].event("terminated")
job.parent.event("terminated")
print("reported:", re.findall("rank 2 .*", job.parent.output()))
print("adapter:", job.end(), "left:", left(everything))

print("== an end by one rank's session, and ranks that are let go")
for how in "rank killed", "detached":
    job = start(2, [], args=["hang", "1"])
    everything = job.processes()
    ranks = everything[-2:]
    if how == "rank killed":
        print("rank:", outcome(job.ranks[1].request("disconnect", terminateDebuggee=True)))
        job.parent.event("terminated")
        job.parent.body("disconnect")
    else:
        job.parent.body("disconnect", terminateDebuggee=False)
        print("they run:", [rank.status() in ("running", "sleeping") for rank in ranks])
        for rank in ranks:
            rank.kill()
    print(how + ":", end(job.adapter), "left:", left(everything))

print("== what can't be")
c = Client(adapter)
c.body("initialize", adapterID="wavelane-test", **SUPPORTS)
print("stdio:", outcome(c.request("launch", program=program, job=[launcher])))
print("adapter:", c.disconnect())
server, port = listen(adapter)
for what, features, words in (("client", {}, [launcher]), ("no launcher", SUPPORTS, []), ("unknown", SUPPORTS, ["/nowhere/mpirun"]), ("type", SUPPORTS, 7), ("program", SUPPORTS, ["true"])):
    c = Client(port=port)
    c.body("initialize", adapterID="wavelane-test", **features)
    print(what + ":", outcome(c.request("launch", program=program, job=words, timeout=2)))
    c.disconnect()
print("adapter:", end(server))
