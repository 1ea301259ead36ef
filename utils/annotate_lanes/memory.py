# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The memory that a pass of the code accesses, compared byte by byte with that of iterations of the source's loop."""
from .terms import Quotient, parted, stripped

MOST_LANES = 1024
MOST_TRIED = 64  # of the named places


class Named:
    """Memory that an iteration of the source accesses: base + factor * UNKNOWN, plus `stride` for each iteration."""

    def __init__(self, base, factor, stride, unit, access, repetition):
        self.base, self.factor, self.stride, self.unit, self.access = base, factor, stride, unit, access
        self.repetition = repetition  # of loops inside of the source's loop
        apart, self.number = parted(base)
        self.kind = unit, apart, factor  # All of a kind lie at known distances from each other.

    def bytes(self, first, count):
        """The bytes of that many iterations, if the first one accesses the byte `first`."""
        size = self.access.size
        if self.is_dense():
            return set(range(first + min(0, self.stride * (count - 1)), first + max(0, self.stride * (count - 1)) + size))
        return {first + self.stride * k + b for k in range(count) for b in range(size)}

    def is_dense(self):
        return abs(self.stride) == self.access.size


class Touched:
    """Memory that a pass of the code accesses: its first byte, a term, and its increment for each pass. If that is computed in 32
    bits, both are right in the low 32 bits of the unit; the unit is 0 elsewhere."""

    def __init__(self, first, stride, unit, size, is_read, is_written, is_certain):
        self.first, self.stride, self.unit, self.size = first, stride, unit, size
        self.is_read, self.is_written = is_read, is_written
        self.is_certain = is_certain  # all of it, in every pass
        self._places = {}

    def bytes(self, first):
        return set(range(first, first + self.size))

    def fits_unit(self, unit):
        """Whether it is also right in the low 32 bits of another unit."""
        return not self.unit or unit and self.unit % unit == 0

    def place(self, unit):
        """(where it is without the number, the number), right in the low 32 bits of a unit."""
        if unit not in self._places:
            self._places[unit] = parted(stripped(self.first, unit))
        return self._places[unit]


class Memory:
    """The accesses of a pass and of an iteration."""

    def __init__(self, touched, has_scatters, named, strides, is_all):
        """has_scatters: whether the code writes other memory; strides: the increments of the source's memory for each iteration;
        is_all: whether an iteration touches no other memory at regular places than `named`."""
        self.touched, self.has_scatters = touched, has_scatters
        self.named, self.strides, self.is_all = named, strides, is_all

    def fitting(self, knows_start):
        """[(count, the value of UNKNOWN in the first pass)] for which the code's memory is the source's."""
        found, tried = [], set()
        for touched in self.touched:
            for named in self.named[:MOST_TRIED]:
                count, rest = divmod(touched.stride, named.stride)
                if rest or not 1 < count <= MOST_LANES or not touched.fits_unit(named.unit):
                    continue
                lowest = 0 if named.stride > 0 else named.stride * (count - 1)
                first = Quotient(stripped(touched.first, named.unit) - named.base - lowest, named.factor)
                number = first.constant()
                is_first = knows_start and number == 0
                if first.dividend.constant() is not None and (number is None or knows_start and number < 0):
                    continue
                if (count, first.key()) in tried or not (is_first or self.is_all):
                    continue
                tried.add((count, first.key()))
                if self.fits(count, first):
                    found.append((count, first))
        return found

    def fits(self, count, first, repetitions=1):
        """Whether a pass of that many iterations accesses the same memory as the code, with a witness for each repetition of inner loops."""
        at = self._places(first)
        if at is None or self.is_all and not all(self._explained(t, at) for t in self.touched):
            return False
        read, written = self._named_bytes(at, count)
        strides = {n.stride * count for n in self.named}
        certain, stored = {}, {}
        for touched in self.touched:
            explained = self._explained(touched, at)
            if not explained and touched.stride not in {s * count for s in self.strides}:
                return False
            for place, number in explained:
                here = touched.bytes(number)
                if touched.stride not in strides or not here <= read[place] or touched.is_written and not here <= written.get(place, set()):
                    return False
                if touched.is_certain:
                    certain.setdefault(place, set()).update(here)
                if touched.is_written:
                    stored.setdefault(place, set()).update(here)
        return self._is_witnessed(at, count, first, certain, stored, repetitions)

    def _places(self, first):
        """{kind of named memory: (its place, the first iteration's number there)}; None if that isn't an integer."""
        at = {}
        for unit, apart, factor in {n.kind for n in self.named}:
            moved = first.times(factor)
            if moved is None:
                return None
            base, number = parted(apart + moved)
            at[unit, apart, factor] = (unit, base), number
        return at

    @staticmethod
    def _explained(touched, at):
        """[(place, number)] of the named places that contain the accessed memory."""
        found = []
        for place in {p for p, _ in at.values()}:
            unit, base = place
            if touched.fits_unit(unit) and touched.place(unit)[0] == base:
                found.append((place, touched.place(unit)[1]))
        return found

    def _named_bytes(self, at, count):
        """({place: bytes that may be read}, {place: bytes that may be written}) by that many iterations."""
        read, written, sparse = {}, {}, set()
        for named in self.named:
            place, number = at[named.kind]
            own = named.bytes(number + named.number, count)
            read.setdefault(place, set()).update(own)
            if not named.is_dense():
                sparse.add(place)
            if named.access.is_written:
                written.setdefault(place, set()).update(own)
        for place in sparse:  # Vectors load what lies between, too.
            read[place] = set(range(min(read[place]), max(read[place]) + 1 + max(abs(n.stride) for n in self.named)))
        return read, written

    def _is_witnessed(self, at, count, first, certain, stored, repetitions):
        """Whether the code certainly accesses all memory of an access, and performs every iteration's stores."""
        witnessed = set()
        for named in self.named:
            place, number = at[named.kind]
            own = named.bytes(number + named.number, count)
            if own <= certain.get(place, set()) and (named.is_dense() or first.divisor == 1):
                witnessed.add(named.repetition)
            access = named.access
            is_always = access.is_written and access.is_unconditional and not access.loops
            if is_always and not self.has_scatters and not own <= stored.get(place, set()):
                return False
        return len(witnessed) >= repetitions
