#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Wavelane's LLDB beside a stock one of the same version, in sessions with ordinary programs: CPU seconds and peak memory.

usage: stock.py BUILD-FOLDER [STOCK-LLDB [ROUNDS [PART OF A SESSION'S NAME...]]]

A round runs each session with both, in turns; the ratio is the median of the rounds' ratios. CPU seconds are those of LLDB and of all that it has
waited for. The goal is 1.02 or less for each session, and 1.00 for their mean.
"""
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

FILES, STEPS, EXPRESSIONS = 20, 500, 80
VERSION = (pathlib.Path(__file__).resolve().parents[2] / "llvm-version").read_text(encoding="utf-8").split(".")
LLVM = f"/usr/lib/llvm-{VERSION[0]}"
LARGE = f"{LLVM}/lib/libLLVM.so.{VERSION[0]}.{VERSION[1]}"


def compile_program(folder, name, sources, compiler):
    paths = []
    for file, text in sources.items():
        paths.append(f"{folder}/{file}")
        with open(paths[-1], "w", encoding="utf-8") as out:
            out.write(text)
    subprocess.check_call([compiler, "-g", "-O0", "-fstandalone-debug", "-w", *paths, "-o", f"{folder}/{name}"])
    return f"{folder}/{name}"


def make_c(folder):
    """20 files, each with a structure and a function that calls the next file's."""
    sources = {}
    for i in range(FILES):
        call = f"f{i + 1}(n + 1, &next)" if i + 1 < FILES else "n"
        parameter = f"struct s{i + 1} {{ int a, b; double values[8]; const char *name; }};\nint f{i + 1}(int n, struct s{i + 1} *s);\n" if i + 1 < FILES else ""
        own = f"struct s{i} {{ int a, b; double values[8]; const char *name; }};\n"
        local = f"  struct s{i + 1} next = {{n, n + 1, {{0}}, \"file {i}\"}};\n" if i + 1 < FILES else ""
        sources[f"file{i}.c"] = f"{own}{parameter}int f{i}(int n, struct s{i} *s) {{\n{local}  s->a += n;\n  return {call} + s->a;\n}}\n"
    sources["main.c"] = ("struct s0 { int a, b; double values[8]; const char *name; };\nint f0(int n, struct s0 *s);\nint main(void) {\n"
                         "  struct s0 s = {1, 2, {0}, \"main\"};\n  int sum = 0;\n  for (int i = 0; i < 1000; i++) {\n    sum += f0(i, &s);\n    sum ^= i;\n"
                         "  }\n  return sum & 1;\n}\n")
    return compile_program(folder, "many", sources, f"{LLVM}/bin/clang")


STL = """#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>
struct Item { int number; std::string name; std::vector<double> weights; };
int main() {
  std::vector<int> numbers(200, 7);
  std::vector<Item> items;
  for (int i = 0; i < 50; i++) items.push_back({i, "item " + std::to_string(i), {1.0 * i, 2.0}});
  std::map<std::string, int> by_name;
  std::unordered_map<int, Item> by_number;
  for (auto &item : items) by_name[item.name] = item.number, by_number[item.number] = item;
  std::set<long> set{1, 2, 3};
  auto shared = std::make_shared<Item>(items[3]);
  std::unique_ptr<Item> unique(new Item(items[4]));
  return numbers.size() + by_name.size() + set.size(); // stop
}
"""


def make_sessions(folder):
    """The commands of each session, by name; and what its output must have."""
    many, stl = make_c(folder), compile_program(folder, "stl", {"stl.cpp": STL}, f"{LLVM}/bin/clang++")
    stop = ["breakpoint set -n main", "run"]
    expressions = [f"expression (int)(sum * {i} + s.a - i) % {i + 3}" if i % 2 else f"expression s.values[{i % 8}] + {i}" for i in range(EXPRESSIONS)]
    functions = ["expression int $f = sum", *expressions]
    return {
        "start-up": ([], None, None),
        "first stop": ([*stop, "bt"], many, "stop reason = breakpoint"),
        f"{STEPS} next": ([*stop, *["next"] * STEPS], many, "stop reason = step over"),
        f"{EXPRESSIONS} expressions": ([*stop, "next", "next", *functions], many, "(int) $"),
        "STL": (["breakpoint set -p stop", "run", *["frame variable"] * 5, "frame variable -T items", "frame variable shared unique by_name"], stl, "item 3"),
        "break in a large library": (["breakpoint set -n getToken", "breakpoint set -n main", "breakpoint set -r ^LLVMBuildAtomic"], LARGE, "locations"),
        "look-ups in a large library": (["image lookup -n LLVMBuildAdd", "image lookup -r -s LLVMConstInt", "image lookup -F LLVMBuildSub"], LARGE, "LLVMBuildAdd"),
    }


def run(lldb, commands, program, wanted, environment):
    """CPU seconds and peak kilobytes of one session."""
    words = [lldb, "--no-lldbinit", "-b", "--no-use-colors"]
    for command in [*commands, "quit"]:
        words += ["-o", command]
    words += [program] if program else []
    with tempfile.TemporaryFile() as out:
        child = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, env=environment)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        text = out.read().decode(errors="replace")
    if wanted and wanted not in text:
        sys.exit(f"{lldb}: no '{wanted}' in: {text[-2000:]}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss


def main(arguments):
    if not arguments:
        sys.exit(__doc__)
    lldbs = f"{os.path.abspath(arguments[0])}/bin/lldb", arguments[1] if len(arguments) > 1 else f"{LLVM}/bin/lldb"
    rounds, parts = int(arguments[2]) if len(arguments) > 2 else 10, arguments[3:]
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "LLDB_"))}
    ratios, memory = [], []
    print(f"Wavelane's LLDB / {lldbs[1]} ({rounds} rounds; medians of the ratios)")
    with tempfile.TemporaryDirectory() as folder:
        for name, session in make_sessions(folder).items():
            if parts and not any(part in name for part in parts):
                continue
            found = ([], [])
            for turn in range(2 * rounds + 2):
                which = (turn + turn // 2) % 2  # by turns, each the first as often
                result = run(lldbs[which], *session, environment)
                if turn >= 2:  # the first only warm up
                    found[which].append(result)
            pairs = list(zip(*found))
            ratios.append(statistics.median(ours[0] / stock[0] for ours, stock in pairs))
            memory.append(statistics.median(ours[1] / stock[1] for ours, stock in pairs))
            print(f"  {name}: {ratios[-1]:.3f}, {statistics.median(one[0] for one in found[0]):.3f} s of CPU; memory {memory[-1]:.3f}, "
                  f"{statistics.median(one[1] for one in found[0]) / 1024:.0f} MB", flush=True)
    print(f"  mean: {math.exp(statistics.mean(map(math.log, ratios))):.3f}; memory {math.exp(statistics.mean(map(math.log, memory))):.3f}")


if __name__ == "__main__":
    main(sys.argv[1:])
