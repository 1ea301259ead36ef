# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes assembly of x86-64 with debug information that no compiler makes.

A program is functions, given as instructions, with variables and types, given as names and expressions:

    p = Program()
    i = p.base("int", 4, "signed")
    f = p.function("f", "@3 movl $7, %ebx; @4 nop; popq %rbx", lanes=8)
    f.variable("x", i, "reg3; piece 2")
    f.variable("y", i, [("f.3", "f.4", "reg3"), ("default", "lit1; stack_value")])
    p.write("f.s")

Instructions are divided by ';'. "@3" begins line 3 of "prog.c", a file that need not be, and the label NAME.3. Operations and attributes
have their numbers from Wavelane's tables. An operand that is an entry is &NAME.
"""
import os
import re

TOP = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "..", "include", "wavelane", "Location")
FORMS = {"addr": 0x01, "data1": 0x0b, "data2": 0x05, "data4": 0x06, "data8": 0x07, "sdata": 0x0d, "udata": 0x0f, "string": 0x08, "ref4": 0x13,
         "sec_offset": 0x17, "exprloc": 0x18, "flag_present": 0x19, "block1": 0x0a}
TAGS = {"compile_unit": 0x11, "subprogram": 0x2e, "variable": 0x34, "formal_parameter": 0x05, "base_type": 0x24, "array_type": 0x01,
        "subrange_type": 0x21, "structure_type": 0x13, "member": 0x0d, "pointer_type": 0x0f, "entry_point": 0x03, "lexical_block": 0x0b,
        "dwarf_procedure": 0x36, "typedef": 0x16, "inheritance": 0x1c, "union_type": 0x17, "reference_type": 0x10, "call_site": 0x48, "call_site_parameter": 0x49,
        "namespace": 0x39, "enumeration_type": 0x04, "unspecified_type": 0x3b}
ATTRIBUTES = {"name": 0x03, "byte_size": 0x0b, "stmt_list": 0x10, "low_pc": 0x11, "high_pc": 0x12, "language": 0x13, "comp_dir": 0x1b,
              "const_value": 0x1c, "lower_bound": 0x22, "producer": 0x25, "upper_bound": 0x2f, "count": 0x37, "data_member_location": 0x38,
              "encoding": 0x3e, "external": 0x3f, "frame_base": 0x40, "location": 0x02, "type": 0x49, "data_location": 0x50, "ranges": 0x55,
              "bit_size": 0x0d, "data_bit_offset": 0x6b, "byte_stride": 0x51, "ordering": 0x09, "GNU_vector": 0x2107, "artificial": 0x34,
              "decl_line": 0x3b, "allocated": 0x4e, "addr_base": 0x73, "call_all_calls": 0x7a, "call_return_pc": 0x7d, "call_value": 0x7e, "call_origin": 0x7f,
              "specification": 0x47, "abstract_origin": 0x31, "second_type": 0x49}
ENCODINGS = {"address": 1, "boolean": 2, "complex_float": 3, "float": 4, "signed": 5, "signed_char": 6, "unsigned": 7, "unsigned_char": 8}


def read(name):
    with open(os.path.join(TOP, name)) as file:
        return file.read()


CODES = {name: int(number, 16) for name, number in re.findall(r"#define (WAVELANE_\w+) (0x\w+)", read("PrivateCodes.h"))}
TAGS["object_map"] = CODES["WAVELANE_TAG_object_map"]


def number(text):
    return CODES[text] if text in CODES else int(text, 16)


# Name: bytes before the operands, and the operands' kinds.
OPERATIONS = {}
for line in read("Operations.def").splitlines():
    words = re.match(r"(USER_|)OPERATION(S?)\((.*)\)$", line)
    if not words:
        continue
    fields = [field.strip() for field in words[3].split(",")]
    if words[1]:
        kinds = [kind for kind in fields[4:6] if kind != "None"]
        for name in {fields[2], fields[3]}:
            OPERATIONS[name] = ([".byte 0xe9", f".uleb128 {number(fields[0]):#x}"], kinds)
    elif words[2]:
        for at in range(32):
            OPERATIONS[f"{fields[1]}{at}"] = ([f".byte {number(fields[0]) + at:#x}"], [fields[2]] if fields[2] != "None" else [])
    else:
        OPERATIONS[fields[1]] = ([f".byte {number(fields[0]):#x}"], [kind for kind in fields[2:4] if kind != "None"])
for line in read("Attributes.def").splitlines():
    words = re.match(r"ATTRIBUTE\((\w+), (\w+),", line)
    if words:
        ATTRIBUTES.setdefault(words[2], number(words[1]))
FIXED = {"Address": ".quad", "U1": ".byte", "S1": ".byte", "U2": ".short", "S2": ".short", "U4": ".long", "S4": ".long", "U8": ".quad",
         "S8": ".quad", "ULEB": ".uleb128", "SLEB": ".sleb128", "Offset": ".long"}


class Label(str):
    """An address, as an attribute's value."""


class Entry:
    def __init__(self, program, tag, attributes):
        self.program, self.tag, self.attributes, self.children = program, tag, attributes, []
        self.label = program.new_label("die")

    def child(self, tag, **attributes):
        entry = Entry(self.program, tag, attributes)
        self.children.append(entry)
        if "name" in attributes:
            self.program.named.setdefault(attributes["name"], entry)
        return entry

    def variable(self, name, type, location, **attributes):
        """location: an expression, or a list of (begin, end, expression) and ("default", expression)."""
        return self.child("variable", name=name, type=type, location=location, **attributes)

    def object_map(self, **attributes):
        entry = self.child("object_map", **attributes)
        return entry


class Program:
    def __init__(self, language=0x0c, producer="written by hand"):
        self.labels, self.named, self.text, self.lists, self.ranges = 0, {}, [], [], []
        # The names of all that has been written.
        self.operations, self.attributes = set(), set()
        self.unit = Entry(self, "compile_unit", {"producer": producer, "language": language, "name": "prog.c", "comp_dir": "/nowhere",
                                                 "stmt_list": Label(".Lline"), "addr_base": Label(".Laddresses"), "low_pc": Label(".Lbegin"), "high_pc": Label(".Lend")})
        self.data, self.addresses = [], []

    def new_label(self, kind):
        self.labels += 1
        return f".L{kind}{self.labels}"

    # Types
    def base(self, name, size, encoding, **attributes):
        return self.unit.child("base_type", name=name, byte_size=size, encoding=ENCODINGS[encoding], **attributes)

    def array(self, element, *bounds, **attributes):
        """bounds: counts, or attributes of a subrange."""
        entry = self.unit.child("array_type", type=element, **attributes)
        for bound in bounds:
            entry.child("subrange_type", **(bound if isinstance(bound, dict) else {"count": bound}))
        return entry

    def struct(self, name, size, *members):
        """members: (name, type, place) or (name, type, place, attributes)."""
        entry = self.unit.child("structure_type", name=name, byte_size=size)
        for member in members:
            entry.child("member", name=member[0], type=member[1], data_member_location=member[2], **(member[3] if len(member) > 3 else {}))
        return entry

    def pointer(self, to):
        return self.unit.child("pointer_type", type=to, byte_size=8)

    # Code
    def function(self, name, instructions, frame_base="call_frame_cfa", **attributes):
        self.text += [f".globl {name}", f".type {name}, @function", f"{name}:", ".cfi_startproc"]
        for word in instructions.split(";"):
            word = word.strip()
            line = re.match(r"@(\d+)\s*", word)
            if line:
                self.text += [f'{name}.{line[1]}:', f".loc 1 {line[1]} 0"]
                word = word[line.end():]
            if word:
                self.text.append(word)
        self.text += ["ret", f'{name}.end:', ".cfi_endproc", f".size {name}, .-{name}"]
        return self.unit.child("subprogram", name=name, low_pc=Label(name), high_pc=Label(f"{name}.end"), external=True,
                               **({"frame_base": frame_base} if frame_base else {}), **attributes)

    # Encoding
    def offset(self, entry):
        """As an operand that is a type."""
        return f"{entry.label}-.Linfo"

    def reference(self, to):
        entry = to if isinstance(to, Entry) else self.named[to]
        return f"{entry.label} - .Linfo"

    def expression(self, text):
        out = []
        for words in (operation.split() for operation in re.sub(r"\{([^}]*)\}", self.keep_block, text).split(";") if operation.strip()):
            self.operations.add(words[0].removeprefix("DW_OP_"))
            begin, kinds = OPERATIONS[words[0].removeprefix("DW_OP_")]
            out += begin
            for word in words[1:]:
                kind, kinds = kinds[0], kinds[1:]
                if kind in ("Block", "TypedConst", "Expression"):
                    inner = self.blocks[int(word[1:])] if word[0] == "#" else [f".byte {int(word[at:at + 2], 16)}" for at in range(0, len(word), 2)]
                    out += self.block(inner, ".byte" if kind == "TypedConst" else ".uleb128")
                elif word[0] == "&":
                    if kind == "TypeULEB":
                        raise ValueError("give a type's offset as a label difference")
                    out.append(f"{FIXED[kind]} {self.reference(word[1:])}")
                elif kind == "BranchS2":
                    out.append(f".short {word}")
                elif kind == "TypeULEB":
                    out.append(f".uleb128 {word}")
                else:
                    out.append(f"{FIXED[kind]} {word}")
            assert not kinds, f"{words}: operands are missing"
        return out

    blocks = []

    def keep_block(self, found):
        self.blocks.append(self.expression(found[1]))
        return f" #{len(self.blocks) - 1}"

    def block(self, lines, length=".uleb128"):
        begin, end = self.new_label("b"), self.new_label("e")
        return [f"{length} {end} - {begin}", f"{begin}:", *lines, f"{end}:"]

    def location_list(self, items):
        label = self.new_label("list")
        lines = [f"{label}:"]
        for item in items:
            if item[0] == "default":
                lines.append(".byte 5")
            else:
                lines += [".byte 7", f'.quad {item[0]}, {item[1]}']
            lines += self.block(self.expression(item[-1]))
        self.lists += [*lines, ".byte 0"]
        return label

    def range_list(self, items):
        label = self.new_label("ranges")
        self.ranges += [f"{label}:", *(f'.byte 6; .quad {low}, {high}' for low, high in items), ".byte 0"]
        return label

    def value(self, name, value):
        """The form of an attribute's value, and its lines."""
        if isinstance(value, tuple):
            form, value = value
            return form, ([f".byte {len(value)}", *(f".byte {byte}" for byte in value)] if form == "block1" else self.value(name, value)[1])
        if value is True:
            return "flag_present", []
        if isinstance(value, Entry):
            return "ref4", [f".long {self.reference(value)}"]
        if isinstance(value, Label):
            if name in ("stmt_list", "addr_base"):
                return "sec_offset", [f".long {value}"]
            return "addr", [f".quad {value}"]
        if isinstance(value, int):
            return ("udata", [f".uleb128 {value}"]) if value >= 0 else ("sdata", [f".sleb128 {value}"])
        if name in ("name", "producer", "comp_dir", "augmentation"):
            return "string", [f'.asciz "{value}"']
        if name == "ranges":
            return "sec_offset", [f".long {self.range_list(value)}"]
        if isinstance(value, list):
            return "sec_offset", [f".long {self.location_list(value)}"]
        return "exprloc", self.block(self.expression(value))

    def write(self, path):
        abbreviations, info = [], []
        codes = {}

        def emit(entry):
            values = [(name, *self.value(name, value)) for name, value in entry.attributes.items()]
            self.attributes |= entry.attributes.keys()
            key = (entry.tag, bool(entry.children), tuple((name, form) for name, form, _ in values))
            if key not in codes:
                codes[key] = len(codes) + 1
                abbreviations.extend([f".uleb128 {codes[key]}, {TAGS[entry.tag]:#x}", f".byte {int(key[1])}",
                                      *(f".uleb128 {ATTRIBUTES[name]:#x}, {FORMS[form]:#x}" for name, form in key[2]), ".byte 0, 0"])
            info.extend([f"{entry.label}:", f".uleb128 {codes[key]}"])
            for _, _, lines in values:
                info.extend(lines)
            for child in entry.children:
                emit(child)
            if entry.children:
                info.append(".byte 0")

        emit(self.unit)
        with open(path, "w") as file:
            print("\n".join([
                '.file 1 "/nowhere" "prog.c"', ".data", *self.data, ".text", ".Lbegin:", *self.text, ".Lend:",
                '.section .debug_abbrev,"",@progbits', *abbreviations, ".byte 0",
                '.section .debug_info,"",@progbits', ".Linfo:", ".long .Linfo_end - .Linfo_start", ".Linfo_start:", ".short 5", ".byte 1, 8",
                ".long .debug_abbrev", *info, ".Linfo_end:",
                '.section .debug_loclists,"",@progbits', ".long .Llists_end - .Llists_start", ".Llists_start:", ".short 5", ".byte 8, 0", ".long 0",
                *self.lists, ".Llists_end:",
                '.section .debug_rnglists,"",@progbits', ".long .Lranges_end - .Lranges_start", ".Lranges_start:", ".short 5", ".byte 8, 0",
                ".long 0", *self.ranges, ".Lranges_end:",
                '.section .debug_addr,"",@progbits', ".long .Laddresses_end - .Laddresses_start", ".Laddresses_start:", ".short 5", ".byte 8, 0",
                ".Laddresses:", *(f".quad {address}" for address in self.addresses), ".Laddresses_end:",
                '.section .debug_line,"",@progbits', ".Lline:", '.section .note.GNU-stack,"",@progbits']), file=file)
