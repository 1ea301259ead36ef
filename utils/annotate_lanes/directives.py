# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The bytes of an assembler's data directives."""
import re

SIZES = {".byte": 1, ".short": 2, ".value": 2, ".2byte": 2, ".long": 4, ".4byte": 4, ".quad": 8, ".8byte": 8}


def leb128(value, signed=False):
    out = bytearray()
    while True:
        byte, value = value & 0x7F, value >> 7
        done = value == (-1 if signed and byte & 0x40 else 0)
        out.append(byte | (0 if done else 0x80))
        if done:
            return bytes(out)


def read_leb128(data, at, signed=False):
    """(value, the place after it); raises IndexError at the end of the data."""
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        shift += 7
        at += 1
        if not byte & 0x80:
            return value - (1 << shift) if signed and byte & 0x40 else value, at


def directive_bytes(line):
    """The bytes of a directive with literal operands; None for anything else."""
    match = re.match(r"\s*(\.\w+)\s+(.*)", line)
    if not match:
        return None
    name, rest = match.groups()
    if name in (".ascii", ".asciz", ".string"):
        text = re.match(r'"((?:[^"\\]|\\.)*)"', rest)
        if not text:
            return None
        raw = re.sub(rb"\\([0-7]{1,3}|.)", lambda m: bytes([int(m[1], 8) & 255]) if m[1].isdigit() else {
            b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t"}.get(m[1], m[1]), text[1].encode("utf-8", "surrogateescape"))
        return raw + (b"" if name == ".ascii" else b"\0")
    values = rest.split("#")[0].strip()
    try:
        numbers = [int(v, 0) for v in values.split(",")]
    except ValueError:
        return None
    if name in SIZES:
        return b"".join((n & (1 << 8 * SIZES[name]) - 1).to_bytes(SIZES[name], "little") for n in numbers)
    if name in (".uleb128", ".sleb128"):
        # The assembler takes a negative number without a sign for one of 64 bits.
        return b"".join(leb128(n, True) if name == ".sleb128" else leb128(n & (1 << 64) - 1) for n in numbers)
    return None


def directive_length(line):
    """The number in LEB128 of a directive, of how many bytes follow; None for anything else."""
    try:
        return read_leb128(directive_bytes(line) or b"", 0)[0]
    except IndexError:
        return None


def directive_symbol(line):
    """(symbol expression, size) of a directive of one symbol, such as '.quad a+8'; None for anything else."""
    match = re.match(r"\s*(\.\w+)\s+([A-Za-z_.$][\w.$]*(?:[-+][\w.$]+)*)\s*(?:#.*)?$", line)
    return (match[2], SIZES[match[1]]) if match and match[1] in SIZES else None
