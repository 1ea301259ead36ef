# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A core runs on: the same steps as in the session that has written it, on a simulated GPU that begins with what the core has."""
import hashlib
import os
import struct
import sys
import tempfile
import lldb
from stops import Session
from why import whether

PROGRAM, LINE = sys.argv[1], int(sys.argv[2])
# The debugger's own lines are in between.
sys.stdout.reconfigure(line_buffering=True)
folder = tempfile.mkdtemp()
core = os.path.join(folder, "core")
STEPS = ("next", "thread step-inst", "next")


def contents():
    with open(core, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def steps(s):
    seen = []
    for text in STEPS:
        seen.append((text, s.step(text), s.value("t"), s.waves.GetSelectedThread().GetFrameAtIndex(0).GetPC()))
    return seen


def opened(s):
    s.command(f"target create --core {core}")
    s.command(f"target select {s.debugger.GetNumTargets() - 1}")
    s.command("thread lane select 17")


with Session(PROGRAM) as s:
    s.command(f"breakpoint set -f saxpy.hip -l {LINE}")
    s.run()
    s.command("thread lane select 17")
    y = s.command("frame variable y").split()[-1]
    s.command(f"process save-core {core}")
    live = steps(s)
before = contents()

with Session(PROGRAM) as s:
    opened(s)
    print("core:", s.where().split(":")[0])
    # Nothing has begun yet.
    print("reading isn't running:", s.command("register write s4 5"))
    again = steps(s)
    print("the same steps:", whether(again == live, f"{again} instead of {live}"))
    s.command(f"breakpoint set -f saxpy.hip -l {LINE}")
    print("back:", s.step("reverse-stepi").rpartition(": ")[2], "|", s.step("reverse-continue").rpartition(": ")[2])
    s.command("breakpoint delete -f")
    print("past the core:", s.step("reverse-continue").partition(": ")[2])
    print("present:", s.step("gpu time now").partition(": ")[2])
    print("a breakpoint:", s.command(f"breakpoint set -f saxpy.hip -l {LINE + 2} -c 'i == 300'").split("\n")[0].split(",")[0])
    print("hit:", s.resume(), s.value("i"))
    print("register write:", s.command("register write s4 5"), s.command("register read s4"))
    s.command("breakpoint delete -f")
    s.command("continue")
    process = s.waves
    print("the end:", lldb.SBDebugger.StateAsCString(process.GetState()), process.GetNumThreads(), "waves")
    error = lldb.SBError()
    address = int(y, 16)
    found = [struct.unpack("f", process.ReadMemory(address + 4 * i, 4, error))[0] for i in (0, 17, 999)]
    print("y:", *found)
print("the core is as it was:", whether(contents() == before, "it has changed"))

# A page that the core lacks stops the wave.
with open(core, "r+b") as file:
    header = file.read(64)
    offset, size, count = struct.unpack_from("<Q", header, 32)[0], *struct.unpack_from("<HH", header, 54)
    for i in range(count):
        file.seek(offset + i * size)
        kind, _, _, address_of, _, in_file, _, _ = struct.unpack("<IIQQQQQQ", file.read(56))
        if kind == 1 and address_of <= address < address_of + in_file:
            at = (offset + i * size, address_of, in_file)
    # Cut the range in front of y's page.
    place, begin, in_file = at
    file.seek(place)
    record = list(struct.unpack("<IIQQQQQQ", file.read(56)))
    page = address // 4096 * 4096
    record[5] = record[6] = page - begin
    file.seek(place)
    file.write(struct.pack("<IIQQQQQQ", *record))
with Session(PROGRAM) as s:
    opened(s)
    s.command("continue")
    said = s.where()
    print("a missing page:", whether(f"{address + 4 * 0:#x}"[:-4] in said.replace("0x0000", "0x"), said), "violation" in said)
os.remove(core)
os.rmdir(folder)
