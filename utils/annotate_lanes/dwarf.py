"""Edits the DWARF 5 of an assembly file, as clang and gcc (-dA) print it: new attributes and location lists for some entries.

An entry that grows moves those behind it, so every reference to an entry becomes the difference of two labels."""
import re

AT_SIBLING, AT_LOCATION, AT_NAME, AT_CONST_VALUE, AT_LOW_PC = 0x01, 0x02, 0x03, 0x1C, 0x11
AT_ARTIFICIAL, AT_ABSTRACT_ORIGIN, AT_SPECIFICATION, AT_DECL_LINE, AT_GNU_LOCVIEWS = 0x34, 0x31, 0x47, 0x3B, 0x2137
AT_NUM_LANES = 0x3EC0  # DWARF issue 211206.1; the code is Wavelane's, as DWARF has none yet.
FORM_SEC_OFFSET, FORM_REF4, FORM_IMPLICIT_CONST, FORM_LOCLISTX, FORM_EXPRLOC = 0x17, 0x13, 0x21, 0x22, 0x18
TAG_SUBPROGRAM = 0x2E
LLE_BASE_ADDRESSX, LLE_STARTX_LENGTH, LLE_OFFSET_PAIR, LLE_BASE_ADDRESS, LLE_START_END, LLE_START_LENGTH = 1, 3, 4, 6, 7, 8

DIE_HEADER = re.compile(r"\s*\.(?:byte|uleb128|ascii|short)\b.*#\s*(?:Abbrev \[(\d+)\] 0x([0-9a-f]+):0x[0-9a-f]+ DW_TAG|\(DIE \(0x([0-9a-f]+)\) DW_TAG)")
SIZES = {".byte": 1, ".short": 2, ".value": 2, ".2byte": 2, ".long": 4, ".4byte": 4, ".quad": 8, ".8byte": 8}


class NotUnderstood(Exception):
    """Why the file's debug information can't be edited, in words for the user."""


def directive_bytes(line):
    """The bytes that a directive with literal operands makes; None for anything else."""
    match = re.match(r"\s*(\.\w+)\s+(.*)", line)
    if not match:
        return None
    name, rest = match.groups()
    if name in (".ascii", ".asciz", ".string"):
        text = re.match(r'"((?:[^"\\]|\\.)*)"', rest)
        if not text:
            return None
        raw = re.sub(rb"\\([0-7]{1,3}|.)", lambda m: bytes([int(m[1], 8) & 255]) if m[1].isdigit() else {
            b"n": b"\n", b"t": b"\t"}.get(m[1], m[1]), text[1].encode())
        return raw + (b"" if name == ".ascii" else b"\0")
    values = rest.split("#")[0].strip()
    try:
        numbers = [int(v, 0) for v in values.split(",")]
    except ValueError:
        return None
    if name in SIZES:
        return b"".join((n & (1 << 8 * SIZES[name]) - 1).to_bytes(SIZES[name], "little") for n in numbers)
    if name in (".uleb128", ".sleb128"):
        return b"".join(leb128(n, name == ".sleb128") for n in numbers)
    return None


def leb128(value, signed=False):
    out = bytearray()
    while True:
        byte, value = value & 0x7F, value >> 7
        done = value == (-1 if signed and byte & 0x40 else 0)
        out.append(byte | (0 if done else 0x80))
        if done:
            return bytes(out)


def read_uleb(data, at):
    value = shift = 0
    while True:
        if at >= len(data):
            raise NotUnderstood("its .debug_abbrev is cut short")
        value |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if not data[at - 1] & 0x80:
            return value, at


class Abbreviation:
    def __init__(self, tag, children, attributes):
        self.tag, self.children, self.attributes = tag, children, attributes  # [(attribute, form, implicit constant's bytes)]

    def encoded(self, code):
        out = leb128(code) + leb128(self.tag) + bytes([self.children])
        for attribute, form, constant in self.attributes:
            out += leb128(attribute) + leb128(form) + constant
        return out + b"\0\0"


class Entry:
    """A debugging information entry: its lines in the file, and the first line of each attribute."""

    def __init__(self, offset, line, abbreviation, parent):
        self.offset, self.line, self.abbreviation, self.parent = offset, line, abbreviation, parent
        self.attribute_lines = []  # (line, text) by attribute
        self.end = line + 1
        self.changes = {}  # attribute -> label of its new list

    def attribute(self, wanted):
        """(form, line) of an attribute; (None, None) when it has none."""
        for (attribute, form, _), line in zip(self.abbreviation.attributes, self.attribute_lines):
            if attribute == wanted:
                return form, line
        return None, None


class DebugInfo:
    """The debug information of one assembly file."""

    def __init__(self, lines):
        self.lines = lines
        self.new_lists = []  # (label, [(begin, end, expression's bytes)])
        self._find_sections()
        self._read_abbreviations()
        self._read_entries()

    # Reading

    def _find_sections(self):
        self.sections, current = {}, (".text", 0)
        spans = []
        for number, line in enumerate(self.lines):
            match = re.match(r'\s*\.section\s+"?([\w.$-]+)', line) or re.match(r"\s*(\.text|\.data|\.bss)\s*$", line)
            if match:
                spans.append((*current, number))
                current = (match[1], number + 1)
        spans.append((*current, len(self.lines)))
        for name, begin, end in spans:
            if end > begin:
                self.sections.setdefault(name, []).append((begin, end))
        for name in (".debug_info", ".debug_abbrev"):
            if name not in self.sections:
                raise NotUnderstood("it has no debug information: compile with -g")
            if len(self.sections[name]) > 1:
                raise NotUnderstood(f"it has more than one piece of {name} (type units are not supported)")
        for name in (".debug_info.dwo", ".debug_names", ".debug_pubnames", ".debug_gnu_pubnames"):
            if name in self.sections:
                raise NotUnderstood(f"it has {name}, which is not supported: compile without the option that asks for it")

    def _read_abbreviations(self):
        (begin, end), = self.sections[".debug_abbrev"]
        data = b""
        for number in range(begin, end):
            data += directive_bytes(self.lines[number]) or b""
        self.abbreviations, at = {}, 0
        while True:
            code, at = read_uleb(data, at)
            if code == 0:
                break
            tag, at = read_uleb(data, at)
            children, at = read_uleb(data, at)
            attributes = []
            while True:
                attribute, at = read_uleb(data, at)
                form, at = read_uleb(data, at)
                constant = b""
                if form == FORM_IMPLICIT_CONST:
                    start = at
                    _, at = read_uleb(data, at)
                    constant = data[start:at]
                if attribute == form == 0:
                    break
                attributes.append((attribute, form, constant))
            self.abbreviations[code] = Abbreviation(tag, children, attributes)
        self._abbreviations_end = max(n for n in range(begin, end) if directive_bytes(self.lines[n]) is not None)

    def _read_entries(self):
        (begin, end), = self.sections[".debug_info"]
        self.entries, open_entries, entry = [], [], None
        header = [n for n in range(begin, end) if directive_bytes(self.lines[n]) is not None or ".long" in self.lines[n]]
        if len(header) < 2 or directive_bytes(self.lines[header[1]]) != b"\5\0":
            raise NotUnderstood("its debug information isn't DWARF 5: compile with -gdwarf-5")
        for number in range(begin, end):
            line = self.lines[number]
            match = DIE_HEADER.match(line)
            if match:
                code, _ = read_uleb(directive_bytes(line) or b"", 0)
                if code not in self.abbreviations:
                    raise NotUnderstood(f"abbreviation {code} of line {number + 1} is not in its .debug_abbrev")
                entry = Entry(int(match[2] or match[3], 16), number, self.abbreviations[code], open_entries[-1] if open_entries else None)
                self.entries.append(entry)
                if entry.abbreviation.children:
                    open_entries.append(entry)
            elif re.search(r"#\s*(End Of Children Mark|end of children of DIE)", line):
                entry = None
                if not open_entries:
                    raise NotUnderstood(f"line {number + 1} ends the children of no entry")
                open_entries.pop()
            elif entry and re.search(r"#\s*DW_AT_", line):
                entry.attribute_lines.append(number)
                entry.end = number + 1
            elif entry and line.strip() and not re.match(r"[\w.$]+:", line.strip()):
                entry.end = number + 1
        for entry in self.entries:
            if len(entry.attribute_lines) != len(entry.abbreviation.attributes):
                raise NotUnderstood(f"the attributes of the entry at line {entry.line + 1} aren't commented: compile with gcc's -dA")
        self.by_offset = {entry.offset: entry for entry in self.entries}
        self._strings = {}
        for sections in (self.sections.get(".debug_str", []), self.sections.get(".debug_line_str", [])):
            for section_begin, section_end in sections:
                for number in range(section_begin, section_end):
                    label = re.match(r"([\w.$]+):", self.lines[number])
                    if label and number + 1 < section_end:
                        self._strings[label[1]] = (directive_bytes(self.lines[number + 1]) or b"").rstrip(b"\0").decode(errors="replace")
        self._string_offsets = [m[1] for b, e in self.sections.get(".debug_str_offsets", []) for n in range(b, e)
                                if (m := re.match(r"\s*\.long\s+([.\w$]+)\s*$", self.lines[n])) and not m[1].isdigit()]

    def _reference(self, entry, attribute):
        form, line = entry.attribute(attribute)
        match = re.match(r"\s*\.long\s+(0x[0-9a-f]+|\d+)\b", self.lines[line]) if form == FORM_REF4 else None
        return self.by_offset.get(int(match[1], 0)) if match else None

    def name(self, entry):
        """The entry's name, its own or its origin's; None when it has none."""
        for _ in range(4):
            form, line = entry.attribute(AT_NAME)
            if form is not None:
                text = self.lines[line]
                label = re.match(r"\s*\.long\s+([.\w$]+)", text)
                if label and label[1] in self._strings:
                    return self._strings[label[1]]
                data = directive_bytes(text)
                if form == 0x08 and data is not None:
                    return data.rstrip(b"\0").decode(errors="replace")
                index = int.from_bytes(data or b"", "little")
                return self._strings.get(self._string_offsets[index]) if index < len(self._string_offsets) else None
            entry = self._reference(entry, AT_ABSTRACT_ORIGIN) or self._reference(entry, AT_SPECIFICATION)
            if entry is None:
                return None
        return None

    def declaration_line(self, entry):
        """The source line that declares it, its own or its origin's; None when that isn't said."""
        for _ in range(4):
            form, line = entry.attribute(AT_DECL_LINE)
            if form == FORM_IMPLICIT_CONST:
                constant = next(c for a, _, c in entry.abbreviation.attributes if a == AT_DECL_LINE)
                return read_uleb(constant, 0)[0]
            if form is not None:
                return int.from_bytes(directive_bytes(self.lines[line]) or b"", "little")
            entry = self._reference(entry, AT_ABSTRACT_ORIGIN) or self._reference(entry, AT_SPECIFICATION)
            if entry is None:
                return None
        return None

    def subprogram_of(self, begin, end, labels):
        """The subprogram whose code begins within the lines (labels: name -> line)."""
        for entry in self.entries:
            form, line = entry.attribute(AT_LOW_PC)
            if entry.abbreviation.tag != TAG_SUBPROGRAM or form is None:
                continue
            text = self.lines[line]
            if form == 0x1B:  # DW_FORM_addrx
                index = int.from_bytes(directive_bytes(text) or b"", "little")
                addresses = [m[1] for b, e in self.sections.get(".debug_addr", []) for n in range(b, e)
                             if (m := re.match(r"\s*\.quad\s+([.\w$]+)", self.lines[n]))]
                label = addresses[index] if index < len(addresses) else None
            else:
                match = re.match(r"\s*\.quad\s+([.\w$]+)", text)
                label = match and match[1]
            if label in labels and begin <= labels[label] <= end:
                return entry
        return None

    def children(self, entry):
        """Every entry below one, in order."""
        for other in self.entries:
            parent = other.parent
            while parent is not None:
                if parent is entry:
                    yield other
                    break
                parent = parent.parent

    def expression(self, line, count_line):
        """The bytes of an expression that begins at a line, after its count."""
        length = int.from_bytes(directive_bytes(self.lines[count_line]) or b"\0", "little")
        data = b""
        while len(data) < length:
            if line >= len(self.lines):
                raise NotUnderstood("an expression is cut short")
            piece = directive_bytes(self.lines[line])
            if piece is None and self.lines[line].strip() and not self.lines[line].strip().startswith("#"):
                raise NotUnderstood(f"the expression at line {line + 1} has operands other than numbers")
            data += piece or b""
            line += 1
        return data, line

    def location(self, entry, whole):
        """What the entry's location says, as a list of (begin label, end label, expression); whole is the range of what holds everywhere."""
        if entry.attribute(AT_GNU_LOCVIEWS)[0] is not None:
            raise NotUnderstood("it has location views: compile with gcc's -gno-variable-location-views")
        form, line = entry.attribute(AT_LOCATION)
        if form is None:
            form, line = entry.attribute(AT_CONST_VALUE)
            if form is None:
                return []
            data = directive_bytes(self.lines[line])
            if data is None:
                raise NotUnderstood(f"the constant at line {line + 1} is not a number")
            data = leb128(int.from_bytes(data, "little", signed=True), True) if form in (0x0B, 0x05, 0x06, 0x07) else data
            return [(*whole, b"\x11" + data + b"\x9f")]  # DW_OP_consts, DW_OP_stack_value
        if form == FORM_EXPRLOC:
            return [(*whole, self.expression(line + 1, line)[0])]
        if form == FORM_LOCLISTX:
            index = int.from_bytes(directive_bytes(self.lines[line]) or b"", "little")
            tables = [m[1] for b, e in self.sections.get(".debug_loclists", []) for n in range(b, e)
                      if (m := re.match(r"\s*\.long\s+([.\w$]+)-\.Lloclists_table_base", self.lines[n]))]
            label = tables[index] if index < len(tables) else None
        else:
            match = re.match(r"\s*\.long\s+([.\w$]+)", self.lines[line])
            label = match and match[1]
        return self._list(label)

    def _list(self, label):
        at = next((n + 1 for b, e in self.sections.get(".debug_loclists", []) for n in range(b, e)
                   if self.lines[n].startswith(f"{label}:")), None)
        entries = []
        while at is not None:
            kind = (directive_bytes(self.lines[at]) or b"\xff")[0]
            if kind == 0:
                return entries
            if kind in (LLE_BASE_ADDRESSX, LLE_BASE_ADDRESS):
                at += 2
                continue
            # Begin and end, each less a base; or, of startx_length, the begin's number and the end less the begin.
            first, second = (re.match(r"\s*\.(?:uleb128|quad)\s+([.\w$]+)(?:-([.\w$]+))?\s*(#|$)", self.lines[n]) for n in (at + 1, at + 2))
            if kind == LLE_STARTX_LENGTH and second and second[2]:
                begin, end = second[2], second[1]
            elif kind in (LLE_OFFSET_PAIR, LLE_START_END) and first and second:
                begin, end = first[1], second[1]
            elif kind == LLE_START_LENGTH and first and second and second[2] == first[1]:
                begin, end = first[1], second[1]
            else:
                break
            expression, at = self.expression(at + 4, at + 3)
            entries.append((begin, end, expression))
        raise NotUnderstood(f"the location list {label} is of a form that is not supported")

    # Changing

    def set_list(self, entry, attribute, label, pieces):
        """Gives the entry an attribute that is a new location list of (begin label, end label, expression)."""
        entry.changes[attribute] = label
        self.new_lists.append((label, pieces))

    def output(self, insertions):
        """The file's lines with every change; insertions: lines to put before a line of the code, by its number."""
        out_before = {n: list(v) for n, v in insertions.items()}
        replaced = {}
        (begin, end), = self.sections[".debug_info"]
        label_of = {entry.offset: f".Lwavelane_die{entry.offset}" for entry in self.entries}
        out_before.setdefault(begin, []).append(".Lwavelane_unit:")
        length = next(n for n in range(begin, end) if ".long" in self.lines[n])
        replaced[length] = ["\t.long\t.Lwavelane_unit_end-.Lwavelane_unit-4"]
        out_before.setdefault(end, []).insert(0, ".Lwavelane_unit_end:")
        abbreviations, code = b"", max(self.abbreviations)
        for entry in self.entries:
            out_before.setdefault(entry.line, []).append(label_of[entry.offset] + ":")
            for (attribute, form, _), line in zip(entry.abbreviation.attributes, entry.attribute_lines):
                match = re.match(r"\s*\.long\s+(0x[0-9a-f]+|\d+)\b", self.lines[line]) if form == FORM_REF4 else None
                if form == FORM_REF4 and (not match or int(match[1], 0) not in label_of):
                    raise NotUnderstood(f"the reference at line {line + 1} leads to no entry")
                if match:
                    replaced[line] = [f"\t.long\t{label_of[int(match[1], 0)]}-.Lwavelane_unit"]
            if not entry.changes:
                continue
            code += 1
            # Clang marks the variable of a loop under a pragma artificial, which would hide it.
            dropped = set(entry.changes) | ({AT_CONST_VALUE, AT_ARTIFICIAL} if AT_LOCATION in entry.changes else set())
            kept = [a for a in entry.abbreviation.attributes if a[0] not in dropped]
            added = [(attribute, FORM_SEC_OFFSET, b"") for attribute in entry.changes]
            abbreviations += Abbreviation(entry.abbreviation.tag, entry.abbreviation.children, kept + added).encoded(code)
            replaced[entry.line] = [f"\t.uleb128\t{code}"]
            ends = entry.attribute_lines[1:] + [entry.end]
            for (attribute, _, _), first, last in zip(entry.abbreviation.attributes, entry.attribute_lines, ends):
                if attribute in dropped:
                    replaced.update((n, []) for n in range(first, last))
            out_before.setdefault(entry.end, [])[:0] = [f"\t.long\t{label}" for label in entry.changes.values()]
        out_before.setdefault(self._abbreviations_end, []).append("\t.byte\t" + ", ".join(str(b) for b in abbreviations))
        out = []
        for number, line in enumerate(self.lines):
            out += out_before.get(number, [])
            # An implicit pointer or a call names an entry by its offset in the section.
            out += replaced.get(number, [re.sub(r"\.Ldebug_info0\+(0x[0-9a-f]+|\d+)\b", lambda m: label_of.get(int(m[1], 0), m[0]), line)])
        out += out_before.get(len(self.lines), [])
        return out + self._new_lists()

    def _new_lists(self):
        out = ['\t.section\t.debug_loclists,"",@progbits', "\t.long\t.Lwavelane_lists_end-.Lwavelane_lists",
               ".Lwavelane_lists:", "\t.short\t5", "\t.byte\t8, 0", "\t.long\t0"]
        for label, pieces in self.new_lists:
            out.append(label + ":")
            for begin, end, expression in pieces:
                out += [f"\t.byte\t{LLE_START_END}", f"\t.quad\t{begin}, {end}", f"\t.uleb128\t{len(expression)}"]
                out += ["\t.byte\t" + ", ".join(str(b) for b in expression)] if expression else []
            out.append("\t.byte\t0")
        return out + [".Lwavelane_lists_end:"]
