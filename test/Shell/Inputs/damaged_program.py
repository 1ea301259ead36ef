# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the assembly of a program in C++ whose types are damaged in ways that LLDB or clang don't survive.

usage: damaged_program.py FILE.s"""
import sys

from dwarf_program import Program

CPLUSPLUS_14 = 0x21
p = Program(language=CPLUSPLUS_14)
i = p.base("int", 4, "signed")
f = p.function("f", "@3 nop; nop; ret")
f.variable("good", i, "lit7; stack_value")
# A complex number whose halves have 20 bits.
f.variable("complex", p.base("complex", 5, "complex_float"), "reg3")
# A namespace that specifies a structure in itself.
circle = p.unit.child("namespace", name="circle")
inside = circle.child("structure_type", name="inside", byte_size=4)
inside.child("member", name="a", type=i, data_member_location=0)
circle.attributes["specification"] = inside
f.variable("in_circle", inside, "reg3")
# std::unique_ptr: a whole one, as in libstdc++, and one whose tuple is empty.
std = p.unit.child("namespace", name="std")
pointer = p.pointer(i)


def structure(name, *members):
    """members: (name, type); without a name it is a base."""
    entry = std.child("structure_type", name=name, byte_size=8)
    for member, type in members:
        entry.child("member" if member else "inheritance", **({"name": member} if member else {}), type=type, data_member_location=0)
    return entry


def unique_pointer(number, tuple):
    outer = structure(f"__uniq_ptr_impl<{number}>", ("_M_t", tuple))
    return structure(f"unique_ptr<{number}>", ("_M_t", outer))


head = structure("_Head_base<0>", ("_M_head_impl", pointer))
implementation = structure("_Tuple_impl<0>", (None, head))
f.variable("unique", unique_pointer(1, structure("tuple<1>", (None, implementation))), "const1u 0; stack_value")
f.variable("unique_damaged", unique_pointer(2, structure("tuple<2>", ("_M_other", pointer))), "const1u 0; stack_value")
# An enumeration of structures that hold one.
node = p.unit.child("structure_type", name="node", byte_size=8)
enumeration = p.unit.child("enumeration_type", name="enumeration", type=node, byte_size=8)
node.child("member", name="next", type=enumeration, data_member_location=0)
f.variable("enumerated", enumeration, "reg3")
# A type that takes its attributes from a function, whose type it is.
automatic = p.unit.child("unspecified_type", name="auto")
g = p.function("g", "nop; ret")
g.attributes["type"] = automatic
automatic.attributes["specification"] = g
f.variable("automatic", automatic, "reg3")
# A structure that holds itself, by a type that has no more than a type.
tree = p.unit.child("structure_type", name="tree", byte_size=8)
pointer_without = p.unit.child("unspecified_type", type=tree)
tree.child("member", name="next", type=pointer_without, data_member_location=0)
f.variable("recursive", tree, "reg3")
# An enumeration of a number, and of the structure that holds it.
list = p.unit.child("structure_type", name="list", byte_size=8)
color = p.unit.child("enumeration_type", name="color", type=i, second_type=list, byte_size=4)
list.child("member", name="color", type=color, data_member_location=0)
f.variable("colors", list, "reg3")
# Constants of types that have more bytes than they.
f.child("variable", name="wide", type=p.base("__int128", 16, "signed"), const_value=7)
f.child("variable", name="wide_negative", type=p.base("__int128", 16, "signed"), const_value=-7)
f.child("variable", name="huge", type=p.unit.child("structure_type", name="huge", byte_size=1 << 46), const_value=7)
# A structure with a reference to itself that has no name.
looped = p.unit.child("structure_type", name="looped", byte_size=8)
looped.child("member", type=p.unit.child("reference_type", type=looped, byte_size=8), data_member_location=0)
f.variable("in_loop", looped, "reg3")
# Functions that specify themselves, each other, and one that its own variable specifies.
itself = p.function("itself", "nop; ret")
itself.attributes["specification"] = itself
one, other = p.function("one", "nop; ret"), p.function("other", "nop; ret")
one.attributes["specification"] = other
other.attributes["abstract_origin"] = one
descendant = p.unit.child("namespace", name="outer")
descendant.attributes["specification"] = descendant.child("namespace", name="inner").child("variable", name="in_inner", type=i)
p.function("main", "call f; xorl %eax, %eax; ret")

if __name__ == "__main__":
    p.write(sys.argv[1])
