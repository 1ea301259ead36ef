# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Opens GPU core files made by make-gpu-core, and compares every kind of value with the original."""
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import lldb
from why import whether

build = os.environ["WAVELANE_BUILD"]
MASK = 0xffffffff
LOAD_BASE = 0x20000000
folder = tempfile.mkdtemp()


def mix(a, b, c):
    """Like test/cores/CoreState.h."""
    x = (a * 0x9e3779b1 & MASK) ^ (b * 0x85ebca6b & MASK) ^ (c * 0xc2b2ae35 & MASK)
    x ^= x >> 15
    return x * 0x2c1b3c6d & MASK


def signed(x):
    return x - (1 << 32) if x >> 31 else x


class Session:
    """A debugger and its messages."""

    def __init__(self):
        self.debugger = lldb.SBDebugger.Create()
        self.debugger.SetAsync(False)
        self.errors = tempfile.TemporaryFile("w+")
        self.debugger.SetErrorFileHandle(self.errors, False)

    def command(self, text):
        result = lldb.SBCommandReturnObject()
        self.debugger.GetCommandInterpreter().HandleCommand(text, result)
        return (result.GetOutput() or "") + (result.GetError() or "")

    def said(self):
        """Warnings and errors since the last call."""
        self.errors.flush()
        self.errors.seek(0)
        text = self.errors.read()
        self.errors.seek(0)
        self.errors.truncate()
        return text.replace(folder, "FOLDER").replace(build, "BUILD")

    def open(self, path):
        return self.command(f"target create --core {path}").replace(folder, "FOLDER")

    def waves(self):
        return self.debugger.GetSelectedTarget().GetProcess()

    def close(self):
        lldb.SBDebugger.Destroy(self.debugger)


def make(name, *options):
    path = os.path.join(folder, name)
    subprocess.run([f"{build}/test/make-gpu-core", path, *options], check=True)
    return path


def line_offset(code, line):
    """The offset of a line's code from the kernel's start."""
    text = subprocess.run(["/usr/lib/llvm-19/bin/llvm-objdump", "-d", "-l", "--disassemble-symbols=add", code],
                          check=True, capture_output=True, text=True).stdout
    start = int(re.search(r"^([0-9a-f]+) <add>:", text, re.M).group(1), 16)
    behind = text[text.index(f"kernel.cpp:{line}\n"):]
    return int(re.search(r"// ([0-9A-F]+):", behind).group(1), 16) - start


def unsigned(value):
    """The elements of a register's value."""
    data, error = value.GetData(), lldb.SBError()
    return [data.GetUnsignedInt32(error, 4 * i) for i in range(value.GetByteSize() // 4)]


def line_of(frame):
    """0 where there is no debug information."""
    entry = frame.GetLineEntry()
    return entry.GetLine() if entry.IsValid() else 0


def compare(session, gpu, lanes, line, expect_variables=True, expect_waves=6):
    """Compares all values of all waves. Returns how many were compared, and those that differ."""
    count, wrong = 0, []

    def check(what, got, want):
        nonlocal count
        count += 1
        if got != want:
            wrong.append(f"{what}: {got}, not {want}")

    waves = session.waves()
    check("waves", waves.GetNumThreads(), expect_waves)
    # Each queue's waves have different values.
    queues = {q["id"]: q["os_id"] for q in json.loads(session.command("gpu queue list --json"))}
    seeds = {w["thread"]: 1000 * (queues[w["queue"]] - 7) for w in json.loads(session.command("gpu wave list --json"))}
    for thread in waves:
        match = re.match(r"add \((\d+),2,3\)/(\d+)", thread.GetName())
        if not match:
            wrong.append(f"name {thread.GetName()}")
            continue
        i = int(match.group(1)) * 3 + int(match.group(2))
        seed = seeds[thread.GetThreadID()]
        waves.SetSelectedThread(thread)
        frame = thread.GetFrameAtIndex(0)
        check("stop", thread.GetStopReason(), lldb.eStopReasonException if i % 2 else lldb.eStopReasonNone)
        check("function", "add" in (frame.GetFunctionName() or ""), True)
        check("line", line_of(frame), line)
        registers = {r.GetName(): r for group in frame.GetRegisters() for r in group}
        exec_mask = (0xff00ff00ff00ff00 if lanes == 64 else 0xff00ff00) | i
        check("exec", registers["exec"].GetValueAsUnsigned(), exec_mask)
        check("m0", registers["m0"].GetValueAsUnsigned(), 0x55 + i)
        for r in (5, 40, 99):
            check(f"s{r}", registers[f"s{r}"].GetValueAsUnsigned(), mix(seed + i, r, 1))
        for r in (0, 23):
            check(f"v{r}", unsigned(registers[f"v{r}"]), [mix(seed + i, r, 100 + l) for l in range(lanes)])
        if gpu in ("gfx908", "gfx90a", "gfx942"):
            check("a7", unsigned(registers["a7"]), [mix(seed + i, 7, 200 + l) for l in range(lanes)])
        local = session.command("gpu memory read --space local 0x10")
        check("local", local.split()[1:5], [f"{mix(seed + i // 3, 4 + w, 300):#010x}" for w in range(4)])
        private = session.command("gpu memory read --space private_wave 0x40")
        check("private_wave", private.split()[1:5], [f"{mix(seed + i, 16 + w, 400):#010x}" for w in range(4)])
        active = [l for l in range(lanes) if exec_mask >> l & 1]
        text = session.command("thread lane list")
        check("lanes", f"{lanes} lanes, {len(active)} active" in text, True)
        for lane in (active[0], active[-1]):
            session.command(f"thread lane select {lane}")
            frame = thread.GetFrameAtIndex(0)
            if expect_variables:
                check(f"t of lane {lane}", frame.FindVariable("t").GetValue(), str(signed(mix(seed + i, 4 * lanes + lane, 400))))
            private = session.command("gpu memory read --space private_lane 0x20")
            check("private_lane", private.split()[1], f"{mix(seed + i, 8 * lanes + lane, 400):#010x}")
    return count, wrong


def servers_left(tries=300):
    """How many servers are left when their cores have been closed."""
    for _ in range(tries):
        servers = 0
        for process in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{process}/stat") as file:
                    _, _, rest = file.read().partition("(lldb-server)")
                servers += bool(rest) and rest.split()[1] == str(os.getpid())
            except OSError:
                pass  # it has ended
        if not servers:
            break
        time.sleep(0.1)  # LLDB reaps its servers without an event.
    return servers


def saved_program():
    """A core of host and GPU, written by a session."""
    session = Session()
    host = session.debugger.CreateTarget(f"{build}/test/programs/saxpy-O0")
    host.BreakpointCreateByLocation("saxpy.hip", 13)
    host.LaunchSimple(None, None, ".")
    path = os.path.join(folder, "both")
    session.command(f"process save-core {path}")
    host.GetProcess().Kill()
    session.close()
    return path


def every_gpu(with_host):
    host = saved_program() if with_host else None
    for name in sorted(os.listdir(f"{build}/test/cores")):
        if not name.endswith(".co"):
            continue
        gpu, lanes = name[:-3].split("-")
        code = f"{build}/test/cores/{name}"
        path = make(f"gpucore.{len(name)}", f"gpu={gpu}", f"lanes={lanes}", f"code={code}", "kernel=add",
                    f"at={line_offset(code, 7)}", *([f"into={host}"] if host else []))
        session = Session()
        session.open(path)
        target = session.debugger.GetSelectedTarget()
        count, wrong = compare(session, gpu, int(lanes), 7)
        dispatch = session.command("gpu dispatch list").splitlines()
        facts = dict(zip(re.split(r"\s{2,}", dispatch[0]), re.split(r"\s{2,}", dispatch[1])))
        print(f"== {gpu} with {lanes} lanes: {json.loads(session.command('gpu agent list --json'))[0]['architecture']}, "
              f"{count} values, {len(wrong)} wrong; dispatch of {facts['kernel']}, grid {facts['grid_size']}, "
              f"groups {facts['workgroup_size']}, queues {len(session.command('gpu queue list').splitlines()) - 1}"
              f"{session.said()}")
        for text in wrong[:5]:
            print("  ", text)
        if host:
            program = session.debugger.GetTargetAtIndex(0)
            frames = [frame.GetFunctionName() for frame in program.GetProcess().GetThreadAtIndex(0).get_thread_frames()]
            print(f"host: {program.GetTriple().split('-')[0]}, several threads: {whether(program.GetProcess().GetNumThreads() > 1, program.GetProcess().GetNumThreads())}, "
                  f"in main: {whether('main' in frames, frames)}, the GPU is selected: {whether(target == session.debugger.GetTargetAtIndex(1), target)}")
        session.close()


def running_on():
    """A wave of each core steps on a simulated GPU, and back to where it was."""
    for name in sorted(os.listdir(f"{build}/test/cores")):
        if not name.endswith(".co"):
            continue
        gpu, lanes = name[:-3].split("-")
        session = Session()
        session.open(make("gpucore.90", f"gpu={gpu}", f"lanes={lanes}", f"code={build}/test/cores/{name}", "kernel=add"))

        def state():
            return session.waves().GetSelectedThread().GetFrameAtIndex(0).GetPC(), session.command("register read s4 v1")

        begin = state()
        said = [session.command("thread step-inst").splitlines() for _ in range(2)]
        after = state()
        session.command("reverse-stepi")
        session.command("reverse-stepi")
        back = state()
        print(f"== {gpu} with {lanes} lanes: {whether(after[0] > begin[0] and back == begin, f'{begin[0]:#x} {after[0]:#x} {back[0]:#x} {said}')}")
        session.close()


# Several queues, several XCCs, one of which has no waves.
SEVERAL = (("gfx942", ("xccs=2",), 6), ("gfx942", ("xccs=4", "groups=2"), 6), ("gfx942", ("xccs=2", "queues=3", "groups=4"), 36),
           ("gfx90a", ("queues=2",), 12), ("gfx1100", ("queues=2", "lanes=64"), 12))
# The queue doesn't say how much private memory it has in an XCC, as ROCr since version 11 of r_debug.
UNSTATED = (("gfx942", ("xccs=2", "stated=0"), 6),)


def queues_and_xccs(cases):
    for gpu, options, waves in cases:
        code = f"{build}/test/cores/{gpu}-64.co"
        session = Session()
        session.open(make("gpucore.9", f"gpu={gpu}", f"code={code}", "kernel=add", f"at={line_offset(code, 7)}", *options))
        count, wrong = compare(session, gpu, 64, 7, expect_waves=waves)
        print(f"== {gpu} {' '.join(options)}: {count} values, {len(wrong)} wrong; queues "
              f"{len(json.loads(session.command('gpu queue list --json')))}, dispatches "
              f"{len(json.loads(session.command('gpu dispatch list --json')))}{session.said()}")
        for text in wrong[:5]:
            print("  ", text)
        session.close()


def places_of_code():
    """The code object from its file, by its build ID, from memory; host memory from elsewhere, or missing."""
    code = f"{build}/test/cores/gfx90a-64.co"
    at = f"at={line_offset(code, 7)}"
    moved = os.path.join(folder, "moved")
    os.mkdir(moved)
    shutil.copy(code, os.path.join(moved, "any.name"))

    def opened(title, path, line, *commands):
        session = Session()
        for text in commands:
            print(session.command(text), end="")
        session.open(path)
        count, wrong = compare(session, "gfx90a", 64, line, expect_variables=line)
        print(f"== {title}: {count} values, {len(wrong)} wrong")
        for text in wrong[:5]:
            print("  ", text)
        print(session.said().strip())
        session.command("settings clear plugin.process.amdgpu.code-objects")
        session.command("settings clear plugin.process.amdgpu.host-core")
        session.close()

    split = os.path.join(folder, "host-of-77")
    path = make("gpucore.77", f"code={code}", "kernel=add", at, f"host={split}")
    opened("host's core named", path, 7, f"settings set plugin.process.amdgpu.host-core {split}")
    shutil.copy(split, os.path.join(folder, "core.77"))
    opened("host's core beside", path, 7)
    os.remove(os.path.join(folder, "core.77"))
    opened("no host memory", path, 0)
    opened("no host memory, code by build ID", path, 7, f"settings set plugin.process.amdgpu.code-objects {moved}")
    path = make("gpucore.78", f"code={code}", "kernel=add", at, "uri=file:///nowhere/at-all.co")
    opened("file moved, by build ID", path, 7, f"settings set plugin.process.amdgpu.code-objects {moved}")
    opened("file gone, from memory", path, 0)
    other = f"{build}/test/cores/gfx908-64.co"
    path = make("gpucore.79", f"code={code}", "kernel=add", at, f"uri=file://{other}")
    opened("file has changed", path, 0)


def bad_cores():
    """Each way in which a core can be wrong: the reason is reported, and LLDB and its targets are unchanged."""
    code = f"{build}/test/cores/gfx90a-64.co"
    usual = (f"code={code}", "kernel=add", f"at={line_offset(code, 7)}")
    session = Session()
    session.open(make("gpucore.1", *usual))
    good = session.debugger.GetSelectedTarget()

    def attempt(title, path):
        before = session.debugger.GetNumTargets()
        opened = session.open(path).strip()
        print(f"== {title}: {opened}")
        print(session.said().strip())
        if session.debugger.GetNumTargets() > before:
            waves = session.waves()
            print(f"{waves.GetNumThreads()} waves;", "code objects", session.debugger.GetSelectedTarget().GetNumModules())
            if title == "lds":
                print(session.command("gpu memory read --space local 0").strip())
            session.command("target delete")
        session.debugger.SetSelectedTarget(good)
        count, wrong = compare(session, "gfx90a", 64, 7)
        if wrong:
            print("the good core has changed:", wrong)

    for wrong in ("note-version", "driver", "r-version", "r-state", "firmware", "debug-support", "sizes", "packet",
                  "groups", "lds", "runtime-off", "entries", "short-memory"):
        attempt(wrong, make("gpucore.2", *usual, f"wrong={wrong}"))
    attempt("another GPU's code", make("gpucore.3", "gpu=gfx1100", "lanes=32", *usual))
    whole = open(make("gpucore.4", *usual), "rb").read()
    for size in (0, 40, 100, 300, 5000, len(whole) - 5000):
        with open(os.path.join(folder, "gpucore.5"), "wb") as file:
            file.write(whole[:size])
        attempt(f"truncated to {size if size < 6000 else 'almost all'}", os.path.join(folder, "gpucore.5"))
    print("servers while cores are open:", "some" if servers_left(1) else "none")
    session.close()
    print("servers left behind:", servers_left())


def truncated_cores(count):
    """A GPU's core, and one of host and GPU, that end at random places: the debugger stays, with or without waves."""
    alone = make("gpucore.6", f"code={build}/test/cores/gfx90a-64.co", "kernel=add")
    both = saved_program()
    random.seed(1)
    for title, path in (("GPU alone", alone), ("host and GPU", both)):
        size = os.path.getsize(path)
        places = sorted([random.randrange(size) for _ in range(count // 2)] +
                        [random.randrange(min(size, 1 << 18)) for _ in range(count // 2 - 2)] +
                        [20, 200], reverse=True)  # in the headers
        opened = refused = named = 0
        session = Session()
        for place in places:
            os.truncate(path, place)
            said = session.open(path)
            warned = session.said()
            if "was loaded" in said:
                opened += 1
                named += "truncated" in warned or "can't" in warned or "GPU state" in warned
                for target in session.debugger:
                    session.debugger.SetSelectedTarget(target)
                    session.command("thread list")
                    session.command("bt")
                    session.command("register read")
            else:
                refused += "error: " in said
            session.command("target delete --all")
        print(f"== {title}: {len(places)} places, {len(places) - opened - refused} without an answer, "
              f"opened {'some' if opened else 'none'}, without a word {opened - named}, refused {'some' if refused else 'none'}")
        session.close()
    print("servers left behind:", servers_left())


{"truncated": lambda: truncated_cores(int(sys.argv[2])), "gpus": lambda: every_gpu(False), "merged": lambda: every_gpu(True), "queues": lambda: queues_and_xccs(SEVERAL), "unstated": lambda: queues_and_xccs(UNSTATED), "runs": running_on, "places": places_of_code, "bad": bad_cores}[sys.argv[1]]()
shutil.rmtree(folder)
