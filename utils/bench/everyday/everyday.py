#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Thirteen everyday kernels on the simulated GPU, translated and interpreted, and by pocl, one thread each, in turns.

usage: everyday.py BUILD-FOLDER [ROUNDS [LEVEL...]]

LEVEL is 2 or 0, of optimization; -O0 takes minutes.

Prints processor time in milliseconds, and ratios to pocl with their goals. Results must be the interpreter's, and nearly pocl's. Without pocl
(Debian's pocl-opencl-icd and ocl-icd-opencl-dev), there are no ratios. docs/speed.md explains the figures.
"""
import math
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
KERNELS = ("axpy", "matmul", "total", "buckets", "prefix", "neighbors", "bodies", "option", "escape", "bytes", "shares", "digits", "hashes")
MEAN, WORST = 0.8, 4
OPTIMIZED_LESS = 3
LAUNCHES = 25


def compiled(build, processor, level, folder):
    """Compiles the kernels for a processor; returns the program's path."""
    program = f"{folder}/device-{processor}-O{level}"
    subprocess.check_call(
        ["clang++-19", "-std=c++17", "-x", "hip", f"--offload-arch={processor}", "--rocm-path=/usr",
         f"--rocm-device-lib-path={build}/test/programs/bitcode", "-Wno-unused-result", f"-O{level}", f"{HERE}/device.hip", "-o", program,
         f"-L{build}/lib/wavelane", "-lamdhip64"])
    return program


def pocl(folder):
    """Compiles the host's program for pocl; None if there is none."""
    program = f"{folder}/pocl"
    try:
        subprocess.check_call(["clang++-19", "-std=c++17", "-O2", f"{HERE}/pocl.cpp", "-o", program, "-lOpenCL"], stderr=subprocess.DEVNULL)
    except subprocess.CalledProcessError:
        return None
    return program


def measured(command, environment=None):
    """The first launch's time, the shortest of the others, and the result's sum."""
    first, best, total = subprocess.check_output(command, text=True, env=environment).split()
    return float(first), float(best), total


def is_near(one, other):
    """Whether two sums differ only by the order of their parts."""
    return abs(float(one) - float(other)) <= 1e-3 * abs(float(other))


def mean(ratios):
    """The geometric mean."""
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def main():
    """Measures, and compares with the goals."""
    build = sys.argv[1]
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    levels = [int(level) for level in sys.argv[3:]] or [2]
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        other = pocl(folder)
        environment = dict(os.environ, POCL_MAX_PTHREAD_COUNT="1", POCL_CACHE_DIR=f"{folder}/cache")
        for level in levels:
            for processor in ("gfx90a", "gfx1100"):
                program = compiled(build, processor, level, folder)
                run = [f"{build}/bin/wavelane-run", "--runtime", "wavelane", "--threads", "1"]
                ratios = []
                print(f"{processor}, -O{level}: kernel, first launch, translated, interpreted, pocl (ms), ratio to pocl")
                for kernel in KERNELS:
                    first, best, host = [], [], []
                    interpreted = measured([*run, "--no-translate", program, kernel, "1"])
                    for _ in range(rounds):
                        cold, warm, total = measured([*run, program, kernel, str(LAUNCHES)])
                        first.append(cold)
                        best.append(warm)
                        if total != interpreted[2]:
                            wrong.append(f"{kernel}, {processor}, -O{level}: {total}, interpreted {interpreted[2]}")
                        if other:
                            host.append(measured([other, kernel, str(LAUNCHES), f"{HERE}/kernels.h"], environment))
                            if not is_near(total, host[-1][2]):
                                wrong.append(f"{kernel}, {processor}, -O{level}: {total}, pocl {host[-1][2]}")
                    row = f"  {kernel:10} {min(first):8.2f} {min(best):8.2f} {interpreted[1]:8.2f}"
                    if host:
                        theirs = min(time for _, time, _ in host)
                        ratios.append(min(best) / theirs)
                        row += f" {theirs:8.2f} {ratios[-1]:6.1f}"
                    print(row, flush=True)
                if ratios and level:
                    print(f"  geometric mean {mean(ratios):.2f} (goal {MEAN}), worst {max(ratios):.1f} (goal {WORST})")
                elif ratios:
                    print(f"  geometric mean {mean(ratios):.2f} (goal {OPTIMIZED_LESS})")
    for each in wrong:
        print("WRONG:", each)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
