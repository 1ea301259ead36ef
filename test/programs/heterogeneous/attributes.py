# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The attributes of ROCm's dialect that aren't about locations: the unit's augmentation, lane counts, vector types, address spaces."""
from dwarf import GENERIC, read_uleb
from entries import DATA1, STRING
from locations import SPACES

COMPILE_UNIT, SUBPROGRAM, BASE_TYPE, ARRAY_TYPE, SUBRANGE, TYPEDEF = 0x11, 0x2e, 0x24, 0x01, 0x21, 0x16
POINTERS = (0x0f, 0x10, 0x42)
NAME, BYTE_SIZE, ENCODING, TYPE, COUNT, ADDRESS_CLASS, GNU_VECTOR = 0x03, 0x0b, 0x3e, 0x49, 0x37, 0x33, 0x2107
ACTIVE_LANE, AUGMENTATION, LANES, LANE_PC, VECTOR_SIZE, ADDRESS_SPACE = 0x3e08, 0x3e09, 0x3e0a, 0x3e0b, 0x3e0c, 0x3e10
LOW_PC = 0x11


def number(value):
    """The value of a constant or a LEB128."""
    return int(value) if isinstance(value, str) else read_uleb(value, 0)[0]


def convert(root, target):
    root.attributes[AUGMENTATION, STRING] = [*b"[amdgpu:v0.0]", 0]
    for entry in root.walk():
        if entry.tag == SUBPROGRAM and entry.get(LOW_PC):
            entry.attributes[LANES, DATA1] = str(target.lanes)
        elif entry.tag in POINTERS:
            old = entry.get(ADDRESS_CLASS)
            entry.remove(ADDRESS_CLASS)
            entry.attributes[ADDRESS_SPACE, DATA1] = str(SPACES.get(number(old), number(old)) if old else GENERIC)
        elif entry.tag == ARRAY_TYPE and (GNU_VECTOR in (name for name, _ in entry.attributes)):
            make_vector(entry)


def make_vector(entry):
    """A vector is a type with its elements' size and their number."""
    element = entry.get(TYPE)
    while element.tag == TYPEDEF:
        element = element.get(TYPE)
    if element.tag != BASE_TYPE:
        raise SystemExit("a vector of something else than numbers")
    count = number(entry.children[0].get(COUNT))
    entry.tag, entry.children = BASE_TYPE, []
    entry.attributes = {key: value for key, value in element.attributes.items() if key[0] in (NAME, BYTE_SIZE, ENCODING)}
    entry.attributes[VECTOR_SIZE, DATA1] = str(count)
