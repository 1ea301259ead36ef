# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ranks behind a script that gives each a GPU: two ranks on each of two GPUs.

usage: job_devices.py LAUNCHER PROGRAM FOLDER
"""
import os
import re
import sys

from job_session import JobSession, first

launcher, program, folder = sys.argv[1:4]
os.makedirs(folder, exist_ok=True)
script = f"{folder}/pin"
with open(script, "w") as file:
    file.write('#!/bin/sh\nHIP_VISIBLE_DEVICES=$((OMPI_COMM_WORLD_RANK % 2)) exec "$@"\n')
os.chmod(script, 0o755)


def show(session):
    print(first(session.command("rank list"), r"^3 .*stopped"))
    for line in re.findall("^rank.*|^[0-9]+ +[0-9]+ +HSA", session.command("rank apply all gpu queue list"), re.M):
        print(*line.split())
    print(first(session.command("rank apply 0-1 gpu agent list"), "gfx90a"))


with JobSession(launcher) as s:
    s.command("settings set plugin.process.amdgpu.run-unit rank")
    s.command("breakpoint set -n scale")
    print("== a rank of its own behind the script")
    s.launch(4, script, "wavelane-rank", program)
    show(s)
    # The GPU of a rank whose host is selected.
    s.command("rank select --host 1")
    print("host:", first(s.command("gpu queue list"), "^1 +2 "))
    s.command("job kill")
    print("== the script as a rank")
    s.command("settings set target.process.stop-on-exec false")
    s.launch(4, script, program)
    show(s)
    print(first(s.command("job continue"), "ranks 0-3 exited with status 0"))
