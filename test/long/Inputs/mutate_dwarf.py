# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Damages the debug information of a program, again and again, and shows the variables of a process with each.

usage: mutate_dwarf.py PROGRAM FUNCTION FIRST END LOG [KEEP]

The process is a core of PROGRAM at FUNCTION, made with gdb. Numbers FIRST to END, exclusive, are the seeds: each is one damaged copy of
PROGRAM, always the same one. A seed is written to LOG before it is tried, to identify a crash. With KEEP the damaged copies are kept there."""
import os
import random
import struct
import subprocess
import sys
import tempfile

import lldb

DEPTH, FRAMES, CHILDREN, VARIABLES = 4, 8, 8, 60
INTERESTING = (0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x7FFFFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFF)


def all_sections(data):
    """Name, offset and size of each section that has bytes in the file."""
    offset, = struct.unpack_from("<Q", data, 40)
    size, count, names = struct.unpack_from("<HHH", data, 58)
    headers = [struct.unpack_from("<IIQQQQIIQQ", data, offset + size * at) for at in range(count)]
    text = headers[names][4]
    return [(data[text + header[0]:data.index(b"\0", text + header[0])].decode(), header[4], header[5]) for header in headers
            if header[5] and header[1] not in (0, 8)]


def sections(data):
    """Offset and size of each section of debug information, with how often it is damaged: where expressions, entries and forms are most."""
    weights = {".debug_info": 8, ".debug_abbrev": 4, ".debug_loclists": 3, ".debug_loc": 3}
    return [(offset, size) for name, offset, size in all_sections(data) if name.startswith(".debug_") for _ in range(weights.get(name, 1))]


def damage(data, places, seed):
    chance = random.Random(seed)
    data = bytearray(data)
    for _ in range(chance.choice((1, 1, 1, 2, 4, 16))):
        begin, size = chance.choice(places)
        at = begin + chance.randrange(size)
        left = begin + size - at
        kind = chance.randrange(6)
        if kind == 0:
            data[at] ^= 1 << chance.randrange(8)
        elif kind == 1:
            data[at] = chance.randrange(256)
        elif kind == 2:
            width = min(chance.choice((1, 2, 4, 8)), left)
            data[at:at + width] = (chance.choice(INTERESTING) & ((1 << 8 * width) - 1)).to_bytes(width, "little")
        elif kind == 3:
            # Bytes from elsewhere in the section: references between entries, forms of other attributes.
            width = min(chance.choice((1, 2, 4, 8, 16)), left)
            other = begin + chance.randrange(size - width + 1)
            data[at:at + width] = data[other:other + width]
        elif kind == 4:
            # A reference to somewhere in the section.
            width = min(4, left)
            data[at:at + width] = chance.randrange(size).to_bytes(4, "little")[:width]
        else:
            # An operation.
            data[at] = chance.choice((0x06, 0x08, 0x0F, 0x12, 0x22, 0x2F, 0x28, 0x76, 0x91, 0x93, 0x94, 0x97, 0x98, 0x99, 0x9A, 0x9D, 0x9E, 0x9F, 0xA0, 0xA3,
                                      0xA4, 0xA5, 0xA6, 0xA8, 0xA9, 0xE9, 0xF3, 0xFD))
    return bytes(data)


def look(value, depth):
    value.GetValue(), value.GetSummary(), value.GetError().GetCString(), value.GetTypeName(), value.GetLocation()
    if depth:
        for at in range(min(value.GetNumChildren(CHILDREN), CHILDREN)):
            look(value.GetChildAtIndex(at), depth - 1)


def look_at_all(target, thread):
    seen = 0
    for at in range(min(thread.GetNumFrames(), FRAMES)):
        frame = thread.GetFrameAtIndex(at)
        frame.GetDisplayFunctionName(), frame.GetLineEntry()
        variables = frame.GetVariables(True, True, True, False)
        for index in range(min(variables.GetSize(), VARIABLES)):
            look(variables.GetValueAtIndex(index), DEPTH)
            seen += 1
    if thread.GetFrameAtIndex(0).GetFunction().IsValid():
        # Also reads the debug information that lanes need.
        answer = lldb.SBCommandReturnObject()
        target.GetDebugger().GetCommandInterpreter().HandleCommand("thread lane list", answer)
    return seen


def main():
    program, function, first, end, log = sys.argv[1:6]
    keep = sys.argv[6] if len(sys.argv) > 6 else None
    with open(program, "rb") as file:
        data = file.read()
    places = sections(data)
    with tempfile.TemporaryDirectory() as folder:
        # A core of the process, used with each damaged program, because LLDB keeps the types of a replaced module.
        core = os.path.join(folder, "core")
        subprocess.run(["gdb", "-q", "-batch", "-nx", "-ex", f"break {function}", "-ex", "run one", "-ex", f"gcore {core}", program], check=True,
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        debugger = lldb.SBDebugger.Create()
        debugger.SetAsync(False)
        seen = 0
        with open(log, "a") as progress:
            for seed in range(int(first), int(end)):
                print(seed, file=progress, flush=True)
                copy = os.path.join(keep or folder, f"{os.path.basename(program)}.{seed}")
                with open(copy, "wb") as file:
                    # -1 is the unmodified program.
                    file.write(damage(data, places, seed) if seed >= 0 else data)
                target = debugger.CreateTarget(copy)
                process = target.LoadCore(core)
                seen += look_at_all(target, process.GetSelectedThread())
                process.Destroy()
                debugger.DeleteTarget(target)
                if seed % 25 == 0:
                    lldb.SBDebugger.MemoryPressureDetected()
                if not keep:
                    os.unlink(copy)
            print("end", seen, file=progress, flush=True)
    lldb.SBDebugger.Destroy(debugger)


if __name__ == "__main__":
    main()
