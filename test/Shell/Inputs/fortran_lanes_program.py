# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the assembly of a Fortran unit with lanes, which no compiler writes yet.

usage: fortran_lanes_program.py FILE.s"""
import sys

from dwarf_program import Program

FORTRAN_08 = 0x23
p = Program(language=FORTRAN_08)
i = p.base("integer(kind=4)", 4, "signed")
p.data += [".p2align 5", ".Lnumbers: .long 10, 11, 12, 13"]
f = p.function("scale", """pushq %rbx; .cfi_def_cfa_offset 16; movl $41, %ebx; leaq .Lnumbers(%rip), %rdx; @5 nop
popq %rbx; .cfi_def_cfa_offset 8; ret""".replace("\n", "; "), num_lanes=4)
f.variable("i", i, "breg3 0; push_lane; plus; stack_value")
f.variable("element", i, "breg1 0; push_lane; lit4; mul; plus")
f.variable("same", i, "reg3")
p.function("main", "call scale; xorl %eax, %eax; ret")

if __name__ == "__main__":
    p.write(sys.argv[1])
