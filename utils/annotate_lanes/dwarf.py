# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The DWARF 5 of an assembly file, as printed by clang and gcc (-dA): its entries, their attributes, ranges and locations.

An expression is a tuple of bytes (numbers) and of symbols (text, size). Places in the code are labels or lines of the file."""
import re

from .directives import directive_bytes, directive_length, directive_symbol, leb128, read_leb128

AT_LOCATION, AT_NAME, AT_BYTE_SIZE, AT_CONST_VALUE, AT_LOW_PC, AT_HIGH_PC = 0x02, 0x03, 0x0B, 0x1C, 0x11, 0x12
AT_ARTIFICIAL, AT_ABSTRACT_ORIGIN, AT_SPECIFICATION, AT_DECL_LINE, AT_TYPE = 0x34, 0x31, 0x47, 0x3B, 0x49
AT_PRODUCER, AT_COMP_DIR, AT_RANGES, AT_FRAME_BASE, AT_CALL_LINE, AT_CALL_COLUMN, AT_LINKAGE_NAME, AT_MEMBER_LOCATION = 0x25, 0x1B, 0x55, 0x40, 0x59, 0x57, 0x6E, 0x38
AT_GNU_LOCVIEWS = 0x2137
AT_NUM_LANES = 0x3EC0  # DWARF issue 211206.1; the code is Wavelane's, as DWARF has none yet.
FORM_STRING, FORM_REF4, FORM_SEC_OFFSET, FORM_EXPRLOC, FORM_ADDRX, FORM_IMPLICIT_CONST, FORM_LOCLISTX, FORM_RNGLISTX = (
    0x08, 0x13, 0x17, 0x18, 0x1B, 0x21, 0x22, 0x23)
FORMS_OF_SIGNED_NUMBERS = (0x0B, 0x05, 0x06, 0x07)
FORMS_OF_LEB128 = (0x0F, 0x1A, FORM_ADDRX, FORM_LOCLISTX, FORM_RNGLISTX)
TAG_FORMAL_PARAMETER, TAG_LEXICAL_BLOCK, TAG_MEMBER, TAG_STRUCTURE, TAG_TYPEDEF, TAG_UNION, TAG_CLASS = 0x05, 0x0B, 0x0D, 0x13, 0x16, 0x17, 0x02
TAG_INLINED, TAG_SUBPROGRAM, TAG_VARIABLE = 0x1D, 0x2E, 0x34
OP_CONSTS, OP_STACK_VALUE = 0x11, 0x9F
LLE_BASE_ADDRESSX, LLE_STARTX_LENGTH, LLE_OFFSET_PAIR, LLE_BASE_ADDRESS, LLE_START_END, LLE_START_LENGTH = 1, 3, 4, 6, 7, 8
RLE_BASE_ADDRESSX, RLE_STARTX_LENGTH, RLE_OFFSET_PAIR, RLE_BASE_ADDRESS, RLE_START_END, RLE_START_LENGTH = 1, 3, 4, 5, 6, 7

DIE_HEADER = re.compile(r"\s*\.(?:byte|uleb128|ascii|short)\b.*#\s*(?:Abbrev \[(\d+)\] 0x([0-9a-f]+):0x[0-9a-f]+ DW_TAG|\(DIE \(0x([0-9a-f]+)\) DW_TAG)")


class NotEditable(Exception):
    """Why the file's debug information can't be edited, as text for the user."""


class Abbreviation:
    def __init__(self, tag, children, attributes):
        self.tag, self.children, self.attributes = tag, children, attributes  # [(attribute, form, implicit constant's bytes)]


class Entry:
    """A debugging information entry: its lines in the file, and the first line of each attribute."""

    def __init__(self, offset, line, abbreviation, parent):
        self.offset, self.line, self.abbreviation, self.parent = offset, line, abbreviation, parent
        self.tag = abbreviation.tag
        self.children = []
        self.attribute_lines = []
        self.end = line + 1
        if parent:
            parent.children.append(self)

    def attribute(self, wanted):
        """(form, line) of an attribute; (None, None) if it has none."""
        for (attribute, form, _), line in zip(self.abbreviation.attributes, self.attribute_lines):
            if attribute == wanted:
                return form, line
        return None, None

    def descendants(self):
        for child in self.children:
            yield child
            yield from child.descendants()


class DebugInfo:
    """The debug information of one assembly file."""

    def __init__(self, assembly):
        self.assembly, self.lines, self.labels = assembly, assembly.lines, assembly.labels
        self._names, self._globals = {}, None  # (entry, attribute): name; variables outside of functions by name
        for name in (".debug_info", ".debug_abbrev"):
            if name not in assembly.sections:
                raise NotEditable("it has no debug information: compile with -g")
            if len(assembly.sections[name]) > 1:
                raise NotEditable(f"it has more than one piece of {name} (type units are not supported)")
        for name in (".debug_info.dwo", ".debug_names", ".debug_pubnames", ".debug_gnu_pubnames"):
            if name in assembly.sections:
                raise NotEditable(f"it has {name}, which is not supported: compile without the option that asks for it")
        try:
            self._read_abbreviations()
        except IndexError as why:
            raise NotEditable("its .debug_abbrev is cut short") from why
        self._read_entries()
        self._read_tables()

    # Reading

    def section_lines(self, name):
        return (n for first, last in self.assembly.sections.get(name, []) for n in range(first, last))

    def _read_abbreviations(self):
        (begin, end), = self.assembly.sections[".debug_abbrev"]
        data = b"".join(directive_bytes(self.lines[n]) or b"" for n in range(begin, end))
        self.abbreviations, at = {}, 0
        while True:
            code, at = read_leb128(data, at)
            if code == 0:
                break
            tag, at = read_leb128(data, at)
            children, at = read_leb128(data, at)
            attributes = []
            while True:
                attribute, at = read_leb128(data, at)
                form, at = read_leb128(data, at)
                constant = b""
                if form == FORM_IMPLICIT_CONST:
                    start = at
                    _, at = read_leb128(data, at)
                    constant = data[start:at]
                if attribute == form == 0:
                    break
                attributes.append((attribute, form, constant))
            self.abbreviations[code] = Abbreviation(tag, children, attributes)
        self.abbreviations_end = max(n for n in range(begin, end) if directive_bytes(self.lines[n]) is not None)

    def _read_entries(self):
        (begin, end), = self.assembly.sections[".debug_info"]
        self.entries, open_entries, entry = [], [], None
        header = [n for n in range(begin, end) if directive_bytes(self.lines[n]) is not None or ".long" in self.lines[n]]
        if header and directive_bytes(self.lines[header[0]]) == b"\xff\xff\xff\xff":
            raise NotEditable("its debug information is DWARF of 64 bits: compile with -gdwarf32")
        if len(header) < 2 or directive_bytes(self.lines[header[1]]) != b"\5\0":
            raise NotEditable("its debug information isn't DWARF 5: compile with -gdwarf-5")
        if any(directive_bytes(self.lines[n]) == b"\4" and re.search(r"#\s*(Address|Pointer) Size", self.lines[n]) for n in header[2:4]):
            raise NotEditable("its code is of 32 bits, not x86-64's")
        for number in range(begin, end):
            line = self.lines[number]
            match = DIE_HEADER.match(line)
            if match:
                data = directive_bytes(line) or b"\0"
                code = read_leb128(data, 0)[0] if not data[-1] & 0x80 else None
                if code not in self.abbreviations:
                    raise NotEditable(f"abbreviation {code} of line {number + 1} is not in its .debug_abbrev")
                entry = Entry(int(match[2] or match[3], 16), number, self.abbreviations[code], open_entries[-1] if open_entries else None)
                self.entries.append(entry)
                if entry.abbreviation.children:
                    open_entries.append(entry)
            elif re.search(r"#\s*(End Of Children Mark|end of children of DIE)", line):
                entry = None
                if not open_entries:
                    raise NotEditable(f"line {number + 1} ends the children of no entry")
                open_entries.pop()
            elif entry and re.search(r"#\s*DW_AT_", line):
                entry.attribute_lines.append(number)
                entry.end = number + 1
            elif entry and line.strip() and not re.match(r"[\w.$]+:", line.strip()):
                entry.end = number + 1
        for entry in self.entries:
            if len(entry.attribute_lines) != len(entry.abbreviation.attributes):
                raise NotEditable(f"the attributes of the entry at line {entry.line + 1} aren't commented: compile with gcc's -dA")
        self.by_offset = {entry.offset: entry for entry in self.entries}

    def _read_tables(self):
        self._strings = {}
        for name in (".debug_str", ".debug_line_str"):
            for number in self.section_lines(name):
                label = re.match(r"([\w.$]+):", self.lines[number])
                if label and number + 1 < len(self.lines):
                    self._strings[label[1]] = (directive_bytes(self.lines[number + 1]) or b"").rstrip(b"\0").decode(errors="replace")
        self._string_offsets = self._table(".debug_str_offsets", r"\s*\.long\s+([.\w$]+)\s*$")
        self._string_offsets = [label for label in self._string_offsets if not label.isdigit()]
        self._addresses = self._table(".debug_addr", r"\s*\.quad\s+([.\w$]+(?:[-+]\d+)?)")
        self._lists = self._table(".debug_loclists", r"\s*\.long\s+([.\w$]+)-\.Lloclists_table_base")
        self._range_lists = self._table(".debug_rnglists", r"\s*\.long\s+([.\w$]+)-\.Lrnglists_table_base")

    def _table(self, section, pattern):
        return [m[1] for n in self.section_lines(section) if (m := re.match(pattern, self.lines[n]))]

    # Attributes

    def number(self, entry, attribute):
        """The value of a constant attribute; None if it has none. The entry inherits its origin's attributes."""
        form, line, owner = self._inherited(entry, attribute)
        if form == FORM_IMPLICIT_CONST:
            return read_leb128(next(c for a, _, c in owner.abbreviation.attributes if a == attribute), 0)[0]
        return self._number(form, line) if form is not None else None

    def _number(self, form, line):
        """The number in an attribute's line; None if it isn't one."""
        data = directive_bytes(self.lines[line])
        if not data or form in FORMS_OF_LEB128 and data[-1] & 0x80:
            return None
        return read_leb128(data, 0)[0] if form in FORMS_OF_LEB128 else int.from_bytes(data, "little")

    @staticmethod
    def _element(table, number):
        return table[number] if number is not None and number < len(table) else None

    def _inherited(self, entry, attribute):
        for _ in range(4):
            form, line = entry.attribute(attribute)
            if form is not None:
                return form, line, entry
            entry = self.reference(entry, AT_ABSTRACT_ORIGIN) or self.reference(entry, AT_SPECIFICATION)
            if entry is None:
                break
        return None, None, None

    def reference(self, entry, attribute):
        """The entry that an attribute refers to; None if it has none."""
        form, line = entry.attribute(attribute)
        match = re.match(r"\s*\.long\s+(0x[0-9a-f]+|\d+)\b", self.lines[line]) if form == FORM_REF4 else None
        return self.by_offset.get(int(match[1], 0)) if match else None

    def name(self, entry, attribute=AT_NAME):
        """The entry's name, its own or its origin's; None if it has none."""
        key = (entry, attribute)
        if key not in self._names:
            self._names[key] = self._read_name(entry, attribute)
        return self._names[key]

    def _read_name(self, entry, attribute):
        form, line, _ = self._inherited(entry, attribute)
        if form is None:
            return None
        text = self.lines[line]
        label = re.match(r"\s*\.long\s+([.\w$]+)", text)
        if label and label[1] in self._strings:
            return self._strings[label[1]]
        data = directive_bytes(text)
        if form == FORM_STRING:
            return data.rstrip(b"\0").decode(errors="replace") if data is not None else None
        return self._strings.get(self._element(self._string_offsets, self._number(form, line)))

    def address_symbol(self, index):
        """The symbol of an entry of .debug_addr."""
        return self._element(self._addresses, index)

    def _address_label(self, form, line):
        if form == FORM_ADDRX:
            return self.address_symbol(self._number(form, line))
        symbol = directive_symbol(self.lines[line])
        return symbol and symbol[0]

    def code_ranges(self, entry):
        """[(first line, line after the last)] of an entry's code in the file."""
        form, line = entry.attribute(AT_LOW_PC)
        if form is not None and entry.attribute(AT_HIGH_PC)[0] is not None:
            begin, high = self._address_label(form, line), directive_symbol(self.lines[entry.attribute(AT_HIGH_PC)[1]])
            return self._lines_of([(begin, high and high[0].split("-")[0])])
        form, line = entry.attribute(AT_RANGES)
        if form is None:
            return []
        if form == FORM_RNGLISTX:
            label = self._element(self._range_lists, self._number(form, line))
        else:
            label = (directive_symbol(self.lines[line]) or (None,))[0]
        return self._lines_of(self._range_list(label))

    def _lines_of(self, pairs):
        lines = [(self.line_of(b), self.line_of(e)) for b, e in pairs]
        return [(b, e) for b, e in lines if b is not None and e is not None]

    def line_of(self, place):
        """The line of a label, or of a place just before or after one; None if there is no such label."""
        return self.labels.get(re.sub(r"[-+]\d+$", "", place)) if place else None

    def _range_list(self, label):
        at, found = self.labels.get(label), []
        while at is not None:
            at = self._next_directive(at + 1)
            kind = (directive_bytes(self.lines[at]) or b"\xff")[0]
            if kind in (RLE_BASE_ADDRESSX, RLE_BASE_ADDRESS):
                at = self._next_directive(at + 1)
                continue
            if kind not in (RLE_STARTX_LENGTH, RLE_OFFSET_PAIR, RLE_START_END, RLE_START_LENGTH):
                break
            pair = self._label_pair(at, kind, {RLE_STARTX_LENGTH: "x", RLE_START_LENGTH: "length"}.get(kind, ""))
            if pair:
                found.append(pair)
            at = self._next_directive(self._next_directive(at + 1) + 1)
        return found

    def _next_directive(self, line):
        while line < len(self.lines) and not re.match(r"\s*\.\w", self.lines[line]):
            line += 1
        if line >= len(self.lines):
            raise NotEditable("a list is cut short")
        return line

    def _label_pair(self, at, kind, way):
        """The labels of a list's entry whose kind is in the line: begin and end, each minus a base, or begin and length."""
        first, second = (re.match(r"\s*\.(?:uleb128|quad)\s+([.\w$]+(?:-\d+(?=[-\s]))?)(?:-([.\w$]+))?\s*(#|$)", self.lines[n]) for n in (at + 1, at + 2))
        if way == "x":  # the begin's number, and the end less the begin
            return (second[2], second[1]) if second and second[2] else None
        if not first or not second or way == "length" and second[2] != first[1]:
            return None
        return first[1], second[1]

    # Locations

    def expression(self, line, count_line):
        """(an expression that begins at a line, the line after it); its length is in count_line."""
        length = directive_length(self.lines[count_line])
        if length is None:
            raise NotEditable(f"the length at line {count_line + 1} isn't understood")
        out, size = [], 0
        while size < length:
            if line >= len(self.lines):
                raise NotEditable("an expression is cut short")
            data, symbol = directive_bytes(self.lines[line]), directive_symbol(self.lines[line])
            if data is not None:
                out += data
                size += len(data)
            elif symbol:
                out.append(symbol)
                size += symbol[1]
            elif self.lines[line].strip() and not self.lines[line].strip().startswith("#"):
                raise NotEditable(f"the expression at line {line + 1} has operands that aren't understood")
            line += 1
        return tuple(out), line

    def location(self, entry, whole):
        """The entry's location as a list of (begin label, end label, expression); whole is the range of an expression that always holds."""
        if entry.attribute(AT_GNU_LOCVIEWS)[0] is not None:
            raise NotEditable("it has location views: compile with gcc's -gno-variable-location-views")
        form, line = entry.attribute(AT_LOCATION)
        if form is None:
            form, line, _ = self._inherited(entry, AT_CONST_VALUE)
            if form is None:
                return []
            data = directive_bytes(self.lines[line])
            if data is None:
                return []
            if form in FORMS_OF_SIGNED_NUMBERS:
                data = leb128(int.from_bytes(data, "little", signed=True), True)
            return [(*whole, (OP_CONSTS, *data, OP_STACK_VALUE))]
        if form == FORM_EXPRLOC:
            return [(*whole, self.expression(line + 1, line)[0])]
        if form == FORM_LOCLISTX:
            label = self._element(self._lists, self._number(form, line))
        else:
            label = (directive_symbol(self.lines[line]) or (None,))[0]
        return self._list(label)

    def _list(self, label):
        at, entries = self.labels.get(label), []
        at = at + 1 if at is not None else None
        while at is not None:
            kind = (directive_bytes(self.lines[at]) or b"\xff")[0]
            if kind == 0:
                return entries
            if kind in (LLE_BASE_ADDRESSX, LLE_BASE_ADDRESS):
                at += 2
                continue
            if kind not in (LLE_STARTX_LENGTH, LLE_OFFSET_PAIR, LLE_START_END, LLE_START_LENGTH):
                break
            pair = self._label_pair(at, kind, {LLE_STARTX_LENGTH: "x", LLE_START_LENGTH: "length"}.get(kind, ""))
            if not pair:
                break
            expression, at = self.expression(at + 4, at + 3)
            entries.append((*pair, expression))
        raise NotEditable(f"the location list {label} is of a form that is not supported")

    def frame_base(self, entry):
        """The expression of a subprogram's frame base; None if it has none."""
        form, line, _ = self._inherited(entry, AT_FRAME_BASE)
        return self.expression(line + 1, line)[0] if form == FORM_EXPRLOC else None

    def globals_named(self, name):
        """The variables with that name outside of functions."""
        if self._globals is None:
            self._globals = {}
            for e in self.entries:
                if e.tag == TAG_VARIABLE and e.parent and e.parent.tag not in (TAG_SUBPROGRAM, TAG_INLINED, TAG_LEXICAL_BLOCK):
                    self._globals.setdefault(self.name(e), []).append(e)
        return self._globals.get(name, [])

    # Types

    def structure(self, name):
        """The structure, class or union with that name, possibly through a typedef; None if there is none."""
        for entry in self.entries:
            if entry.tag in (TAG_STRUCTURE, TAG_CLASS, TAG_UNION, TAG_TYPEDEF) and self.name(entry) == name:
                for _ in range(8):
                    if entry is None or entry.tag != TAG_TYPEDEF:
                        break
                    entry = self.reference(entry, AT_TYPE)
                if entry is not None and entry.tag != TAG_TYPEDEF and self.number(entry, AT_BYTE_SIZE) is not None:
                    return entry
        return None

    def size_of_structure(self, name):
        entry = self.structure(name)
        return self.number(entry, AT_BYTE_SIZE) if entry else None

    def member_offset(self, structure, member):
        """The offset of a member in the structure with that name; None if unknown."""
        entry = self.structure(structure)
        if entry is None:
            return None
        if entry.tag == TAG_UNION:
            return 0 if any(self.name(c) == member for c in entry.children) else None
        for child in entry.children:
            if child.tag == TAG_MEMBER and self.name(child) == member:
                return self.number(child, AT_MEMBER_LOCATION)
        return None
