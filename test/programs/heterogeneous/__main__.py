# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Turns clang 19's assembly for an AMD GPU into the dialect of ROCm's compiler: call-frame information, places of variables, lanes,
vector types and address spaces. The result describes the same program.

usage: heterogeneous IN.s OUT.s GPU
"""
import itertools
import re
import sys
import attributes
import entries
import frames
import lanes
import locations
from code import read_functions
from dwarf import REGX, decode, in_space, PRIVATE_LANE, read_uleb
from target import Target

LOCATION, HIGH_PC, FRAME_BASE = 0x02, 0x12, 0x40
NO_LISTS = """\t.section\t.debug_loclists,"",@progbits
\t.long\t.Lno_lists_end-.Lno_lists_begin
.Lno_lists_begin:
\t.short\t5
\t.byte\t8
\t.byte\t0
\t.long\t0
.Lno_lists_end:
""".splitlines(keepends=True)


class Assembly:
    """The file's lines, in which sections are replaced and labels inserted at last."""

    def __init__(self, lines):
        self.lines, self.before, self.labels = lines, {}, (f".Ldialect{n}" for n in itertools.count())

    def label_of(self, line):
        """A label at an instruction."""
        if line not in self.before:
            self.before[line] = next(self.labels)
        return self.before[line]

    def section(self, name):
        """The numbers of its lines: from behind its directive to the next section's."""
        first = next((n for n, text in enumerate(self.lines) if re.match(rf"\t\.section\t\{name},", text)), None)
        if first is None:
            return range(0)
        last = next(n for n in range(first + 1, len(self.lines) + 1)
                    if n == len(self.lines) or re.match(r"\t\.(section|text|ident)\b", self.lines[n]))
        return range(first + 1, last)

    def text(self, replaced):
        """The lines, with labels; replaced: pairs of lines' numbers and their replacements."""
        instead = {numbers[0]: lines for numbers, lines in replaced if numbers}
        gone = {number for numbers, _ in replaced for number in numbers}
        for number, line in enumerate(self.lines):
            yield from instead.get(number, ())
            if number in self.before:
                yield f"{self.before[number]}:\n"
            if number not in gone:
                yield line


def number(data):
    """The value of a LEB128's bytes."""
    return read_uleb(data, 0)[0]


def frame_register(entry):
    """The frame base of the function around an entry."""
    while entry:
        base = entry.get(FRAME_BASE)
        if base:
            (code, register), = decode(base)
            if code != REGX:
                raise SystemExit("a frame base that isn't a register")
            return register
        entry = entry.parent
    return None


def convert_lists(root, assembly, target):
    """Location lists: the lines of their section with every expression converted."""
    registers = {f".Ldebug_loc{number(value)}:": frame_register(entry) for entry in root.walk()
                 for (_, form), value in entry.attributes.items() if form == entries.LOCLISTX}
    lines = [assembly.lines[n] for n in assembly.section(".debug_loclists")]
    at, register = 0, None
    while at < len(lines):
        register = registers.get(lines[at].strip(), register)
        if "; Loc expr size" not in lines[at]:
            yield lines[at]
            at += 1
            continue
        size = number(entries.Values(lines[at:at + 1]).leb())
        # The parts of an expression end with a line.
        end, data = at, []
        while len(data) < size:
            end += 1
            section = entries.Values(lines[end:end + 1])
            data += section.block(sum(width for width, _ in section.items))
        yield from entries.print_block(locations.convert(data, target, register), assembly.labels)
        at = end + 1


def print_list(label, ranges, assembly, end):
    """A location list; a range without an end extends to the function's."""
    yield f"{label}:\n"
    for first, last, expression in ranges:
        yield f"\t.byte\t7\n\t.quad\t{assembly.label_of(first)}\n\t.quad\t{assembly.label_of(last) if last else end}\n"
        yield from entries.print_block(expression, assembly.labels)
    yield "\t.byte\t0\n"


def add_lanes(root, assembly, target):
    """The lanes' attributes of functions; the lines of their lists."""
    functions = {f.begin: f for f in read_functions(assembly.lines)}
    lists = []
    for entry in root.walk():
        if entry.tag != attributes.SUBPROGRAM or not entry.get(attributes.LOW_PC):
            continue
        end, begin = entry.get(HIGH_PC).split("-")
        if not functions[begin].instructions:
            continue
        for name, ranges in zip((attributes.ACTIVE_LANE, attributes.LANE_PC),
                                lanes.describe(functions[begin], target, assembly.label_of)):
            if len(ranges) == 1:
                entry.attributes[name, entries.EXPRLOC] = ranges[0][2]
                continue
            label = next(assembly.labels)
            entry.attributes[name, entries.SEC_OFFSET] = label
            lists += print_list(label, ranges, assembly, end)
    return lists


def convert_unit(assembly, target):
    info, abbreviations = assembly.section(".debug_info"), assembly.section(".debug_abbrev")
    lines = [assembly.lines[n] for n in info]
    first = next(n for n, line in enumerate(lines) if "; Abbrev [" in line)
    last = next(n for n, line in enumerate(lines) if line.startswith(".Ldebug_info_end0:"))
    root = entries.read_entries(lines[first:last], entries.read_abbreviations(assembly.lines[n] for n in abbreviations))
    new_lists = list(convert_lists(root, assembly, target))
    attributes.convert(root, target)
    for entry in root.walk():
        for (name, form), value in entry.attributes.items():
            if name == LOCATION and form == entries.EXPRLOC:
                entry.attributes[name, form] = locations.convert(value, target, frame_register(entry))
    for entry in root.walk():
        if entry.get(FRAME_BASE):
            address = target.frame_address(frame_register(entry))
            entry.attributes[FRAME_BASE, entries.EXPRLOC] = [*address, *in_space(PRIVATE_LANE)]
    lists = add_lanes(root, assembly, target)
    if new_lists:
        end = next(n for n, line in enumerate(new_lists) if line.startswith(".Ldebug_list_header_end0:"))
        new_lists[end:end] = lists
    new_info, new_abbreviations = entries.print_entries(root, assembly.labels)
    text = list(assembly.text([(info, lines[:first] + new_info + lines[last:]), (abbreviations, new_abbreviations),
                               (assembly.section(".debug_loclists"), new_lists)]))
    return text if new_lists else text + NO_LISTS[:-1] + lists + NO_LISTS[-1:]


def main(source, out, gpu):
    target = Target(gpu)
    with open(source, encoding="latin-1") as file:
        lines = convert_unit(Assembly(file.readlines()), target)
    with open(out, "w", encoding="latin-1") as file:
        file.writelines(frames.convert(lines, target))


if __name__ == "__main__":
    main(*sys.argv[1:])
