#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cost of each check: kernels with it against the same without, in turns; the best of several runs of each.

usage: checks.py BUILD-FOLDER PROGRAM[=TIMES]...

With TIMES, the kernels do so many times as much: short ones measure how long code is translated.
"""
import pathlib
import re
import subprocess
import sys

TABLE = pathlib.Path(__file__).resolve().parents[3] / "include" / "wavelane" / "Protocol" / "Device" / "Checks.def"
CHECKS = re.findall(r'(?m)^WAVELANE_CHECK\(\w+, "(\w+)"', TABLE.read_text())
GOALS = {"memory": 2, "sync": 1.2, "wait": 1.5, "init": 4, "race": 8}
ROUNDS = 3


def run(build, program, times, check):
    """Seconds by kernel."""
    options = ["--check", check] if check else []
    done = subprocess.run([f"{build}/bin/wavelane-run", "--device", "gfx90a", *options, program, times], capture_output=True, text=True, check=True)
    return {line.split()[0]: float(line.split()[1]) for line in done.stdout.splitlines() if not line.startswith("warm")}


def best(build, program, times):
    """The least seconds, by check and kernel."""
    least = {}
    for _ in range(ROUNDS):
        for check in [None, *CHECKS]:
            for kernel, seconds in run(build, program, times, check).items():
                key = (check, kernel)
                least[key] = min(least.get(key, seconds), seconds)
    return least


for argument in sys.argv[2:]:
    path, _, times = argument.partition("=")
    seconds = best(sys.argv[1], path, times or "1")
    kernels = [kernel for check, kernel in seconds if check is None]
    print(f"{path.rsplit('/', 1)[-1]}: " + ", ".join(f"{kernel} {seconds[None, kernel] * 1000:.0f} ms" for kernel in kernels))
    for name in CHECKS:
        goal = GOALS.get(name)
        ratios = [seconds[name, kernel] / seconds[None, kernel] for kernel in kernels]
        text = ", ".join(f"{kernel} {ratio:.1f}x" for kernel, ratio in zip(kernels, ratios))
        print(f"  {name}: {text} ({f'goal {goal}x' if goal else 'no goal'}{', missed' if goal and max(ratios) > goal else ''})")
