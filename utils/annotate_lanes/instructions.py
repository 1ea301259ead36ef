# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The instructions of x86-64 assembly as read by LLVM's assembler: operands, the sizes of accesses, the registers that change.

llvm-mc prints every instruction in Intel's syntax, which names the size of each access. An unknown instruction may
change everything."""
import re
import subprocess

from . import tools

REGISTERS = "rax rdx rcx rbx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15".split()  # As DWARF numbers them.
CHANGED_BY_CALLS = frozenset({"rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11"})
SIZES = {"byte": 1, "word": 2, "dword": 4, "qword": 8, "tbyte": 10, "xmmword": 16, "ymmword": 32, "zmmword": 64}

# Instructions that don't change their first operand, a general register.
READING = re.compile(r"(cmp|test|bt|push|jmp|call|nop|ret)$|prefetch|j|(v?u?comis|v?ptest|vtest|kortest|ktest)|endbr|ud2|int3|hlt|[lms]fence|pause|vzero|emms|ldmxcsr|stmxcsr")
# Instructions that change general registers other than their first operand.
IMPLICIT = {
    "mul": ("rax", "rdx"), "div": ("rax", "rdx"), "idiv": ("rax", "rdx"), "cdq": ("rdx",), "cqo": ("rdx",), "cwd": ("rdx",),
    "cdqe": ("rax",), "cwde": ("rax",), "cbw": ("rax",), "push": ("rsp",), "pop": ("rsp",), "leave": ("rsp", "rbp"), "ret": ("rsp",),
    "pushf": ("rsp",), "popf": ("rsp",), "pushfq": ("rsp",), "popfq": ("rsp",), "cmpxchg": ("rax",), "cpuid": ("rax", "rbx", "rcx", "rdx"),
    "rdtsc": ("rax", "rdx"), "xgetbv": ("rax", "rdx"), "stosb": ("rdi", "rcx"), "stosw": ("rdi", "rcx"), "stosd": ("rdi", "rcx"),
    "stosq": ("rdi", "rcx"), "lahf": ("rax",), "pcmpistri": ("rcx",), "pcmpestri": ("rcx",), "vpcmpistri": ("rcx",), "vpcmpestri": ("rcx",)}
TWO_RESULTS = ("xchg", "xadd", "mulx")
# Instructions of general registers that only change their first operand; those of vector and mask registers have the same prefixes.
PLAIN = re.compile(
    r"(mov|movabs|movs?xd?|movzx|movbe|lea|add|adc|sub|sbb|inc|dec|neg|not|and|or|xor|imul|shl|sal|shr|sar|rol|ror|rcl|rcr|shld|shrd|"
    r"bsf|bsr|bswap|tzcnt|lzcnt|popcnt|andn|bextr|bls\w+|bzhi|pdep|pext|rorx|sarx|shlx|shrx|set\w+|cmov\w+|bt[csr]|adcx|adox|crc32|sahf|"
    r"cvt\w+|[kvp]\w+|mov\w*p[sd]|movdq\w+|movd|movq|movnt\w+|movs[sdhl]\w*|(add|sub|mul|div|min|max|sqrt|and|andn|or|xor|cmp\w*|unpck[lh]|shuf|"
    r"round|blend\w*|hadd|hsub|addsub|dp|rcp|rsqrt|extract|insert|broadcast)[ps][sd]|extractps|insertps|lddqu|maskmov\w+|f\w+|clc|stc|cld|std|cmc|aes\w+|gf2p8\w+|sha\w+)$")
ENDS = ("ret", "ud2", "hlt")


def _names():
    table = {}
    for full in REGISTERS:
        if re.fullmatch(r"r\d+", full):
            names = {full: 8, full + "d": 4, full + "w": 2, full + "b": 1}
        elif full in ("rax", "rbx", "rcx", "rdx"):
            names = {full: 8, "e" + full[1:]: 4, full[1:]: 2, full[1] + "l": 1, full[1] + "h": 1}
        else:
            names = {full: 8, "e" + full[1:]: 4, full[1:]: 2, full[1:] + "l": 1}
        table.update((name, (full, size)) for name, size in names.items())
    return table


NAMES = _names()  # A register's name: (its full name, its bytes)


class Unavailable(Exception):
    """LLVM's assembler is missing."""


class Memory:
    """A memory operand: segment:[base + scale * index + symbol + displacement]; size in bytes, None if unknown."""

    def __init__(self, text, size, broadcast):
        self.size, self.broadcast = size, broadcast
        self.base = self.index = self.symbol = None
        self.scale, self.displacement, self.vector_index = 1, 0, False
        segment, _, inner = text.rpartition(":")
        self.segment = segment.split()[-1] if segment else None
        pieces = re.split(r"\s([-+])\s", " + " + inner.strip("[] "))[1:]
        for sign, part in zip(pieces[::2], pieces[1::2]):
            match = re.fullmatch(r"(?:(\d)\*)?(\w+)", part)
            name = match[2] if match else None
            if name in NAMES or name in ("rip", "eip", "eiz", "riz"):
                if match[1] or self.base:
                    self.index, self.scale = name, int(match[1] or 1)
                else:
                    self.base = name
            elif name and re.fullmatch(r"[xyz]mm\d+", name):
                self.vector_index = True
            else:
                self._displace(sign, part)

    def _displace(self, sign, part):
        try:
            number = int(part, 0)
        except ValueError:
            self.symbol, number = symbol_and_number(part)
        self.displacement += -number if sign == "-" else number


class Instruction:
    """One instruction: its line in the file, its mnemonic and its operands, the destination first. An unsupported instruction has no mnemonic."""

    def __init__(self, line, text):
        self.line, self.source, self.prefix = line, None, ""  # source: (file, line, column) of the line table
        self.text = text
        words = re.split(r"\s+", text.strip(), maxsplit=1)
        while words[0] in ("rep", "repne", "lock", "notrack", "data16", "xacquire", "xrelease", "rex64", "bnd", "{evex}", "{vex}"):
            self.prefix = words[0]
            words = re.split(r"\s+", words[1].strip(), maxsplit=1) if len(words) > 1 else [""]
        self.mnemonic = words[0]
        self.operands = _operands(words[1]) if len(words) > 1 else []
        self.is_masked = bool(re.search(r"\{k[1-7]\}", text)) or "maskmov" in self.mnemonic

    def memory(self):
        """Its memory operand, or None."""
        return next((o for o in self.operands if isinstance(o, Memory)), None)

    def is_access(self):
        """Whether it reads or writes the memory of its operand."""
        return self.memory() is not None and self.mnemonic not in ("lea", "nop") and not self.mnemonic.startswith("prefetch")

    def writes_memory(self):
        memory = self.memory()
        return bool(memory) and self.operands[0] is memory and self.is_access() and not READING.match(self.mnemonic)

    def reads_memory(self):
        if not self.is_access():
            return False
        only_written = re.match(r"v?(mov|pextr|extract|cvtps2ph|compress|pcompress)|vp?scatter|set|pop|vpmov|kmov|stos|v?maskmov|vpmaskmov|stmxcsr|fst|fist", self.mnemonic)
        return not (self.writes_memory() and only_written)

    def target(self):
        """The label that it jumps to, or '*' for a jump through a register or table."""
        if not self.mnemonic.startswith("j") or not self.operands:
            return None
        return self.operands[0] if isinstance(self.operands[0], str) and self.operands[0] not in NAMES else "*"

    def changed(self):
        """The general registers that it may change; None for all of them."""
        if self.mnemonic == "call":
            return CHANGED_BY_CALLS
        first = NAMES.get(self.operands[0]) if self.operands and isinstance(self.operands[0], str) else None
        own = {first[0]} if first and not READING.match(self.mnemonic) else set()
        if self.mnemonic in TWO_RESULTS:
            return {NAMES[o][0] for o in self.operands[:2] if isinstance(o, str) and o in NAMES}
        if self.mnemonic == "imul" and len(self.operands) == 1:
            return {"rax", "rdx"}
        if self.mnemonic in IMPLICIT:
            return own.union(IMPLICIT[self.mnemonic]) if self.mnemonic not in ("mul", "div", "idiv") else set(IMPLICIT[self.mnemonic])
        if self.prefix in ("rep", "repne") or not (PLAIN.match(self.mnemonic) or READING.match(self.mnemonic)):
            return None
        return own

    def is_packed(self):
        """Whether it works on whole vectors in a way that scalar code doesn't need."""
        if not re.search(r"\b[xyz]mm\d", self.text) or not re.match(r"v?p|v?(add|sub|mul|div|min|max|sqrt|cmp\w*|f\w+|cvt\w+|round\w*|h\w+|blend\w*)p|v?mov|vbroadcast|vgather|vscatter|vmaskmov", self.mnemonic):
            return False
        if re.match(r"v?mov(d|q|ss|sd|[hl]p[sd]|hlps|lhps|ddup|mskp[sd]|s[hl]dup)$|v?p(insr|extr|xor|or|and|andn|movmsk|test)|v?cvt(\w*s[sdi]$|ps2pd|pd2ps|dq2p|t?p[sd]2)|v?pshufd|v?punpck|v?psrldq|v?pslldq", self.mnemonic):
            return False
        if re.search(r"s[sdh]$", self.mnemonic) and not self.mnemonic.startswith(("vp", "p")) and not self.mnemonic.startswith(("vbroadcasts", "vpbroadcast")):
            return False
        memory = self.memory()
        if re.match(r"v?mov|vbroadcast", self.mnemonic):
            return memory is not None and memory.size is not None and memory.size >= 16 and not (memory.base == "rip" and self.operands[0] is not memory)
        return True


def symbol_and_number(text):
    """(symbol, number) of a symbol with a number added, on whichever side."""
    match = re.fullmatch(r"(?:(-?\d+)\+)?(.+?)([-+]\d+)?", text)
    return match[2], int(match[1] or 0) + int(match[3] or 0)


def _operands(text):
    out = []
    for part in re.findall(r"(?:\[[^\]]*\]|\{[^}]*\}|[^,\[{])+", text):
        part = part.strip()
        if "[" in part:
            size = re.match(r"(\w+) ptr ", part)
            broadcast = re.search(r"\{1to\d+\}", part) is not None
            prefix = re.match(r"(?:\w+ ptr )?(?:(\w+):)?\[", part)
            inner = (prefix[1] + ":" if prefix and prefix[1] else "") + part[part.index("["):part.index("]") + 1]
            out.append(Memory(inner, SIZES.get(size[1]) if size else None, broadcast))
        else:
            out.append(re.sub(r"\s*\{.*?\}", "", part))
    return out


def assembler():
    """The path of LLVM's assembler."""
    path = tools.newest("llvm-mc")
    if path:
        return path
    raise Unavailable("LLVM's assembler, llvm-mc, isn't installed")


def read(lines, is_intel):
    """The instruction of each (number, text) of a file's lines; an instruction without a mnemonic if the assembler doesn't know it."""
    source = [".intel_syntax noprefix"] if is_intel else []
    for number, text in lines:
        source += [f".Lwavelane_at{number}:", text]
    result = subprocess.run([assembler(), "-triple=x86_64-linux-gnu", "--output-asm-variant=1"], input="\n".join(source) + "\n",
                            capture_output=True, text=True, check=False)
    found, current = {}, None
    for line in result.stdout.split("\n"):
        marker = re.match(r"\.Lwavelane_at(\d+):", line)
        if marker:
            current = int(marker[1])
        elif current is not None and line.strip() and not line.strip().startswith("."):
            found.setdefault(current, []).append(line.split("#")[0].strip())
    return [Instruction(number, " ".join(found[number]) if len(found.get(number, [])) > 0 else "") for number, _ in lines]
