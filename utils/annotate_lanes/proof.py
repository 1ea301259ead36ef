# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Proves which iterations of the source's loop one pass of a vectorized loop executes.

Two proofs, of which one is enough and which must agree where both hold:
- by memory: a pass reads and writes, byte by byte, the same as that many iterations of the source's loop;
- by the count: the passes are the source's iterations divided by a number of lanes.
In both the code's values are traced to their definitions, and the source's variables to the code's values by their locations."""
from math import gcd, prod

from .cfg import NotUnderstood
from .memory import MOST_LANES, Memory, Named, Touched
from .passes import passes
from .source import INTEGERS, is_vector, type_of
from .statements import walk
from .terms import Quotient, Term, and_, low32, stripped, term, unknown, without_extensions
from .variables import Position, is_resolved

MOST_REPETITIONS = 1024  # of an access in loops inside of the proven one
UNKNOWN = ("unknown",)  # what a proof by memory looks for


class Lanes:
    """The proven result: a pass has `count` lanes; in lane k of pass p a variable is start + rate * p + step * k."""

    def __init__(self, count, variables):
        self.count, self.variables = count, variables  # {variable: (start, a Quotient, rate, step)}


class Prover:
    """The proof for one loop of the code and one of the source."""

    def __init__(self, scope, loop, source_loop, is_around=False):
        """is_around: whether the source's loop has inner loops that each of its iterations executes completely."""
        self.scope, self.loop, self.source_loop, self.is_around = scope, loop, source_loop, is_around
        self.function, self.values, self.source = scope.function, scope.values, scope.source
        self.pass_atom = ("pass", loop.header.index)

    def prove(self):
        """The Lanes; raises NotUnderstood."""
        self._check_code()
        self._find_variables()
        self._check_source()
        self._read_code()
        found, why_not = self._by_memory()
        count = self._by_count({c for c, _ in found})
        if count and not found and not self._may_trust_count():
            count = None
        if count and not found:
            found = [(count, {v: Quotient(start) for v, start in self.starts.items()})]
        elif count:
            agreeing = [f for f in found if f[0] == count and all(self._is_same(f[1][v], self.starts[v], v) for v in f[1] if v in self.starts)]
            if not agreeing:
                raise NotUnderstood("contradiction", f"its count says {count} lanes from the first iteration on, and its memory doesn't")
            found = agreeing
        if not found:
            raise why_not
        if len(found) > 1:
            raise NotUnderstood("ambiguous", "its memory fits more than one iteration")
        (count, starts), = found
        return Lanes(count, {v: (start, self.steps[v] * count, self.steps[v]) for v, start in starts.items()})

    def prove_whole(self, inner):
        """The Lanes of an inner loop of the source's loop, all iterations of which a pass executes; raises NotUnderstood."""
        self._check_code()
        self._find_variables()
        self._check_source()
        self._read_code()
        values = self._constant_loop(inner)
        if not values or not self.starts or self.source_loop.in_parallel:
            raise NotUnderstood("unknown-start", "where its variable begins isn't known")
        self._name_memory({v: self.starts[v] + unknown(*UNKNOWN) * self.steps[v] for v in self.starts}, 1)
        number = next(iter(values.values()))[2]
        if not self._memory().is_all or not self._memory().fits(1, Quotient(term(0)), number):
            raise self._why_none()
        own = {v: (Quotient(term(start)), 0, step) for v, (start, step, _) in values.items()}
        return Lanes(number, {**own, **{v: (Quotient(start), self.steps[v], 0) for v, start in self.starts.items()}})

    # The loops

    def _check_code(self):
        function, loop = self.function, self.loop
        for block in loop.blocks:
            for index in range(block.begin, block.end):
                i = function.instructions[index]
                if not i.mnemonic or i.changed() is None:
                    raise NotUnderstood("unknown-instruction", f"its instruction '{i.text or 'inline assembly'}' isn't understood")
        if loop.blocks & function.irregular:
            raise NotUnderstood("irreducible", "it has a cycle inside that is entered in several places")
        if any(block not in loop.latches for block in loop.blocks for s in block.successors if s not in loop.blocks):
            raise NotUnderstood("partial-pass", "it is left in the middle of a pass")

    def _check_source(self):
        for part in self.source_loop.iteration():
            if any(is_vector(type_of(n)) for n in walk(part)):
                raise NotUnderstood("explicit-simd", "its source works on vectors itself")
        leaving = self.source.exit_in_the_middle(self.source_loop)
        if leaving:
            raise NotUnderstood("early-exit", f"its source leaves it by {leaving}")
        for identity in self.source.modified_in(self.source_loop):
            variable = self.source.variables[identity]
            if not variable.is_local and not variable.is_reference():
                raise NotUnderstood("global-changed", f"'{variable.name}', which isn't the function's own, changes in it")

    def _find_variables(self):
        """steps: {variable: increment per iteration}; starts: {variable: value before the first iteration}, if known."""
        self.steps, reasons = self.source.inductions(self.source_loop)
        if not self.steps:
            names = "; ".join(sorted(f"'{self.source.variables[v].name}': {why}" for v, why in reasons.items()))
            raise NotUnderstood("no-counter", "no variable of its source counts it" + (f" ({names})" if names else ""))
        self.starts = {}
        for identity in self.steps:
            start = self.scope.start(identity, self.source_loop, self.loop)
            if start is not None:
                self.starts[identity] = low32(start) if self._is_narrow(identity) else start

    def _resolved(self, value):
        return self.scope.resolved(value, self.loop, Position.in_loop(self.source_loop))

    def _is_narrow(self, identity):
        """Whether only the low 32 bits of a variable matter."""
        return INTEGERS.get(self.source.variables[identity].type, 8) <= 4

    def _is_same(self, start, value, identity):
        if start.divisor > 1:
            return False
        return low32(start.dividend - value) == term(0) if self._is_narrow(identity) else start.dividend == value

    # By memory

    def _read_code(self):
        """touched: the memory that advances by a constant with each pass; has_scatters: whether other memory is written."""
        self.touched, self.has_scatters = [], False
        for block in self.loop.blocks:
            is_certain = all(self.function.dominates(block, latch) for latch in self.loop.latches)
            for index in range(block.begin, block.end):
                i = self.function.instructions[index]
                if not i.is_access() or i.mnemonic in ("call", "push", "pop"):
                    continue
                memory = i.memory()
                first = self.values.evolved(self.values.address(memory, index))
                parts, unit = first.split(self.pass_atom), 0
                if parts is None:
                    unit = gcd(*(f for p, f in first.parts.items() if any(a[0] in ("zext", "sext") for a in p)))
                    parts = stripped(first, unit).split(self.pass_atom)
                stride = parts[0].constant() if parts else None
                if stride is None or memory.vector_index or not memory.size or memory.segment or not self.values.is_invariant(parts[1], self.loop):
                    self.has_scatters = self.has_scatters or i.writes_memory()
                elif stride:
                    # Masked accesses are incomplete, and compressing or expanding ones are elsewhere.
                    whole = not i.is_masked and "compress" not in i.mnemonic and "expand" not in i.mnemonic
                    self.touched.append(Touched(parts[1], stride, unit, memory.size, i.reads_memory(), i.writes_memory(), is_certain and whole))

    def _by_memory(self):
        """([(count, {variable: start})] that fit, the reason if none does)."""
        if self.starts:
            # UNKNOWN is the number of the pass's first iteration.
            self._name_memory({v: self.starts[v] + unknown(*UNKNOWN) * self.steps[v] for v in self.starts}, 1)
            found = [(count, {v: Quotient(self.starts[v] * first.divisor + first.dividend * self.steps[v], first.divisor) for v in self.starts})
                     for count, first in self._memory().fitting(True)]
            return found, self._why_none()
        for identity, step in self.steps.items():
            # UNKNOWN is the variable's value.
            self._name_memory({identity: unknown(*UNKNOWN)}, step)
            found = [(count, {identity: first}) for count, first in self._memory().fitting(False)]
            if found:
                return found, None
        return [], self._why_none()

    def _memory(self):
        return Memory(self.touched, self.has_scatters, self.named, self.strides, self.is_all)

    def _name_memory(self, replaced, advance):
        """named: the memory of an iteration at regular places; is_all: whether an iteration accesses no other memory at such places."""
        accesses, self.is_all = self.source.accesses(self.source_loop)
        changing = self.source.modified_in(self.source_loop) | self.source.declared_in(self.source_loop)
        self.named, self.strides = [], set()
        for access in accesses:
            inside = {b[1] for a in access.address.atoms() if a[0] == "mem" for b in a[1].atoms() if b[0] == "var"}
            if not inside & changing:  # else it isn't at regular places
                repeated = self._repeated(access)
                self.is_all = all([self._name(one, n, changing, replaced, advance) for n, one in enumerate(repeated)]) and self.is_all

    def _repeated(self, access):
        """An access, or its instances in the iterations of inner loops."""
        values = [(identity, *what) for inner in access.loops for identity, what in self._constant_loop(inner).items()]
        if not 1 < prod(count for _, _, _, count in values) <= MOST_REPETITIONS:
            return [access]
        found = [access]
        for identity, start, step, count in values:
            found = [one.replaced(lambda a, n=n: term(start + step * n) if a == ("var", identity) else None) for one in found for n in range(count)]
        return found

    def _constant_loop(self, inner):
        """{variable: (first value, step, iterations)} of an inner loop whose bounds are numbers."""
        count = self.scope.iterations(inner, self.loop)
        count = count.constant() if count is not None else None
        starts = {v: self.scope.start(v, inner, self.loop) for v in self.source.inductions(inner)[0]}
        return {v: (start.constant(), self.source.inductions(inner)[0][v], count) for v, start in starts.items()
                if count and count <= MOST_LANES and start is not None and start.constant() is not None}

    def _name(self, access, repetition, changing, replaced, advance):
        """Adds the memory of an access; returns False if its place isn't known."""
        varying = {a[1] for a in access.address.atoms() if a[0] == "var" and a[1] in changing}
        if varying - set(self.steps):
            return False
        if not varying:
            return True  # A pass has it at one place.
        is_narrow = all(self._is_narrow(v) for v in varying)
        unit = min((abs(f) for p, f in access.address.parts.items() if any(_has_variable(a, varying) for a in p)), default=0)
        address = stripped(access.address, unit) if is_narrow else access.address
        factors = {v: address.split(("var", v)) for v in varying}
        if any(f is None or f[0].constant() is None for f in factors.values()):
            return False
        self.strides.add(sum(f[0].constant() * self.steps[v] for v, f in factors.items()))
        address = self._resolved(address.replaced(lambda atom: replaced.get(atom[1]) if atom[0] == "var" else None))
        parts = (stripped(address, unit) if is_narrow else address).split(UNKNOWN)
        if not is_resolved(address) or not parts or parts[0].constant() is None:
            return False
        factor = parts[0].constant()
        if factor:
            self.named.append(Named(parts[1], factor, factor * advance, unit if is_narrow else 0, access, repetition))
        return True

    def _why_none(self):
        """Why no proof by memory was found."""
        counts = {t.stride // s for t in self.touched for s in self.strides if s and t.stride % s == 0}
        if counts == {1}:
            return NotUnderstood("one-iteration", "a pass does one iteration of its source")
        if not self.strides - {0}:
            return NotUnderstood("no-memory", "its source names no memory by a variable that counts it")
        if not self.touched:
            return NotUnderstood("irregular", "its code touches no memory at regular places")
        if not self.named:
            return NotUnderstood("unknown-place", "where the memory lies that its source names isn't known")
        if not self.starts and not self.is_all:
            return NotUnderstood("unknown-start", "where its variable begins isn't known")
        return NotUnderstood("no-fit", "its code's memory isn't that of several iterations of its source")

    # By the count

    def _may_trust_count(self):
        """Whether the count alone proves it: not if memory with a known place doesn't fit; and the compiler may have changed the order
        of nested loops."""
        return not self.named and not self.is_around and self.scope.depth(self.source_loop) == 0 and self.loop.parent is None

    def _by_count(self, counts):
        """The number of lanes from the number of passes, all from the first iteration on; None if it can't be determined."""
        machine = passes(self.values, self.loop)
        iterations = self.scope.iterations(self.source_loop, self.loop)
        if machine is None or iterations is None or self.is_around:
            return None
        step, total = machine[0], without_extensions(machine[1])
        number, all_passes = iterations.constant(), total.constant()
        if (number is None) != (all_passes is None):
            return None
        if number is None:
            fitting = [1 << n for n in range(1, 11) if total * (1 << n) == and_(iterations, -1 << n) * step]
            return fitting[0] if len(fitting) == 1 else None
        if all_passes <= 0 or all_passes % step or number % (all_passes // step):
            return None
        count = number // (all_passes // step)
        possible = counts | {t.stride // s for t in self.touched for s in self.strides if s and t.stride % s == 0}
        return count if 1 < count <= MOST_LANES and count in possible else None


def _has_variable(atom, variables):
    return atom[0] == "var" and atom[1] in variables or any(
        inner[0] == "var" and inner[1] in variables for part in atom if isinstance(part, Term) for inner in part.atoms())
