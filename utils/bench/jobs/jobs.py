#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times a job of 2 to 64 ranks of 1,000 waves each: from its start until all ranks are stopped in their kernel, from Ctrl-C to the
overview of all ranks, and `rank list`; and measures LLDB's memory.

Usage: jobs.py WAVES_PROGRAM [RANKS...]"""
import json
import os
import subprocess
import sys
import time

WAVES = 1000
REPEATS = 3
LAUNCHER = "mpirun.openmpi --allow-run-as-root --oversubscribe"
GOALS = {"overview": (3, "s"), "list": (0.1, "s"), "memory": (20, "MB")}


def memory():
    """LLDB's own pages, in MB: files that are mapped are shared."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("RssAnon:")) / 1024


def measure(program, ranks):
    """One job, in a process of its own: prints its figures."""
    import lldb
    debugger = lldb.SBDebugger.Create()
    debugger.SetAsync(False)
    debugger.SetOutputFileHandle(open(os.devnull, "w"), True)

    def command(text):
        result = lldb.SBCommandReturnObject()
        begin = time.monotonic()
        debugger.GetCommandInterpreter().HandleCommand(text, result)
        if not result.Succeeded():
            sys.exit(f"{text}: {result.GetOutput()}{result.GetError()}")
        return time.monotonic() - begin, result.GetOutput() or ""

    debugger.CreateTarget(program)
    figures = {"empty": memory()}
    # Each rank stops by itself when all its waves are there.
    command("settings set plugin.process.amdgpu.run-unit rank")
    command("breakpoint set -p 'stop here' -f waves.hip")
    figures["launch"], text = command(f"job launch --timeout 300 -- {LAUNCHER} -n {ranks} {program} {WAVES}")
    command("breakpoint disable")
    command("settings set plugin.process.amdgpu.run-unit job")
    for _ in range(REPEATS):
        debugger.SetAsync(True)
        command("continue")
        time.sleep(1)
        debugger.SetAsync(False)
        if not all(rank["state"] == "running" for rank in json.loads(command("rank list --json")[1])):
            continue  # On a busy machine, a late interrupt has stopped it.
        stop, _ = command("job interrupt")
        overview, text = command("rank threads")
        listed = min(command("rank list")[0] for _ in range(REPEATS))
        for key, value in (("stop", stop), ("overview", stop + overview), ("list", listed)):
            figures[key] = min(figures.get(key, value), value)
    waves = sum(fold["count"] for fold in json.loads(command("rank threads --json")[1]) if fold["kind"] == "waves")
    figures["memory"] = (memory() - figures["empty"]) / ranks
    figures["overview lines"] = text.count("\n")
    if waves < ranks * WAVES:
        sys.exit(f"{waves} waves are there: {text}")
    command("job kill")
    print(json.dumps(figures))


def main():
    program = sys.argv[1]
    # As many units as hold all waves at once.
    os.environ.update(WAVELANE_PROCESSOR="gfx90a", WAVELANE_CUS="64")
    if sys.argv[2:3] == ["--one"]:
        return measure(program, int(sys.argv[3]))
    print(f"{'ranks':>6} {'launch':>8} {'stop':>8} {'overview':>9} {'rank list':>10} {'memory a rank':>14}")
    all_figures = {}
    for ranks in [int(n) for n in sys.argv[2:]] or (2, 4, 8, 16, 32, 64):
        answer = subprocess.run([sys.executable, __file__, program, "--one", str(ranks)], stdout=subprocess.PIPE, text=True, check=True)
        figures = all_figures[ranks] = json.loads(answer.stdout.splitlines()[-1])
        print(f"{ranks:6} {figures['launch']:6.1f} s {figures['stop']:6.2f} s {figures['overview']:7.2f} s {figures['list'] * 1000:7.0f} ms"
              f" {figures['memory']:11.1f} MB", flush=True)
    least, most = min(all_figures), max(all_figures)
    for key, (goal, unit) in GOALS.items():
        value = all_figures[most][key]
        print(f"{key} with {most} ranks: {value / goal:.2f} times the goal of {goal} {unit}, {value / all_figures[least][key]:.1f} times that with {least}")


main()
