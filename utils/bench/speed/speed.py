#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The simulated device's speed: kernels against the host's own loops, translated and interpreted, in turns, in one run.

usage: speed.py BUILD-FOLDER [ROUNDS]

Each figure is printed with its goal, and the last line says which fall short. docs/speed.md explains them.
"""
import os
import subprocess
import sys
import tempfile
import time

GOALS = {("0", "integers"): 0.25, ("0", "memory"): 0.25, ("0", "floats"): 0.25, ("2", "memory"): 1.0}
START = 0.050
CORES = 1.8

ONE = """#include <hip/hip_runtime.h>
__global__ void one(int *p) { *p = 7; }
int main() {
  int *p, r = 0;
  if (hipMalloc((void **)&p, 4) != hipSuccess)
    return 1;
  one<<<1, 1>>>(p);
  return hipMemcpy(&r, p, 4, hipMemcpyDeviceToHost) != hipSuccess || r != 7;
}
"""


def compiled(build, source, level, processor, folder, options=()):
    """Compiles a HIP program for a processor; returns its path."""
    program = f"{folder}/{os.path.basename(source)}-{processor}-O{level}{''.join(options)}"
    subprocess.check_call(
        ["clang++-19", "-x", "hip", f"--offload-arch={processor}", "--rocm-path=/usr", f"--rocm-device-lib-path={build}/test/programs/bitcode",
         "-Wno-unused-result", f"-O{level}", source, "-o", program, *(options or [f"-L{build}/lib/wavelane", "-lamdhip64"])])
    return program


def loops(build, program, rounds, options=(), turns=()):
    """The seconds of each loop, on the device and, without turns, on the host."""
    output = subprocess.check_output([f"{build}/bin/wavelane-run", "--runtime", "wavelane", *options, program, str(rounds), *turns], text=True)
    return {name: (float(device), float(host)) for name, device, host in (line.split() for line in output.splitlines())}


def start(build, program):
    """The shortest time of a program with one launch, of several."""
    best = 1e9
    for _ in range(15):
        begin = time.monotonic()
        subprocess.check_call([f"{build}/bin/wavelane-run", "--runtime", "wavelane", program])
        best = min(best, time.monotonic() - begin)
    return best


def main():
    """Measures, and compares with the goals."""
    build = sys.argv[1]
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 20000
    short = []

    def report(what, value, goal, text, more=False):
        good = goal is None or (value >= goal if more else value <= goal)
        print(f"{what}: {text}" + ("" if goal is None else f" (goal {goal}{'' if good else ', falls short'})"), flush=True)
        if not good:
            short.append(what)

    here = os.path.dirname(os.path.abspath(__file__))
    with tempfile.TemporaryDirectory() as folder:
        for processor in ["gfx90a", "gfx1030", "gfx1100"]:
            for level in ["0", "2"]:
                program = compiled(build, f"{here}/loops.hip", level, processor, folder)
                fast = loops(build, program, rounds, ["--threads", "1"])
                slow = loops(build, program, max(rounds // 10, 100), ["--no-translate", "--threads", "1"])
                for name, (device, host) in fast.items():
                    ratio, old = host / device, slow[name][1] / slow[name][0]
                    report(f"{processor} -O{level} {name}", ratio, GOALS.get((level, name)),
                         f"{ratio:.2f} of the host's -O0 loop, interpreted {old:.3f}, {ratio / old:.1f} times", more=True)
            # Long enough for both threads to have translated code.
            one, two = (loops(build, program, 20 * rounds, ["--threads", threads], ["12"]) for threads in "12")
            for name, (device, _) in one.items():
                report(f"{processor} -O2 {name} on two cores", device / two[name][0], CORES, f"{device / two[name][0]:.2f} times the speed of one", more=True)
        source = f"{folder}/one.hip"
        with open(source, "w", encoding="utf-8") as file:
            file.write(ONE)
        seconds = start(build, compiled(build, source, "0", "gfx90a", folder))
        report("a program with one launch", seconds, START, f"{seconds * 1000:.0f} ms")
    print("falls short of its goal: " + ("; ".join(short) or "nothing"))


if __name__ == "__main__":
    main()
