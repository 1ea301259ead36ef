# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Workers of the long runs that come to no end by themselves: each is reported by its seed, and the next seeds are tried.

usage: supervised_workers.py BUILD LOG; as a worker: supervised_workers.py FIRST END LOG"""
import os
import subprocess
import sys
import time

here = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, os.path.join(here, "..", "..", "long", "Inputs"))
import supervised  # noqa: E402


def work(first, end, log):
    with open(log, "a") as progress:
        for seed in range(first, end):
            print(seed, file=progress, flush=True)
            if seed == 1:
                # What it leaves holds its standard error.
                subprocess.Popen(["sleep", "50"], start_new_session=True)
                os.kill(os.getpid(), 11)
            if seed == 2:
                # As does what this one has started.
                subprocess.run(["sleep", "50"], start_new_session=True, check=True)
        print("end", 7, file=progress, flush=True)


def main():
    build, log = sys.argv[1:]

    def worker(first, end, log):
        return supervised.start(build, [__file__, str(first), str(end), log])

    failures, tried, shown = supervised.run(0, 5, log, worker, longest=3)
    for seed, outcome in failures:
        print(f"seed {seed}: {outcome}")
    print(f"{tried} tried, {shown} shown")


if __name__ == "__main__":
    if len(sys.argv) == 4 and sys.argv[1].isdigit():
        work(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
    else:
        main()
