#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cost of Wavelane in a session with an ordinary CPU program: the same LLDB with and without it, in turns, in one run.

usage: overhead.py BUILD-FOLDER LLDB-SERVER-WITHOUT [ROUNDS]

With valgrind, it also compares the instructions that LLDB executes, which don't depend on what else the machine does.
The goal is 1.01 or less for each.
"""
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

LOCALS, STEPS, READS = 1000, 600, 20
LARGE = ["/usr/lib/llvm-19/bin/clang", "/usr/lib/llvm-19/lib/libclang-cpp.so.19.1", "/usr/lib/llvm-19/lib/libLLVM.so.19.1"]


def program(folder):
    """A program whose one frame has a thousand locals."""
    kinds = ["int", "double", "const char *", "struct point"]
    with open(f"{folder}/locals.c", "w", encoding="utf-8") as file:
        file.write("struct point { int x, y; };\nvolatile int sink;\nint main(void) {\n")
        values = {"int": "{}", "double": "{}.5", "const char *": '"text {}"', "struct point": "{{{}, 1}}"}
        for i in range(LOCALS):
            file.write(f"  {kinds[i % 4]} v{i} = {values[kinds[i % 4]].format(i)};\n")
        file.write("  sink = 0; /* stop */\n  for (;;) {\n    v0 = v0 + 1;\n    sink = v0;\n    v4 = v4 + 1;\n  }\n}\n")
    subprocess.check_call(["clang-19", "-g", "-O0", "-w", f"{folder}/locals.c", "-o", f"{folder}/locals"])
    return f"{folder}/locals"


def without(build, server, folder):
    """Makes a copy of the build's LLDB without Wavelane; returns the path of its lldb."""
    shutil.copytree(f"{build}/bin", f"{folder}/bin", ignore=lambda _, names: [n for n in names if not n.startswith("lldb") or n == "lldb-server"])
    shutil.copytree(f"{build}/lib", f"{folder}/lib", symlinks=True, ignore=lambda _, names: [n for n in names if "wavelane" in n])
    modules = "local/lib/" + os.listdir(f"{build}/local/lib")[0] + "/dist-packages/lldb"
    native = f"{modules}/native"
    extension = next(name for name in os.listdir(f"{build}/{native}") if name.startswith("_lldb"))
    shutil.copytree(f"{build}/{modules}", f"{folder}/{modules}", ignore=lambda _, names: [n for n in names if n == extension])
    os.symlink(f"{folder}/lib/liblldb.so", f"{folder}/{native}/{extension}")
    subprocess.check_call(["strip", server, "-o", f"{folder}/bin/lldb-server"])
    return f"{folder}/bin/lldb"


QUIT = ["--no-lldbinit", "-b", "-o", "quit"]


def instructions(lldb, modules, path):
    """Counts LLDB's instructions for each thing, with callgrind."""
    def collected(*command):
        output = subprocess.check_output(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *command],
                                         env={**os.environ, "PYTHONPATH": modules}, stderr=subprocess.STDOUT, text=True)
        return int(re.search(r"Collected : (\d+)", output)[1])

    def count(reads, steps):
        return collected(sys.executable, __file__, "--counted", path, str(reads), str(steps))

    nothing = count(0, 0)
    return {"lldb -b -o quit": collected(lldb, *QUIT), "start-up and launch": nothing, f"frame variable of {LOCALS} locals": count(READS, 0) - nothing, "step": count(0, STEPS) - nothing}


def counted(path, reads, steps):
    """What instructions() counts."""
    import lldb
    debugger = lldb.SBDebugger.Create()
    debugger.SetAsync(False)
    out = lldb.SBCommandReturnObject()
    target = debugger.CreateTarget(path)
    target.BreakpointCreateBySourceRegex("/. stop ./", lldb.SBFileSpec("locals.c"))
    process = target.LaunchSimple(None, None, ".")
    thread = process.GetSelectedThread()
    for _ in range(reads):
        thread.StepInstruction(False)
        debugger.GetCommandInterpreter().HandleCommand("frame variable", out)
        assert out.GetOutput().count("\n") >= LOCALS, out.GetOutput()[-300:]
    for _ in range(steps):
        thread.StepOver()
    process.Kill()


def child(path):
    """Within one LLDB: prints the seconds that each thing took."""
    times = {}

    def measure(name, function):
        begin = time.perf_counter()
        result = function()
        times[name] = time.perf_counter() - begin
        return result

    lldb = measure("start-up", lambda: __import__("lldb"))
    begin = time.perf_counter()
    debugger = lldb.SBDebugger.Create()
    times["start-up"] += time.perf_counter() - begin
    debugger.SetAsync(False)
    out = lldb.SBCommandReturnObject()

    def load():
        target = debugger.CreateTarget(LARGE[0])
        for path in LARGE[1:]:
            target.AddModule(os.path.realpath(path), "x86_64", None)
        count = sum(m.GetNumSymbols() for m in target.module_iter())
        assert count > 50000 and target.FindFunctions("main"), count
        return target

    large = measure("symbols of clang and its libraries", load)
    measure("breakpoint by name in them", lambda: large.BreakpointCreateByName("getToken"))
    debugger.DeleteTarget(large)
    target = debugger.CreateTarget(path)
    target.BreakpointCreateBySourceRegex("/. stop ./", lldb.SBFileSpec("locals.c"))
    process = measure("launch until a breakpoint", lambda: target.LaunchSimple(None, None, "."))
    thread = process.GetSelectedThread()

    def variables():
        for _ in range(READS):
            thread.StepInstruction(False)
            debugger.GetCommandInterpreter().HandleCommand("frame variable", out)
            assert out.GetOutput().count("\n") >= LOCALS, out.GetOutput()[-300:]

    measure(f"frame variable of {LOCALS} locals", variables)

    def steps():
        for _ in range(STEPS):
            thread.StepOver()

    measure("step", steps)
    measure("bt", lambda: debugger.GetCommandInterpreter().HandleCommand("bt", out))
    process.Kill()
    print(json.dumps(times))


def main(arguments):
    if arguments[0] == "--child":
        return child(arguments[1])
    if arguments[0] == "--counted":
        return counted(arguments[1], *map(int, arguments[2:]))
    (build, server), rounds = arguments[:2], int(arguments[2]) if len(arguments) > 2 else 15
    times = ({}, {})
    with tempfile.TemporaryDirectory() as folder:
        lldbs = f"{build}/bin/lldb", without(build, server, f"{folder}/without")
        modules = [subprocess.check_output([lldb, "-P"], text=True).strip() for lldb in lldbs]
        path = program(folder)
        for turn in range(2 * rounds + 2):
            which = (turn + turn // 2) % 2  # by turns, each the first as often
            result = json.loads(subprocess.check_output(
                [sys.executable, __file__, "--child", path], env={**os.environ, "PYTHONPATH": modules[which]}, text=True))
            begin = time.perf_counter()
            subprocess.check_output([lldbs[which], *QUIT], text=True)
            result["lldb -b -o quit"] = time.perf_counter() - begin
            for name, seconds in result.items() if turn >= 2 else ():  # the first only warms up
                times[which].setdefault(name, []).append(seconds)
        counts = [instructions(lldb, module, path) for lldb, module in zip(lldbs, modules)] if shutil.which("valgrind") else [{}, {}]
    print(f"ordinary CPU debugging with Wavelane / without ({rounds} rounds; medians, and in brackets the fastest)")
    for name, seconds in times[0].items():
        others = times[1][name]
        print(f"  {name}: {statistics.median(seconds) / statistics.median(others):.3f} ({min(seconds) / min(others):.3f})"
              f", {statistics.median(seconds) * 1000:.1f} ms")
    for name, count in counts[0].items():
        print(f"  instructions of {name}: {count / counts[1][name]:.4f}, {count / 1e6:.0f} million (goal: 1.01)")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
