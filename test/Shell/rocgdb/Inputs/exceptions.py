# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What ROCgdb's GPU tests check of exceptions, on every GPU: each function is named after the test file whose behavior it checks."""
import os
import re
import lldb
from behaviors import PROGRAMS, Clean, expect, frame, main
from dap_client import Client

SOURCE = "exceptions.hip"
PREFIX = "plugin.process.amdgpu"
GPUS = ("gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201")


def on(gpu, *arguments, level=0, program="exceptions", settings=()):
    """A session on that GPU that hasn't started."""
    os.environ["WAVELANE_PROCESSOR"] = gpu
    session = Clean(f"{PROGRAMS}/{program}-O{level}", *arguments, settings=settings)
    return session


def every(lanes, first, step):
    """"3,19": the lanes of a wave from the first, with a step."""
    return ",".join(str(lane) for lane in range(first, lanes, step))


def lanes_of(gpu):
    return 64 if gpu.startswith("gfx9") else 32


# -- exceptions of arithmetic --

KINDS = ("invalid operation", "denormal operand", "division by zero", "overflow", "underflow", "inexact result",
         "integer division by zero")


def alu_exceptions():
    """Each kind where it is enabled, right after its instruction, with its lanes and its line, on each GPU."""
    for gpu in GPUS:
        # All kinds on the first GPU; on the others, only what differs: the register that enables them.
        for kind, name in enumerate(KINDS):
            if gpu not in ("gfx90a", "gfx1201") and kind not in (2, 6):
                continue
            with on(gpu, "arithmetic", str(kind)) as s:
                s.at("enable", source=SOURCE)
                expect(s.run(), "at 'enable'", gpu)
                register, first = ("trap_ctrl", 0) if gpu == "gfx1201" else ("mode", 12)
                value = int(frame(s).FindRegister(register).GetValue(), 0)
                s.command(f"register write {register} {value | 1 << first + kind:#x}")
                place = s.resume()
                expect(place, rf"arithmetic \(0,0,0\)/0, lane 1 at 'kind .*{kind}.*{name} before 0x[0-9a-f]+ "
                       rf"\(lanes {every(lanes_of(gpu), 1, 4)}\)", f"{gpu}, {name}")


# -- stops of optimized kernels --

def on_every_gpu(kind, wanted, function):
    """The place of a fault of optimized code: its lane, line and reason, and the frames."""
    for gpu in GPUS:
        with on(gpu, kind, level=2, program="faults-gpus") as s:
            lanes = lanes_of(gpu)
            expect(s.run(), wanted(gpu, lanes), gpu)
            names = [f.GetFunctionName() or "nothing" for f in s.waves.GetSelectedThread()]
            expect(" ".join(names), function, gpu)


def illegal_insn_sigill():
    on_every_gpu("illegal", lambda gpu, lanes: r"illegal \(0,0,0\)/0, lane 0 at '.*\.long 0xbfff0000.*': illegal instruction "
                 rf"'bfff0000 .*' at 0x[0-9a-f]+ in kernel illegal on {gpu} \(lanes 0-{lanes - 1}\)$", "^illegal")


def builtin_verbose_trap():
    """A trap's function is reported although the wave is past its last instruction."""
    on_every_gpu("trap", lambda gpu, lanes: r"trap \(0,0,0\)/0, lane 0 at '.*__builtin_trap.*': assertion or abort at "
                 rf"0x[0-9a-f]+ \(lanes 0-{lanes - 1}\)$", r"^trap")
    on_every_gpu("assert", lambda gpu, lanes: r"failing \(0,0,0\)/0, lane 0 at '.*': assertion or abort at "
                 rf"0x[0-9a-f]+ \(lanes 0-{lanes - 1}\)$", r"^\S*__assert_fail.* failing")


def step_abort():
    """The lanes that abort are the wave's last three, whatever its size."""
    on_every_gpu("abort", lambda gpu, lanes: rf"aborting \(0,0,0\)/{64 // lanes - 1}, lane {lanes - 3} at .*: assertion or abort "
                 rf"at 0x[0-9a-f]+ \(lanes {lanes - 3}-{lanes - 1}\)$", r"^abort\S* aborting")


# -- local memory --

def lds_addr_range_exception():
    """Beyond local memory, reads give 0 and writes do nothing; on request, either stops with its address."""
    for gpu in GPUS:
        with on(gpu, "local", level=2) as s:
            expect(s.run(), "ended with 0", gpu)
            expect(s.host.GetProcess().GetSTDOUT(1000), "local: ffffffff 0\r?\nlocal: no error", gpu)
        for level in (0, 2):
            with on(gpu, "local", level=level, settings=[f"{PREFIX}.local-range-exceptions true"]) as s:
                expect(s.run(), rf"local \(0,0,0\)/0, lane 3 at 'store': address error at local#0xfa0c "
                       rf"\(lanes {every(lanes_of(gpu), 3, 16)}\), 'ds_(write|store)_b32 ", f"{gpu} -O{level}")


def shared_exceptions():
    """A flat access beyond local memory is an error of its lane; the program gets it, distinguished from a page fault."""
    for gpu in ("gfx90a", "gfx1201"):
        with on(gpu, "generic", level=2) as s:
            expect(s.run(), r"generic \(0,0,0\)/0, lane 5 at 'generic': address error at local#0xfa00 \(lane 5\), 'flat_store",
                   gpu)
            expect(s.resume(), "signal SIGABRT", gpu)
    with on("gfx90a", "generic", settings=[f"{PREFIX}.stop-on-memory-violation false"]) as s:
        expect(s.run(), "signal SIGABRT")


def unaligned_memory_access():
    """Each size at each offset in private, local and global memory is read and written."""
    content = bytes((0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88))
    for gpu in ("gfx90a", "gfx1100"):
        with on(gpu, "unaligned") as s:
            s.at("bytes", source=SOURCE)
            expect(s.run(), "at 'bytes'", gpu)
            s.command("thread lane select 2")
            error = lldb.SBError()
            for name in ("own", "shared", "global"):
                place = frame(s).EvaluateExpression(f"&{name}.array[0]").GetValueAsUnsigned()
                expect(place not in (0, lldb.LLDB_INVALID_ADDRESS), "True", name)
                expected = bytearray(content)
                for size in range(1, 9):
                    for offset in range(0, 9 - size):
                        read = s.waves.ReadMemory(place + offset, size, error)
                        expect(read == bytes(expected[offset:offset + size]), "True", f"{name}, {size} at {offset}")
                        new = bytes(0xa0 + size + i for i in range(size))
                        expect(s.waves.WriteMemory(place + offset, new, error), f"^{size}$", name)
                        expected[offset:offset + size] = new
                expect(s.waves.ReadMemory(place, 8, error) == bytes(expected), "True", name)
                expect(s.waves.WriteMemory(place, content, error), "^8$", name)
                # Through expressions, of every size that a type has.
                for size, kind in ((2, "short"), (4, "int"), (8, "long")):
                    for offset in range(0, 9 - size):
                        value = frame(s).EvaluateExpression(f"*(unsigned {kind} *)&{name}.array[{offset}]")
                        expect(value.GetValueAsUnsigned(0), f"^{int.from_bytes(content[offset:offset + size], 'little')}$",
                               f"{gpu}, {name}, {kind} at {offset}")
            expect(s.resume(), "ended with 0|at 'bytes'", gpu)
            s.command("breakpoint delete -f")
            if s.waves.GetState() == lldb.eStateStopped:
                s.resume()
            expect(s.host.GetProcess().GetSTDOUT(1000), "unaligned: 77665544 77665544", gpu)


# -- calls of HIP --

INVALID_DEVICE = r"HIP error hipErrorInvalidDevice \(101\): invalid device ordinal, from hipSetDevice"
INVALID_VALUE = r"HIP error hipErrorInvalidValue \(1\): invalid argument, from hipGetDevice"
INVALID_LAUNCH = r"HIP error hipErrorInvalidConfiguration \(9\): .*, from hipLaunchKernel"


def call(session):
    """The stopped host thread: its reason, and the selected frame's line."""
    thread = session.host.GetProcess().GetSelectedThread()
    return f"{thread.GetStopDescription(200)} | {thread.GetSelectedFrame()}"


def hip_catch_errors():
    """Failed HIP calls stop in the program's line: all, those of a number, or the first; set before or after the start."""
    os.environ["WAVELANE_PROCESSOR"] = "gfx90a"
    program = f"{PROGRAMS}/exceptions-O0"
    with Clean(program, "errors", settings=[f"{PREFIX}.stop-on-hip-error true"]) as s:
        s.run()
        for wanted in (INVALID_DEVICE, INVALID_VALUE, INVALID_LAUNCH):
            expect(call(s), wanted + r" \| .*`main\(.* at exceptions.hip:")
            number = re.search(r"\d+", wanted).group()
            expect(s.command("p $_hiperr"), rf"\) {number}$")
            expect(s.command(f"p $_hiperr == {number} && $_hiperr != 0"), "true$")
            last = s.resume()
        expect(last, "ended with 0")
    with Clean(program, "errors") as s:
        s.command("breakpoint set -n __hipOnError --condition '*(int *)$arg1 == 1'")
        s.run()
        expect(call(s), INVALID_VALUE)
        expect(frame_of(s, 0).EvaluateExpression("*(hipError_t *)$arg1").GetValue(), "hipErrorInvalidValue")
        expect(s.resume(), "ended with 0")
    with Clean(program, "errors") as s:
        s.command("catch hiperr if $_hiperr == 1")
        s.run()
        expect(call(s), INVALID_VALUE)
        expect(s.resume(), "ended with 0")
    with Clean(program, "errors") as s:
        s.command("breakpoint set -n __hipOnError --one-shot true")
        s.run()
        expect(call(s), INVALID_DEVICE)
        expect(s.resume(), "ended with 0")
    # Set while it runs, without debug information; then removed.
    with Clean(f"{PROGRAMS}/exceptions-nodebug", "errors") as s:
        s.command("breakpoint set -n main --one-shot true")
        s.run()
        s.settings.append(f"{PREFIX}.stop-on-hip-error")
        s.command(f"settings set {PREFIX}.stop-on-hip-error true")
        s.resume()
        expect(call(s), INVALID_DEVICE)
        s.command(f"settings set {PREFIX}.stop-on-hip-error false")
        expect(s.resume(), "ended with 0")


def mi_catch_hiperr():
    """The same over the Debug Adapter Protocol: a function breakpoint with a condition, and the setting."""
    os.environ["WAVELANE_PROCESSOR"] = "gfx90a"
    adapter = os.environ["WAVELANE_BUILD"] + "/bin/lldb-dap"

    def stops(function_breakpoints, *commands):
        client = Client(adapter)
        client.body("initialize", adapterID="wavelane-test", linesStartAt1=True)
        launched = client.send("launch", program=f"{PROGRAMS}/exceptions-O0", args=["errors"], initCommands=list(commands))
        client.event("initialized")
        client.body("setFunctionBreakpoints", breakpoints=function_breakpoints)
        client.body("configurationDone")
        client.response(launched, 60)
        texts = []
        while True:
            event = client.next_event("stopped", "terminated")
            if event["event"] == "terminated":
                break
            texts.append(client.body("evaluate", expression="`thread info", context="repl")["result"])
            client.body("continue", threadId=event["body"]["threadId"])
        client.disconnect()
        return texts
    found = stops([{"name": "__hipOnError", "condition": "*(int *)$arg1 == 1"}])
    expect(len(found), "^1$", found)
    expect(found[0], INVALID_VALUE)
    found = stops([], f"settings set {PREFIX}.stop-on-hip-error true")
    expect(" | ".join(found), f"{INVALID_DEVICE}.* \\| .*{INVALID_VALUE}.* \\| .*{INVALID_LAUNCH}")


def frame_of(session, index):
    return session.host.GetProcess().GetSelectedThread().GetFrameAtIndex(index)


main(globals())
