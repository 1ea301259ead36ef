#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times the operations for which an editor waits, on waves and on a CPU program.

Usage: dap.py BUILD WAVES_PROGRAM THREADS_PROGRAM LANES_PROGRAM"""
import os
import statistics
import sys
import time

top = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
sys.path.insert(0, os.path.join(top, "test", "Shell", "Inputs"))
from dap_client import Client  # noqa: E402

build, waves_program, threads_program, lanes_program = sys.argv[1:]
scaling = os.path.join(top, "utils", "bench", "scaling")
WAVES, THREADS, REPEATS = 10000, 1000, 15


def line_with(source, text):
    with open(source) as file:
        return next(n for n, line in enumerate(file, 1) if text in line)


def start(program, source, mark, *arguments, **more):
    """A session stopped at the mark, the stop, and the time since launch."""
    client = Client(os.path.join(build, "bin", "lldb-dap"))
    line = line_with(source, mark)
    begin = time.monotonic()
    client.launch(program, source, [line], args=[str(a) for a in arguments], client={"supportsInvalidatedEvent": True}, **more)
    stop = client.event("stopped", seconds=300)
    return client, stop, time.monotonic() - begin


def seconds(work):
    begin = time.monotonic()
    work()
    return time.monotonic() - begin


def median(work):
    return statistics.median(seconds(work) for _ in range(REPEATS))


def variables(client, thread):
    frame = client.top(thread)["id"]
    return client.variables(client.scope(frame, "Locals"))


def change_lane(client, thread):
    """Seconds from the client's request until it has the variables of the new lane."""
    frame = client.top(thread)["id"]
    lanes = client.scope(frame, "Lanes")
    focus = 0

    def change():
        nonlocal focus
        focus = (focus + 1) % 8
        client.body("setVariable", variablesReference=lanes, name="focus", value=str(focus))
        client.event("invalidated")
        variables(client, thread)
    return median(change)


def show(what, gpu, cpu, beside):
    print(f"{what:44} {gpu * 1000:8.1f} ms {cpu * 1000:8.1f} ms {gpu / cpu:8.2f}  {beside}", flush=True)


waves, threads = os.path.join(scaling, "waves.hip"), os.path.join(scaling, "threads.cpp")
lanes = os.path.join(top, "test", "programs", "cpu-lanes", "vec_add.c")
os.environ.update(WAVELANE_PROCESSOR=",".join(["gfx90a"] * 4), WAVELANE_CUS="80")
print(f"{'lldb-dap':44} {'waves':>11} {'CPU':>11} {'ratio':>8}")

figures = {"waves": [], "threads": []}
for _ in range(3):
    for name, program, source, mark in ("waves", waves_program, waves, "stop here"), ("threads", threads_program, threads, "stop here"):
        client, stop, took = start(program, source, mark, 16)
        figures[name].append(took)
        client.disconnect()
show("launch until stopped, 16 waves", statistics.median(figures["waves"]), statistics.median(figures["threads"]), "16 threads")

gpu, wave, gpu_launch = start(waves_program, waves, "stop here", WAVES)
cpu, thread, cpu_launch = start(threads_program, threads, "stop here", THREADS)
show(f"launch until stopped, {WAVES} waves", gpu_launch, cpu_launch, f"{THREADS} threads")
listed = gpu.body("threads")["threads"]
show(f"threads: {len(listed)} listed of {WAVES}", median(lambda: gpu.body("threads")), median(lambda: cpu.body("threads")), f"{THREADS} threads")
show("20 of the folded waves", median(lambda: gpu.body("stackTrace", threadId=listed[-1]["id"], startFrame=5000, levels=20)),
     median(lambda: [cpu.top(thread["threadId"]) for _ in range(20)]), "20 stacks' first frames")
show(f"stack, scopes and variables, {WAVES} waves", median(lambda: variables(gpu, wave["threadId"])), median(lambda: variables(cpu, thread["threadId"])),
     f"{THREADS} threads")
gpu_lane = change_lane(gpu, wave["threadId"])
gpu.disconnect()
cpu.disconnect()

gpu, wave, _ = start(waves_program, waves, "stop here", WAVES, waveLimit=1000000)
cpu, thread, _ = start(threads_program, threads, "stop here", THREADS)
every = len(gpu.body("threads")["threads"])
show(f"threads: all {every}", median(lambda: gpu.body("threads")), median(lambda: cpu.body("threads")), f"{THREADS} threads")
gpu.disconnect()
cpu.disconnect()

cpu, thread, _ = start(lanes_program, lanes, "dst[i] +=")
show("lane change until the variables are there", gpu_lane, change_lane(cpu, thread["threadId"]), "widened loop of 8 lanes")
cpu.disconnect()
