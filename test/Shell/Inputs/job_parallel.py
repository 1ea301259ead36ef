# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ranks stop concurrently: one whose GPU doesn't answer is reported, and the others are shown.

usage: job_parallel.py LAUNCHER PROGRAM
"""
import os
import signal
import sys
import threading
import time

import lldb
import psutil

from job_session import JobSession, first

launcher, program = sys.argv[1:3]
signal.alarm(240)


# Its ranks' simulated GPUs have the variables of their ranks.
os.environ["WAVELANE_TEST_JOB"] = str(os.getpid())


def device(rank):
    """The simulated GPU of a rank."""
    for process in psutil.process_iter():
        try:
            variables = process.environ() if process.name() == "wavelane-gpu" else {}
        except psutil.Error:
            continue
        if variables.get("WAVELANE_TEST_JOB") == str(os.getpid()) and variables["OMPI_COMM_WORLD_RANK"] == str(rank):
            return process
    raise RuntimeError("no GPU")


def until(holds):
    """Other processes' stops send no event. False after a while."""
    end = time.monotonic() + 40
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.1)
    return True


with JobSession(launcher) as s:
    # Each stops in its kernel.
    s.debugger.CreateTarget(program)
    # Until a server counts as lost.
    s.command("settings set target.process.interrupt-timeout 200")
    s.command("breakpoint set -n scale")
    s.command("settings set plugin.process.amdgpu.run-unit rank")
    s.launch(6, program, "hang", "1")
    s.command("settings set plugin.process.amdgpu.run-unit job")
    print("stopped:", s.command("rank list").count("scale"))
    s.command("breakpoint delete -f")
    gpu = device(1)
    s.debugger.SetAsync(True)
    gpu.suspend()
    resumed = s.command("continue")
    states = lambda: [rank["state"] for rank in s.json("rank list --json")]
    print("running:", until(lambda: states() == ["running"] * 6) or (states(), resumed))
    # The one that is asked to stop, as by Ctrl-C while it is selected, can't.
    s.command("rank select --host 1")
    process = s.debugger.GetSelectedTarget().GetProcess()
    # LLDB interrupts what it has seen running.
    if not until(lambda: process.GetState() == lldb.eStateRunning):
        print("LLDB takes rank 1 as", process.GetState())
    reported = []
    stop = threading.Thread(target=lambda: reported.append(str(process.Stop())))
    stop.start()
    print("others:", until(lambda: states() == ["stopped", "running", *["stopped"] * 4]) or (states(), process.GetState(), reported))
    gpu.resume()
    stop.join()
    print("all:", until(lambda: states() == ["stopped"] * 6) or states())
    s.debugger.SetAsync(False)
    print(first(s.command("job kill") + s.command("rank list"), "was killed"))
