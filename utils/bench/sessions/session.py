#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times a debugging session: from `run` to the first stop in a kernel, and each `next`, beside a CPU program."""
import os
import sys
import time
import lldb


def session(program, source, pattern, steps=10):
    debugger = lldb.SBDebugger.Create()
    debugger.SetAsync(False)
    target = debugger.CreateTarget(program)
    target.BreakpointCreateBySourceRegex(pattern, lldb.SBFileSpec(source)) if source.endswith(".cpp") else \
        target.BreakpointCreateByName(pattern)
    begin = time.monotonic()
    target.LaunchSimple(None, None, ".")
    first = time.monotonic() - begin
    process = debugger.GetSelectedTarget().GetProcess()
    thread = process.GetSelectedThread()
    begin = time.monotonic()
    for _ in range(steps):
        thread.StepOver()
    each = (time.monotonic() - begin) / steps
    memory = 0
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/comm") as comm, open(f"/proc/{pid}/status") as status:
                if comm.read().strip() == "wavelane-gpu":
                    memory = max([memory] + [int(line.split()[1]) for line in status if line.startswith("VmRSS")])
        except OSError:
            pass
    debugger.GetSelectedTarget().GetProcess().Kill()
    lldb.SBDebugger.Destroy(debugger)
    return first, each, memory


def conditional(program, lanes, condition):
    """Seconds until the program's end, past a breakpoint with that condition."""
    debugger = lldb.SBDebugger.Create()
    debugger.SetAsync(False)
    target = debugger.CreateTarget(program)
    stops = 0
    if condition:
        target.BreakpointCreateBySourceRegex("// store", lldb.SBFileSpec("stops.hip")).SetCondition(condition)
    begin = time.monotonic()
    target.LaunchSimple(["scale", str(lanes)], None, ".")
    while debugger.GetSelectedTarget().GetProcess().GetState() == lldb.eStateStopped:
        stops += 1
        debugger.GetSelectedTarget().GetProcess().Continue()
    seconds = time.monotonic() - begin
    lldb.SBDebugger.Destroy(debugger)
    return seconds, stops


gpu_first, gpu_next, memory = session(sys.argv[1], "hip", "reduce")
cpu_first, cpu_next, _ = session(sys.argv[2], "main.cpp", "break here", steps=3)
print(f"run to the first stop in a kernel: {gpu_first:.2f} s, {gpu_first / cpu_first:.1f} times a CPU program's")
print(f"next: {gpu_next * 1000:.0f} ms in a wave, {gpu_next / cpu_next:.1f} times a CPU thread's")
million = 1 << 20
plain, _ = conditional(sys.argv[3], million, None)
seconds, stops = conditional(sys.argv[3], million, "i == 777777")
print(f"a breakpoint that {million} lanes pass and {stops} hits: {seconds:.1f} s, {seconds / plain:.1f} times the program "
      f"without it, {(seconds - plain) / (million / 64) * 1e6:.0f} us a wave")
print(f"memory of the device process: {memory / 1024:.0f} MB")
