# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Changes a packet or message of text, as a peer that is wrong or malicious might."""
NUMBERS = (b"0", b"1", b"7f", b"80", b"ff", b"ffff", b"7fffffff", b"80000000", b"ffffffff", b"7fffffffffffffff", b"8000000000000000", b"ffffffffffffffff",
           b"-1", b"00", b"1e999", b"18446744073709551616", b"4294967295", b"2147483648")
PIECES = (b";", b":", b",", b"\"", b"{", b"}", b"[", b"]", b"\0", b"\\u0000", b"null", b"true", b"-", b"%s", b"\xff\xfe", b"thread:", b"]}", b"}]", b"=")
DIGITS = b"0123456789abcdefABCDEF"


def number_at(chance, text):
    """Begin and end of a number in the text, or of nothing."""
    begin = chance.randrange(len(text))
    while begin < len(text) and text[begin] not in DIGITS:
        begin += 1
    end = begin
    while end < len(text) and text[end] in DIGITS:
        end += 1
    return begin, end


def once(chance, text, others):
    kind = chance.randrange(9)
    if not text or kind == 0:
        return chance.choice(others)
    at = chance.randrange(len(text))
    if kind == 1:
        return text[:at] + bytes([chance.randrange(256)]) + text[at + 1:]
    if kind == 2:
        return text[:at]
    if kind in (3, 4):
        begin, end = number_at(chance, text)
        return text[:begin] + chance.choice(NUMBERS) + text[end:]
    if kind == 5:
        return text[:at] + chance.choice(PIECES) + text[at:]
    if kind == 6:
        end = min(len(text), at + chance.choice((1, 2, 8, 64)))
        return text[:at] + text[end:]
    if kind == 7:
        # A part of it again, sometimes very often.
        end = min(len(text), at + chance.choice((1, 4, 16, 200)))
        return text[:at] + text[at:end] * chance.choice((2, 2, 3, 50, 2000)) + text[end:]
    other = chance.choice(others) or b"0"
    begin = chance.randrange(len(other))
    return text[:at] + other[begin:begin + chance.choice((1, 4, 16, 100))] + text[at:]


def mutate(chance, text, others):
    for _ in range(chance.choice((1, 1, 1, 2, 3, 8))):
        text = once(chance, text, others)
    return text[:1 << 20]
