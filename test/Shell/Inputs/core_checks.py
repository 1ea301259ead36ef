# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Saves a core at a kernel's begin, opens it, and lets it run on with all checks: what is found.

core_checks.py FOLDER PROGRAMS CASE...: a case is PROGRAM:KERNEL[:clean]."""
import os
import signal
import sys

import lldb

folder, programs, *cases = sys.argv[1:]
debugger = lldb.SBDebugger.Create()
debugger.SetAsync(False)


def run(command):
    result = lldb.SBCommandReturnObject()
    debugger.GetCommandInterpreter().HandleCommand(command, result)
    return (result.GetOutput() or "") + (result.GetError() or "")


def findings():
    return [" ".join(line.split()) for line in run("gpu check list").splitlines() if " at " in line]


for case in cases:
    program, kernel, *clean = case.split(":")
    core = os.path.join(folder, "core")
    run("settings clear plugin.process.amdgpu.check")
    run(f"target create {programs}/{program}")
    run(f"breakpoint set -n {kernel}")
    run(f"settings set target.run-args {kernel} {' '.join(clean)}")
    run("run")
    run(f"process save-core {core}")
    run("process kill")
    run("target delete --all")
    run("settings set plugin.process.amdgpu.check all")
    run(f"target create --core {core}")
    print(f"{case}:")
    signal.alarm(60)  # ends this script: unchecked, some kernels never end
    # A step's own breakpoint doesn't let the core run on unchecked.
    said = run("next") if case == cases[0] else ""
    for _ in range(20):
        said = run("continue")
        if "all waves have finished" in said:
            break
    for line in findings():
        print(" ", line)
    print("  ended:", "all waves have finished" in said)
    if case == cases[0]:
        back = run("reverse-continue")
        print("  back:", *(line.split("stop reason = ")[1] for line in back.splitlines() if "stop reason" in line), "- findings:", len(findings()))
    run("target delete --all")
    os.remove(core)
lldb.SBDebugger.Destroy(debugger)
