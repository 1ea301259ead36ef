# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""DWARF expressions for the lanes' values, from the contents of registers and the frame."""
from math import gcd

from .directives import leb128
from .instructions import REGISTERS

from .terms import low32, stripped, unknown
from .values import GOT

OP_ADDR, OP_DEREF, OP_CONSTU, OP_CONSTS, OP_DIV, OP_MINUS, OP_MUL, OP_NEG = 0x03, 0x06, 0x10, 0x11, 0x1B, 0x1C, 0x1E, 0x1F
OP_PLUS, OP_SHRA, OP_LIT0, OP_BREG0, OP_CALL_FRAME_CFA, OP_STACK_VALUE = 0x22, 0x26, 0x30, 0x70, 0x9C, 0x9F
OP_PUSH_LANE = (0xE9, 3)  # DW_OP_LLVM_user, DW_OP_LLVM_push_lane
MOST_SOURCES = 3  # the maximum number of registers or slots in a value


def lane_count(lanes):
    return (OP_CONSTU, *leb128(lanes), OP_STACK_VALUE)


class Locator:
    """Finds expressions for values in one loop."""

    def __init__(self, values, loop):
        self.values, self.pass_atom = values, ("pass", loop.header.index)
        self._slots = sorted(values.slots(), key=repr)
        self._made = {}  # operations by their results and inputs

    def lane_value(self, start, rate, step, bits, index):
        """The expression of start + rate * pass + step * lane, correct in that many bits, before an instruction; start: a Quotient. None if
        the machine's contents there don't determine it."""
        sources = tuple(self._sources(index))
        key = start.key(), rate, bits <= 32, sources
        if key not in self._made:
            self._made[key] = self._shortest(start, rate, bits <= 32, sources)
        found = self._made[key]
        if found is None:
            return None
        scaled = (*_number(abs(step)), OP_MUL) if abs(step) != 1 else ()
        lane = (*OP_PUSH_LANE, *scaled, OP_PLUS if step > 0 else OP_MINUS) if step else ()
        return (*found, *lane, OP_STACK_VALUE)

    def _sources(self, index):
        """[(operations that push it, its value)] for the machine's registers and slots."""
        values = self.values
        found = [((OP_BREG0 + n, 0), values.value(r, index)) for n, r in enumerate(REGISTERS) if r != "rsp"]
        for slot in self._slots:
            if slot[1] == ("entry", "rsp") and slot[3] == 8:
                found.append(((OP_CALL_FRAME_CFA, *_number(slot[2] - 8), OP_PLUS, OP_DEREF), values.value(slot, index)))
        return [(operations, values.evolved(value)) for operations, value in found]

    def _shortest(self, start, rate, is_narrow, sources):
        """The operations of start + rate * pass; None if there are none."""
        if not rate:
            return self._sum(start.dividend, [], sources, 1 if is_narrow else 0, 1) if start.divisor == 1 else None
        found = [self._moving(start, rate, is_narrow, sources, number) for number in range(len(sources))]
        return min((f for f in found if f is not None), key=lambda f: (any(isinstance(part, tuple) for part in f), len(f)), default=None)

    def _moving(self, start, rate, is_narrow, sources, number):
        """The operations as (the source of that number and others, each times a number) / divisor; None if it doesn't advance with the
        loop's passes, or the others don't make up for the rest."""
        own = stripped(sources[number][1], 1 if is_narrow else 0).split(self.pass_atom)
        own = own[0].constant() if own else None
        if not own:
            return None
        # own * factor = rate * divisor, and the divisor has the start's.
        common = gcd(own, rate)
        divisor, factor = abs(own) // common, rate // common * (1 if own > 0 else -1)
        more = start.divisor // gcd(start.divisor, divisor)
        divisor, factor = divisor * more, factor * more
        wanted = start.dividend * (divisor // start.divisor) + unknown(*self.pass_atom) * (rate * divisor)
        others = sources[:number] + sources[number + 1:]
        return self._sum(wanted, [(factor, sources[number])], others, divisor if is_narrow else 0, divisor)

    def _sum(self, wanted, chosen, others, unit, divisor):
        """The operations of a sum of the chosen sources and of others that is `wanted`, divided."""
        rest = stripped(wanted, unit)
        for factor, (_, value) in chosen:
            rest = rest - stripped(value * factor, unit)
        if unit == 1:
            rest = low32(rest)
        if rest.constant() is not None:
            return _operations(chosen, rest.constant(), divisor)
        if rest.split(self.pass_atom) is None or rest.split(self.pass_atom)[0].parts or len(chosen) >= MOST_SOURCES:
            return None
        for atom in rest.atoms():
            fixed = {"symbol": (OP_ADDR, (atom[1], 8)), "entry": (OP_CALL_FRAME_CFA, *_number(-8), OP_PLUS)}.get(atom[0])
            # The assembler makes the distance to the table of that symbol, not its address.
            is_fixed = atom[0] == "symbol" and atom[1] != GOT or atom == ("entry", "rsp")
            if fixed and is_fixed and (atom,) in rest.parts and fixed not in [c[1][0] for c in chosen]:
                return self._sum(wanted, chosen + [(rest.parts[atom,], (fixed, unknown(*atom)))], others, unit, divisor)
        for number, source in enumerate(others):
            value = stripped(source[1], 1 if unit else 0)
            product = next((p for p in value.parts if p and p in rest.parts), None)
            if product is None or self.pass_atom in value.atoms() or rest.parts[product] % value.parts[product]:
                continue
            factor = rest.parts[product] // value.parts[product]
            if stripped(source[1] * factor, unit) != value * factor:
                continue  # Its upper bits would matter.
            found = self._sum(wanted, chosen + [(factor, source)], others[:number] + others[number + 1:], unit, divisor)
            if found is not None:
                return found
        return None


def _number(value):
    if 0 <= value < 32:
        return (OP_LIT0 + value,)
    return (OP_CONSTU, *leb128(value)) if value > 0 else (OP_CONSTS, *leb128(value, True))


def _operations(chosen, number, divisor):
    out = []
    for position, (factor, (operations, _)) in enumerate(chosen):
        if factor == 1 and len(operations) == 2 and number:  # a register's own offset
            operations, number = (operations[0], *leb128(number, True)), 0
        out += operations
        if abs(factor) != 1:
            out += (*_number(abs(factor)), OP_MUL)
        if position:
            out.append(OP_PLUS if factor > 0 else OP_MINUS)
        elif factor < 0:
            out.append(OP_NEG)
    if number or not chosen:
        out += (*_number(number), OP_PLUS) if chosen else _number(number)
    if divisor & divisor - 1:
        out += (*_number(divisor), OP_DIV)
    elif divisor > 1:
        out += (*_number(divisor.bit_length() - 1), OP_SHRA)
    return tuple(out)
