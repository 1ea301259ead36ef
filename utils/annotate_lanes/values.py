# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The contents of registers and stack slots as terms: LLVM's scalar evolution, from machine code.

A place is a general register's full name or a slot of the frame, ("slot", frame base, offset, size). The value of a place is traced to
its definition through single assignments; a place that a loop advances by the same amount in every pass is its value at the loop's
entry plus that amount times the loop's pass."""
from . import instructions as machine
from .instructions import NAMES, Memory
from .terms import and_, low32, sext, shr, term, unknown, zext

NOWHERE = -(1 << 40)  # An offset below every frame.
GOT = "_GLOBAL_OFFSET_TABLE_"
JOINED = 40  # how many different predecessors' values are compared before a join counts as unknown


class Values:
    """The values of one function's places."""

    def __init__(self, function):
        self.function = function
        self._at_block, self._results, self._evolutions = {}, {}, {}
        self._changed_in = {}  # (loop header, place): bool
        self._escapes, self._reads_frame = {}, False
        self._find_frame_escapes()

    # The frame

    def _find_frame_escapes(self):
        """The lowest offset of the frame that pointers may refer to: memory from there on may change in unseen ways."""
        for index, i in enumerate(self.function.instructions):
            if self.function.block_of(index) not in self.function.dominator:
                continue
            memory, base = i.memory(), None
            if i.mnemonic == "mov" and i.operands[1] in ("rsp", "rbp") and i.operands[0] not in ("rsp", "rbp"):
                base = self.operand(i.operands[1], index)
            elif memory and memory.base in ("rsp", "rbp") and i.mnemonic == "lea" and i.operands[0] != "rsp":
                base = self.address(memory, index)
            elif memory and memory.base in ("rsp", "rbp") and (memory.index or memory.vector_index):
                base = self.operand(memory.base, index) + NOWHERE
            place = self._frame_place(base) if base is not None else None
            if place:
                self._escapes[place[0]] = min(place[1], self._escapes.get(place[0], place[1]))
        self._reads_frame = True
        for memo in (self._at_block, self._results, self._changed_in):
            memo.clear()

    @staticmethod
    def _frame_place(address):
        """(frame base, offset) of an address in the frame: based on the stack pointer at the function's entry or after alignment."""
        atoms = [(p, f) for p, f in address.parts.items() if p]
        if len(atoms) != 1 or len(atoms[0][0]) != 1 or atoms[0][1] != 1:
            return None
        atom = atoms[0][0][0]
        if atom == ("entry", "rsp") or atom[0] == "and" and Values._frame_place(atom[1]):
            return atom, address.parts.get((), 0)
        return None

    def slot(self, memory, index):
        """The frame's slot of a memory operand; None if it may be anything, or pointers may refer to it."""
        if not self._reads_frame or memory.index or memory.symbol or memory.segment or memory.base not in ("rsp", "rbp") or not memory.size:
            return None
        return self.frame_slot(self.address(memory, index), memory.size)

    def frame_slot(self, address, size):
        """The frame's slot at an address; None if it isn't in the frame, or pointers may refer to it."""
        place = self._frame_place(address)
        if not place or place[1] >= self._escapes.get(place[0], 1 << 62):
            return None
        return ("slot", place[0], place[1], size)

    def slots(self):
        """The frame's own slots that instructions use."""
        found = set()
        for index, i in enumerate(self.function.instructions):
            if i.is_access() and self.function.block_of(index) in self.function.dominator:
                found.add(self.slot(i.memory(), index))
        return found - {None}

    # Definitions

    def value(self, place, index):
        """The value of a place before the instruction."""
        block = self.function.block_of(index)
        return self._value_before(place, block, index)

    def _value_before(self, place, block, index):
        for i in range(index - 1, block.begin - 1, -1):
            if self._changes(i, place):
                return self._result(i, place)
        return self._value_at(place, block)

    def _changes(self, index, place):
        i = self.function.instructions[index]
        if isinstance(place, str):
            changed = i.changed()
            return changed is None or place in changed
        if not i.mnemonic:
            return True
        if i.mnemonic in ("push", "call"):
            return i.mnemonic == "push" and self._overlaps(self._pushed(index), place)
        if not i.writes_memory():
            return False
        slot = self.slot(i.memory(), index)
        return slot is not None and self._overlaps(slot, place)

    def _pushed(self, index):
        at = self._frame_place(self.value("rsp", index) - 8)
        return ("slot", at[0], at[1], 8) if at else ("slot", None, 0, 0)

    @staticmethod
    def _overlaps(a, b):
        return a[1] == b[1] and a[2] < b[2] + b[3] and b[2] < a[2] + a[3]

    def _value_at(self, place, block):
        """The value of a place at the beginning of a block."""
        passed = []  # the blocks along single predecessors, all with the same value
        while True:
            key = (place, block.index)
            if key in self._at_block:
                value = self._at_block[key]
                break
            passed.append(key)
            loop = block.loop
            is_header = loop is not None and loop.header is block
            if is_header and self.changes_in(loop, place):
                value = unknown("phi", block.index, place)
                break
            if block is self.function.order[0]:
                value = unknown("entry", place)
                break
            if block in self.function.irregular:
                value = unknown("join", block.index, place) if self._changes_at_all(place) else unknown("entry", place)
                break
            before = [p for p in block.predecessors if not (is_header and p in loop.latches)]
            if len(before) != 1:
                value = self._joined(place, block, before, "enter" if is_header else "join")
                break
            block = before[0]
            defined = next((i for i in range(block.end - 1, block.begin - 1, -1) if self._changes(i, place)), None)
            if defined is not None:
                value = self._result(defined, place)
                break
        self._at_block.update((key, value) for key in passed)
        return value

    def _joined(self, place, block, before, kind):
        """The value of a place where paths meet."""
        opaque = unknown(kind, block.index, place)
        if len(before) > JOINED:
            return opaque
        first = None
        for p in before:
            value = self._value_before(place, p, p.end)
            if first is not None and value != first:
                return opaque
            first = value
        return first if first is not None else opaque

    def changes_in(self, loop, place):
        """Whether an instruction of the loop may change the place."""
        key = (loop.header.index, place)
        if key not in self._changed_in:
            self._changed_in[key] = False  # while a slot's addresses are being found
            self._changed_in[key] = any(self._changes(i, place) for b in loop.blocks for i in range(b.begin, b.end))
        return self._changed_in[key]

    def _changes_at_all(self, place):
        return any(self._changes(i, place) for b in self.function.order for i in range(b.begin, b.end))

    def address(self, memory, index):
        """The address of a memory operand of the instruction."""
        value = term(memory.displacement)
        if memory.segment:
            value = value + unknown("entry", memory.segment)
        if memory.symbol:
            value = value + symbol_value(memory.symbol)
        if memory.base and memory.base not in ("rip", "eip"):
            value = value + self.operand(memory.base, index)
        if memory.index and memory.index not in ("riz", "eiz"):
            value = value + self.operand(memory.index, index) * memory.scale
        if memory.vector_index:
            value = value + unknown("def", index, "vector")
        return value

    def operand(self, operand, index):
        """The 64-bit value of a register, immediate or memory operand; None for anything else."""
        if isinstance(operand, Memory):
            return self._loaded(operand, index)
        if operand in NAMES:
            full, size = NAMES[operand]
            value = self.value(full, index)
            return value if size == 8 else zext(value) if size == 4 else unknown("def", index, operand)
        if operand.startswith("offset "):
            name, number = machine.symbol_and_number(operand[7:])
            return symbol_value(name) + number
        try:
            return term(int(operand, 0))
        except ValueError:
            return None

    def _loaded(self, memory, index):
        if memory.symbol and memory.symbol.endswith("@GOTPCREL"):
            return unknown("symbol", symbol_name(memory.symbol))
        slot = self.slot(memory, index)
        if slot:
            value = self.value(slot, index)
        else:
            value = unknown("load", index, self.address(memory, index), memory.size)
        return value if memory.size == 8 else zext(value)

    def _result(self, index, place):
        key = (index, place)
        if key not in self._results:
            self._results[key] = self._compute(index, place)
        return self._results[key]

    def _compute(self, index, place):
        """The value of a place after an instruction that changes it."""
        i = self.function.instructions[index]
        opaque = unknown("def", index, place)
        name, operands = i.mnemonic, i.operands
        if not isinstance(place, str):
            if name == "push":
                return self.operand(operands[0], index) or opaque if self._pushed(index) == place else opaque
            if name == "mov" and self.slot(i.memory(), index) == place:
                return self.operand(operands[1], index) or opaque
            return opaque
        if place == "rsp" and name in ("push", "pop"):
            return self.value("rsp", index) + (-8 if name == "push" else 8)
        if place == "rsp" and name == "leave":
            return self.value("rbp", index) + 8
        if name == "cdqe":
            return sext(self.value("rax", index))
        if name == "call" or i.prefix or not operands or NAMES.get(operands[0] if isinstance(operands[0], str) else "", ("", 0))[0] != place:
            return opaque
        size = NAMES[operands[0]][1]
        if size < 4:
            return opaque
        value = self._arithmetic(i, index, size)
        if value is None:
            return zext(opaque) if size == 4 else opaque
        return value if size == 8 else zext(value)

    def _arithmetic(self, i, index, size):
        """The result of an instruction on its first operand, correct in that many bytes; None if it isn't supported."""
        name, operands = i.mnemonic, i.operands
        if name == "lea":
            return self.address(operands[1], index)
        if name == "pop":
            return self._popped(index)
        if name in ("xor", "sub") and len(operands) == 2 and operands[0] == operands[1]:
            return term(0)
        if name in ("mov", "movabs"):
            return self.operand(operands[1], index)
        if name == "movsxd" or name == "movsx" and isinstance(operands[1], Memory) and operands[1].size == 4:
            return sext(self.operand(operands[1], index))
        if name == "imul" and len(operands) == 3:
            a, b = (self.operand(o, index) for o in operands[1:])
            return a * b
        if name not in ("add", "sub", "imul", "and", "shl", "sal", "shr", "sar", "inc", "dec", "neg", "not"):
            return None
        own = self.operand(operands[0], index)
        if len(operands) == 1:
            return {"inc": own + 1, "dec": own - 1, "neg": -own, "not": -own - 1, "shl": own * 2, "sal": own * 2, "shr": shr(own, 1)}.get(name)
        other = self.operand(operands[1], index) if operands[1] != "cl" else None
        if other is None:
            return None
        number = other.constant()
        if name == "add":
            return own + other
        if name == "sub":
            return own - other
        if name == "imul":
            return own * other
        if name == "and":
            if own.constant() is not None:
                return and_(other, own.constant())
            return and_(own, number) if number is not None else None
        if number is None or not 0 <= number < 8 * size:
            return None
        if name in ("shl", "sal"):
            return own * (1 << number)
        high = own.divided(1 << 32) if size == 8 and number <= 32 else None
        if high is not None:  # a pair of shifts that extends 32 bits
            return (zext(high) if name == "shr" else sext(high)) * (1 << 32 - number)
        return shr(own, number) if name == "shr" else None

    def _popped(self, index):
        slot = self.frame_slot(self.value("rsp", index), 8) if self._reads_frame else None
        return self.value(slot, index) if slot else None

    # Evolutions

    def evolved(self, value):
        """The value with loop-carried registers expressed by the loops' passes, if known."""
        return value.replaced(lambda atom: self._evolution(atom) if atom[0] == "phi" else None)

    def _evolution(self, phi):
        if phi in self._evolutions:
            return self._evolutions[phi]
        self._evolutions[phi] = None  # while it is being found
        _, header, place = phi
        block = self.function.blocks[header]
        loop = block.loop
        outside = [p for p in block.predecessors if p not in loop.latches]
        entry = self._joined(place, block, outside, "enter") if block is not self.function.order[0] else unknown("entry", place)
        entry = self.evolved(entry)
        steps, narrow = set(), False
        for latch in loop.latches:
            value = self._value_before(place, latch, latch.end)
            step = value - unknown(*phi)
            if not self.is_invariant(step, loop):
                parts = list(value.parts.items())
                if len(parts) != 1 or parts[0][1] != 1 or len(parts[0][0]) != 1 or parts[0][0][0][0] != "zext":
                    return None
                step, narrow = low32(value - unknown(*phi)), True
                if not self.is_invariant(step, loop):
                    return None
            steps.add(self.evolved(step))
        if len(steps) != 1:
            return None
        if narrow and entry != zext(entry):
            return None  # The first pass may have other upper bits.
        value = entry + steps.pop() * unknown("pass", header)
        self._evolutions[phi] = zext(value) if narrow else value
        return self._evolutions[phi]

    def is_invariant(self, value, loop):
        """Whether a value is the same throughout the loop, in any pass."""
        return not any(self._is_made_in(atom, loop) for atom in value.atoms())

    def _is_made_in(self, atom, loop):
        if atom[0] in ("def", "load"):
            return self.function.block_of(atom[1]) in loop.blocks
        if atom[0] in ("phi", "join", "pass", "enter"):
            block = self.function.blocks[atom[1]]
            return block in loop.blocks and not (atom[0] == "enter" and block is loop.header)
        return False


def symbol_value(text):
    """The value of a symbol with its relocation: only some relocations give its address."""
    _, _, relocation = text.partition("@")
    value = unknown("symbol", symbol_name(text))
    if relocation == "GOTOFF":
        return value - unknown("symbol", GOT)
    return value if relocation in ("", "PLT") else unknown("relocated", text)


def symbol_name(text):
    """A symbol without its relocation, and without clang's second name for symbols that can't be preempted."""
    name = text.split("@")[0]
    return name[2:-6] if name.startswith(".L") and name.endswith("$local") else name
