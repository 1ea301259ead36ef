# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums of products of unknowns, like LLVM's SCEVs: the analysis's knowledge of a 64-bit value.

An unknown ("atom") is a tuple that begins with its kind:
  ("entry", register)            the register's value where the function begins
  ("symbol", name)               the address of a symbol
  ("relocated", text)            another number that the linker makes of a symbol
  ("pass", header)               how often the loop with that header has begun again
  ("phi", header, place)         what a register or stack slot holds when a pass of the loop begins
  ("enter", header, place)       ... when the loop is entered, on one of several paths
  ("join", block, place)         ... where several paths meet
  ("def", index, place)          ... after an instruction whose result isn't understood
  ("load", index, address, size) what an instruction has read from memory
  ("zext" | "sext", term)        the low 32 bits of a term, extended
  ("and", term, mask), ("shr", term, count)
All arithmetic is that of 64 bits."""

from math import gcd

ALL = 1 << 64
HALF = 1 << 63


def signed(number, bits=64):
    """A number wrapped to a signed number of that many bits."""
    number &= (1 << bits) - 1
    return number - (1 << bits) if number >> bits - 1 else number


class Term:
    """A sum of products; parts: {product (a sorted tuple of atoms): factor}. () is the product of nothing: the constant."""

    __slots__ = ("parts", "_key")

    def __init__(self, parts):
        self.parts = {p: s for p, f in parts.items() if (s := f if -HALF <= f < HALF else signed(f))}
        self._key = None

    def key(self):
        if self._key is None:
            self._key = tuple(sorted(self.parts.items(), key=repr))
        return self._key

    def __hash__(self):
        return hash(self.key())

    def __eq__(self, other):
        return isinstance(other, Term) and self.parts == other.parts

    def __repr__(self):
        return "T" + repr(self.key())

    def __add__(self, other):
        other = term(other)
        parts = dict(self.parts)
        for product, factor in other.parts.items():
            parts[product] = parts.get(product, 0) + factor
        return Term(parts)

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + -term(other)

    def __mul__(self, other):
        other = term(other)
        number = other.constant()
        if number is not None:
            return Term({p: f * number for p, f in self.parts.items()})._without_shifts()
        parts = {}
        for p, f in self.parts.items():
            for q, g in other.parts.items():
                product = tuple(sorted(p + q, key=repr))
                parts[product] = parts.get(product, 0) + f * g
        return Term(parts)._without_shifts()

    __radd__, __rmul__ = __add__, __mul__

    def _without_shifts(self):
        """8 * (x >> 3) is x & -8."""
        shifts = [p for p, f in self.parts.items() if len(p) == 1 and p[0][0] == "shr" and f % (1 << p[0][2]) == 0]
        if not shifts:
            return self
        out = Term({p: f for p, f in self.parts.items() if p not in shifts})
        for product in shifts:
            _, shifted, count = product[0]
            out = out + and_(shifted, -1 << count) * (self.parts[product] >> count)
        return out

    def constant(self):
        """Its value if it is a number, else None."""
        if not self.parts:
            return 0
        return self.parts[()] if len(self.parts) == 1 and () in self.parts else None

    def split(self, atom):
        """(a, b) of a * atom + b; None if the atom is squared or nested."""
        factor, rest = {}, {}
        for product, number in self.parts.items():
            if atom in product:
                without = list(product)
                without.remove(atom)
                factor[tuple(without)] = number
            else:
                rest[product] = number
        a, b = Term(factor), Term(rest)
        return None if atom in a.atoms() or atom in b.atoms() else (a, b)

    def divided(self, number):
        """The exact quotient; None if a part isn't a multiple."""
        parts = {}
        for product, factor in self.parts.items():
            if factor % number:
                return None
            parts[product] = factor // number
        return Term(parts)

    def atoms(self, found=None):
        """Every atom in it, including nested ones."""
        found = set() if found is None else found
        for product in self.parts:
            for atom in product:
                if atom not in found:
                    found.add(atom)
                    for inner in atom:
                        if isinstance(inner, Term):
                            inner.atoms(found)
        return found

    def replaced(self, replacement):
        """With replacement(atom), a term or None to keep it, for every atom, including nested ones."""
        out = Term({})
        for product, factor in self.parts.items():
            whole = Term({(): factor})
            for atom in product:
                whole = whole * _replaced(atom, replacement)
            out = out + whole
        return out


def _replaced(atom, replacement):
    new = replacement(atom)
    if new is not None:
        return new
    kind = atom[0]
    if kind in ("zext", "sext"):
        return extended(kind, atom[1].replaced(replacement))
    if kind == "and":
        return and_(atom[1].replaced(replacement), atom[2])
    if kind == "shr":
        return shr(atom[1].replaced(replacement), atom[2])
    if any(isinstance(part, Term) for part in atom):
        return unknown(*(part.replaced(replacement) if isinstance(part, Term) else part for part in atom))
    return Term({(atom,): 1})


def term(value):
    return value if isinstance(value, Term) else Term({(): value})


def unknown(*atom):
    return Term({(atom,): 1})


def low32(value):
    """A term with the same low 32 bits, without extensions and with the smallest factors."""
    out = Term({})
    for product, factor in value.parts.items():
        whole = Term({(): signed(factor, 32)})
        for atom in product:
            whole = whole * (atom[1] if atom[0] in ("zext", "sext") else Term({(atom,): 1}))
        out = out + whole
    return Term({p: signed(f, 32) for p, f in out.parts.items()})


def extended(kind, value):
    """Its low 32 bits as a 64-bit value."""
    only = _only_atom(value)
    if kind == "zext" and only and only[0] in ("and", "shr") and (_only_atom(only[1]) or ("",))[0] == "zext":
        return value
    value = low32(value)
    number = value.constant()
    if number is not None:
        return term(number & 0xFFFFFFFF if kind == "zext" else signed(number, 32))
    return unknown(kind, value)


def zext(value):
    return extended("zext", value)


def sext(value):
    return extended("sext", value)


def cleared_bits(mask):
    """The number of low bits that a mask clears if it keeps all others; None for other masks."""
    return (-mask).bit_length() - 1 if mask < 0 and mask & -mask == -mask else None


def and_(value, mask):
    mask = signed(mask)
    number = value.constant()
    if number is not None:
        return term(number & mask)
    if mask in (-1, 0):
        return value if mask else term(0)
    if mask == 0xFFFFFFFF:
        return zext(value)
    cleared = cleared_bits(mask)
    if cleared is not None:
        shift = min((f & -f).bit_length() - 1 for f in value.parts.values())
        if shift >= cleared:
            return value
        if shift:
            return and_(value.divided(1 << shift), -1 << cleared - shift) * (1 << shift)
    only = _only_atom(value)
    if only and only[0] == "and":
        return and_(only[1], only[2] & mask)
    return unknown("and", value, mask)


def shr(value, count):
    number = value.constant()
    if number is not None:
        return term((number & ALL - 1) >> count)
    only = _only_atom(value)
    if only and only[0] == "and" and cleared_bits(only[2]) is not None and cleared_bits(only[2]) <= count:
        return shr(only[1], count)
    if only and only[0] == "shr":
        return shr(only[1], only[2] + count)
    return unknown("shr", value, count) if count else value


def _only_atom(value):
    """The term's atom if it consists of just one, else None."""
    if len(value.parts) == 1:
        (product, factor), = value.parts.items()
        if len(product) == 1 and factor == 1:
            return product[0]
    return None


def without_extensions(value):
    """Without extensions, and with masks of positive numbers replaced by those that clear low bits: for values that can't be negative or too large."""
    def replacement(atom):
        if atom[0] in ("zext", "sext"):
            return without_extensions(atom[1])
        if atom[0] == "and":
            mask = atom[2]
            low = mask & -mask
            if mask > 0 and mask + low & mask == 0 and mask.bit_length() in (31, 32, 63):
                mask = -low
            return and_(without_extensions(atom[1]), mask)
        return None
    return value.replaced(replacement)


def stripped(value, unit):
    """A term without the extensions of 32 bits whose factor is a multiple of the unit: right in the unit's low 32 bits."""
    if not unit:
        return value
    out = Term({})
    for product, factor in value.parts.items():
        whole = Term({(): factor})
        for atom in product:
            is_extension = atom[0] in ("zext", "sext") and factor % unit == 0
            whole = whole * (stripped(atom[1], 1) if is_extension else Term({(atom,): 1}))
        out = out + whole
    return out


def parted(value):
    """A term's part without the number, and the number."""
    number = value.parts.get((), 0)
    return value - number, number


class Quotient:
    """A term divided by a number: the start of a variable, or a number of iterations. The division is exact when the code runs."""

    def __init__(self, dividend, divisor=1):
        exact = dividend.divided(divisor)
        self.dividend, self.divisor = (exact, 1) if exact is not None else (dividend, divisor)

    def __eq__(self, other):
        return self.dividend * other.divisor == other.dividend * self.divisor

    def key(self):
        """A key that is the same for equal quotients."""
        common = gcd(self.divisor, *self.dividend.parts.values())
        return self.dividend.divided(common), self.divisor // common

    def constant(self):
        """Its value if it is an integer, else None."""
        return self.dividend.constant() if self.divisor == 1 else None

    def times(self, factor):
        """Its product with a number as a term; None if that may not be an integer."""
        return (self.dividend * factor).divided(self.divisor)
