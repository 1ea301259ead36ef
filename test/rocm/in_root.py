# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles, runs and debugs programs with the ROCm of the system that this runs in.

    in_root.py PROGRAMS FOLDER [--gpu GPU]... [--clang VERSION]...

PROGRAMS is test/programs/hip, FOLDER an empty one of this program's own. Wavelane is in the PATH.
"""

import argparse
import concurrent.futures
import glob
import os
import re
import resource
import shlex
import shutil
import subprocess
import sys

GPUS = ["gfx908", "gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201"]
# What each needs of the compiler: the host rounds each operation.
PROGRAMS = {"compute": [], "arithmetic": ["-ffp-contract=off"], "graphs": [], "newer": []}
LEVELS = ["-O0", "-O2"]
AMD_LIBRARY = "/usr/lib/x86_64-linux-gnu/librocm-dbgapi.so.0"
LIMIT = 300


def call(words, **options):
    """The exit status and what was printed."""
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                              timeout=LIMIT, **options)
        return done.returncode, done.stdout
    except subprocess.TimeoutExpired as expired:
        return None, (expired.stdout or b"").decode(errors="replace") + f"\nno end after {LIMIT} s"


class Bench:
    def __init__(self, options):
        self.programs, self.folder = os.path.abspath(options.programs), os.path.abspath(options.folder)
        self.gpus = options.gpu or GPUS
        self.clangs = options.clang or sorted(int(match[1]) for path in glob.glob("/usr/bin/clang++-*") if (match := re.search(r"-(\d+)$", path)))
        self.failures = []

    def compile(self, clang, gpu, level, program):
        """The path of the compiled program, or None."""
        name = f"{os.path.basename(program)}-{clang}-{gpu}{level}"
        code, text = call(["wavelane", "compile", "--dry-run", "--gpu", gpu, f"{self.programs}/{program}.hip", level,
                           *PROGRAMS.get(program, []), "-o", f"{self.folder}/{name}"])
        if code == 0:
            words = shlex.split(text.splitlines()[-1])
            words[0] = f"/usr/bin/clang++-{clang}"
            code, text = call(words)
        if code != 0:
            self.failures.append((f"compile {name}", text))
            return None
        return f"{self.folder}/{name}"

    def run(self, clang, gpu, level, program):
        """(those that passed, all)."""
        path = self.compile(clang, gpu, level, program)
        if not path:
            return 0, 2
        passed = 0
        for runtime in ("wavelane", "amd"):
            code, text = call(["wavelane", "run", "--runtime", runtime, "--device", gpu, path])
            if code == 0 and "PASSED" in text:
                passed += 1
            else:
                self.failures.append((f"{os.path.basename(path)} over {runtime}", text))
        return passed, 2

    def debug(self, clang, gpu, library):
        """Whether a session shows what it must."""
        path = self.compile(clang, gpu, "-O0", "saxpy")
        if not path:
            return False
        with open(f"{self.programs}/saxpy.hip", encoding="utf-8") as file:
            line = next(number for number, text in enumerate(file, 1) if "y[i] +=" in text)
        commands = ["settings set plugin.process.amdgpu.runtime amd"]
        if library:
            commands.append(f"settings set plugin.process.amdgpu.library {library}")
        commands += [f"breakpoint set -l {line} -f saxpy.hip", "run", "thread lane select 9", "frame variable", "next", "breakpoint disable", "continue"]
        words = ["wavelane-lldb", "-b"]
        for command in commands:
            words += ["-o", command]
        code, text = call(words + ["--", path])
        wanted = ["stop reason = breakpoint 1.1", "(int) i = 9", "(float) t = 27", "stop reason = step over", "saxpy: PASSED", "exited with status = 0"]
        missing = [each for each in wanted if each not in text]
        if code == 0 and not missing:
            return True
        self.failures.append((f"session {os.path.basename(path)} {library or 'own library'}, which lacks {missing}", text))
        return False

    def dump(self, clang, gpu):
        """Whether the core of a kernel that faults shows its wave."""
        path = self.compile(clang, gpu, "-O0", "../../rocm/fault")
        if not path:
            return False
        core = f"{self.folder}/gpu.{clang}.{gpu}"
        _, ran = call(["wavelane", "run", "--runtime", "amd", path], cwd=self.folder, env={**os.environ, "HSA_COREDUMP_PATTERN": core})
        cores = glob.glob(core) or glob.glob(f"{self.folder}/gpucore.*")
        if not cores:
            self.failures.append((f"core of {os.path.basename(path)}: none", ran))
            return False
        _, text = call(["wavelane-lldb", "-b", "-c", cores[0], "-o", "thread list"])
        os.remove(cores[0])
        if re.search(r"thread #1: .*stop reason = memory violation at 0x", text):
            return True
        self.failures.append((f"core of {os.path.basename(path)}", text))
        return False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs")
    parser.add_argument("folder")
    parser.add_argument("--gpu", action="append")
    parser.add_argument("--clang", action="append", type=int)
    bench = Bench(parser.parse_args())
    resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    for library in sorted(glob.glob("/usr/lib/x86_64-linux-gnu/libamdhip64.so.[0-9]")):
        names = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Shell", "Inputs", "hip_names.py")
        own = os.path.join(os.path.dirname(os.path.realpath(shutil.which("wavelane"))), "..", "lib", "wavelane", "libamdhip64.so.5")
        code, text = call([sys.executable, names, "readelf", own, library])
        print(f"HIP's functions, {library}: {text.splitlines()[-1]}")
        if code != 0:
            bench.failures.append((f"functions of {library}", text))
    libraries = [""] + ([AMD_LIBRARY] if os.path.exists(AMD_LIBRARY) else [])
    rows = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for clang in bench.clangs:
            for level in LEVELS:
                cells = [[pool.submit(bench.run, clang, gpu, level, program) for program in PROGRAMS] for gpu in bench.gpus]
                rows.append((f"clang {clang} {level}", cells))
            for library in libraries:
                rows.append((f"clang {clang} {'AMD library' if library else 'sessions'}",
                             [[pool.submit(lambda *a: (int(bench.debug(*a)), 1), clang, gpu, library)] for gpu in bench.gpus]))
            rows.append((f"clang {clang} cores", [[pool.submit(lambda *a: (int(bench.dump(*a)), 1), clang, gpu)] for gpu in bench.gpus]))
        print(f"{'':22}" + "".join(f"{gpu:>9}" for gpu in bench.gpus))
        passed = total = 0
        for name, cells in rows:
            sums = [tuple(map(sum, zip(*(future.result() for future in cell)))) for cell in cells]
            print(f"{name:22}" + "".join(f"{f'{good}/{count}':>9}" for good, count in sums), flush=True)
            passed, total = passed + sum(good for good, _ in sums), total + sum(count for _, count in sums)
    for what, text in bench.failures:
        print(f"== {what}\n" + "\n".join(text.splitlines()[-12:]))
    print(f"{passed} passed, {total - passed} failed")
    return 1 if bench.failures else 0


sys.exit(main())
