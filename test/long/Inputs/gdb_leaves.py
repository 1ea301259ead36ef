# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""For gdb: runs the program to each call of `use` and writes the leaves of all variables of all frames to $OUT, as lines of JSON."""
import json
import os

import gdb

DEPTH, ELEMENTS = 6, 12


def leaves(value, path, found, depth=0):
    try:
        of = value.type.strip_typedefs()
        if of.code in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION) and depth < DEPTH:
            for field in of.fields():
                leaves(value[field], f"{path}.{field.name}", found, depth + 1)
        elif of.code == gdb.TYPE_CODE_ARRAY and depth < DEPTH:
            low, high = of.range()
            # gdb takes a bound without a value for 1.
            found[f"{path} elements"] = high - low + 1 if high > low else None
            for at in range(low, min(high + 1, low + ELEMENTS)):
                leaves(value[at], f"{path}[{at}]", found, depth + 1)
        elif value.is_optimized_out:
            found[path] = None
        elif of.code == gdb.TYPE_CODE_FLT:
            found[path] = f"{float(value):.6g}"
        elif of.code != gdb.TYPE_CODE_PTR:
            found[path] = int(value) & (1 << 64) - 1
    except gdb.error:
        found[path] = None


def show(frame):
    found = {}
    frame.select()  # The bounds of arrays are evaluated there.
    block = frame.block()
    while block and not block.is_static and not block.is_global:
        for symbol in block:
            if symbol.is_variable or symbol.is_argument:
                name = f"{symbol.name}@{symbol.line}"
                if name not in found:
                    try:
                        leaves(symbol.value(frame), name, found)
                    except gdb.error:
                        found[name] = None
        if block.function:
            break
        block = block.superblock
    return found


gdb.execute("set pagination off")
gdb.execute("set confirm off")
gdb.execute("set debuginfod enabled off")
gdb.Breakpoint("use").silent = True
gdb.execute("run > /dev/null")
with open(os.environ["OUT"], "w") as out:
    for stop in range(int(os.environ["STOPS"])):
        if not gdb.selected_inferior().pid:
            break
        frames, frame = [], gdb.newest_frame()
        while frame and frame.name() and frame.name() != "__libc_start_call_main":
            frames.append({"function": frame.name(), "pc": frame.pc(), "leaves": show(frame)})
            frame = frame.older()
        print(json.dumps(frames), file=out)
        gdb.execute("continue")
