# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the debug information in clang's assembly as a tree of entries and writes it again, with labels in the place of offsets, so that
entries may grow."""
import re
from dwarf import read_uleb, uleb

IMPLICIT_CONST, REF4, EXPRLOC, STRING, SEC_OFFSET, DATA1, DATA2, DATA4 = 0x21, 0x13, 0x18, 0x08, 0x17, 0x0b, 0x05, 0x06
FLAG_PRESENT, LOCLISTX = 0x19, 0x22
FIXED = {0x01: 8, DATA2: 2, DATA4: 4, 0x07: 8, DATA1: 1, 0x0c: 1, 0x0e: 4, REF4: 4, SEC_OFFSET: 4, 0x1f: 4, 0x20: 8,
         0x25: 1, 0x26: 2, 0x28: 4, 0x29: 1, 0x2a: 2, 0x2c: 4}
LEB = {0x0d, 0x0f, 0x1a, 0x1b, LOCLISTX, 0x23}
SIZES = {".byte": 1, ".short": 2, ".long": 4, ".quad": 8}
DIRECTIVES = {1: ".byte", 2: ".short", 4: ".long", 8: ".quad"}


def without_comment(line):
    return re.sub(r'("(?:[^"\\]|\\.)*")|;.*', lambda m: m[1] or "", line).strip()


def unescape(text):
    """The bytes of a string of the assembler."""
    return list(text.encode("latin-1").decode("unicode_escape").encode("latin-1"))


def values(lines):
    """(size, text) of each directive; the size of a LEB128 is 0. Strings are single bytes."""
    for line in lines:
        directive, _, text = without_comment(line).partition("\t")
        if directive in SIZES:
            yield SIZES[directive], text
        elif directive in (".ascii", ".asciz"):
            for byte in unescape(text[1:-1]) + [0] * (directive == ".asciz"):
                yield 1, str(byte)
        elif directive in (".uleb128", ".sleb128"):
            yield 0, line.strip()
        elif directive:
            raise SystemExit(f"an unknown directive among debug information: {line.strip()}")


class Values:
    """The values of a section, one after the other."""

    def __init__(self, lines):
        self.items, self.at = list(values(lines)), 0

    def take(self, size):
        found, text = self.items[self.at]
        if found != size:
            raise SystemExit(f"a value of {size} bytes was expected: {text}")
        self.at += 1
        return text

    def leb(self):
        """A number in as many bytes as it takes, or what the assembler computes."""
        if self.items[self.at][0] == 0:
            return self.take(0)
        data = []
        while True:
            data.append(int(self.take(1)))
            if not data[-1] & 0x80:
                return data

    def block(self, size):
        """Bytes; the parts of an address or offset that the assembler resolves are its text and empty texts."""
        data = []
        while len(data) < size:
            width, text = self.items[self.at]
            self.at += 1
            if re.fullmatch(r"-?\d+", text):
                data += list((int(text) % (1 << 8 * width)).to_bytes(width, "little"))
            else:
                data += [f"{DIRECTIVES[width]}\t{text}"] + [""] * (width - 1)
        return data


class Entry:
    """attributes: (name, form) to a value: text of a number; bytes of a LEB128, an expression or a string; an entry (REF4)."""

    def __init__(self, tag, offset, parent):
        self.tag, self.offset, self.parent = tag, offset, parent
        self.attributes, self.children = {}, []

    def get(self, name):
        return next((value for (known, _), value in self.attributes.items() if known == name), None)

    def form(self, name):
        return next((form for (known, form) in self.attributes if known == name), None)

    def remove(self, name):
        self.attributes = {key: value for key, value in self.attributes.items() if key[0] != name}

    def walk(self):
        yield self
        for child in self.children:
            yield from child.walk()


def read_abbreviations(lines):
    data, at, found = [int(text) for _, text in values(lines)], 0, {}
    while data[at]:
        code, at = read_uleb(data, at)
        tag, at = read_uleb(data, at)
        has_children, at = data[at], at + 1
        attributes = []
        while True:
            name, at = read_uleb(data, at)
            form, at = read_uleb(data, at)
            constant = None
            if form == IMPLICIT_CONST:
                start = at
                _, at = read_uleb(data, at)
                constant = data[start:at]
            if not form:
                break
            attributes.append((name, form, constant))
        found[code] = (tag, has_children, attributes)
    return found


def read_entries(lines, abbreviations):
    """The unit's entry. Entries' offsets in the unit are clang's comments."""
    offsets = [int(m[1], 16) for m in (re.search(r"; Abbrev \[\d+\] 0x([0-9a-f]+):", line) for line in lines) if m]
    section, parent, root, number = Values(lines), None, None, 0
    by_offset = {}
    while True:
        code = read_uleb(section.leb(), 0)[0]
        if code == 0:
            parent = parent.parent
            if parent is None:
                break
            continue
        tag, has_children, attributes = abbreviations[code]
        entry = Entry(tag, offsets[number], parent)
        by_offset[entry.offset] = entry
        number += 1
        for name, form, constant in attributes:
            if form == IMPLICIT_CONST:
                value = constant
            elif form in FIXED:
                value = section.take(FIXED[form])
            elif form in LEB:
                value = section.leb()
            elif form == EXPRLOC:
                value = section.block(read_uleb(section.leb(), 0)[0])
            elif form == FLAG_PRESENT:
                value = None
            else:
                raise SystemExit(f"an attribute of the unknown form 0x{form:x}")
            entry.attributes[name, form] = value
        if parent:
            parent.children.append(entry)
        else:
            root = entry
        if has_children:
            parent = entry
        elif parent is None:
            break
    for entry in root.walk():
        for (name, form), value in entry.attributes.items():
            if form == REF4:
                entry.attributes[name, form] = by_offset[int(value)]
    return root


def print_block(data, labels):
    """The lines of bytes; `labels` makes labels that no others have."""
    begin, end = next(labels), next(labels)
    yield f"\t.uleb128 {end}-{begin}\n{begin}:\n"
    yield from print_bytes(data)
    yield f"{end}:\n"


def print_bytes(data):
    for byte in data:
        if isinstance(byte, int):
            yield f"\t.byte\t{byte}\n"
        elif byte:
            yield f"\t{byte}\n"


def label_of(entry):
    return f".Lentry_{entry.offset:x}"


def print_entries(root, labels):
    """The lines of .debug_info behind its header, and of .debug_abbrev."""
    abbreviations = {}

    def write(entry):
        shape = (entry.tag, bool(entry.children),
                 tuple((name, form, tuple(value) if form == IMPLICIT_CONST else None)
                       for (name, form), value in entry.attributes.items()))
        code = abbreviations.setdefault(shape, len(abbreviations) + 1)
        yield f"{label_of(entry)}:\n\t.uleb128 {code}\n"
        for (name, form), value in entry.attributes.items():
            if form == REF4:
                yield f"\t.long\t{label_of(value)}-.Lcu_begin0\n"
            elif form in FIXED:
                yield f"\t{DIRECTIVES[FIXED[form]]}\t{value}\n"
            elif form == EXPRLOC:
                yield from print_block(value, labels)
            elif form in LEB and isinstance(value, str):
                yield f"\t{value}\n"
            elif form in LEB or form == STRING:
                yield from print_bytes(value)
        for child in entry.children:
            yield from write(child)
        if entry.children:
            yield "\t.byte\t0\n"

    info = list(write(root))
    abbreviation_lines = []
    for (tag, has_children, attributes), code in abbreviations.items():
        data = [*uleb(code), *uleb(tag), int(has_children)]
        for name, form, constant in attributes:
            data += [*uleb(name), *uleb(form), *(constant or [])]
        abbreviation_lines += print_bytes(data + [0, 0])
    return info, abbreviation_lines + ["\t.byte\t0\n"]
