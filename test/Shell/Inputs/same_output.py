# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs each program of test/programs/hip with Wavelane's runtime and AMD's, and compares what it prints and its exit code."""
import concurrent.futures
import os
import re
import signal
import subprocess
import sys

import checks_table

RUN, PROGRAMS, SOURCES, EXCEPTIONS = sys.argv[1:]
# The options that make a program do something; others have none.
OPTIONS = {
    "behaviors": ["functions", "choices", "stack", "memories", "lanes", "position", "jump", "rounds", "ordered", "both", "peer"],
    "cooperative": ["", "grids", "refused", "ordinary"],
    "exceptions": ["", "arithmetic", "unaligned", "local", "generic", "errors"],
    "faults": ["", "violation", "trap", "debugtrap", "assert", "illegal", "divide", "abort", "some", "fork", "hostcrash",
               "endless leave"],
    "graphs": ["", "captured"],
    "publish": ["", "fence"],
    "rtc": ["", "-DNO_ERRORS"],
    "silent": ["", "ignored", "launch", "used", "asked"],
    "stops": ["", "scale 500"],
    **{name + "-bugs": ["all clean"] for name, *_ in checks_table.entries("CHECK")},
}
DEVICES = {"textures": "gfx1030", "behaviors both": "gfx90a,gfx90a", "behaviors peer": "gfx90a,gfx90a",
           "devices": "gfx90a,gfx90a", "features": "gfx90a,gfx90a", "cooperative grids": "gfx90a,gfx90a"}
# HIP 5.2's hipGetErrorString gives the name; that of HIP 6.4, and ours, a text.
TEXTS = {"hipSuccess": "no error", "hipErrorCooperativeLaunchTooLarge": "too many blocks in cooperative launch"}
LIMIT = 60


def run(runtime, case):
    name, *options = case.split()
    command = [RUN, "--runtime", runtime, "--device", DEVICES.get(case, "gfx90a"), f"{PROGRAMS}/{name}-cov4", *options]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          errors="replace", start_new_session=True) as process:
        try:
            output, errors = process.communicate(timeout=LIMIT)
            code = process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, errors = process.communicate()
            code = "no end"
    output = re.sub(r"0x[0-9a-f]{8,}", "ADDRESS", output)
    for error, text in TEXTS.items():
        output = re.sub(rf"\b{error}\b", text, output)
    return code, output, errors


def read_exceptions():
    found = {}
    with open(EXCEPTIONS, encoding="utf-8") as file:
        for line in file:
            if not line.startswith("#") and ": " in line:
                case, _, reason = line.strip().partition(": ")
                found[case] = reason
    return found


def main():
    exceptions = read_exceptions()
    names = sorted(file[:-len(".hip")] for file in os.listdir(SOURCES) if file.endswith(".hip"))
    cases = [f"{name} {options}".strip() for name in names for options in OPTIONS.get(name, [""])]
    bad = [f"{case} differs: {EXCEPTIONS} names it, but there is no such run" for case in exceptions if case not in cases]
    cases = [case for case in cases if not exceptions.get(case, "").startswith("not run: ")]
    pairs = [(runtime, case) for case in cases for runtime in ("wavelane", "amd")]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda pair: run(*pair), pairs))
    same = known = 0
    for case, ours, theirs in zip(cases, results[::2], results[1::2]):
        if ours[:2] == theirs[:2] and case in exceptions:
            bad.append(f"{case} differs no longer, but {EXCEPTIONS} names it")
        elif ours[:2] == theirs[:2]:
            same += 1
        elif case in exceptions:
            known += 1
        else:
            bad.append(f"{case} differs:\nours: {ours[0]}\n{ours[1]}{ours[2]}\nAMD's: {theirs[0]}\n{theirs[1]}{theirs[2][:2000]}")
    print("\n".join(bad))
    print(f"{same} runs are the same, {known} differ for a known reason, {len(bad)} others")


main()
