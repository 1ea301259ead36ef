"""What ROCgdb's GPU tests check, shown here: each function is named after the test file whose behaviour it checks."""
import json
import os
import re
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Inputs"))
import lldb
from stops import Session, line_of

PROGRAMS = os.environ["WAVELANE_BUILD"] + "/test/programs"
SOURCE = "behaviours.hip"


class Clean(Session):
    """Leaves no setting behind: they are the library's, not the debugger's."""

    def __init__(self, program, *arguments, settings=()):
        super().__init__(program, *arguments, settings=settings)
        self.settings = [text.split()[0] for text in settings]

    def __exit__(self, *_):
        for name in self.settings:
            self.command(f"settings clear {name}")
        super().__exit__()


def start(*arguments, mark=None, name=None, program="behaviours-O0", settings=()):
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
    with start("functions", name="functions", program="behaviours-nodebug") as s:
        expect(s.place, r"functions \(0,0,0\)/0, .*breakpoint 1\.1")
        expect(frame(s).GetFunctionName(), "functions")
        expect(frame(s).GetLineEntry().IsValid(), "False")


def addr_bp_gpu_no_deb_info():
    """And nodebug-runto: on to an instruction of a kernel without debug information."""
    with start("functions", name="functions", program="behaviours-nodebug") as s:
        gpu = s.debugger.GetSelectedTarget()
        code = gpu.ReadInstructions(frame(s).GetPCAddress(), 4)
        wanted = code.GetInstructionAtIndex(3).GetAddress().GetLoadAddress(gpu)
        s.command(f"breakpoint set --one-shot true -a {wanted:#x}")
        s.resume()
        expect(frame(s).GetPC(), f"^{wanted}$")


nodebug_runto = addr_bp_gpu_no_deb_info


def breakpoint_after_exit():
    with start("functions") as s:
        expect(s.place, "ended with 0")
        s.at("first", source=SOURCE)
        expect(s.run(), "at 'first': breakpoint 1.1")


def detach_while_breakpoints_inserted():
    with start("functions", mark="first") as s:
        process = s.program
        output = s.command("target select 0")
        host = s.host.GetProcess()
        pid = host.GetProcessID()
        s.command("process detach")
        # The program's own end, past the breakpoint.
        limit = time.monotonic() + 60
        while os.path.exists(f"/proc/{pid}") and time.monotonic() < limit:
            with open(f"/proc/{pid}/stat") as stat:
                if stat.read().split(") ")[1][0] == "Z":
                    break
            time.sleep(0.05)
        expect(time.monotonic() < limit, "True", "it has ended")


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
    """A wave steps over a breakpoint while it stays in place for the others."""
    with start("ordered", mark="begin") as s:
        expect(len(s.waves), "^2$")
        expect(s.resume(), "ended with 0")
        expect(s.host.GetBreakpointAtIndex(0).GetHitCount() +
               (s.debugger.GetTargetAtIndex(1).GetBreakpointAtIndex(0).GetHitCount()), "^[2-4]$")


def scheduler_locking():
    """And step-schedlock-spurious-waves: a wave steps alone, the other stays, none appears."""
    with start("ordered", mark="begin") as s:
        other = next(t for t in s.waves if t.GetThreadID() != s.waves.GetSelectedThread().GetThreadID())
        stood, ids = other.GetFrameAtIndex(0).GetPC(), [t.GetThreadID() for t in s.waves]
        s.command("thread step-inst")
        other = s.waves.GetThreadByID(other.GetThreadID())
        expect(other.GetFrameAtIndex(0).GetPC(), f"^{stood}$")
        expect([t.GetThreadID() for t in s.waves] == ids, "True")


step_schedlock_spurious_waves = scheduler_locking


def finish():
    with start("functions", name="first") as s:
        s.command("thread lane select 21")
        s.command("finish")
        expect(frame(s).GetFunctionName(), "second")
        expect(s.waves.GetSelectedThread().GetStopReturnValue().GetValue(), "^42$")


def returning():
    """Leaving a function early, with a value, from a branch that some lanes don't take; the caller goes on with it."""
    for program in ("behaviours-O0", "behaviours-O2"):
        with start("choices", name="choose", program=program) as s:
            if program == "behaviours-O0":
                s.at("many", source=SOURCE)
                s.resume()
                expect(s.command("register read exec"), "0x0000fffffffffc00$")
            before = s.waves.GetSelectedThread().GetFrameAtIndex(1).GetPC()
            s.command("thread lane select 20")
            expect(s.command("thread return 5"), "choices.* at behaviours.hip")
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


# A word of Python's.
globals()["return"] = returning


def device_barrier():
    with start("ordered", mark="barrier") as s:
        expect(s.step(), "ordered")
        expect(s.waves.GetState() == lldb.eStateStopped, "True")


def coop_group_grid_sync():
    """A step over the grid's barrier lets all of the grid come to it; who waits there is told."""
    for level in ("O0", "O2"):
        with start("grid", mark="write", program=f"cooperative-{level}") as s:
            s.command("breakpoint disable")
            expect(s.step(), "at 'wait': step over")
            expect(s.step(), r"across \(0,0,0\)/0, lane 0 at 'read': step over")
            expect(s.step(), "at 'grid.sync")
            if level == "O0":
                # The sum has what the last work-item of the last block wrote.
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
        # What the last work-item on the other GPU wrote.
        expect(s.command("p data[all - 1 - me]"), r"\) 383$")
        expect(s.resume(), "ended with 0")


def hip_graph_launch():
    """Kernels of a graph stop at breakpoints, with the arguments that the graph has for them."""
    for what, values in (("made", "4"), ("captured", "5")):
        with start(what, mark="add", program="graphs-O0") as s:
            s.at("twice", source="graphs.hip")
            expect(s.place, r"add \(0,0,0\)/0, lane 0 at 'add': breakpoint 1\.1")
            s.command("thread lane select 7")
            expect([s.value("i"), s.value("value")], f"'7', '{values}'")
            expect([s.resume(), s.resume()], "twice .* at 'twice': breakpoint 2.1")
            s.command("breakpoint delete --force")
            expect(s.resume(), "ended with 0")


def multi_inferior_run_spurious_waves():
    """Two programs with GPUs in one session: each has its own waves alone."""
    with start("functions", mark="call") as s:
        first = [t.GetName() for t in s.waves]
        expect(first, r"functions \(0,0,0\)/0")
        other = s.debugger.CreateTarget(f"{PROGRAMS}/saxpy-O0")
        other.BreakpointCreateByName("saxpy")
        other.LaunchSimple(None, None, ".")
        names = [[t.GetName() for t in s.debugger.GetTargetAtIndex(i).GetProcess()]
                 for i in range(s.debugger.GetNumTargets())
                 if s.debugger.GetTargetAtIndex(i).GetTriple().startswith("amdgcn")]
        expect(sorted(len(n) for n in names), r"^\[1, 16\]$")
        expect(all(len({n.split(" ")[0] for n in group}) == 1 for group in names), "True")
        other.GetProcess().Kill()


multi_inferior_gpu = multi_inferior_run_spurious_waves


# -- interrupts --

def interrupt():
    """And interrupt-twice, device-interrupt: waves that run for ever are stopped, twice."""
    s = Session(f"{PROGRAMS}/behaviours-O0", "waiting")
    with s:
        s.command(f"breakpoint set -f {SOURCE} -p s_sleep")
        expect(s.run(), r"waiting \(0,0,0\)/0")
        s.command("breakpoint disable")
        for _ in range(2):
            s.debugger.SetAsync(True)
            process = s.waves
            process.Continue()
            listener, event = s.debugger.GetListener(), lldb.SBEvent()

            def wait(state):
                while listener.WaitForEvent(60, event):
                    if (lldb.SBProcess.EventIsProcessEvent(event)
                            and lldb.SBProcess.GetProcessFromEvent(event).GetUniqueID() == process.GetUniqueID()
                            and lldb.SBProcess.GetStateFromEvent(event) == state):
                        return
                raise AssertionError("no such event")
            wait(lldb.eStateRunning)
            process.SendAsyncInterrupt()
            wait(lldb.eStateStopped)
            s.debugger.SetAsync(False)
            expect(len(process), "^2$")
            expect([t.GetFrameAtIndex(0).GetFunctionName() for t in process], "waiting")


interrupt_twice = device_interrupt = interrupt


# -- exceptions --

def fault(what, program="faults-O0"):
    s = Session(f"{PROGRAMS}/{program}", what)
    s.place = s.run()
    return s


def debugtrap():
    with fault("debugtrap") as s:
        expect(s.place, "debug trap")
        expect(s.resume(), "ended with 0")


def builtin_verbose_trap():
    with fault("trap", "faults-O2") as s:
        expect(s.place, "assertion or abort")


def step_abort():
    with fault("abort") as s:
        expect(s.place, "abort")


def illegal_insn_sigill():
    with fault("illegal") as s:
        expect(s.place, "illegal instruction")


def branch_fault():
    with start("jump") as s:
        expect(s.place, r"jump \(0,0,0\)/0.*(memory violation|illegal instruction)")
        expect(frame(s).GetPC(), "^64$")


def alu_exceptions():
    with fault("divide") as s:
        expect(s.place, "division by zero|floating")


def resume_exception():
    """The program gets the exception when its wave goes on."""
    with fault("violation") as s:
        expect(s.place, "memory violation at 0x")
        expect(s.resume(), "signal SIGABRT")
        expect(s.host.GetProcess().GetSTDOUT(1000), "Memory access fault")


def hip_catch_errors():
    """Errors of HIP calls are caught in the function by which the runtime reports them."""
    with start("functions", name="hipGetErrorString") as s:
        expect(s.host.GetProcess().GetSelectedThread().GetFrameAtIndex(0).GetFunctionName(), "hipGetErrorString")


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
    """And exec-bit-extract: lanes that an `if` leaves out are off in it, and on again behind it."""
    with start("lanes", mark="few") as s:
        expect(s.command("register read exec"), "0x0*1f$")
        expect(s.command("thread lane list"), r"0-4 +active .*5-47 +inactive")
        s.at("joined", source=SOURCE)
        s.resume()
        expect(s.command("register read exec"), "0x0000ffffffffffff$")


exec_bit_extract = lane_execution


def lane_select():
    with start("lanes", mark="joined") as s:
        expect(s.command("thread lane select 17"), r"lane 17 of 64, active, work-item \(17,0,0\)")
        expect(s.value("lane"), "^17$")
        expect(s.command("thread lane select 64"), "error: .*64")
        expect(s.command("thread lane select 50"), "inactive")


def lane_apply():
    with start("lanes", mark="joined") as s:
        expect(s.command("thread lane apply 3,5 frame variable lane"), r"lane 3:.*= 3.*lane 5:.*= 5")
        expect(s.command("thread lane apply active frame variable lane").count("= "), "^48$")


def names():
    with start("lanes", mark="joined") as s:
        expect(sorted(t.GetName() for t in s.waves), r"lanes \(0,0,0\)/0, lane 0.*lanes \(1,0,0\)/0, lane 0")


# -- address spaces --

def aspace_user_input():
    with start("memories", mark="store") as s:
        s.command("thread lane select 9")
        for text in ("--space local --count 4 0x0", "--count 4 local#0x0"):
            expect(s.command(f"gpu memory read {text}"), "local#0x0: 0x0+ 0x0+3 0x0+6 0x0+9$")
        expect(s.command("gpu memory read nowhere#0x0"), "error: .*nowhere")


def aspace_nullptr():
    with start("memories", mark="store") as s:
        expect(s.value("nowhere"), "^0x0+$")
        expect(s.command("p *nowhere"), "error")


def aspace_pointer():
    """And deref-scoped-pointer, generic-address: pointers into local and private memory, lane by lane."""
    with start("memories", mark="store") as s:
        for lane in (0, 9, 63):
            s.command(f"thread lane select {lane}")
            expect(s.command("p *generic"), f"\\) {lane * 3}$")
            expect(s.command("p *mine"), r"\) 11$")


deref_scoped_pointer = generic_address = aspace_pointer


def maint_print_address_spaces():
    with start("memories", mark="store") as s:
        text = s.command("gpu address-space list")
        for name in ("global", "generic", "local", "private_lane", "private_wave"):
            expect(text, name)


# -- objects of the runtime --

def info_dispatches():
    with start("lanes", mark="joined") as s:
        row = json.loads(s.command("gpu dispatch list --json"))
        expect(len(row), "^1$")
        expect([row[0]["kernel"], row[0]["grid_size"], row[0]["workgroup_size"]], r"'lanes', \[96, 1, 1\], \[48, 1, 1\]")
        expect(s.command("gpu queue list"), "HSA AQL")
        expect(s.command("gpu agent list"), "gfx90a")


def info_waves_cli():
    """And maint-info-wave-count, show-info."""
    with start("lanes", mark="joined") as s:
        rows = json.loads(s.command("gpu wave list --json"))
        expect(sorted((w["name"], w["workgroup"], w["wave_in_workgroup"]) for w in rows),
               r"\('lanes \(0,0,0\)/0', \[0, 0, 0\], 0\), \('lanes \(1,0,0\)/0', \[1, 0, 0\], 0\)")
        expect(s.command("gpu wave list workgroup=(1,0,0)").count("\n"), "^1$")


maint_info_wave_count = show_info = info_waves_cli


def info_sharedlibrary():
    """And snapshot-objfile-on-load."""
    with start("lanes", mark="joined") as s:
        s.command("target select 1")
        expect(s.command("image list"), r"behaviours-O0\.co")


snapshot_objfile_on_load = info_sharedlibrary


def gpu_solib_event():
    with start("lanes", settings=["plugin.process.amdgpu.stop-on-module-load true"]) as s:
        expect(s.host.GetProcess().GetState() == lldb.eStateStopped, "True")
        expect(s.command("target list"), "amdgcn")


# -- values --

def hip_builtin_variables():
    """And convenience_variables."""
    with start("lanes", mark="joined") as s:
        s.command("thread lane select 5")
        for text, value in (("threadIdx.x", 5), ("blockIdx.x", 0), ("blockDim.x", 48), ("gridDim.x", 2), ("warpSize", 64)):
            expect(s.command(f"p {text}"), rf"\) {value}$")
        expect(s.command("register read lane wave_in_group dispatch"), "lane = 5.*wave_in_group = 0.*dispatch = 1")


convenience_variables = hip_builtin_variables


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
        # Its size: fixed's 256 bytes and the launch's.
        expect(json.loads(s.command("gpu dispatch list --json"))[0]["group_size"], "^512$")


shared_memory_size = shared_memory


def symbol_lookup():
    with start("functions", mark="first") as s:
        expect(s.command("image lookup -n second"), "behaviours-O0.co.*second")
        s.command("target select 0")
        expect(s.command("image lookup -n main"), "main at behaviours.hip")


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


# -- several --

def multi_gpu():
    """And multi-gpu-peer: waves of two GPUs in one session."""
    os.environ["WAVELANE_PROCESSOR"] = "gfx90a,gfx90a"
    try:
        with Session(f"{PROGRAMS}/behaviours-O0", "functions") as s:
            s.at("call", source=SOURCE)
            s.host.SetLaunchInfo(s.host.GetLaunchInfo())
            s.command("settings set target.env-vars WAVELANE_PROCESSOR=gfx90a,gfx90a")
            s.command("run functions")
            expect(len(json.loads(s.command("gpu agent list --json"))), "^2$")
    finally:
        del os.environ["WAVELANE_PROCESSOR"]


# -- cores --

def gcore():
    """And load-gcore-remote-system: a core says what the session said, without the program's files nearby."""
    path = os.path.join(os.environ.get("TMPDIR", "/tmp"), f"behaviours-{os.getpid()}.core")
    try:
        with start("functions", mark="first") as s:
            s.command("thread lane select 9")
            value = s.value("value")
            s.command(f"process save-core {path}")
        with Session(f"{PROGRAMS}/behaviours-O0") as s:
            text = s.command(f"target create --core {path}")
            for i in range(s.debugger.GetNumTargets()):
                if s.debugger.GetTargetAtIndex(i).GetTriple().startswith("amdgcn"):
                    s.command(f"target select {i}")
            s.command("thread lane select 9")
            expect(s.value("value"), f"^{value}$", text)
    finally:
        if os.path.exists(path):
            os.remove(path)


def main():
    for name in sys.argv[1:]:
        try:
            globals()[name.replace("-", "_")]()
            print(f"{name}: yes", flush=True)
        except AssertionError as error:
            print(f"{name}: NO, {error}", flush=True)


main()
