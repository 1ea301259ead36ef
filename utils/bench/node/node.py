#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A whole node: 8 GPUs of 304 units, and as many waves as they hold, beside LLDB with 1,024 CPU threads, in one run.

usage: node.py BUILD WAVES_PROGRAM OPTIMIZED_WAVES_PROGRAM THREADS_PROGRAM [WAVES]

Each figure is printed with its goal, and the last line says which fall short. docs/speed.md explains them.
"""
import json
import os
import subprocess
import sys
import tempfile
import threading
import time

top = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
sys.path[:0] = [os.path.join(top, "utils", "bench", "scaling"), os.path.join(top, "test", "Shell", "Inputs")]

PROCESSOR, DEVICES, UNITS = "gfx942", 8, 304
WAVES, THREADS, FEW = 77824, 1024, 16
REPEATS = 5
LIST, CORE, EDITOR, MEMORY = 0.3, 5.0, 1.0, 2 << 30


def family(root):
    """The processes that a process has started, directly or not, and itself."""
    parents = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
                parents[int(pid)] = int(file.read().rsplit(")", 1)[1].split()[1])
        except OSError:
            pass
    found = [root]
    for pid in found:
        found += [child for child, parent in parents.items() if parent == pid]
    # The device is a daemon, which knows its program.
    for pid in parents:
        try:
            with open(f"/proc/{pid}/cmdline", encoding="utf-8", errors="replace") as file:
                words = file.read().split("\0")
        except OSError:
            continue
        if words[0].endswith("wavelane-gpu") and "--pid" in words and int(words[words.index("--pid") + 1]) in found:
            found.append(pid)
    return found


def memory(root):
    """The bytes that a process and those it has started use, by name; shared memory counts once."""
    used = {}
    for pid in family(root):
        try:
            with open(f"/proc/{pid}/comm", encoding="utf-8") as file:
                name = file.read().strip()
            with open(f"/proc/{pid}/smaps_rollup", encoding="utf-8") as file:
                kib = next(int(line.split()[1]) for line in file if line.startswith("Pss:"))
        except (OSError, StopIteration):
            continue
        used[name] = used.get(name, 0) + kib * 1024
    return used


class Peak(threading.Thread):
    """Looks at the memory again and again."""

    def __init__(self, root):
        super().__init__(daemon=True)
        self.root, self.most, self.ended = root, {}, threading.Event()

    def run(self):
        while not self.ended.wait(0.25):
            used = memory(self.root)
            if sum(used.values()) > sum(self.most.values()):
                self.most = used

    def end(self):
        self.ended.set()
        self.join()
        return self.most


def seconds(work, *arguments):
    begin = time.monotonic()
    work(*arguments)
    return time.monotonic() - begin


def session(program, count, core):
    """Within one LLDB: the seconds of each operation, the best of several, since the machine may be busy."""
    from scaling import Session
    before = sum(memory(os.getpid()).values())
    figures = {}
    begin = time.monotonic()
    one = Session(program, "stop here", count)
    figures["launch"] = time.monotonic() - begin
    figures["first list"] = seconds(one.command, "thread list")
    for name in "next", "thread list", "continue":
        figures[name] = min(seconds(one.command, name) for _ in range(REPEATS))
    figures["stop"] = min(one.interrupt() for _ in range(REPEATS))
    used = memory(os.getpid())
    figures["memory"] = used
    figures["memory of all"] = sum(used.values()) - before
    if core:
        figures["save"] = seconds(one.command, f"process save-core {core}")
    one.end()
    return figures


def measure(program, count, core=""):
    """session() in a process of its own, and the most memory that was used."""
    with subprocess.Popen([sys.executable, __file__, "--session", program, str(count), core], stdout=subprocess.PIPE, text=True) as child:
        peak = Peak(child.pid)
        peak.start()
        output = child.communicate()[0]
        most = peak.end()
    if child.returncode:
        sys.exit(f"{program} {count} has failed")
    return {**json.loads(output.splitlines()[-1]), "peak": most}


def opened(build, core, waves):
    """Seconds until a core is open and its waves are listed."""
    begin = time.monotonic()
    text = subprocess.run([f"{build}/bin/lldb", "--no-lldbinit", "-b", "-o", f"target create --core {core}", "-o", "thread list"],
                          capture_output=True, text=True, check=False)
    took = time.monotonic() - begin
    if f"{waves} waves of a GPU" not in text.stdout:
        sys.exit(f"the core isn't open: {text.stdout[-500:]} {text.stderr[-500:]}")
    return took


def editor(build, program, waves):
    """Seconds of lldb-dap's answer to `threads`, the first one and later ones, and until a stop in the program."""
    from dap_client import Client
    source = os.path.join(top, "utils", "bench", "scaling", "waves.hip")
    with open(source, encoding="utf-8") as file:
        line = next(n for n, text in enumerate(file, 1) if "stop here" in text)
    client = Client(os.path.join(build, "bin", "lldb-dap"))
    client.launch(program, source, [line], args=[str(waves)])
    client.event("stopped", seconds=600)

    def threads():
        return client.response(client.send("threads"), seconds=300)
    first = seconds(threads)
    again = min(seconds(threads) for _ in range(REPEATS))
    client.disconnect()
    return first, again


def main():
    """Measures, and compares with the goals."""
    if sys.argv[1] == "--session":
        program, count, core = sys.argv[2:5]
        print(json.dumps(session(program, int(count), core)))
        return
    build, waves_program, optimized, threads_program = sys.argv[1:5]
    waves = int(sys.argv[5]) if len(sys.argv) > 5 else WAVES
    os.environ.update(WAVELANE_PROCESSOR=",".join([PROCESSOR] * DEVICES), WAVELANE_CUS=str(UNITS))
    short = []

    def report(what, value, goal, text):
        good = value <= goal
        print(f"{what}: {text} (goal {goal:.2f}{'' if good else ', falls short'})", flush=True)
        if not good:
            short.append(what)

    print(f"{DEVICES} {PROCESSOR} of {UNITS} units, {waves} waves; load {os.getloadavg()[0]:.1f}", flush=True)
    threads = measure(threads_program, THREADS)
    few = measure(waves_program, FEW)
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR", "/var/tmp")) as folder:
        core = os.path.join(folder, "core")
        many = measure(waves_program, waves, core)
        size = os.path.getsize(core)
        print(f"launch until stopped: {many['launch']:.1f} s, with {FEW} waves {few['launch']:.1f} s, {THREADS} threads {threads['launch']:.1f} s")
        for name in "stop", "continue":
            ratio = many[name] / threads[name]
            text = f"{many[name] * 1000:.0f} ms, {ratio:.2f} times that of {THREADS} threads, {threads[name] * 1000:.0f} ms"
            if name == "stop":
                report("stop to prompt", ratio, 1, text)
            else:
                print(f"continue to the next stop: {text}")
        ratio = many["next"] / few["next"]
        report("next", ratio, 2, f"{many['next'] * 1000:.0f} ms, {ratio:.2f} times that of {FEW} waves, {few['next'] * 1000:.0f} ms")
        report("thread list", many["thread list"], LIST, f"{many['thread list']:.2f} s, the first {many['first list']:.2f} s")
        # A kernel at -O0 has more registers and private memory than the goal.
        for what, figures in ("kernel at -O0", many), ("kernel at -O2", measure(optimized, waves, core + "-O2")):
            most = sum(figures["peak"].values())
            text = ", ".join(f"{name} {used >> 20} MB" for name, used in sorted(figures["peak"].items(), key=lambda item: -item[1]))
            report(f"memory of all processes, {what}", most / MEMORY, 1,
                 f"{most / (1 << 30):.2f} GiB at most ({text}), {figures['memory of all'] / (1 << 30):.2f} when stopped")
        took = min(opened(build, core, waves) for _ in range(2))
        report("a core opens", took, CORE, f"{took:.1f} s, of {size >> 20} MB, written in {many['save']:.1f} s")
    first, again = editor(build, waves_program, waves)
    report("an editor's threads", max(first, again), EDITOR, f"{first * 1000:.0f} ms, then {again * 1000:.0f} ms")
    print("falls short of its goal: " + ("; ".join(short) or "nothing"))


if __name__ == "__main__":
    main()
