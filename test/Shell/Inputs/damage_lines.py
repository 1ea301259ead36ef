# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gives the directories of a program's line table (DWARF 5) a form that doesn't exist.

usage: damage_lines.py PROGRAM OBJCOPY"""
import subprocess
import sys

program, objcopy = sys.argv[1:3]
section = f"{program}.lines"
subprocess.run([objcopy, f"--dump-section=.debug_line={section}", program], check=True)
with open(section, "rb") as file:
    data = bytearray(file.read())
# After the lengths of the standard operations: one format, of a path (1) in .debug_line_str (0x1f).
at = data.index(b"\x01\x01\x1f")
data[at + 2] = 0x7f
with open(section, "wb") as file:
    file.write(data)
subprocess.run([objcopy, f"--update-section=.debug_line={section}", program], check=True)
