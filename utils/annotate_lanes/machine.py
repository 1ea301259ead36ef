"""A function of x86-64 assembly (AT&T syntax) as a control-flow graph, and the values that reach a place in it."""
import re

REGISTER_NUMBERS = {name: number for number, name in enumerate(
    "rax rdx rcx rbx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15".split())}  # As DWARF numbers them.
CALLER_SAVED = {"rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11"}
WRITES_NOTHING = re.compile(r"(cmp|test|bt[wlq]$|nop|push|j|v?u?comis|v?ptest|kortest|ktest|prefetch|endbr|lfence|mfence|sfence|ret|vzero)")
OTHER_WRITES = re.compile(r"((mul|imul|div|idiv)[bwlq]$|cwt|clt|cqt|cqo|cdq|xchg|cmpxchg|xadd|rep|lods|stos|movs[bwlq]$|cpuid|rdtsc|mulx|loop)")


def _aliases():
    table = {}
    for full in REGISTER_NUMBERS:
        if re.fullmatch(r"r\d+", full):
            names = [full, full + "d", full + "w", full + "b"]
        elif full in ("rax", "rbx", "rcx", "rdx"):
            names = [full, "e" + full[1:], full[1:], full[1] + "l", full[1] + "h"]
        else:
            names = [full, "e" + full[1:], full[1:], full[1:] + "l"]
        table.update((name, full) for name in names)
    return table


ALIASES = _aliases()


class Instruction:
    """One instruction: where it stands in the file, its mnemonic and its operands."""

    def __init__(self, line, text):
        self.line = line
        mnemonic, _, rest = text.partition("\t") if "\t" in text else text.partition(" ")
        if mnemonic in ("rep", "lock", "notrack", "bnd", "repz", "repnz"):
            mnemonic, _, rest = (mnemonic + " " + rest.strip()).partition("\t")
        self.mnemonic = mnemonic.strip()
        self.operands = [o.strip() for o in re.findall(r"(?:\([^)]*\)|[^,(])+", rest)] if rest.strip() else []
        self.source = None  # (file number, line) of the line table.

    def jump_target(self):
        return self.operands[0] if self.mnemonic.startswith("j") and self.operands else None

    def writes(self, register):
        """Whether it may change the general register (named in full)."""
        if self.mnemonic.startswith("call"):
            return register in CALLER_SAVED
        if self.mnemonic == "asm" or OTHER_WRITES.match(self.mnemonic):
            return not self.mnemonic.startswith("imul") or len(self.operands) < 2 or self._destination() == register
        if WRITES_NOTHING.match(self.mnemonic):
            return False
        return self._destination() == register

    def _destination(self):
        return general(self.operands[-1]) if self.operands else None

    def is_packed(self):
        """Whether it works on vector registers as wholes."""
        return self.mnemonic[0] in "vpmasc" and any(re.search(r"%[xyz]mm", o) for o in self.operands) and not re.search(
            r"(ss|sd)$|^v?mov[dq]$|^v?p(insr|extr)|^v?cvt.*(ss|sd|si)", self.mnemonic)


def general(operand):
    """The general register, named in full, that an operand is; else None."""
    return ALIASES.get(operand[1:]) if operand.startswith("%") else None


def immediate(operand):
    try:
        return int(operand[1:], 0) if operand.startswith("$") else None
    except ValueError:
        return None


class Function:
    """The code from a function's label to its .size."""

    def __init__(self, name, begin, end, lines):
        self.name, self.begin, self.end = name, begin, end
        self.instructions, self.labels = [], {}
        source, inline_assembly = None, False
        for number in range(begin, end):
            text = lines[number].split("#")[0].strip() if not lines[number].lstrip().startswith("#") else ""
            if lines[number].strip() in ("#APP", "#NO_APP"):
                inline_assembly = lines[number].strip() == "#APP"
                if inline_assembly:
                    self.instructions.append(Instruction(number, "asm"))
            elif inline_assembly:
                pass
            elif re.match(r"[\w.$]+:", text):
                self.labels[text.split(":")[0]] = len(self.instructions)
            elif text.startswith(".loc"):
                source = tuple(int(x) for x in text.split()[1:3])
            elif text and not text.startswith("."):
                instruction = Instruction(number, text)
                instruction.source = source
                self.instructions.append(instruction)
        self._predecessors = [[] for _ in self.instructions]
        for index, instruction in enumerate(self.instructions):
            target = instruction.jump_target()
            if target in self.labels and self.labels[target] < len(self.instructions):
                self._predecessors[self.labels[target]].append(index)
            ends = instruction.mnemonic.startswith(("jmp", "ret", "ud2"))
            if not ends and index + 1 < len(self.instructions):
                self._predecessors[index + 1].append(index)
        # A jump through a table may lead anywhere.
        self.has_unknown_jumps = any(
            i.mnemonic.startswith("jmp") and i.jump_target().startswith("*") for i in self.instructions)

    def loops(self):
        """(first, last) of every loop of one block: a backward jump, nothing jumping in or out between."""
        for last, instruction in enumerate(self.instructions):
            first = self.labels.get(instruction.jump_target() or "")
            if first is None or first > last or instruction.mnemonic.startswith("jmp"):
                continue
            body = self.instructions[first:last]
            entered = any(p != i - 1 for i in range(first + 1, last + 1) for p in self._predecessors[i])
            if not entered and not any(i.mnemonic.startswith(("j", "call", "ret", "asm")) for i in body):
                yield first, last

    def definitions(self, register, before):
        """The indices of the instructions whose value of the register may reach the place before an instruction; -1 stands for
        the function's entry."""
        found, seen, work = set(), set(), [before]
        while work:
            index = work.pop()
            if index == 0:
                found.add(-1)
            for p in self._predecessors[index]:
                if p in seen:
                    continue
                seen.add(p)
                if self.instructions[p].writes(register):
                    found.add(p)
                else:
                    work.append(p)
        return found

    def value(self, register, before, depth=12):
        """The register's value before an instruction as a term: a number, ("and" | "shr" | "shl", term, number), ("add", term, term),
        ("register", name, place of its definition), or ("unknown",) where several definitions reach."""
        definitions = self.definitions(register, before)
        return self.defined_value(register, definitions.pop(), depth) if len(definitions) == 1 and depth else ("unknown",)

    def defined_value(self, register, place, depth=12):
        """The value that the instruction at the place gives the register, as a term."""
        opaque = ("register", register, place)
        if place < 0:
            return opaque
        i = self.instructions[place]
        name = i.mnemonic[:-1] if i.mnemonic[-1] in "lq" else i.mnemonic
        operands = i.operands
        number, other = (immediate(operands[0]), general(operands[0])) if operands else (None, None)

        def at(r):
            return self.value(r, place, depth - 1)

        if name == "xor" and len(operands) == 2 and operands[0] == operands[1]:
            return 0
        if name in ("mov", "movabs", "movsl") and (number is not None or other):
            return at(other) if number is None else number
        if name in ("shr", "shl", "sal") and (len(operands) == 1 or number is not None):
            return ("shr" if name == "shr" else "shl", at(register), 1 if len(operands) == 1 else number)
        if name == "and" and number is not None:
            return ("and", at(register), number)
        if name in ("add", "sub") and number is not None:
            return add(at(register), number if name == "add" else -number)
        if name == "and" and other:
            terms = [at(register), at(other)]
            terms.sort(key=lambda t: isinstance(t, int))
            return ("and", *terms) if isinstance(terms[1], int) else opaque
        if name == "add" and other:
            return add(at(register), at(other))
        if name == "lea":
            match = re.fullmatch(r"(?:0?)\((?:%(\w+))?(?:,\s*%(\w+)(?:,\s*(\d))?)?\)", operands[0])
            if match and (match[1] in ALIASES or match[1] is None) and (match[2] in ALIASES or match[2] is None):
                terms = [at(ALIASES[match[1]])] if match[1] else []
                if match[2]:
                    shift = int(match[3] or 1).bit_length() - 1
                    terms.append(("shl", at(ALIASES[match[2]]), shift) if shift else at(ALIASES[match[2]]))
                return add(*terms) if len(terms) == 2 else terms[0] if terms else opaque
        return opaque


def add(a, b):
    """The sum of two terms."""
    return a + b if isinstance(a, int) and isinstance(b, int) else a if b == 0 else b if a == 0 else ("add", a, b)


def functions(lines):
    """Every function of an assembly file."""
    for number, line in enumerate(lines):
        match = re.match(r"\s*\.type\s+([\w.$]+),\s*@function", line)
        if not match:
            continue
        name = match[1]
        begin = next((n for n in range(number, len(lines)) if lines[n].startswith(name + ":")), None)
        end = next((n for n in range(number, len(lines)) if re.match(r"\s*\.size\s+" + re.escape(name) + r",", lines[n])), None)
        if begin is not None and end is not None and begin < end:
            yield Function(name, begin, end, lines)
