# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program of x86-64 with rarely used forms of debug information (PROGRAM). Numbers in brackets are registers' by DWARF: 3 is rbx, 12 r12, 18 ymm1."""
from dwarf_program import Label, Program

PROGRAM = p = Program()
i = p.base("int", 4, "signed")
l = p.base("long", 8, "signed")
d = p.base("double", 8, "float")
c = p.base("char", 1, "signed_char")
lanes4 = p.base("int4", 4, "signed", LLVM_vector_size=4)
pair = p.struct("pair", 8, ("a", i, 0), ("b", i, 4))
moved = p.struct("moved", 16, ("first", l, "LLVM_offset_uconst 8"), ("second", l, "plus_uconst 0"))
p.addresses += [".Lnumbers", "4321"]
p.data += [".p2align 5", ".Lnumbers: .quad 17, 18, 19, 20", ".Lints: .long 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12", ".Lsize: .quad 3",
           # The descriptor of an array: its address, first and last index.
           ".Lheap: .quad .Lints, 2, 6", ".Lempty: .quad 0, 0, 0"]

f = p.function("f", """pushq %rbx; pushq %r12; pushq %r13; .cfi_def_cfa_offset 32; movl $1, %edi; leaq .Lnumbers(%rip), %r12; leaq .Lints(%rip), %r13; movl $7, %ebx; movq $16, %rcx
movq .Lsize(%rip), %rsi; movsd .Lnumbers(%rip), %xmm3; movabsq $0x500000004, %rdx; vmovdqu .Lints(%rip), %ymm1; vmovdqu .Lints(%rip), %ymm2
@3 nop; @4 nop; popq %r13; popq %r12; popq %rbx; .cfi_def_cfa_offset 8""".replace("\n", "; "))
VARIABLES = [
    # Values and locations on the stack (point 4; 3 crashed).
    ("deref_implicit", l, "implicit_value 1100000000000000; deref; stack_value"),
    ("plus_place", l, "reg12; deref; lit16; plus"),
    ("deref_stack_value", l, "breg2 0; stack_value; deref; lit1; plus; stack_value"),
    ("half", pair, "reg3; piece 4; piece 4"),
    ("short_pair", pair, "reg3; piece 4"),
    ("in_register", i, "reg3"),
    ("pair_in_register", pair, "reg1"),
    ("pieces", pair, "reg3; piece 4; reg2; piece 4"),
    ("constant", i, "lit5; stack_value"),
    ("constants", pair, "lit5; stack_value; piece 4; lit6; stack_value; piece 4"),
    ("number", d, "reg20"),
    ("slot", l, "breg12 8"),
    ("pointer", p.pointer(i), "implicit_pointer &in_register 0"),
    # Clang's conversion of an address to address space 1 (9).
    ("space_1", l, "const1u 17; lit1; swap; xderef; stack_value"),
    # In several places (7).
    ("two_places", l, [("f", "f.end", "breg12 8"), ("f.3", "f.end", "reg4")]),
    ("two_registers", l, [("f", "f.end", "reg4"), ("f.3", "f.end", "reg1")]),
    ("by_default", i, [("f", "f.3", "reg2"), ("default", "reg3")]),
    ("gone", i, [("f", "f.3", "reg3")]),
    # Types (8).
    ("counted", p.array(i, {"count": "breg4 0"}), "breg13 0"),
    ("bounded", p.array(i, {"upper_bound": "breg4 0; stack_value"}), "breg13 0"),
    ("member_moved", moved, "breg12 0"),
    ("heap", p.array(i, {"lower_bound": "push_object_address; plus_uconst 8; deref", "upper_bound": "push_object_address; plus_uconst 16; deref"},
                     data_location="push_object_address; deref"), "addr .Lheap"),
    ("empty", p.array(i, {"upper_bound": "push_object_address; plus_uconst 16; deref"}, data_location="push_object_address; deref",
                      allocated="push_object_address; deref; lit0; ne"), "addr .Lempty"),
    ("vector", lanes4, "breg13 0"),
    # Typed values, and operations that need an entry.
    ("typed", d, f"const_type {p.offset(d)} 000000000000f83f; regval_type 20 {p.offset(d)}; plus; stack_value"),
    ("converted", i, f"const1u 200; convert {p.offset(c)}; convert {p.offset(i)}; stack_value"),
    ("reinterpreted", l, f"breg12 0; deref_type 8 {p.offset(l)}; reinterpret {p.offset(d)}; reinterpret {p.offset(l)}; stack_value"),
    ("called", i, "call2 &in_register"),
    ("called_ref", i, "call_ref &in_register"),
    ("indexed", l, "addrx 0"),
    ("constant_indexed", l, "constx 1; stack_value"),
    ("on_entry", l, "entry_value {reg5}; stack_value"),
    ("in_frame", l, "fbreg -16"),
    ("above_frame", l, "call_frame_cfa; const1s -16; plus"),
    ("offset", i, "reg18; lit4; LLVM_offset"),
    ("offset_constant", i, "reg18; LLVM_offset_uconst 8"),
    ("bits", i, "reg18; lit8; LLVM_bit_offset"),
    ("part_of_piece", pair, "reg3; piece 4; reg2; piece 4; LLVM_piece_end; LLVM_offset_uconst 4"),
    ("undefined_place", i, "LLVM_undefined"),
    ("extended", p.array(i, 4), "reg3; LLVM_extend 32 4"),
    ("selected", p.array(i, 4), "reg18; breg13 0; lit5; LLVM_select_bit_piece 32 4"),
    ("formed", l, "breg12 0; lit0; LLVM_form_aspace_address"),
    ("space_register", l, "lit0; LLVM_aspace_bregx 12 8"),
    ("bit_pieces", i, "reg3; bit_piece 8 0; reg18; bit_piece 24 8"),
    ("bytes", l, "implicit_value 0102030405060708"),
    # LLDB takes the bytes for operations, which these aren't.
    ("bytes_unlike", l, "implicit_value 000000c8d5e00001"),
    ("bytes_read", l, "implicit_value 000002c8d5e00001; deref; stack_value"),
    # DW_OP_addr's byte as another one's operand, and an address that is a value: automatic variables. The last one is static.
    ("bytes_address", moved, "implicit_value 03112233445566778800000000000000"),
    ("type_address", l, f"breg12 0; deref_type 8 {p.offset(l)}; lit0; plus; stack_value"),
    ("piece_address", pair, "implicit_pointer &in_register 3; piece 4; const1u 3; stack_value; piece 4"),
    ("address", p.pointer(i), "addr .Lints; stack_value"),
    ("static", l, "addr .Lsize"),
    ("static_narrowed", i, "addr .Lsize; deref_size 1; lit4; plus; stack_value"),
    # LLDB goes on with the byte c8, which isn't an operation either.
    ("called_unlike", i, "call_ref &in_register; const8u 3355443200; drop"),
    ("overlaid", p.array(i, 4), "breg13 0; reg3; lit4; lit4; overlay"),
    ("composed", pair, "composite; reg3; piece 4; reg2; piece 4"),
    ("in_memory", l, "lit0; breg12 0; mem"),
]
for name, type, place in VARIABLES:
    f.variable(name, type, place)

# Object maps (6): the second chunk, of two registers; one in ranges alone; by number of chunk.
mapped = p.array(i, 12)
chunked = f.variable("chunked", mapped, "")
maps = {
    "elements": dict(mem_location="breg13 0", vec_location="reg18", element_size="lit4", element_count=4, cntl_ordinal=4),
    "two_registers_each": dict(mem_location="breg13 0", vec_location="reg18", element_size=4, element_count=16, cntl_ordinal=[("f", "f.end", "lit0")]),
    "elsewhere": dict(mem_location="breg13 0", vec_location="reg18", element_size=4, element_count=4, cntl_ordinal=4, ranges=[("f", "f.3")]),
    "by_chunk": dict(mem_location="breg13 0", vec_location="reg18", element_size=4, element_count=4, map_chunk="lit2; stack_value"),
    "no_chunk": dict(mem_location="breg13 0", vec_location="reg18", element_size=4, element_count=4, map_chunk="lit0; stack_value"),
}
for name, attributes in maps.items():
    p.named[f"map_{name}"] = chunked.object_map(**attributes)
    for index in (0, 5, 8):
        f.variable(f"{name}_{index}", i, f"lit{index}; object_map &map_{name}")
    f.variable(f"{name}_15" if name == "two_registers_each" else f"{name}_11", i, f"const1u {15 if name == 'two_registers_each' else 11}; object_map &map_{name}")

# Circles (2 and "Bad input"): each error names an entry.
p.named["map_circle"] = chunked.object_map(mem_location="lit0; object_map &map_circle", vec_location="reg18", element_size=4, element_count=4, cntl_ordinal=0)
f.variable("map_in_circle", i, "lit0; object_map &map_circle")
f.variable("call_in_circle", i, "call4 &call_in_circle")
f.variable("pointer_in_circle", i, "implicit_pointer &pointer_in_circle 0; deref; deref")
f.variable("value_in_circle", i, "GNU_variable_value &value_in_circle; stack_value")
f.variable("long_expression", i, "skip -3")
p.unit.child("typedef", name="round", type=None)
p.named["round"].attributes["type"] = p.named["round"]
f.variable("type_in_circle", p.named["round"], "reg3")
ring = p.unit.child("structure_type", name="ring", byte_size=8)
other = p.struct("other", 8, ("inside", ring, 0))
ring.child("member", name="inside", type=other, data_member_location=0)
f.variable("struct_in_circle", ring, "breg12 0")
base = p.unit.child("structure_type", name="base", byte_size=8)
base.child("inheritance", type=base, data_member_location=0)
f.variable("base_in_circle", base, "breg12 0")
f.variable("huge", p.array(i, 4000000000), "breg13 0")
f.variable("huge_counted", p.array(i, {"count": "const4u 4000000000; stack_value"}), "breg13 0")

# Lanes of another entry point (10).
g = p.function("g", "@7 nop; nop; nop; g2:; @8 nop; nop", num_lanes=4)
g.child("entry_point", name="g2", low_pc=Label("g2"), num_lanes=2)
g.variable("lane", i, "push_lane; stack_value")
h = p.function("h", "@9 nop; nop", num_lanes="breg7 0")
h.variable("lane", i, "push_lane; stack_value")

main = p.function("main", "pushq %rbp; .cfi_def_cfa_offset 16; movl $99, %edi; call f; main.f:; call g; call h; popq %rbp; .cfi_def_cfa_offset 8; xorl %eax, %eax",
                  call_all_calls=True)
main.child("call_site", call_return_pc=Label("main.f"), call_origin=f).child("call_site_parameter", location="reg5", call_value="const1u 99")
