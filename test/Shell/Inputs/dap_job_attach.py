# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A job in an editor that runs already, or has left core files; and one whose ranks come late.

usage: dap_job_attach.py LLDB-DAP LAUNCHER PROGRAM SOURCE SAXPY SAXPY-SOURCE FOLDER
"""
import os
import shutil
import subprocess
import sys
import time

import psutil

from dap_client import Client, line_of
from dap_ranks import SUPPORTS, Job, end, left, listen
from why import outcome

adapter, launcher, program, source, saxpy, saxpy_source, folder = sys.argv[1:]
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)

print("== a job that runs")
run = os.path.dirname(program) + "/../../bin/wavelane-run"
running = subprocess.Popen([launcher, "--allow-run-as-root", "--oversubscribe", "-n", "2", run, program, "hang", "1"],
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
processes = psutil.Process(running.pid)
try:
    while sum(p.name().startswith("ring") for p in processes.children(recursive=True)) < 2:
        time.sleep(0.05)  # The launcher says nothing when it has started them.
    # A process may stand alone, as VS Code's variables do.
    job = Job(adapter, 2, source, [], request="attach", job=str(running.pid), stopOnEntry=True)
    print("sessions:", job.names)
    stops, shown = job.stops()
    print("stops:", len(stops), "shown:", shown)
    print("continue:", job.go_on())
    print("pause:", outcome(job.ranks[1].request("pause", threadId=0)))
    print("stops:", len(job.stops()[0]))
    ranks = [child.event("process")["systemProcessId"] for child in job.ranks]
    # Without a word about it, ranks that were attached to go on.
    print("adapter:", job.end())
    print("they run:", [psutil.Process(rank).status() in ("running", "sleeping") for rank in ranks])
    job = Job(adapter, 2, source, [], request="attach", job=ranks)
    print("by ranks:", job.names, "runs:", [child.request("threads")["success"] for child in job.ranks])
    print("adapter:", job.end(terminateDebuggee=True), "left:", left([psutil.Process(rank) for rank in ranks if psutil.pid_exists(rank)]))
finally:
    running.terminate()
    running.wait(60)

print("== core files")
words = [launcher, "--allow-run-as-root", "--oversubscribe", "-n", "2"]
job = Job(adapter, 2, source, [{"line": line_of(source, "in the kernel"), "condition": "factor == 2"}], program=program, job=words)
_, shown = job.stops()
child = job.ranks[shown[0]]
for rank in 0, 1:
    child.body("evaluate", expression=f"`rank apply {rank} process save-core {folder}/core.{rank}", context="repl")
job.end()
job = Job(adapter, 2, source, [], request="attach", job=[folder + "/core.*"])
print("sessions:", job.names)
stops, shown = job.stops()
print("stops:", len(stops), "shown:", shown)
top = job.ranks[1].top(stops[1]["threadId"])
print("at:", top["line"] - line_of(source, "in the kernel"), "factor", job.ranks[1].body("evaluate", expression="factor", frameId=top["id"], context="watch")["result"])
print("continue:", outcome(job.ranks[1].request("continue", threadId=stops[1]["threadId"])))
print("adapter:", job.end())

print("== a rank that comes late, in a folder of its own")
late = os.path.dirname(os.path.abspath(__file__)) + "/late_launcher.py"
with open(saxpy_source) as lines:
    line = next(number for number, text in enumerate(lines, 1) if "y[i] +=" in text)
job = Job(adapter, 1, saxpy_source, [line], program=saxpy, job=[late], cwd=folder)
job.stops()
open(folder + "/grow", "w").close()
job.add()
print("sessions:", job.names)
print("stands:", job.stops(job.ranks[1:])[0][0]["reason"] != "breakpoint")
print("continue:", job.go_on())
stop = job.stops(job.ranks[1:])[0][0]
print("stops:", stop["reason"], job.ranks[1].top(stop["threadId"])["line"] - line)
print("launcher:", f"begins in {folder}\n" in job.parent.output())
print("adapter:", job.end())

print("== what can't be")
server, port = listen(adapter)
for what, words in ("type", {"pid": 7}), ("none", []), ("process", "999999"), ("core", [folder + "/none"]):
    c = Client(port=port)
    c.body("initialize", adapterID="wavelane-test", **SUPPORTS)
    print(what + ":", outcome(c.request("attach", job=words)))
    c.disconnect()
c = Client(port=port)
c.body("initialize", adapterID="wavelane-test", **SUPPORTS)
print("folder:", outcome(c.request("launch", program=saxpy, job=[late], cwd="/nowhere")))
c.disconnect()
print("adapter:", end(server))
