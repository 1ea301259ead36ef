# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes an assembly file with new attributes and location lists for some of its DWARF entries.

An entry that grows moves those after it, so every reference to an entry becomes the difference of two labels."""
import re

from .directives import leb128
from .dwarf import AT_ARTIFICIAL, AT_CONST_VALUE, AT_LOCATION, FORM_REF4, FORM_SEC_OFFSET, LLE_START_END, NotEditable

DIRECTIVES = {1: ".byte", 2: ".short", 4: ".long", 8: ".quad"}


class Rewriting:
    """The changes to one assembly file."""

    def __init__(self, info):
        self.info, self.lines = info, info.lines
        self._changes = {}  # entry: {attribute: label of its list}
        self._lists = []  # (label, [(begin label, end label, expression)])
        self._labels = {}  # line: labels to put before it

    def label(self, name, line):
        """Puts a label before a line of the code; returns its name."""
        self._labels.setdefault(line, []).append(name + ":")
        self.info.labels[name] = line
        return name

    def set_list(self, entry, attribute, label, pieces):
        """Gives the entry an attribute that is a list of (begin label, end label, expression)."""
        self._changes.setdefault(entry, {})[attribute] = label
        self._lists.append((label, pieces))

    def text(self):
        """The whole file."""
        info = self.info
        before = {n: list(v) for n, v in self._labels.items()}
        replaced = {}
        (begin, end), = info.assembly.sections[".debug_info"]
        label_of = {entry.offset: f".Lwavelane_die{entry.offset}" for entry in info.entries}
        before.setdefault(begin, []).append(".Lwavelane_unit:")
        length = next(n for n in range(begin, end) if ".long" in self.lines[n])
        replaced[length] = ["\t.long\t.Lwavelane_unit_end-.Lwavelane_unit-4"]
        before.setdefault(end, []).insert(0, ".Lwavelane_unit_end:")
        abbreviations, code = b"", max(info.abbreviations)
        for entry in info.entries:
            before.setdefault(entry.line, []).append(label_of[entry.offset] + ":")
            for (_, form, _), line in zip(entry.abbreviation.attributes, entry.attribute_lines):
                match = re.match(r"\s*\.long\s+(0x[0-9a-f]+|\d+)\b", self.lines[line]) if form == FORM_REF4 else None
                if form == FORM_REF4 and (not match or int(match[1], 0) not in label_of):
                    raise NotEditable(f"the reference at line {line + 1} leads to no entry")
                if match:
                    replaced[line] = [f"\t.long\t{label_of[int(match[1], 0)]}-.Lwavelane_unit"]
            changes = self._changes.get(entry)
            if not changes:
                continue
            code += 1
            # Clang marks the variable of a loop under a pragma artificial, which would hide it.
            dropped = set(changes) | ({AT_CONST_VALUE, AT_ARTIFICIAL} if AT_LOCATION in changes else set())
            abbreviations += _abbreviation(code, entry.abbreviation, dropped, changes)
            replaced[entry.line] = [f"\t.uleb128\t{code}"]
            ends = entry.attribute_lines[1:] + [entry.end]
            for (attribute, _, _), first, last in zip(entry.abbreviation.attributes, entry.attribute_lines, ends):
                if attribute in dropped:
                    replaced.update((n, []) for n in range(first, last))
            before.setdefault(entry.end, [])[:0] = [f"\t.long\t{label}" for label in changes.values()]
        before.setdefault(info.abbreviations_end, []).append("\t.byte\t" + ", ".join(str(b) for b in abbreviations))
        out = []
        for number, line in enumerate(self.lines):
            out += before.get(number, [])
            # An implicit pointer or a call names an entry by its offset in the section.
            out += replaced.get(number, [re.sub(r"\.Ldebug_info0\+(0x[0-9a-f]+|\d+)\b", lambda m: label_of.get(int(m[1], 0), m[0]), line)])
        out += before.get(len(self.lines), [])
        return "\n".join([self._with_known_file(line) for line in out] + self._new_lists()) + "\n"

    def _with_known_file(self, line):
        """A line of the file; clang gives code of no source line a file that it doesn't declare, which its assembler then refuses."""
        match = re.match(r"(\s*\.loc\s+)(\d+)(\s+0\b.*)", line)
        files = self.info.assembly.files
        return f"{match[1]}0{match[3]}" if match and 0 in files and int(match[2]) not in files else line

    def _new_lists(self):
        out = ['\t.section\t.debug_loclists,"",@progbits', "\t.long\t.Lwavelane_lists_end-.Lwavelane_lists",
               ".Lwavelane_lists:", "\t.short\t5", "\t.byte\t8, 0", "\t.long\t0"]
        for label, pieces in self._lists:
            out.append(label + ":")
            for begin, end, expression in pieces:
                size = sum(1 if isinstance(part, int) else part[1] for part in expression)
                out += [f"\t.byte\t{LLE_START_END}", f"\t.quad\t{begin}, {end}", f"\t.uleb128\t{size}"]
                out += [f"\t.byte\t{part}" if isinstance(part, int) else f"\t{DIRECTIVES[part[1]]}\t{part[0]}" for part in expression]
            out.append("\t.byte\t0")
        return out + [".Lwavelane_lists_end:"]


def _abbreviation(code, old, dropped, added):
    """The bytes of an abbreviation without some attributes and with lists for others."""
    out = leb128(code) + leb128(old.tag) + bytes([old.children])
    for attribute, form, constant in old.attributes:
        if attribute not in dropped:
            out += leb128(attribute) + leb128(form) + constant
    for attribute in added:
        out += leb128(attribute) + leb128(FORM_SEC_OFFSET)
    return out + b"\0\0"
