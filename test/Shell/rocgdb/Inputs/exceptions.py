"""What ROCgdb's GPU tests check of exceptions, on every GPU: each function is named after the test file whose behaviour it checks."""
import os
import lldb
from behaviours import PROGRAMS, Clean, Session, expect, frame, main, start

SOURCE = "exceptions.hip"
PREFIX = "plugin.process.amdgpu"
GPUS = ("gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201")


def on(gpu, *arguments, level=0, program="exceptions", settings=()):
    """A session on that GPU that has not begun."""
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
        # All kinds on the first; of the others what differs: the register that enables.
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


main(globals())
