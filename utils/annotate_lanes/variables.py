# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The locations of the source's variables in debug information, as terms of the machine's values."""
import bisect
import re

from . import dwarf
from .directives import read_leb128
from .instructions import REGISTERS, symbol_and_number
from .passes import passes
from .source import INTEGERS, UNSIGNED, children, pointee
from .statements import Variable
from .terms import and_, low32, sext, signed, term, unknown, without_extensions, zext

OP_ADDR, OP_DEREF, OP_CONST1U, OP_CONST8S, OP_CONSTU, OP_AND, OP_MINUS, OP_MUL, OP_NEG = 0x03, 0x06, 0x08, 0x0F, 0x10, 0x1A, 0x1C, 0x1E, 0x1F
OP_PLUS, OP_PLUS_UCONST, OP_SHL, OP_LIT0, OP_REG0, OP_BREG0, OP_REGX, OP_FBREG = 0x22, 0x23, 0x24, 0x30, 0x50, 0x70, 0x90, 0x91
OP_NOP, OP_CALL_FRAME_CFA, OP_ADDRX, OP_ENTRY_VALUE, OP_GNU_ENTRY_VALUE = 0x96, 0x9C, 0xA1, 0xA3, 0xF3


THIS = Variable("this", "this", "void *", None, True, True, None, None)


class Position:
    """A place in a scope's source: in an iteration of the loop `own`, or at an inlined call, inside the loops `around`."""

    def __init__(self, own, around):
        self.own, self.around = own, around

    @classmethod
    def in_loop(cls, loop):
        return cls(loop, list(loop.ancestors()))

    @classmethod
    def at_call(cls, loop):
        """At a call in a loop, or in none."""
        return cls(None, [loop, *loop.ancestors()] if loop else [])


class Scope:
    """A function or an inlined call that contains a loop's code, with information from the source."""

    def __init__(self, machine_function, values, info, entry, source, outer):
        self.function, self.values, self.info = machine_function, values, info
        self.entry, self.source, self.outer = entry, source, outer
        self.subprogram = outer.subprogram if outer else entry
        self._lines = [i.line for i in machine_function.instructions]
        self.entries = list(_own_variables(entry))
        self._loads = None

    def entries_of(self, variable):
        """The debug information entries of a variable of the source."""
        # OpenMP's private copy of a loop's variable has no line.
        lines = (variable.line, None, 0) if self.source.is_only(variable) else (variable.line,)
        return [e for e in self.entries if self.info.name(e) == variable.name and (
            variable.line is None or self.info.number(e, dwarf.AT_DECL_LINE) in lines)]

    def whole(self):
        """The labels of the function's code, for expressions that always hold."""
        return self.function.whole

    # Values

    def resolved(self, value, loop, position):
        """A term of the source's variables as one of the machine's values in the loop; unknown parts are kept."""
        value = value.replaced(lambda atom: self._atom(atom, loop, position) if atom[0] in ("var", "address", "parameter") else None)
        for _ in range(3):  # memory that memory leads to
            value = value.replaced(lambda atom: self._memory(atom, loop))
        return value

    def _atom(self, atom, loop, position):
        variable = THIS if atom[1] == THIS.identity else self.source.variables[atom[1]]
        if atom[0] == "address":
            return self._address(variable, loop)
        if atom[0] == "parameter":
            return self._entry_value(variable, loop)
        return self.value_of(variable, loop, position)

    def _memory(self, atom, loop):
        """The contents of memory where one instruction reads it: ("mem", address, size) with a machine address."""
        if atom[0] != "mem" or atom[2] != 8 or not is_resolved(atom[1]):
            return None
        return self._only_load(atom[1], loop)

    def _only_load(self, address, loop):
        """The value that the function's only load from an address has read; None if there are several or none."""
        if self._loads is None:
            self._loads = {}
            for index, i in enumerate(self.function.instructions):
                if i.reads_memory() and not i.writes_memory() and i.memory().size == 8 and self.function.block_of(index) in self.function.dominator:
                    at = self.values.evolved(self.values.address(i.memory(), index))
                    self._loads.setdefault(at, []).append(index)
        found = self._loads.get(address, [])
        if len(found) != 1:
            return None
        value = self.values.evolved(self.values.operand(self.function.instructions[found[0]].memory(), found[0]))
        return value if self.values.is_invariant(value, loop) else None

    def value_of(self, variable, loop, position):
        """The value of a variable that the source's loop doesn't change, while the machine's loop runs; None if unknown."""
        if variable.identity in self.source.escaped and not variable.is_reference() or self.source.is_ambiguous(variable):
            return None
        changes = [u for u in self.source.uses if u.variable == variable.identity and u.kind == "modified"]
        if position.own and variable.identity in self.source.modified_in(position.own):
            return None
        for entry in self.entries_of(variable):
            for index, expression in self._places(entry, loop, bool(changes)):
                value = self._described(expression, index, variable, loop)
                if value is not None and self.values.is_invariant(value, loop) and self._keeps_step(variable, value, loop, position, changes):
                    return value
        if changes:
            return self._counted(variable, loop, position)
        if variable.is_parameter and self.outer:
            return self._argument(variable, loop)
        if variable.initial and not variable.is_reference():
            value = self.source.value(variable.initial)
            if value is not None and all(self._is_as_declared(variable, a[1], position) for a in value.atoms() if a[0] == "var"):
                value = self.resolved(value, loop, position)
                return value if is_resolved(value) and self.values.is_invariant(value, loop) else None
        return None

    def _entry_value(self, variable, loop):
        """The value of a parameter at its function's beginning; None if unknown."""
        if self.outer:
            return self._argument(variable, loop)
        for entry in self.entries_of(variable):
            for begin, _, expression in self.info.location(entry, self.whole()):
                if (self.info.line_of(begin) or 0) <= self.function.instructions[0].line:
                    return self._described(expression, 0, variable, loop)
        return None

    def _keeps_step(self, variable, value, loop, position, changes):
        """Whether a variable changed by an outer loop follows that loop's passes as in the source: its value may be stale."""
        for around in position.around if changes else []:
            if variable.identity in self.source.modified_in(around):
                step = self.source.inductions(around)[0].get(variable.identity)
                return step is not None and any(_steps(value, outer, step) for outer in loop.ancestors())
        return True

    def _is_as_declared(self, variable, other, position):
        """Whether another variable has the same value as at a variable's declaration: only the step of a loop around both changes it."""
        around = [loop for loop in position.around if loop.increment and variable.loop and (loop is variable.loop or loop in variable.loop.ancestors())]
        return all(any(n is loop.increment for loop in around for n in u.chain)
                   for u in self.source.uses if u.variable == other and u.kind == "modified") and other not in self.source.escaped

    def is_steady(self, entry, loop):
        """Whether the code preserves the value at an entry's location throughout the loop."""
        for begin, end, expression in self.info.location(entry, self.whole()):
            first, last = self.info.line_of(begin), self.info.line_of(end)
            covered = [i for b in loop.blocks for i in range(b.begin, b.end) if first is not None and last is not None and first <= self._lines[i] < last]
            if covered and expression[:1] and expression[0] in (OP_ENTRY_VALUE, OP_GNU_ENTRY_VALUE) and not self._describes_calls():
                return False
            values = [self.evaluated(expression, i) for i in covered]
            if any(v is None or not self.values.is_invariant(self.values.evolved(v[1]), loop) for v in values):
                return False
        return True

    def _describes_calls(self):
        """Whether the compiler's descriptions of calls are right: clang 14 names registers that it has overwritten by the call."""
        producer = self.info.name(self.info.entries[0], dwarf.AT_PRODUCER) or ""
        return not re.search(r"clang version 1[0-5]\.", producer)

    def _counted(self, variable, loop, position):
        """The value of a variable that counts a loop around this one, from that loop's passes; None if they aren't its iterations."""
        for around, outer in zip(position.around, loop.ancestors()):
            step = self.source.inductions(around)[0].get(variable.identity)
            if step is None:
                continue
            start, count, done = self.start(variable.identity, around, outer), self.iterations(around, outer), passes(self.values, outer)
            if start is None or count is None or done is None or without_extensions(done[1]) != count * done[0]:
                return None
            value = start + unknown("pass", outer.header.index) * step
            return value if INTEGERS.get(variable.type, 8) == 8 else zext(value) if variable.type in UNSIGNED else sext(value)
        return None

    # Loops

    def depth(self, source_loop):
        """The number of loops around a loop of the source, including those around inlined calls."""
        count, scope = len(list(source_loop.ancestors())), self
        while scope.outer is not None:
            around = scope.call()[1]
            count += len([around, *around.ancestors()]) if around else 0
            scope = scope.outer
        return count

    def start(self, identity, source_loop, loop):
        """The value of a variable on entry to a loop; None if unknown."""
        value = self.source.start(self.source.variables[identity], source_loop)
        value = self.resolved(value, loop, Position.in_loop(source_loop)) if value is not None else None
        return value if value is not None and is_resolved(value) else None

    def iterations(self, source_loop, loop):
        """The number of iterations of a loop of the source, by its condition on a variable that counts it; None if unknown."""
        for identity, step in self.source.inductions(source_loop)[0].items():
            bound, start = self.source.bound(source_loop, identity), self.start(identity, source_loop, loop)
            if bound is None or start is None:
                continue
            operator, value = bound
            value = self.resolved(value, loop, Position.in_loop(source_loop))
            distance = without_extensions(value) - without_extensions(start)
            if step < 0:
                distance, step, operator = -distance, -step, {"<": ">", "<=": ">=", ">": "<", ">=": "<="}.get(operator, operator)
            if not is_resolved(value) or operator not in ("<", "<=", "!="):
                continue
            distance = distance + (1 if operator == "<=" else 0)
            number = distance.constant()
            if number is not None:
                return term(-(-number // step))
            if step == 1:
                return distance
        return None

    def call(self):
        """(the call that was inlined, the loop of the source around it); (None, None) if it can't be determined."""
        line, column = (self.info.number(self.entry, a) for a in (dwarf.AT_CALL_LINE, dwarf.AT_CALL_COLUMN))
        calls = [(node, around) for node, around in self.outer.source.calls if node["extent"] and node["extent"][0][0] == line] if self.outer.source else []
        exact = [c for c in calls if c[0]["extent"][0][1] == column]
        calls = exact or calls
        return calls[0] if len(calls) == 1 else (None, None)

    def _argument(self, variable, loop):
        """The value of an inlined function's parameter from the call's argument."""
        node, around = self.call()
        if node is None or node["kind"] != "CallExpr" or variable.identity not in self.source.parameters:
            return None
        number, source = self.source.parameters.index(variable.identity), self.outer.source
        if len(children(node)) <= number + 1:
            return None
        value = source.value(children(node)[number + 1])
        if value is None:
            return None
        value = self.outer.resolved(value, loop, Position.at_call(around))
        return value if is_resolved(value) and self.values.is_invariant(value, loop) else None

    def _address(self, variable, loop):
        """The address of a variable in memory."""
        for entry in self.entries_of(variable) if variable.line is not None else self.info.globals_named(variable.name):
            for index, expression in self._places(entry, loop, False):
                described = self.evaluated(expression, index)
                if described and described[0] == "memory":
                    return described[1]
        is_c_name = variable.line is None and variable.name in self.function.symbols()
        return unknown("symbol", variable.name) if is_c_name else None

    def _places(self, entry, loop, only_in_loop):
        """(index of an instruction, expression) where the location of an entry holds; those at the loop's header first."""
        found = []
        try:
            pieces = self.info.location(entry, self.whole())
        except dwarf.NotEditable:
            return []
        header = self.function.instructions[loop.header.begin].line
        for begin, end, expression in pieces:
            first, last = self.info.line_of(begin), self.info.line_of(end)
            if first is None or last is None:
                continue
            if first <= header < last:
                found.append((0, loop.header.begin, expression))
                continue
            inside = [i for b in loop.blocks for i in range(b.begin, b.end) if first <= self._lines[i] < last]
            if inside:
                found.append((1, min(inside), expression))
            elif not only_in_loop:
                index = bisect.bisect_left(self._lines, first)
                if index < len(self._lines) and self._lines[index] < last and self.function.block_of(index) in self.function.dominator:
                    found.append((2, index, expression))
        return [(index, expression) for _, index, expression in sorted(found, key=lambda f: f[:2])]

    def _described(self, expression, index, variable, loop):
        """A variable's value from its location."""
        described = self.evaluated(expression, index)
        if described is None:
            return None
        kind, value = described
        size = 8 if pointee(variable.type) or variable.is_reference() else INTEGERS.get(variable.type)
        if kind == "memory":
            slot = self.values.frame_slot(value, size) if size else None
            if slot:
                value = self.values.value(slot, index)
            else:
                value = self._only_load(self.values.evolved(value), loop) if size == 8 else None
        if value is None or size is None:
            return None
        value = self.values.evolved(value)
        if size == 8:
            return value
        if size == 4:
            return zext(value) if variable.type in UNSIGNED else sext(value)
        number = value.constant()
        return None if number is None else term(number & (1 << 8 * size) - 1 if variable.type in UNSIGNED else signed(number, 8 * size))

    def evaluated(self, expression, index):
        """('value' | 'memory', term) of a DWARF expression at an instruction; None if it isn't supported."""
        try:
            return self._evaluated(expression, index)
        except (IndexError, TypeError):
            return None

    def _evaluated(self, expression, index):
        if not expression:
            return None
        stack, at, kind = [], 0, "memory"
        while at < len(expression):
            op, at = expression[at], at + 1
            if OP_LIT0 <= op < OP_LIT0 + 32:
                stack.append(term(op - OP_LIT0))
            elif OP_REG0 <= op < OP_REG0 + 16:
                stack.append(self.values.value(REGISTERS[op - OP_REG0], index))
                kind = "value"
            elif OP_BREG0 <= op < OP_BREG0 + 16:
                offset, at = read_leb128(expression, at, True)
                stack.append(self.values.value(REGISTERS[op - OP_BREG0], index) + offset)
            elif op == OP_FBREG:
                offset, at = read_leb128(expression, at, True)
                base = self.info.frame_base(self.subprogram)
                described = self.evaluated(base, index) if base else None
                if described is None:
                    return None
                stack.append(described[1] + offset)
            elif op == OP_CALL_FRAME_CFA:
                stack.append(unknown("entry", "rsp") + 8)
            elif op == OP_ADDR and not isinstance(expression[at], int):
                stack.append(_symbol(expression[at][0]))
                at += 1
            elif op == OP_ADDRX:
                number, at = read_leb128(expression, at)
                stack.append(_symbol(self.info.address_symbol(number)))
            elif op in (OP_ENTRY_VALUE, OP_GNU_ENTRY_VALUE):
                size, at = read_leb128(expression, at)
                if size != 1 or not OP_REG0 <= expression[at] < OP_REG0 + 16:
                    return None
                stack.append(unknown("entry", REGISTERS[expression[at] - OP_REG0]))
                at += 1
            elif OP_CONST1U <= op <= OP_CONST8S:
                size = 1 << (op - OP_CONST1U >> 1)
                stack.append(term(int.from_bytes(bytes(expression[at:at + size]), "little", signed=bool(op & 1))))
                at += size
            elif op in (OP_CONSTU, dwarf.OP_CONSTS):
                number, at = read_leb128(expression, at, op == dwarf.OP_CONSTS)
                stack.append(term(number))
            elif op == OP_PLUS_UCONST:
                number, at = read_leb128(expression, at)
                stack.append(stack.pop() + number)
            elif op == OP_NEG:
                stack.append(-stack.pop())
            elif op in (OP_PLUS, OP_MINUS, OP_MUL, OP_SHL, OP_AND):
                b, a = stack.pop(), stack.pop()
                number = b.constant()
                if op in (OP_SHL, OP_AND) and (number is None or op == OP_SHL and not 0 <= number < 64):
                    return None
                stack.append(a + b if op == OP_PLUS else a - b if op == OP_MINUS else a * b if op == OP_MUL else
                             a * (1 << number) if op == OP_SHL else and_(a, number))
            elif op == OP_DEREF and self.values.frame_slot(stack[-1], 8):
                stack.append(self.values.value(self.values.frame_slot(stack.pop(), 8), index))
            elif op == dwarf.OP_STACK_VALUE and at == len(expression):
                kind = "value"
            elif op != OP_NOP:
                return None
        return (kind, stack[-1]) if len(stack) == 1 else None


def _steps(value, outer, step):
    """Whether a value, or its unextended form, advances by the step with each pass of an outer loop."""
    parts = [v.split(("pass", outer.header.index)) for v in (value, low32(value))]
    return any(p and p[0].constant() == step for p in parts)


def _symbol(text):
    name, number = symbol_and_number(text)
    return unknown("symbol", name) + number


def is_resolved(value):
    """Whether a term no longer has any source variables."""
    return not any(atom[0] in ("var", "address", "mem") for atom in value.atoms())


def _own_variables(entry):
    """The variables and parameters of a function, including those of its blocks, without those of inlined functions."""
    for child in entry.children:
        if child.tag in (dwarf.TAG_VARIABLE, dwarf.TAG_FORMAL_PARAMETER):
            yield child
        elif child.tag == dwarf.TAG_LEXICAL_BLOCK:
            yield from _own_variables(child)
