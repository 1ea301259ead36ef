# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the loops of lane_loops.py, annotated, in LLDB, and compares each lane's value of the loop's variable with the memory that the lane
really accesses: the registers of the memory operands at each instruction of whole passes.

Prints the results for each program's loops, for each compiler and for all, and every error; it fails if there is one."""
import argparse
import collections
import json
import os
import re
import shutil
import subprocess
import sys

import lane_loops
from lane_session import Session, regions

TOP = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
V4 = "-O3 -march=x86-64-v4 -mprefer-vector-width=512"
FLAGS = {  # name: (flags of clang, flags of gcc, what the processor must have)
    "sse": ("-O2", "-O3", None),
    "avx2": ("-O3 -mavx2", "-O3 -mavx2", "avx2"),
    "avx512": (V4, V4, "avx512f"),
    "fast": ("-O3 -mavx2 -ffast-math", "-O3 -mavx2 -ffast-math -funroll-loops", "avx2"),
    "narrow": ("-O2 -msse4.2 -mllvm -force-vector-interleave=1", "-O2 -ftree-vectorize -msse4.2", "sse4_2"),
    "unrolled": ("-O3 -mavx2 -funroll-loops -mllvm -unroll-runtime", "-O3 -fvect-cost-model=unlimited -funroll-all-loops", "avx2"),
    "strange": ("-O3 -mavx2 -mllvm -enable-interleaved-mem-accesses -mllvm -enable-cond-stores-vec=1 -fno-omit-frame-pointer",
                "-O3 -mavx2 -fno-omit-frame-pointer -fno-inline-small-functions -fPIC", "avx2"),
    "medium": ("-O3 -mavx2 -mcmodel=medium", "-O3 -mavx2 -mcmodel=medium -mlarge-data-threshold=0", "avx2"),
}
with open(os.path.join(TOP, "utils", "llvm-version")) as version:
    COMPILERS = ("clang-14", "clang-16", "clang-19", "clang-" + version.read().split(".")[0], "gcc")


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        return set(next(line for line in file if line.startswith("flags")).split())


class Counts:
    """The results for the loops of some programs."""

    def __init__(self):
        self.what, self.reasons, self.names = collections.Counter(), collections.Counter(), set()

    def add(self, reports, session):
        lanes = sum(1 for r in reports if r["lanes"])
        self.what.update({"vectorized": len(reports), "annotated": lanes, "refused": len(reports) - lanes, "stopped at": session.checked,
                          "not reached": len(session.unreached), "values": session.values, "wrong": len(session.wrong)})
        self.reasons.update(r["reason"] for r in reports if not r["lanes"])
        self.names |= session.seen

    def line(self):
        return ", ".join(f"{count} {what}" for what, count in self.what.items())

    def reasons_line(self):
        return ", ".join(f"{reason} {count}" for reason, count in self.reasons.most_common()) or "none"


class Proof:
    """The programs of one run."""

    def __init__(self, folder):
        self.folder, self.by_compiler, self.all = folder, {}, Counts()
        self.unchecked, self.not_run = [], 0
        os.makedirs(folder, exist_ok=True)

    def run(self, language, loops, compiler, name):
        """One program: the loops, compiled by a compiler with the options of that name."""
        for_clang, for_gcc, needed = FLAGS[name]
        is_clang = "clang" in compiler
        flags = (for_clang if is_clang else for_gcc).split()
        missing = f"{compiler} isn't installed" if not shutil.which(compiler) else (
            f"the processor has no {needed}" if needed and needed not in processor() else None)
        if missing:
            print(f"{compiler} {name}: not run: {missing}")
            self.not_run += 1
            return
        program = os.path.join(self.folder, f"{language.replace('+', 'p')}-{compiler}-{name}")
        driver = compiler.replace("clang", "clang++").replace("gcc", "g++") if language == "c++" else compiler
        reports = annotated(driver, [*flags, "-w", "-g", "-fopenmp=libgomp" if is_clang else "-fopenmp"], self.source(language, loops), program)
        session = Session(program, loops)
        silent = session.vectorized() - {plain_name(r["function"]) for r in reports}
        session.run(regions(program))
        session.wrong += [f"{name}: its vectorized loop isn't reported" for name in sorted(silent)]
        reports = [r for r in reports if r["function"] != "main"]
        for counts in (self.all, self.by_compiler.setdefault(compiler, Counts())):
            counts.add(reports, session)
        one = Counts()
        one.add(reports, session)
        print(f"{language} {compiler} {' '.join(flags)}: {one.line()}", flush=True)
        for text in session.wrong:
            print("   WRONG", text, flush=True)
        self.unchecked += [f"{program}: {u}" for u in session.unchecked]

    def source(self, language, loops):
        path = os.path.join(self.folder, "loops." + {"c": "c", "c++": "cpp"}[language])
        with open(path, "w", encoding="utf-8") as file:
            file.write(lane_loops.program(loops))
        return path

    def summary(self):
        for compiler, counts in self.by_compiler.items():
            print(f"{compiler}: {counts.line()}")
            print(f"{compiler} refused: {counts.reasons_line()}")
        print(f"all: {self.all.line()}")
        print(f"all refused: {self.all.reasons_line()}")
        with open(os.path.join(self.folder, "unchecked"), "w", encoding="utf-8") as file:
            file.write("\n".join(self.unchecked) + "\n")
        print(f"{len(self.unchecked)} pieces of code without a whole pass to compare, {self.not_run} programs not run")
        print(f"{len(self.all.names)} distinct loops compared, wrong: {self.all.what['wrong']}")


def plain_name(symbol):
    """A function's name in the table, by its symbol, which may be mangled."""
    match = re.match(r"_Z(\d+)(.*)", symbol)
    return match[2][:int(match[1])] if match else symbol.split(".")[0]


def annotated(compiler, flags, source, program):
    """Compiles with annotate-lanes; returns its report of each loop."""
    result = subprocess.run([sys.executable, os.path.join(TOP, "utils", "annotate-lanes"), "--json", compiler, *flags, source, "-o", program],
                            capture_output=True, text=True, check=False)
    if result.returncode:
        raise SystemExit(f"{compiler} {' '.join(flags)}: {result.stdout}{result.stderr}")
    return json.loads(result.stdout)["loops"]


def main():
    parser = argparse.ArgumentParser(description="Compares the lanes of annotated loops with the memory that they touch.")
    parser.add_argument("folder", help="for the programs")
    parser.add_argument("--compilers", default=",".join(COMPILERS))
    parser.add_argument("--flags", default=",".join(FLAGS), help="names of sets of options")
    parser.add_argument("--rows", help="names of rows of the table")
    parser.add_argument("--elements", default=",".join(lane_loops.ALL), help="names of elements' types")
    parser.add_argument("--languages", default="c,c++")
    arguments = parser.parse_args()
    proof = Proof(arguments.folder)
    for language in arguments.languages.split(","):
        loops = lane_loops.loops(language, arguments.rows and arguments.rows.split(","), arguments.elements.split(","))
        for compiler in arguments.compilers.split(",") if loops else []:
            for name in arguments.flags.split(","):
                proof.run(language, loops, compiler, name)
    proof.summary()
    return 1 if proof.all.what["wrong"] or not proof.all.what["annotated"] else 0


if __name__ == "__main__":
    sys.exit(main())
