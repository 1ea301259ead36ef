# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The behaviors that ROCgdb's GPU tests check: each function is named after the test file whose behavior it checks."""
import json
import os
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Inputs"))
import lldb
from stops import Session, line_of

PROGRAMS = os.environ["WAVELANE_BUILD"] + "/test/programs"
SOURCE = "behaviors.hip"


class Clean(Session):
    """Leaves no setting behind: settings are shared by all debuggers."""

    def __init__(self, program, *arguments, settings=()):
        super().__init__(program, *arguments, settings=settings)
        self.settings = [text.split()[0] for text in settings]

    def __exit__(self, *_):
        for name in self.settings:
            self.command(f"settings clear {name}")
        super().__exit__()


def start(*arguments, mark=None, name=None, program="behaviors-O0", settings=()):
    """A session that has run to a mark or a function."""
    session = Clean(f"{PROGRAMS}/{program}", *arguments, settings=settings)
    if mark:
        session.at(mark, source=program.split("-")[0] + ".hip")
    if name:
        session.command(f"breakpoint set -n {name}")
    session.place = session.run()
    return session


def expect(found, wanted, what=""):
    if not re.search(wanted, str(found), re.S):
        raise AssertionError(f"{what}: {found!r}, not {wanted!r}")


def eventually(condition):
    """Whether the condition, of something that sends no event, holds within a minute."""
    limit = time.monotonic() + 60
    while not condition():
        if time.monotonic() > limit:
            return False
        time.sleep(0.02)
    return True


def frame(session):
    return session.waves.GetSelectedThread().GetFrameAtIndex(0)


# -- breakpoints --

def line_breakpoint_in_kernel():
    with start("functions", mark="call") as s:
        expect(s.place, r"functions \(0,0,0\)/0, lane 0 at 'call': breakpoint 1\.1")


def devicecode_breakpoint():
    with start("functions", name="first") as s:
        expect(s.place, "functions .* at 'first': breakpoint 1.1")
        expect(s.waves.GetSelectedThread().GetNumFrames(), "^3$")


def break_kernel_no_debug_info():
    with start("functions", name="functions", program="behaviors-nodebug") as s:
        expect(s.place, r"functions \(0,0,0\)/0, .*breakpoint 1\.1")
        expect(frame(s).GetFunctionName(), "functions")
        expect(frame(s).GetLineEntry().IsValid(), "False")


def addr_bp_gpu_no_deb_info():
    """And nodebug-runto: continues to an instruction of a kernel without debug information."""
    with start("functions", name="functions", program="behaviors-nodebug") as s:
        gpu = s.debugger.GetSelectedTarget()
        code = gpu.ReadInstructions(frame(s).GetPCAddress(), 4)
        wanted = code.GetInstructionAtIndex(3).GetAddress().GetLoadAddress(gpu)
        s.command(f"breakpoint set --one-shot true -a {wanted:#x}")
        s.resume()
        expect(frame(s).GetPC(), f"^{wanted}$")


nodebug_runto = addr_bp_gpu_no_deb_info


def breakpoint_after_exit():
    """Set before the program starts, or between two runs, and still set in the next."""
    with start("functions", mark="call") as s:
        expect(s.place, "at 'call': breakpoint 1.1")
        expect(s.resume(), "ended with 0")
        s.at("first", source=SOURCE)
        expect(s.run(), "at 'call': breakpoint 1\\.")
        expect(s.resume(), "at 'first': breakpoint 2.1")
        expect(s.resume(), "ended with 0")
        s.command("breakpoint disable 1")
        expect(s.run(), "at 'first': breakpoint 2\\.")


def detach_while_breakpoints_inserted():
    """The program continues past the breakpoint to its own end, and reports it."""
    with tempfile.TemporaryDirectory() as folder, Clean(f"{PROGRAMS}/behaviors-O0", "rounds") as s:
        output = os.path.join(folder, "output")
        s.at("round", source=SOURCE)
        info = lldb.SBLaunchInfo(["rounds"])
        info.AddOpenFileAction(1, output, False, True)
        s.host.Launch(info, lldb.SBError())
        expect(s.where(), "rounds .* at 'round': breakpoint 1.1")
        s.command("target select 0")
        s.command("process detach")

        def ended():
            with open(output) as file:
                return "rounds: no error" in file.read()
        expect(eventually(ended), "True", "it has ended")


def trap_on_entry():
    with start("functions", settings=["plugin.process.amdgpu.stop-on-kernel-entry true"]) as s:
        expect(s.place, r"functions \(0,0,0\)/0")
        expect(frame(s).GetFunctionName(), "functions")


# -- running --

def program_execution():
    with start("memories") as s:
        expect(s.place, "ended with 0")
        expect(s.host.GetProcess().GetSTDOUT(1000), "memories: no error")


def continue_over_kernel_exit():
    with start("functions", mark="after") as s:
        expect(s.resume(), "ended with 0")


def step_over_kernel_exit():
    with start("functions", mark="after") as s:
        for _ in range(8):
            place = s.step()
            if "ended" in place or "has ended" in place:
                break
        expect(place, "None|ended", "the wave has gone")
        expect(s.resume(), "ended with 0")


def instruction_stepping_commands():
    with start("functions", mark="call") as s:
        gpu = s.debugger.GetSelectedTarget()
        before = frame(s).GetPC()
        size = gpu.ReadInstructions(frame(s).GetPCAddress(), 1).GetInstructionAtIndex(0).GetByteSize()
        s.command("stepi")
        expect(frame(s).GetPC(), f"^{before + size}$")
        s.command("nexti")
        expect(s.waves.GetSelectedThread().GetStopDescription(100), "instruction step over")


def displaced_stepping():
    """A wave steps over a breakpoint while it stays in place for the others: none misses it, in any round."""
    with start("rounds", mark="round") as s:
        seen = set()
        for count in range(200):
            if s.waves.GetState() != lldb.eStateStopped:
                break
            rows = json.loads(s.command("gpu wave list --json"))
            for row in rows:
                if row.get("stop_reason") == "breakpoint":
                    wave = s.waves.GetThreadByID(row["thread"])
                    seen.add((row["workgroup"][0], wave.GetFrameAtIndex(0).FindVariable("k").GetValueAsSigned()))
            if count % 3 == 1:
                s.command("thread step-inst --run-mode all-threads")
            s.waves.Continue()
        expect(sorted(seen) == [(g, k) for g in range(4) for k in range(5)], "True", seen)
        expect(s.where(), "ended with 0")


def scheduler_locking():
    """Only one wave moves: the other stays at its place, and hasn't written anything."""
    with start("ordered", mark="begin") as s:
        s.command("breakpoint disable")
        chosen = s.waves.GetSelectedThread()
        other = next(t for t in s.waves if t.GetThreadID() != chosen.GetThreadID())
        stood = other.GetFrameAtIndex(0).GetPC()
        first = frame(s).FindVariable("mine").GetValueAsSigned() // 64 * 64
        expect(s.step("next --run-mode this-thread"), "at 'barrier': step over")
        expect(s.waves.GetSelectedThread().GetThreadID(), f"^{chosen.GetThreadID()}$")
        other = s.waves.GetThreadByID(other.GetThreadID())
        expect(other.GetFrameAtIndex(0).GetPC(), f"^{stood}$")
        # Its own lane 5 has written, the other wave's has not.
        expect(s.command(f"p out[{first + 5}]"), rf"\) {first + 5}$")
        expect(s.command(f"p out[{64 - first + 5}]"), r"\) 0$")


def step_schedlock_spurious_waves():
    """While one wave steps, no new waves appear: workgroups for which there was no room yet, and others, wait."""
    with Clean(f"{PROGRAMS}/many", "200") as s:
        info = s.host.GetLaunchInfo()
        info.SetEnvironmentEntries(["WAVELANE_CUS=1"], True)
        s.host.SetLaunchInfo(info)
        s.command("settings set target.run-args 200")
        s.command("breakpoint set -n many")
        s.command("run")
        s.command("breakpoint disable")
        ids = [t.GetThreadID() for t in s.waves]
        for _ in range(4):
            s.command("thread step-inst --run-mode this-thread")
            expect([t.GetThreadID() for t in s.waves] == ids, "True")
        expect(len(ids) < 200, "True")


def finish():
    with start("functions", name="first") as s:
        s.command("thread lane select 21")
        s.command("finish")
        expect(frame(s).GetFunctionName(), "second")
        expect(s.waves.GetSelectedThread().GetStopReturnValue().GetValue(), "^42$")


def returning():
    """Leaving a function early, with a value, from a branch that some lanes don't take; the caller continues with it."""
    for program in ("behaviors-O0", "behaviors-O2"):
        with start("choices", name="choose", program=program) as s:
            if program == "behaviors-O0":
                s.at("many", source=SOURCE)
                s.resume()
                expect(s.command("register read exec"), "0x0000fffffffffc00$")
            before = s.waves.GetSelectedThread().GetFrameAtIndex(1).GetPC()
            s.command("thread lane select 20")
            expect(s.command("thread return 5"), "choices.* at behaviors.hip")
            expect(frame(s).GetPC(), f"^{before}$")
            expect(s.command("register read exec"), "0x0000ffffffffffff$")
            s.at("chosen", source=SOURCE)
            expect(s.resume(), "choices .* at 'chosen'")
            for lane, value in ((3, 5), (20, 5), (47, 5), (48, -1)):
                s.command(f"thread lane select {lane}")
                expect([s.value("mine"), s.value("got")], f"'{lane}', '{value}'")
            expect(s.resume(), "ended with 0")
            expect(s.host.GetProcess().GetSTDOUT(1000), "5 5 5 -1")
    with start("functions", name="first") as s:
        expect(s.command("thread return nullptr"), "error: .*returns a 'float', and the value is a")
        # Two frames at once, without a value.
        s.command("frame select 1")
        expect(s.command("thread return"), "functions")
        expect(s.waves.GetSelectedThread().GetNumFrames(), "^1$")
        expect(s.command("thread return"), "error: .*has no caller|No older frame")
        expect(s.resume(), "ended with 0")


# A Python keyword.
globals()["return"] = returning


def device_barrier():
    """A step over the barrier ends when the other wave has reached it, and shows what it has written."""
    with start("ordered", mark="begin") as s:
        s.command("breakpoint disable")
        s.command("thread lane select 7")
        mine = frame(s).FindVariable("mine").GetValueAsSigned()
        expect(s.step(), "at 'barrier': step over")
        expect(s.step(), "at 'other': step over")
        expect(s.command("p out[127 - mine]"), rf"\) {127 - mine}$")
        expect(s.resume(), "ended with 0")


def coop_group_grid_sync():
    """A step over the grid's barrier lets the whole grid reach it; the waiting waves are shown."""
    for level in ("O0", "O2"):
        with start("grid", mark="write", program=f"cooperative-{level}") as s:
            s.command("breakpoint disable")
            expect(s.step(), "at 'wait': step over")
            expect(s.step(), r"across \(0,0,0\)/0, lane 0 at 'read': step over")
            expect(s.step(), "at 'grid.sync")
            if level == "O0":
                # The sum contains the value written by the last work-item of the last block.
                expect(s.value("sum"), "^959$")
            expect(s.resume(), "ended with 0")
    with start("late", mark="not yet", program="cooperative-O0") as s:
        limit = time.monotonic() + 60
        while True:
            rows = {tuple(row["workgroup"]): row for row in json.loads(s.command("gpu workgroup list --json"))}
            waiting = [rows.get((i, 0, 0), {}).get("at_grid_barrier") for i in range(3)]
            if waiting == [[0], [0], None] and rows[0, 0, 0].get("at_barrier") == [1] or time.monotonic() > limit:
                break
            expect(s.resume(), r"late \(2,0,0\)")
        expect(waiting, r"^\[\[0\], \[0\], None\]$")
        expect([rows[0, 0, 0]["at_barrier"], rows[0, 0, 0]["not_arrived"]], r"^\[\[1\], \[0\]\]$")
        expect(s.command("gpu workgroup list"), "at_grid_barrier")
        s.command("expression *go = 1")
        s.command("breakpoint disable")
        s.at("together", source="cooperative.hip")
        expect(s.resume(), "at 'together'")
        s.command("breakpoint delete --force")
        expect(s.resume(), "ended with 0")


def coop_group_multi_grid_sync():
    """The barrier of grids on two GPUs."""
    with Clean(f"{PROGRAMS}/cooperative-O0", "grids") as s:
        # LLDB sets it for the program that it launches.
        info = s.host.GetLaunchInfo()
        info.SetEnvironmentEntries(["WAVELANE_PROCESSOR=gfx90a,gfx1030"], True)
        s.host.SetLaunchInfo(info)
        s.command("settings set target.run-args grids")
        s.at("mine", source="cooperative.hip")
        s.command("run")
        expect(s.where(), r"between \(0,0,0\)/0, lane 0 at 'mine'")
        both = []
        limit = time.monotonic() + 60
        while len(both) < 2 and time.monotonic() < limit:
            both = sorted({wave["agent"] for wave in json.loads(s.command("gpu wave list --json"))})
            if len(both) < 2:
                s.resume()
        expect(both, r"^\[1, 2\]$")
        s.command("breakpoint disable")
        expect(s.step(), "at 'grids.sync")
        expect(s.step(), "at 'theirs': step over")
        # The value written by a work-item on the other GPU: the stop may be on either.
        expect(s.value("me"), "^(0|192)$")
        expect(s.command("p data[all - 1 - me]"), rf"\) {383 - int(s.value('me'))}$")
        expect(s.resume(), "ended with 0")


def hip_graph_launch():
    """Kernels of a graph stop at breakpoints, with the graph's arguments."""
    for what, values in (("made", "4"), ("captured", "5")):
        with start(what, mark="add", program="graphs-O0") as s:
            s.at("twice", source="graphs.hip")
            expect(s.place, r"add \(0,0,0\)/0, lane 0 at 'add': breakpoint 1\.1")
            s.command("thread lane select 7")
            expect([s.value("i"), s.value("value")], f"'7', '{values}'")
            expect([s.resume(), s.resume()], "twice .* at 'twice': breakpoint 2.1")
            s.command("breakpoint delete --force")
            expect(s.resume(), "ended with 0")


def meeting():
    """A kernel that never ends, whose lanes diverge: stops at its entry, and on each side of the branch."""
    with start("meeting", name="endless") as s:
        expect(s.place, r"endless \(\d,0,0\)/0, lane 0")
        s.command("breakpoint disable")
        for mark, lanes, first in (("odd", "0x0*a$", "1"), ("even", "0x0*5$", "0"), ("odd", "0x0*a$", "1")):
            s.at(mark, source=SOURCE)
            expect(s.resume(), f"endless .* at '{mark}': breakpoint")
            expect(s.command("register read exec"), lanes)
            # The focus stays on its lane, wherever that is, until another one is selected.
            s.command(f"thread lane select {first}")
            expect(s.value("lane"), f"^{first}$")
            s.command("breakpoint disable")


def gpus_of(debugger):
    return [t.GetProcess() for t in (debugger.GetTargetAtIndex(i) for i in range(debugger.GetNumTargets()))
            if t.GetTriple().startswith("amdgcn") and t.GetProcess().GetState() == lldb.eStateStopped]


def standing(process):
    """Where each wave is."""
    return [(t.GetName(), t.GetFrameAtIndex(0).GetPC()) for t in process]


def multi_inferior_gpu():
    """Two programs with GPUs in one session: each has its own stops, and runs without the other."""
    with start("functions", mark="call") as s:
        first = s.waves
        expect([t.GetName() for t in first], r"^\['functions \(0,0,0\)/0, lane 0'\]$")
        other = s.debugger.CreateTarget(f"{PROGRAMS}/saxpy-O0")
        other.BreakpointCreateByName("saxpy")
        other.LaunchSimple(None, None, ".")
        second = next(p for p in gpus_of(s.debugger) if p.GetUniqueID() != first.GetUniqueID())
        there = standing(second)
        # The first continues to its next stop, and to its end; the second stays stopped.
        s.host.BreakpointCreateByLocation(SOURCE, line_of("after", SOURCE))
        first.Continue()
        expect(standing(first), "functions")
        expect(first.GetSelectedThread().GetFrameAtIndex(0).GetLineEntry().GetLine(), f"^{line_of('after', SOURCE)}$")
        expect(standing(second) == there, "True")
        first.Continue()
        expect(s.host.GetProcess().GetExitStatus(), "^0$")
        expect(standing(second) == there, "True")
        s.debugger.SetSelectedTarget(second.GetTarget())
        other.DisableAllBreakpoints()
        second.Continue()
        expect(other.GetProcess().GetState() == lldb.eStateExited, "True")
        expect(other.GetProcess().GetExitStatus(), "^0$")


def multi_inferior_run_spurious_waves():
    """A second program that runs shows no wave in the first, nor the first in the second."""
    with start("functions", mark="call") as s:
        first = s.waves
        other = s.debugger.CreateTarget(f"{PROGRAMS}/saxpy-O0")
        other.BreakpointCreateByName("saxpy")
        other.LaunchSimple(None, None, ".")
        names = sorted([t.GetName() for t in process] for process in gpus_of(s.debugger))
        expect([len(n) for n in names], r"^\[1, 16\]$")
        expect(all(n.startswith("functions") for n in names[0]), "True")
        expect(all(n.startswith("saxpy") for n in names[1]), "True")
        s.debugger.SetSelectedTarget(first.GetTarget())
        rows = json.loads(s.command("gpu wave list --json"))
        expect([row["name"] for row in rows], r"^\['functions \(0,0,0\)/0'\]$")
        other.GetProcess().Kill()
        expect(standing(first), "functions")


def multi_inferior_stress():
    """Four programs with GPUs in one session, one after the other to their stops, ends and next runs."""
    with start("functions", mark="call") as s:
        targets = [s.host] + [s.debugger.CreateTarget(f"{PROGRAMS}/behaviors-O0") for _ in range(3)]
        for target in targets[1:]:
            target.BreakpointCreateByLocation(SOURCE, line_of("call", SOURCE))
            target.LaunchSimple(["functions"], None, ".")
        for again in (True, False):
            gpus = gpus_of(s.debugger)
            expect([standing(gpu)[0][0] for gpu in gpus], r"^\[('functions \(0,0,0\)/0, lane 0'(, )?){4}\]$")
            for gpu in gpus:
                s.debugger.SetSelectedTarget(gpu.GetTarget())
                gpu.Continue()
            expect([t.GetProcess().GetExitStatus() for t in targets], r"^\[0, 0, 0, 0\]$")
            expect([t.GetProcess().GetState() == lldb.eStateExited for t in targets], r"^\[True, True, True, True\]$")
            if again:
                for target in targets:
                    target.LaunchSimple(["functions"], None, ".")


def multi_inferior_with_inactive_inferior():
    """A program that hasn't been run, and one that has ended, beside the one that is debugged."""
    with start("functions", mark="call") as s:
        idle = s.debugger.CreateTarget(f"{PROGRAMS}/saxpy-O0")
        idle.BreakpointCreateByName("saxpy")
        ended = s.debugger.CreateTarget(f"{PROGRAMS}/behaviors-O0")
        ended.LaunchSimple(["stack"], None, ".")
        expect(ended.GetProcess().GetExitStatus(), "^0$")
        gpus = gpus_of(s.debugger)
        expect([standing(gpu)[0][0] for gpu in gpus], r"^\['functions \(0,0,0\)/0, lane 0'\]$")
        s.debugger.SetSelectedTarget(gpus[0].GetTarget())
        expect(s.step(), "at 'after': step over")
        expect(s.resume(), "ended with 0")
        expect(idle.GetProcess().IsValid(), "False")
        idle.LaunchSimple(None, None, ".")
        expect(len(gpus_of(s.debugger)), "^1$")


def hog():
    """A program that keeps its GPU busy, and another debugger at a stop, beside the one that is debugged."""
    busy = subprocess.Popen([os.environ["WAVELANE_BUILD"] + "/bin/wavelane-run", f"{PROGRAMS}/behaviors-O0", "waiting"],
                            stdout=subprocess.DEVNULL)
    try:
        with start("rounds", mark="round") as beside, start("functions", mark="call") as s:
            there = standing(beside.waves)
            expect([t.GetName() for t in s.waves], r"^\['functions \(0,0,0\)/0, lane 0'\]$")
            expect(len(json.loads(s.command("gpu queue list --json"))), "^1$")
            expect(s.step(), "at 'after': step over")
            expect(s.resume(), "ended with 0")
            expect(standing(beside.waves) == there, "True")
            beside.command("breakpoint disable")
            expect(beside.resume(), "ended with 0")
            expect(busy.poll(), "None")
    finally:
        busy.kill()
        busy.wait()


# -- interrupts --

class Running:
    """A session whose program runs while we look."""

    def __init__(self, session):
        self.session, self.debugger = session, session.debugger
        self.listener = self.debugger.GetListener()
        self.debugger.SetAsync(True)

    def wait(self, process, state):
        """Reads events until the process is in the state."""
        event = lldb.SBEvent()
        limit = time.monotonic() + 60
        while time.monotonic() < limit:
            if (self.listener.WaitForEvent(1, event) and lldb.SBProcess.EventIsProcessEvent(event)
                    and lldb.SBProcess.GetProcessFromEvent(event).GetUniqueID() == process.GetUniqueID()
                    and lldb.SBProcess.GetStateFromEvent(event) == state
                    and not (state == lldb.eStateStopped and lldb.SBProcess.GetRestartedFromEvent(event))):
                return
        raise AssertionError(f"{process} isn't in state {state}")

    def go(self, process):
        process.Continue()
        self.wait(process, lldb.eStateRunning)

    def interrupt(self, process):
        process.SendAsyncInterrupt()
        self.wait(process, lldb.eStateStopped)


def waiting_waves(process):
    expect(eventually(lambda: process.GetState() == lldb.eStateStopped), "True", "the GPU stands")
    expect([t.GetFrameAtIndex(0).GetFunctionName() for t in process], r"^\['waiting[^']*', 'waiting[^']*'\]$")


def interrupt():
    """Host and waves run: both stop, and both continue."""
    with start("busy", mark="busy") as s:
        s.command("breakpoint set -f behaviors.hip -p s_sleep")
        expect(s.resume(), r"waiting|busy")
        expect(eventually(lambda: s.waves.GetTarget().GetTriple().startswith("amdgcn") or not s.resume()), "True")
        gpu, host = s.waves, s.host.GetProcess()
        s.command("breakpoint disable")
        running = Running(s)

        def turns():
            running.go(host)
            running.interrupt(host)
            waiting_waves(gpu)
            return s.host.FindFirstGlobalVariable("turns").GetValueAsSigned()
        first = turns()
        # An interrupt may come before the host has had its turn.
        expect(eventually(lambda: turns() > first), "True", "the host runs on")
        s.debugger.SetAsync(False)


def interrupt_twice():
    """Two interrupts in a row, without examining the first: one stop; then again."""
    with start("waiting", name="waiting") as s:
        s.command("breakpoint disable")
        gpu, running = s.waves, Running(s)
        for _ in range(2):
            running.go(gpu)
            gpu.SendAsyncInterrupt()
            gpu.SendAsyncInterrupt()
            running.wait(gpu, lldb.eStateStopped)
            waiting_waves(gpu)
        s.debugger.SetAsync(False)
        s.command("expression *go = 1")
        expect(s.resume(), "ended with 0")


def device_interrupt():
    """Only waves run, forever: they are stopped, twice, and continue."""
    with start("waiting", name="waiting") as s:
        s.command("breakpoint disable")
        gpu, running = s.waves, Running(s)
        for _ in range(2):
            running.go(gpu)
            running.interrupt(gpu)
            waiting_waves(gpu)
        s.debugger.SetAsync(False)
        s.command("expression *go = 1")
        expect(s.resume(), "ended with 0")


# -- exceptions --

def fault(what, program="faults-O0"):
    s = Session(f"{PROGRAMS}/{program}", what)
    s.place = s.run()
    return s


def debugtrap():
    with fault("debugtrap") as s:
        expect(s.place, "debug trap")
        expect(s.resume(), "ended with 0")


def branch_fault():
    with start("jump") as s:
        expect(s.place, r"jump \(0,0,0\)/0.*memory violation at 0x40$")
        expect(frame(s).GetPC(), "^64$")


def resume_exception():
    """The program gets the exception when its wave continues."""
    with fault("violation") as s:
        expect(s.place, "memory violation at 0x")
        expect(s.resume(), "signal SIGABRT")
        expect(s.host.GetProcess().GetSTDOUT(1000), "Memory access fault")


# -- precise memory --

def precise_memory():
    with start("functions", mark="call", settings=["plugin.process.amdgpu.precise-memory true"]) as s:
        expect(s.command("settings show plugin.process.amdgpu.precise-memory"), "= true")
        expect(s.place, "at 'call'")
    with Clean(f"{PROGRAMS}/faults-O0", "violation", settings=["plugin.process.amdgpu.precise-memory true"]) as s:
        expect(s.run(), "memory violation")
        expect(s.command("settings set plugin.process.amdgpu.precise-memory false"), "^$")


# -- watchpoints --

def aspace_watchpoint():
    with start("memories", mark="store") as s:
        expect(s.command("watchpoint set expression -w read -s 4 -- generic"), "Watchpoint created")
        expect(s.resume(), "watchpoint 1, lane")


# -- lanes --

def lane_info():
    with start("lanes", mark="joined") as s:
        text = s.command("thread lane list --all")
        expect(text, r"\* 0 +active +work-item \(0,0,0\) grid \(0,0,0\)")
        entries = json.loads(s.command("thread lane list --all --json"))
        entries = entries["lanes"] if isinstance(entries, dict) else entries
        # A group of 48 leaves 16 lanes of the wave without work.
        expect(len(entries), "^64$")
        expect(sum(bool(e.get("active")) for e in entries), "^48$")


def lane_execution():
    """Lanes that an `if` excludes are off in it, and on again after it."""
    with start("lanes", mark="few") as s:
        expect(s.command("register read exec"), "0x0*1f$")
        expect(s.command("thread lane list"), r"0-4 +active .*5-47 +inactive")
        s.at("joined", source=SOURCE)
        s.resume()
        expect(s.command("register read exec"), "0x0000ffffffffffff$")


def exec_bit_extract():
    """A breakpoint in a kernel of the program that the first one becomes."""
    with Clean("/usr/bin/env", f"{PROGRAMS}/behaviors-O0", "functions") as s:
        s.at("first", source=SOURCE)
        s.run()
        expect(s.host.GetProcess().GetSelectedThread().GetStopReason() == lldb.eStopReasonExec, "True", "exec")
        expect(s.resume(), r"functions \(0,0,0\)/0, lane 0 at 'first': breakpoint 1\.1")


def lane_select():
    with start("lanes", mark="joined") as s:
        expect(s.command("thread lane select 17"), r"lane 17 of 64, active, work-item \(17,0,0\)")
        expect(s.value("lane"), "^17$")
        expect(s.command("thread lane select 64"), "error: .*64")
        expect(s.command("thread lane select 50"), "error: lane 50 has no work-item")


def lane_apply():
    with start("lanes", mark="joined") as s:
        expect(s.command("thread lane apply 3,5 frame variable lane"), r"lane 3:.*= 3.*lane 5:.*= 5")
        expect(s.command("thread lane apply active frame variable lane").count("= "), "^48$")


def names():
    """Waves have their kernel's name; waves and lanes those that the user gives them, while the wave lives."""
    with start("lanes", mark="joined") as s:
        expect(sorted(t.GetName() for t in s.waves), r"lanes \(0,0,0\)/0, lane 0.*lanes \(1,0,0\)/0, lane 0")
        first, second = sorted(s.waves, key=lambda t: t.GetName())
        s.waves.SetSelectedThread(second)
        expect(s.command("thread lane name --lane 7 consumer"), r"lane 7 'consumer' of 64, active")
        s.waves.SetSelectedThread(first)
        s.command("thread lane select 3")
        expect(s.command("thread lane name producer"), r"'lanes \(0,0,0\)/0', lane 3 'producer' of 64")
        expect(s.command("gpu wave name reader"), r": 'reader' lanes \(0,0,0\)/0, lane 3 'producer'$")
        expect(s.command("thread list"), r"'reader' lanes \(0,0,0\)/0, lane 3 'producer'")
        expect(s.command("thread lane list"), r"\* 3 +active +work-item \(3,0,0\) .*'producer'")
        named = [lane for lane in json.loads(s.command("thread lane list --json"))["lanes"] if "name" in lane]
        expect([(lane["lane"], lane["name"]) for lane in named], r"^\[\(3, 'producer'\)\]$")
        expect(json.loads(s.command("thread lane info --json"))["name"], "^producer$")
        expect(s.command("gpu wave list label=reader").count("\n"), "^1$")
        found = lldb.SBStringList()
        text = "thread lane select --name "
        s.debugger.GetCommandInterpreter().HandleCompletion(text, len(text), 0, -1, found)
        expect(sorted(found.GetStringAtIndex(i) for i in range(found.GetSize())), "'consumer', 'producer'")
        expect(s.command("thread lane select --name consumer"), r"lanes \(1,0,0\)/0', lane 7 'consumer'")
        expect(s.command("thread lane select --name nobody"), "error: no lane is named 'nobody'")
        expect(s.command("thread lane name 'two words'"), "lane 7 'two words'")
        expect(s.command("thread lane name two words"), "error: a name must be one word")
        expect(s.command("thread lane name --lane 64 x"), "error: lane 64 does not exist")
        expect(s.command("thread lane name"), "lane 7 of 64")
        expect(s.command("thread lane select --name consumer"), "error: no lane")
        s.command("target select 0")
        expect(s.command("gpu wave name x"), "error: thread #1 isn't a wave")
        s.command("target select 1")
        expect(s.command("thread lane select --name producer"), r"\(0,0,0\)/0', lane 3")
        expect(s.resume(), "ended with 0")


def dw2_lane_pc():
    """Also lane-pc-*: inactive lanes are where DW_AT_LLVM_lane_pc puts them, at the `if` that they haven't taken, and lanes in the
    same place share a line."""
    with start("diverge", mark="odd", program="stops-rocm-O2") as s:
        places = {lane["lane"]: lane.get("goes_on_at") or lane["line"] for lane in json.loads(s.command("thread lane list --json"))["lanes"]}
        lines = {lane: int(place.split(":")[1]) for lane, place in places.items()}
        expect([lines[lane] for lane in (0, 2, 62)], str([line_of("branch")] * 3).replace("[", r"\["))
        expect([lines[lane] for lane in (1, 3, 63)], str([line_of("odd")] * 3).replace("[", r"\["))
        expect(s.command("thread lane list").count("\n"), "^2$")


# -- address spaces --

def aspace_user_input():
    """Addresses are typed with their space, read and written there; each lane has its own private memory."""
    with start("memories", mark="store") as s:
        s.command("thread lane select 9")
        for text in ("--space local --count 4 0x0", "--count 4 local#0x0"):
            expect(s.command(f"gpu memory read {text}"), "local#0x0: 0x0+ 0x0+3 0x0+6 0x0+9$")
        own = int(re.search("private_lane#(0x[0-9a-f]+)", s.command("p mine")).group(1), 16)
        expect(s.command(f"gpu memory read --count 1 private_lane#{own:#x}"), ": 0x0000000b$")
        expect(s.command(f"gpu memory write private_lane#{own:#x} 8"), "^$")
        expect(s.value("own"), "^8$")
        expect(s.command(f"gpu memory read --count 1 generic#{0x2000000000000 + own:#x}"), ": 0x00000008$")
        expect(s.command("gpu memory write --space local 0x24 99"), "^$")
        expect(s.command("p *generic"), r"\) 99$")
        s.command("thread lane select 10")
        expect(s.value("own"), "^11$")
        # The last word of the space is in it, but no memory.
        expect(s.command("gpu memory read local#0xfffffffc"), "error: ")
        expect(s.command("gpu memory read gibberish#0x123"), "error: there is no address space 'gibberish'")
        expect(s.command("gpu memory read region#0x0"), "error: region memory .* can't be reached on this GPU")


def aspace_nullptr():
    """The null address of each space isn't memory in any."""
    with start("memories", mark="store") as s:
        expect(s.value("nowhere"), "^0x0+$")
        expect(s.command("p *nowhere"), "error")
        spaces = json.loads(s.command("gpu address-space list --json"))
        expect(sorted(space["name"] for space in spaces),
               r"^\['generic', 'global', 'local', 'private_lane', 'private_wave'\]$")
        for space in spaces:
            null = space["null"]
            expect(s.command(f"gpu memory read {space['name']}#{null if isinstance(null, str) else hex(null)}"),
                   "error: ", space["name"])
        expect(s.resume(), "ended with 0")


def aspace_pointer():
    """Pointers into spaces: their targets, their sizes, and which conversions are allowed."""
    with Clean(f"{PROGRAMS}/spaces-O0") as s:
        s.command("breakpoint set -f spaces.hip -p '// outer' -c 'blockIdx.x == 1 && threadIdx.x == 69'")
        expect(s.run(), r"spaces \(1,0,0\)/1, lane 5 at 'outer'")
        for text, value in (("*local", 2138), ("*priv", 1069), ("*to_tile", 2002), ("*to_mine", 1069),
                            ("sizeof(to_tile)", 8), ("sizeof(holder)", 12)):
            expect(s.command(f"expression {text}"), rf"\) \$\d+ = {value}$", text)
        for name, size in (("local", 4), ("priv", 4), ("local_null", 4), ("to_tile", 8), ("global", 8)):
            expect(frame(s).FindVariable(name).GetByteSize(), f"^{size}$", name)
        for text in ("*local_null", "*private_null", "*nowhere"):
            expect(s.command(f"expression {text}"), "error: ", text)
        for text, other in (("local = priv", "PrivatePointer.*LocalPointer"), ("priv = local", "LocalPointer.*PrivatePointer"),
                            ("local = to_tile", "int \\*.*LocalPointer"), ("priv = &tile[0]", "int \\*.*PrivatePointer")):
            message = s.command(f"expression {text}")
            expect(message, "error: ", text)
            expect(message, "address space|incompatible", text)
        # Allowed assignments reach the program's variable.
        expect(s.command("expression local = (LocalPointer)&tile[3]"), r"local#0xc$")
        expect(s.command("frame variable local"), "0x0000000c local#0xc$")
        expect(s.command("expression local == (LocalPointer)&tile[3]"), "= true$")
        expect(s.command("p *local"), r"\) 2006$")


def deref_scoped_pointer():
    """And generic-address: a pointer into private memory is different for each lane; a write through it changes its variable."""
    with start("memories", mark="store") as s:
        for lane in (0, 9, 63):
            s.command(f"thread lane select {lane}")
            expect(s.command("p *generic"), f"\\) {lane * 3}$")
            expect(s.command("p *mine"), r"\) 11$")
            expect(s.command("p mine"), rf"private_lane#0x[0-9a-f]+ \(lane {lane}\)$")
            expect(s.command(f"expression *mine = {100 + lane}"), f"= {100 + lane}$")
        for lane in (0, 9, 63):
            s.command(f"thread lane select {lane}")
            expect(s.value("own"), f"^{100 + lane}$")
        s.command("thread lane select 5")
        expect(s.value("own"), "^11$")


generic_address = deref_scoped_pointer


def maint_print_address_spaces():
    """Each space with its width, its null address, and the owner of its memory."""
    with start("memories", mark="store") as s:
        rows = {row.split()[1]: row.split() for row in s.command("gpu address-space list").splitlines()[1:]}
        for name, belongs, bits in (("global", "process", 64), ("generic", "lane", 64), ("local", "workgroup", 32),
                                    ("private_lane", "lane", 32), ("private_wave", "wave", 32)):
            expect(rows[name][2:4], f"'{belongs}', '{bits}'", name)


# -- objects of the runtime --

def info_dispatches():
    with start("lanes", mark="joined") as s:
        row = json.loads(s.command("gpu dispatch list --json"))
        expect(len(row), "^1$")
        expect([row[0]["kernel"], row[0]["grid_size"], row[0]["workgroup_size"]], r"'lanes', \[96, 1, 1\], \[48, 1, 1\]")
        # The launch's packet: its number, its dependencies and fences, and where its code begins.
        expect([row[0][key] for key in ("packet", "barrier", "acquire_fence", "release_fence", "dimensions")],
               r"^\[0, 1, 2, 2, 1\]$")
        for key in ("entry", "descriptor", "kernarg", "completion"):
            expect(row[0][key] != 0, "True", key)
        expect(s.command(f"image lookup -a {row[0]['entry']:#x}"), r"`lanes\b")
        queue = json.loads(s.command("gpu queue list --json"))[0]
        expect([queue["type"], queue["read_packet"], queue["write_packet"]], r"^\['HSA AQL', 0, 1\]$")
        expect(s.command("gpu agent list"), "gfx90a")


def info_waves_cli():
    """And maint-info-wave-count, show-info."""
    with start("lanes", mark="joined") as s:
        rows = json.loads(s.command("gpu wave list --json"))
        expect(sorted((w["name"], w["workgroup"], w["wave_in_workgroup"]) for w in rows),
               r"\('lanes \(0,0,0\)/0', \[0, 0, 0\], 0\), \('lanes \(1,0,0\)/0', \[1, 0, 0\], 0\)")
        expect(s.command("gpu wave list workgroup=(1,0,0)").count("\n"), "^1$")


maint_info_wave_count = info_waves_cli


def show_info():
    """And bit-extract: agents, architecture, breakpoints with their hits, targets, threads."""
    with start("lanes", name="lanes") as s:
        agent = json.loads(s.command("gpu agent list --json"))[0]
        expect(agent["architecture"], "^gfx90a$")
        expect(agent["name"], r"[A-Za-z]")
        expect(s.debugger.GetSelectedTarget().GetTriple(), "^amdgcn-amd-amdhsa")
        expect(s.command("target list"), r"target #0: .*x86_64.*\* target #1 .*amdgcn")
        expect(s.command("breakpoint list"), r"name = 'lanes'.*hit count = [12]")
        expect(s.command("thread list"), r"\* thread #1.*lanes \(0,0,0\)/0.*thread #2.*lanes \(1,0,0\)/0")
        s.command("breakpoint delete -f")
        expect(s.resume(), "ended with 0")


bit_extract = show_info


def info_sharedlibrary():
    with start("lanes", mark="joined") as s:
        s.command("target select 1")
        expect(s.command("image list"), r"behaviors-O0\.co")
        s.command("target select 0")
        expect(s.command("image list"), r"libamdhip64\.so.*")


def snapshot_objfile_on_load():
    """A code object's debug information is available although the program has reused the memory that it was loaded from."""
    session = Clean(f"{PROGRAMS}/behaviors-O0", "snapshot", f"{PROGRAMS}/modules.co")
    with session as s:
        s.command("breakpoint set -f modules.hip -p 'data\\[i\\] = value'")
        expect(s.run(), r"fill \(0,0,0\)/0, lane 0 at 'data\[i\] = value \+ i;': breakpoint 1\.1")
        expect(frame(s).GetLineEntry().GetFileSpec().GetFilename(), "^modules.hip$")
        expect(frame(s).GetFunctionName(), r"\bfill\b")
        s.command("breakpoint delete -f")
        expect(s.resume(), "ended with 0")


def gpu_solib_event():
    with start("lanes", settings=["plugin.process.amdgpu.stop-on-module-load true"]) as s:
        expect(s.host.GetProcess().GetState() == lldb.eStateStopped, "True")
        expect(s.command("target list"), "amdgcn")


# -- values --

def hip_builtin_variables():
    with start("lanes", mark="joined") as s:
        s.command("thread lane select 5")
        for text, value in (("threadIdx.x", 5), ("blockIdx.x", 0), ("blockDim.x", 48), ("gridDim.x", 2), ("warpSize", 64)):
            expect(s.command(f"p {text}"), rf"\) {value}$")
        expect(s.command("register read lane wave_in_group dispatch"), "lane = 5.*wave_in_group = 0.*dispatch = 1")


def convenience_variables():
    """The position of a wave and one of its lanes in a grid of three dimensions."""
    with Clean(f"{PROGRAMS}/behaviors-O0", "position") as s:
        s.at("position", "-c", "'threadIdx.x == 7 && threadIdx.y == 3 && threadIdx.z == 0 && blockIdx.x == 2 && "
             "blockIdx.y == 1 && blockIdx.z == 3'", source=SOURCE)
        # Work-item (7,3,0) of rows of eight is lane 31.
        expect(s.run(), r"position \(2,1,3\)/0, lane 31 at 'position'")
        text = s.command("register read lane workitem workgroup wave_in_group dispatch active")
        expect(text, r"lane = 31\b.*workitem = \{0x0*7 0x0*3 0x0+\}.*workgroup = \{0x0*2 0x0*1 0x0*3\}.*"
               r"wave_in_group = 0\b.*dispatch = 1\b.*active = 0xf{16}")
        for name, x, y, z in (("threadIdx", 7, 3, 0), ("blockIdx", 2, 1, 3), ("blockDim", 8, 4, 2), ("gridDim", 3, 2, 4)):
            for axis, value in (("x", x), ("y", y), ("z", z)):
                expect(s.command(f"p {name}.{axis}"), rf"\) {value}$", name)


def hip_builtin_completions():
    with start("lanes", mark="joined") as s:
        found = lldb.SBStringList()
        s.debugger.GetCommandInterpreter().HandleCompletion("p threadIdx.", 12, 0, -1, found)
        expect([found.GetStringAtIndex(i) for i in range(found.GetSize())], "threadIdx.x.*threadIdx.y.*threadIdx.z")


def static_global():
    with start("memories", mark="store") as s:
        expect(s.command("p counter"), r"\) 40$")
        expect(s.command("p hidden"), r"\) 7$")
        expect(s.command("target variable counter"), "counter = 40")


def shared_memory():
    with start("memories", mark="store") as s:
        expect(s.command("p fixed[9]"), r"\) 27$")
        # Its size: the 256 fixed bytes and the launch's.
        expect(json.loads(s.command("gpu dispatch list --json"))[0]["group_size"], "^512$")


shared_memory_size = shared_memory


def ocp_mx():
    """Numbers of 4 to 16 bits show as numbers, in the kernel and on the host."""
    wanted = {"seven": "112", "none": "nan", "endless": "-inf", "half": "0.5", "zero": "nan", "most": "(448, -448)",
              "least": "(0.015625, -0.015625)", "tiny": "(0.001953125, -0.001953125)", "wide": "(57344, -57344)",
              "small": "(4.57763672e-05, -4.57763672e-05)", "odd": "(nan, -inf)", "four": "(6, -6)",
              "part": "(0.5, -0.5)", "brain": "-3"}
    with Clean(f"{PROGRAMS}/smallfloat") as s:
        s.at("numbers", source="smallfloat.hip")
        expect(s.run(), r"device \(0,0,0\)/0, lane 0 at 'numbers'")
        for where in ("kernel", "host"):
            for name, text in wanted.items():
                expect(frame(s).FindVariable(name).GetSummary() == text, "True", f"{where}: {name}")
                expect(s.command(f"p {name}"), re.escape(f") {text}") + "$", where)
            for name, text in {"one": "1", "eight": "8", "quarter": "0.25", "unknown": "nan", "smallest": "5.87747175e-39"}.items():
                expect(s.command(f"p {name}"), re.escape(f") {text}") + "$", where)
            for text, numbers in {"four": "6 -6", "four, eight": "48 -48", "four, quarter": "1.5 -1.5", "part, 3": "1.5 -1.5", "most, 0.5": "224 -224",
                                  "seven": "112", "seven, eight": "896", "tiny, one": "0.001953125 -0.001953125",
                                  "none": "NaN", "endless, 2": "-Inf", "four, unknown": "NaN NaN"}.items():
                found = s.command(f"p $_mx_get_scaled_float({text})")
                expect(" ".join(re.findall(r"(?:= |\) )(-?[Nn]a[Nn]|-?[Ii]nf|-?[\d.e-]+)\b", found)) == numbers, "True", f"{where}: {text}: {found}")
            expect(s.command("p $_mx_get_scaled_float(six)"), r"\[0\] = 7\.5\b.*\[1\] = -7\.5\b.*\[2\] = 0\b")
            expect(s.command("p $_mx_get_scaled_float(other, eight).value[1]"), r"\) -2$")
            expect(s.command("p $_mx_get_scaled_float(one)"), "'one' isn't a variable")
            expect(s.command("p/x bytes"), r"0xde.*0xad.*0xbe.*0xef")
            expect(s.command("p/x negative"), r"0xff.*0x41")
            expect(s.command("p/d negative"), r"-1.*65")
            # 32 numbers of six bits.
            expect(frame(s).FindVariable("six").GetSummary(), r"^\(7\.5, -7\.5, 0, (0, ){28}0\)$")
            expect(frame(s).FindVariable("other").GetSummary(), r"^\(0\.25, -0\.25, 0, (0, ){28}0\)$")
            place = s.resume()
        expect(place, "ended with 0")


def symbol_lookup():
    with start("functions", mark="first") as s:
        expect(s.command("image lookup -n second"), "behaviors-O0.co.*second")
        expect(s.command("image lookup -n main"), "main at behaviors.hip")
        expect(s.command("image lookup -n nothing"), "^$")
        # A kernel's name refers to its code on the GPU, and on the host to the function that launches it.
        expect(s.command("image lookup -n functions"), "1 match.*behaviors-O0.co")
        s.command("target select 0")
        expect(s.command("image lookup -n main"), "main at behaviors.hip")
        expect(s.command("image lookup -n second"), "behaviors-O0.co.*second")


def hip_lang_detect():
    with start("functions", mark="first") as s:
        language = frame(s).GetCompileUnit().GetLanguage()
        expect(lldb.SBLanguageRuntime.GetNameForLanguageType(language), r"(?i)hip|c\+\+")


def deep_stack():
    with start("stack", mark="bottom") as s:
        frames = s.waves.GetSelectedThread()
        expect(frames.GetNumFrames(), "^22$")
        expect([frames.GetFrameAtIndex(i).FindVariable("n").GetValue() for i in (0, 7, 20)], "'0', '7', '20'")


def multi_func():
    with start("functions", mark="first") as s:
        wave = s.waves.GetSelectedThread()
        expect([wave.GetFrameAtIndex(i).GetFunctionName().split("(")[0] for i in range(3)], "first.*second.*functions")
        s.command("thread lane select 33")
        wave = s.waves.GetSelectedThread()
        expect(wave.GetFrameAtIndex(2).FindVariable("mine").GetValue(), "^33$")


def maint_print_registers():
    with start("functions", mark="first") as s:
        sets = [group.GetName() for group in frame(s).GetRegisters()]
        expect(sets, "(?i)vector.*")
        for name in ("pc", "exec", "vcc", "s0", "v0", "a0", "m0", "mode", "status"):
            expect(s.command(f"register read {name}"), f"{name} = ")


def disassemble():
    with start("functions", mark="first") as s:
        expect(s.command("disassemble --pc --count 4"), r"->.*0x[0-9a-f]+")
        expect(s.command("disassemble -n functions"), "s_endpgm")
        expect(s.command("disassemble -n functions --bytes --count 2"), r"\+0>: +(0x[0-9a-f]{8}|([0-9a-f]{2} ){8}) +[sv]_\w+")
        expect(s.command("disassemble -n first --mixed"), r"first\(float value\).*doubled = value \* 2.*v_\w+")
        wanted = s.command("disassemble --pc --count 1").split("->")[1]
        s.command("settings set stop-disassembly-display always")
        try:
            expect(s.command("stepi"), "->  0x")
        finally:
            s.command("settings clear stop-disassembly-display")
        expect(wanted, "0x")


# -- several --

def on_devices(what, mark, devices):
    """A session on several GPUs, at its first stop."""
    session = Clean(f"{PROGRAMS}/behaviors-O0", what)
    info = lldb.SBLaunchInfo([what])
    # LLDB sets it for the program that it launches.
    info.SetEnvironmentEntries([f"WAVELANE_PROCESSOR={devices}"], True)
    session.at(mark, source=SOURCE)
    session.host.Launch(info, lldb.SBError())
    return session


def multi_gpu():
    """Waves of two GPUs stop, and one of them steps while the other stays stopped."""
    with on_devices("both", "met", "gfx90a,gfx90a") as s:
        expect(len(json.loads(s.command("gpu agent list --json"))), "^2$")

        def waves():
            return json.loads(s.command("gpu wave list --json"))
        expect(sorted((w["agent"], w["state"]) for w in waves()), r"^\[\(1, 'stopped'\), \(2, 'stopped'\)\]$")
        for agent in (1, 2):
            chosen = next(w for w in waves() if w["agent"] == agent)
            s.command(f"thread select {s.waves.GetThreadByID(chosen['thread']).GetIndexID()}")
            stood = {w["id"]: w["pc"] for w in waves()}
            s.command("thread step-inst --run-mode this-thread")
            moved = {w["agent"] for w in waves() if w["pc"] != stood[w["id"]]}
            expect(moved == {agent}, "True", moved)
        # Each has its own stop.
        expect(s.resume(), "meet .* at 'met': breakpoint 1.|ended with 0")
        s.command("breakpoint disable")
        while s.waves.GetState() == lldb.eStateStopped:
            s.resume()
        expect(s.where(), "ended with 0")
        expect(s.host.GetProcess().GetSTDOUT(1000), "device 0: 5 6.*device 1: 5 6")


def multi_gpu_peer():
    """A kernel of one GPU with the memory of another: read and written from the debugger."""
    with on_devices("peer", "across", "gfx90a,gfx90a") as s:
        expect(s.where(), r"peer \(0,0,0\)/0, lane 0 at 'across'")
        expect(json.loads(s.command("gpu wave list --json"))[0]["agent"], "^2$")
        s.command("thread lane select 5")
        expect(s.command("p theirs[mine]"), r"\) 105$")
        s.command("expression *(int *)&theirs[6] = 1000")
        expect(s.resume(), "ended with 0")
        expect(s.host.GetProcess().GetSTDOUT(1000), "device 1: 210 2000")


# -- cores --

def gcore():
    """And load-gcore-remote-system: a core shows the same as the session, without the program's files nearby."""
    path = os.path.join(os.environ.get("TMPDIR", "/tmp"), f"behaviors-{os.getpid()}.core")
    try:
        with start("functions", mark="first") as s:
            s.command("thread lane select 9")
            value = s.value("value")
            s.command(f"process save-core {path}")
        with Session(f"{PROGRAMS}/behaviors-O0") as s:
            text = s.command(f"target create --core {path}")
            for i in range(s.debugger.GetNumTargets()):
                if s.debugger.GetTargetAtIndex(i).GetTriple().startswith("amdgcn"):
                    s.command(f"target select {i}")
            s.command("thread lane select 9")
            expect(s.value("value"), f"^{value}$", text)
    finally:
        if os.path.exists(path):
            os.remove(path)


def main(behaviors):
    for name in sys.argv[1:]:
        try:
            behaviors[name.replace("-", "_")]()
            print(f"{name}: yes", flush=True)
        except AssertionError as error:
            print(f"{name}: NO, {error}", flush=True)


if __name__ == "__main__":
    main(globals())
