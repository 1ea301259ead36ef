# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Damages a program's line table (DWARF 5): its directories have a form that doesn't exist, or with "far" its last line ends 16 TB farther.

usage: damage_lines.py PROGRAM OBJCOPY [far]"""
import subprocess
import sys

program, objcopy, *how = sys.argv[1:]
section = f"{program}.lines"
subprocess.run([objcopy, f"--dump-section=.debug_line={section}", program], check=True)
with open(section, "rb") as file:
    data = bytearray(file.read())
if how:
    # DW_LNS_advance_pc before DW_LNE_end_sequence, and the unit's length.
    at, more = data.rindex(b"\x00\x01\x01"), b"\x02" + 6 * b"\x80" + b"\x04"
    data[at:at] = more
    data[:4] = (int.from_bytes(data[:4], "little") + len(more)).to_bytes(4, "little")
else:
    # After the lengths of the standard operations: one format, of a path (1) in .debug_line_str (0x1f).
    at = data.index(b"\x01\x01\x1f")
    data[at + 2] = 0x7f
with open(section, "wb") as file:
    file.write(data)
subprocess.run([objcopy, f"--update-section=.debug_line={section}", program], check=True)
