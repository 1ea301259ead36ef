# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The number of passes of a loop of the code, from the comparison that ends it."""
import re

from .instructions import NAMES
from .terms import cleared_bits, low32, term

NEGATED = {"e": "ne", "ne": "e", "b": "ae", "ae": "b", "a": "be", "be": "a", "l": "ge", "ge": "l", "g": "le", "le": "g", "s": "ns", "ns": "s"}
NO_FLAGS = re.compile(r"(v?mov|lea|v?p[a-z]|not$|v?cvt|v?(add|sub|mul|div|min|max|sqrt|and|or|xor|shuf|unpck|f\w+)\w*[ps][sdh]$|vextract|vinsert|vbroadcast|"
                      r"vgather|sarx|shlx|shrx|rorx|mulx|pdep|pext|bswap|kmov|nop|prefetch)")


def passes(values, loop):
    """(step, total), where step * passes = total, a number and a term; None if unknown."""
    function = values.function
    if len(loop.latches) != 1:
        return None
    latch, = loop.latches
    jump = function.instructions[latch.end - 1]
    condition = jump.mnemonic[1:]
    if not jump.target() or condition not in NEGATED:
        return None
    if function.labels.get(jump.target()) != loop.header.begin:
        condition = NEGATED[condition]
    for index in range(latch.end - 2, latch.begin - 1, -1):
        i = function.instructions[index]
        difference = _difference(values, i, index)
        if difference is not None:
            return _solved(values.evolved(difference[0]), difference[1], condition, ("pass", loop.header.index), values, loop)
        if not NO_FLAGS.match(i.mnemonic) or i.mnemonic in ("vptest", "ptest"):
            return None
    return None


def _difference(values, i, index):
    """(the term that the flags describe, bytes): the left side of a comparison minus the right, or a result; None for other instructions."""
    if i.mnemonic not in ("cmp", "sub", "add", "inc", "dec", "test"):
        return None
    sides = i.operands + (["1"] if i.mnemonic in ("inc", "dec") else [])
    size = next((NAMES[o][1] for o in sides if isinstance(o, str) and o in NAMES), 0)
    if size < 4 or i.mnemonic == "test" and sides[0] != sides[1]:
        return None
    left, right = (values.operand(o, index) for o in sides)
    if left is None or right is None:
        return None
    if i.mnemonic == "test":
        return left, size
    return (left + right if i.mnemonic in ("add", "inc") else left - right), size


def _solved(difference, size, condition, passes_atom, values, loop):
    """From the value that is compared with zero after each pass."""
    if size == 4:
        difference = low32(difference)
    parts = difference.split(passes_atom)
    step = parts[0].constant() if parts else None
    if not step or not values.is_invariant(parts[1], loop):
        return None
    if condition in ("b", "l", "be", "le") and step < 0 or condition in ("a", "g", "ae", "ge") and step > 0:
        return None
    # It continues until the difference, in steps, is zero.
    total = term(step) - parts[1]
    if step < 0:
        step, total = -step, -total
    if condition in ("be", "le", "ae", "ge"):
        total = total + 1  # until it is beyond zero
    if condition != "ne" and not all((_multiple(p) * f) % step == 0 for p, f in total.parts.items()):
        return None
    return (step, total) if condition != "e" else None


def _multiple(product):
    """A number that divides a product of atoms."""
    out = 1
    for atom in product:
        if atom[0] == "and" and cleared_bits(atom[2]) is not None:
            out <<= cleared_bits(atom[2])
        elif atom[0] == "and" and atom[2]:
            out *= atom[2] & -atom[2]
    return out
