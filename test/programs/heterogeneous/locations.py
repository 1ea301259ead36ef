# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Locations in the form of ROCm's compiler, from those of clang 19."""
from dwarf import *

# Clang 19 numbers private memory 1 and local memory 2.
SPACES = {1: PRIVATE_LANE, 2: LOCAL}


def lane_of(register):
    """The focus lane's part of a vector register."""
    return [*regx(register), USER, PUSH_LANE, *constant(4), MUL, USER, OFFSET]


def convert(data, target, frame_register):
    """The bytes of an expression, in the other dialect.

    frame_register: what the function's frame base is; None without one."""
    out, part, in_parts = [], [], False
    for operation in decode(data):
        if operation[0] in (PIECE, BIT_PIECE):
            out += convert_part(part, target, frame_register) + encode([operation])
            part, in_parts = [], True
        else:
            part.append(operation)
    out += convert_part(part, target, frame_register)
    return out + ([USER, PIECE_END] if in_parts else [])


def convert_part(part, target, frame_register):
    if not part:
        return []
    (code, *operands), rest = part[0], part[1:]
    space = None
    if [o[0] for o in rest[-2:]] == [SWAP, XDEREF]:
        space, rest = SPACES[rest[-3][0] - LIT0], rest[:-3]
    if REG0 <= code <= REG31:
        code, operands = REGX, [code - REG0]
    if BREG0 <= code <= BREG31:
        code, operands = BREGX, [code - BREG0, *operands]

    if code == FBREG:
        address = [*target.frame_address(frame_register), *constant(operands[0]), PLUS]
        while rest and rest[0][0] == PLUS_UCONST:
            address += encode(rest[:1])
            rest = rest[1:]
        return [*address, *in_space(PRIVATE_LANE), *encode(rest)]
    if code == REGX and target.is_vector(operands[0]):
        return [*lane_of(operands[0]), *encode(rest)]
    if code == BREGX and target.is_vector(operands[0]):
        # The compiler also writes this for the register itself.
        if space == PRIVATE_LANE and operands[1] == 0 and not rest:
            return lane_of(operands[0])
        added = [*constant(operands[1]), PLUS] if operands[1] else []
        return [*lane_of(operands[0]), DEREF_SIZE, 4, *added, *encode(rest)]
    if code == ADDRX and space == LOCAL and not rest:
        # An offset that no loader relocates.
        return [*encode([(CONSTX, *operands)]), *in_space(LOCAL)]
    if code in (ADDR, ADDRX) and space is None and not rest:
        return [*encode(part), *in_space(GLOBAL)]
    if space is not None:
        raise SystemExit(f"an unknown form of a place in an address space: {part}")
    return encode(part)
