# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The differences between GPUs."""
import dwarf


class Target:
    """One with waves of 64 lanes and a stack pointer in bytes of the wave (gfx90a), or one with waves of 32 lanes and a stack
    pointer in bytes of a lane (gfx1100)."""

    def __init__(self, name):
        if name not in ("gfx90a", "gfx1100"):
            raise SystemExit(f"{name} isn't converted: gfx90a or gfx1100")
        self.is_flat = name == "gfx1100"
        self.lanes = 32 if name == "gfx1100" else 64
        self.shift = self.lanes.bit_length() - 1
        self.exec = 1 if self.lanes == 32 else 17
        self.pc = 16
        self.vectors = range(1536, 1792) if self.lanes == 32 else range(2560, 2816)
        self.accumulators = range(2048, 2304) if self.lanes == 32 else range(3072, 3328)

    def scalar(self, number):
        return 32 + number if number < 64 else 1088 + number - 64

    def number(self, name):
        """DWARF's number of s33, v40, a2, vcc or exec."""
        if name in ("exec", "exec_lo"):
            return self.exec
        if name in ("vcc", "vcc_lo"):
            return 512 if self.lanes == 32 else 768
        kinds = {"s": self.scalar, "v": self.vectors.__getitem__, "a": self.accumulators.__getitem__}
        return kinds[name[0]](int(name[1:]))

    def is_vector(self, register):
        return register in self.vectors or register in self.accumulators

    def mask(self, name):
        """The place of a lane mask: s5, s[4:5] or vcc."""
        if name.startswith("s["):
            first, last = (int(n) for n in name[2:-1].split(":"))
            return dwarf.pieces([dwarf.regx(self.scalar(n)) for n in range(first, last + 1)])
        return dwarf.regx(self.number(name))

    def frame_address(self, register):
        """The value of a frame's register as an address of private_lane. Optimized kernels don't need it: their frame is the outermost."""
        if register is None:
            return dwarf.constant(0)
        shift = [] if self.is_flat else [*dwarf.constant(self.shift), dwarf.SHR]
        return [*dwarf.regx(register), dwarf.DEREF_SIZE, 4, *shift]
