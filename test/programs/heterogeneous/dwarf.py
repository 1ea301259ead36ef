# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers and encodings of DWARF and of AMD's extension, and expressions as lists of operations."""

REG0, REG31, BREG0, BREG31 = 0x50, 0x6f, 0x70, 0x8f
ADDR, DEREF, CONSTU, CONSTS, SWAP, XDEREF = 0x03, 0x06, 0x10, 0x11, 0x16, 0x18
OR, SHR, SHL, PLUS, MUL, PLUS_UCONST, LIT0 = 0x21, 0x25, 0x24, 0x22, 0x1e, 0x23, 0x30
REGX, FBREG, BREGX, PIECE, DEREF_SIZE, STACK_VALUE, ADDRX, CONSTX, CONVERT = 0x90, 0x91, 0x92, 0x93, 0x94, 0x9f, 0xa1, 0xa2, 0xa8
BIT_PIECE = 0x9d
USER = 0xe9
# Behind USER:
FORM_ASPACE, PUSH_LANE, OFFSET, OFFSET_UCONST = 0x02, 0x03, 0x04, 0x05
ENTRY_REG, UNDEFINED, PIECE_END, EXTEND, SELECT_BIT_PIECE = 0x07, 0x08, 0x0a, 0x0b, 0x0c

# AMDGPU's DWARF numbers of address spaces.
GLOBAL, GENERIC, LOCAL, PRIVATE_LANE, PRIVATE_WAVE = 0, 1, 3, 5, 6


def uleb(value):
    out = []
    while True:
        out.append(value & 0x7f | (0x80 if value > 0x7f else 0))
        value >>= 7
        if not value:
            return out


def sleb(value):
    out = []
    while True:
        byte = value & 0x7f
        value >>= 7
        if value == (-1 if byte & 0x40 else 0):
            return out + [byte]
        out.append(byte | 0x80)


def read_uleb(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7f) << shift
        shift += 7
        if not byte & 0x80:
            return value, at


def read_sleb(data, at):
    value, end = read_uleb(data, at)
    bits = 7 * (end - at)
    return value - (1 << bits) if value >> (bits - 1) & 1 else value, end


def constant(value):
    """The shortest operation that pushes a number."""
    if 0 <= value < 32:
        return [LIT0 + value]
    return [CONSTU, *uleb(value)] if value >= 0 else [CONSTS, *sleb(value)]


def regx(register):
    return [REGX, *uleb(register)]


def pieces(places):
    """A composite of whole dwords."""
    out = []
    for place in places:
        out += [*place, PIECE, 4]
    return out + [USER, PIECE_END]


def in_space(space):
    """The place in an address space that the value on the stack is the address of."""
    return [*constant(space), USER, FORM_ASPACE]


# What the operations that clang emits are followed by.
OPERANDS = {ADDR: "8", 0x08: "1", 0x09: "1", 0x0a: "2", 0x0b: "2", 0x0c: "4", 0x0d: "4", 0x0e: "8", 0x0f: "8", CONSTU: "u",
            CONSTS: "s", 0x15: "1", PLUS_UCONST: "u", REGX: "u", FBREG: "s", BREGX: "us", PIECE: "u", DEREF_SIZE: "1",
            BIT_PIECE: "uu", 0x9e: "b", ADDRX: "u", CONSTX: "u", CONVERT: "u"}
PLAIN = {DEREF, 0x12, 0x13, 0x14, SWAP, 0x17, XDEREF, *range(0x19, 0x23), *range(0x24, 0x28), *range(0x29, 0x2f),
         *range(0x30, REG31 + 1), 0x96, STACK_VALUE}


def decode(data):
    """Operations as (code, operand...). A byte may be a text that the assembler resolves: it stays what it is."""
    at, operations = 0, []
    while at < len(data):
        code = data[at]
        at += 1
        operands = []
        if BREG0 <= code <= BREG31:
            layout = "s"
        elif code in PLAIN:
            layout = ""
        elif code in OPERANDS:
            layout = OPERANDS[code]
        else:
            raise SystemExit(f"the operation 0x{code:x} isn't one that clang 19 writes for a GPU")
        for kind in layout:
            if kind == "u":
                value, at = read_uleb(data, at)
            elif kind == "s":
                value, at = read_sleb(data, at)
            elif kind == "b":
                size, at = read_uleb(data, at)
                value, at = data[at:at + size], at + size
            else:
                value, at = data[at:at + int(kind)], at + int(kind)
            operands.append(value)
        operations.append((code, *operands))
    return operations


def encode(operations):
    """The bytes of decoded operations."""
    out = []
    for code, *operands in operations:
        out.append(code)
        layout = "s" if BREG0 <= code <= BREG31 else OPERANDS.get(code, "")
        for kind, value in zip(layout, operands):
            out += {"u": uleb, "s": sleb, "b": lambda v: uleb(len(v)) + v}.get(kind, list)(value)
    return out
