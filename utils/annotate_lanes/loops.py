"""Finds widened loops in a function and says which lane of a pass is which iteration."""
from .machine import REGISTER_NUMBERS, add, general, immediate

MOST_LANES = 1 << 16


class NotRecognised(Exception):
    """Why a widened loop can't be annotated, in words for the user."""


class WidenedLoop:
    """A loop of which one pass does `lanes` iterations of the source's loop, lane k the iteration
    (register - base) * lanes / step + k, until the instruction `advance` adds `step` to the register."""

    def __init__(self, function, first, last):
        self.function, self.first, self.last = function, first, last
        self.body = function.instructions[first:last + 1]
        self.register = self.step = self.advance = None
        self.base = 0  # a number, or the name of a register that holds it all through the loop
        self.lanes = None  # None when the source's literal trip count must tell: see passes
        self.passes = None  # the number of passes where it is a constant

    def source_lines(self):
        return {i.source for i in self.body if i.source and i.source[1]}

    def is_widened(self):
        return any(i.is_packed() for i in self.body)

    def recognise(self):
        """Fills in all but the file's own facts; raises NotRecognised."""
        f = self.function
        if f.has_unknown_jumps:
            raise NotRecognised("its function jumps through a table")
        if self.body[-1].mnemonic not in ("jne", "jb", "jl"):
            raise NotRecognised(f"it ends with {self.body[-1].mnemonic}, not with a comparison of its counter")
        bound = self._find_counter()
        written = [i for i in range(self.first, self.last) if f.instructions[i].writes(self.register)]
        if written != [self.advance] or self.step <= 0:
            raise NotRecognised(f"its counter {self.register} doesn't advance by one constant step")
        entry = f.definitions(self.register, self.first) - {self.advance}
        if len(entry) != 1:
            raise NotRecognised(f"its counter {self.register} begins with several values")
        begin = f.defined_value(self.register, entry.pop())
        if isinstance(begin, int):
            self.base = begin
            bound = add(bound, -begin)
        else:
            if begin == ("unknown",):
                raise NotRecognised(f"its counter {self.register} begins with several values")
            self.base = self._holder(begin)
            terms = bound[1:] if bound[0] == "add" and begin in bound[1:] else None if isinstance(bound, int) else ()
            if not terms:
                raise NotRecognised(f"the bound of its counter {self.register} isn't measured from where it begins")
            bound = terms[1] if terms[0] == begin else terms[0]
        self._take_lanes(bound)

    def _find_counter(self):
        """Finds the register that the last comparison is about; returns the other side."""
        f = self.function
        for index in range(self.last - 1, self.first - 1, -1):
            i = f.instructions[index]
            if i.mnemonic.startswith("cmp"):
                return self._compared(index, i)
            step = self._step(i)
            if step is not None:  # its flags decide: up to zero
                self.register, self.step, self.advance = general(i.operands[-1]), step, index
                return 0
            if i.mnemonic[:3] in ("sub", "dec", "tes", "and", "or", "xor", "inc", "neg"):
                break
        raise NotRecognised("what its end is compared with wasn't found")

    def _compared(self, comparison, i):
        f = self.function
        for operand, other in (i.operands, reversed(i.operands)):
            register = general(operand)
            for index in range(self.first, comparison):
                if register and f.instructions[index].writes(register):
                    step = self._step(f.instructions[index])
                    if step is None:
                        continue
                    self.register, self.step, self.advance = register, step, index
                    number = immediate(other)
                    if number is not None:
                        return number
                    bound = general(other)
                    if not bound or any(f.instructions[j].writes(bound) for j in range(self.first, self.last)):
                        raise NotRecognised("the bound of its counter isn't a constant nor a register that keeps its value")
                    return f.value(bound, self.first)
        raise NotRecognised("its comparison is not about a register that advances by a constant")

    @staticmethod
    def _step(i):
        if i.mnemonic in ("incl", "incq"):
            return 1
        number = immediate(i.operands[0]) if len(i.operands) == 2 else None
        if number is None or i.mnemonic not in ("addl", "addq", "subl", "subq") or not general(i.operands[1]):
            return None
        return number if i.mnemonic.startswith("add") else -number

    def _holder(self, term):
        f = self.function
        for register in REGISTER_NUMBERS:
            if f.value(register, self.first) == term and not any(i.writes(register) for i in self.body):
                return register
        raise NotRecognised(f"no register keeps the value with which its counter {self.register} begins")

    def _take_lanes(self, distance):
        """From the distance that the counter goes: a constant, or the trip count cut to whole passes."""
        if isinstance(distance, int):
            if distance <= 0 or distance % self.step or distance // self.step < 2:
                raise NotRecognised("the constant bound of its counter isn't a number of whole passes")
            self.passes = distance // self.step
            return
        scale = 0
        if distance[0] == "shl":
            _, distance, scale = distance
        while distance[0] == "and" and distance[1][0] == "shr" and (distance[2] & distance[2] + 1) == 0:
            distance = distance[1]  # It only cuts what the shift has cleared.
        if distance[0] == "shr" and self.step == 1 << scale:
            self.lanes = 1 << distance[2]
        elif distance[0] == "and" and self.step == (distance[2] & -distance[2]) << scale:
            self.lanes = self.step >> scale
        if not self.lanes or not 1 < self.lanes <= MOST_LANES or self.step & self.step - 1:
            raise NotRecognised(f"the bound of its counter {self.register} isn't a trip count cut to whole passes")

    def take_trip_count(self, count):
        """For a loop of constant bounds: the source's own trip count tells how many lanes do it in so many passes."""
        lanes = 1 << (count // self.passes).bit_length() - 1 if count >= self.passes else 0
        if lanes < 2 or not lanes * self.passes <= count < lanes * (self.passes + 1) or self.step & self.step - 1:
            raise NotRecognised(f"{self.passes} passes don't do {count} iterations in lanes of equal number")
        self.lanes = lanes
