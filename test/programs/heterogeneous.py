"""Adds to clang's AMD GPU assembly the call-frame information that ROCm's compiler writes and upstream's doesn't: where a function
keeps its return address and the registers that it saves, in lanes of vector registers and in slots of the stack.

usage: heterogeneous.py IN.s OUT.s, for gfx9 with waves of 64 lanes.
"""
import re
import sys

PC, EXEC, SCALAR, VECTOR, ACCUMULATION = 16, 17, 32, 2560, 3072
REGX, PIECE, DEREF_SIZE, SWAP, USER = 0x90, 0x93, 0x94, 0x16, 0xe9
FORM_ASPACE, OFFSET_UCONST, ENTRY_REG, SELECT_BIT_PIECE = 0x02, 0x05, 0x07, 0x0c
LANES = 64


def uleb(value):
    out = []
    while True:
        out.append(value & 0x7f | (0x80 if value > 0x7f else 0))
        value >>= 7
        if not value:
            return out


def number(register):
    """DWARF's number of s33, v40, a32 or exec."""
    if register == "exec":
        return EXEC
    return {"s": SCALAR, "v": VECTOR, "a": ACCUMULATION}[register[0]] + int(register[1:])


def rule(register, expression):
    """DW_CFA_expression."""
    return [0x10, *uleb(number(register) if isinstance(register, str) else register), *uleb(len(expression)), *expression]


def regx(register):
    return [REGX, *uleb(number(register))]


def lane(register, index):
    return [*regx(register), USER, OFFSET_UCONST, *uleb(4 * index)]


def slot(offset):
    """Of the stack, behind the canonical frame address that the evaluation begins with: a dword of each lane."""
    return [USER, OFFSET_UCONST, *uleb(offset * LANES)]


def saved(register, offset, whole):
    if whole:
        return slot(offset)
    return [*regx(register), SWAP, *slot(offset), *select()]


def copied(register, to):
    """A vector register in an accumulation register, or the other way round."""
    return [*regx(register), *regx(to), *select()]


def select():
    """The second place for the lanes that the function was entered with, the first for the others: the mask chooses."""
    return [USER, ENTRY_REG, *uleb(EXEC), DEREF_SIZE, 8, USER, SELECT_BIT_PIECE, 32, LANES]


def is_saved(register):
    """Whether a function must give a vector or accumulation register back as it got it."""
    return int(register[1:]) >= (32 if register[0] == "a" else 40)


class Function:
    """What the instructions of one function do to its caller's registers."""

    def __init__(self):
        self.return_address = ["s30", "s31"]
        self.frame_pointer = None  # The register that has held the stack pointer since the function's entry.
        self.moved = False         # The stack pointer is no longer what it was.
        self.whole = False         # All lanes are on, to spill a whole register.
        self.places = {}           # Register: the expression of its place.
        self.lost = set()          # Registers that are overwritten and not saved.

    def begin(self, is_kernel):
        if is_kernel:
            # Memory 0 of private_wave; no caller.
            return [[0x0f, 4, 0x30, 0x36, USER, FORM_ASPACE], [0x07, PC]]
        return [self.cfa("s32"), self.pc()]

    @staticmethod
    def cfa(register):
        return [0x30, *uleb(number(register)), 0, 6]

    def pc(self):
        parts = [self.places.get(r, regx(r)) for r in self.return_address]
        return rule(PC, [*parts[0], PIECE, 4, *parts[1], PIECE, 4])

    def put(self, register, expression):
        self.places[register] = expression
        rules = [rule(register, expression)]
        return rules + ([self.pc()] if register in self.return_address else [])

    def restore(self, register):
        if self.places.pop(register, None) is None:
            return []
        rules = [[0x08, *uleb(number(register))]]
        return rules + ([self.pc()] if register in self.return_address else [])

    def lose(self, name, operands):
        """A caller's registers that an instruction overwrites: those that needn't be saved."""
        if not operands or "store" in name or name.startswith(("s_", "v_cmp", "v_writelane", "v_readlane")):
            return []
        match = re.match(r"v(?:(\d+)|\[(\d+):(\d+)\])$", operands[0])
        if not match:
            return []
        first, last = int(match[1] or match[2]), int(match[1] or match[3])
        lost = [n for n in range(first, last + 1) if n < 40 and n not in self.lost]
        self.lost.update(lost)
        return [[0x07, *uleb(VECTOR + n)] for n in lost]

    def step(self, name, operands):
        """The rules that change behind an instruction."""
        if name == "s_mov_b32" and operands[1] == "s32" and not self.moved:
            self.frame_pointer = operands[0]
            return [self.cfa(operands[0])]
        if name == "s_mov_b32" and operands[1] == "s33":
            return self.put("s33", regx(operands[0]))
        if name == "s_mov_b32" and operands[0] == "s33":
            self.frame_pointer = None
            return [self.cfa("s32"), *self.restore("s33")]
        if name in ("s_addk_i32", "s_add_i32") and operands[0] == "s32":
            self.moved = True
        if name == "v_writelane_b32":
            held = next((r for r, place in self.places.items() if place == regx(operands[1])), operands[1])
            if held in ("s30", "s31", "s33") or int(held[1:]) >= 34:
                return self.put(held, lane(operands[0], int(operands[2], 0)))
        if name == "v_readlane_b32" and operands[0] != "s33":
            held = next((r for r, place in self.places.items() if place == lane(operands[1], int(operands[2], 0))), None)
            if held == operands[0]:
                return self.restore(held)
            if held:
                return self.put(held, regx(operands[0]))
        if name in ("s_or_saveexec_b64", "s_xor_saveexec_b64") and operands[1] == "-1":
            self.whole = True
            return self.put("exec", [REGX, *uleb(number("s" + operands[0][2:].split(":")[0])), PIECE, 4,
                                     REGX, *uleb(number("s" + operands[0][2:].split(":")[0]) + 1), PIECE, 4])
        if name == "s_mov_b64" and operands[0] == "exec":
            if operands[1] == "-1":
                return []
            self.whole = False
            return self.restore("exec")
        if name == "s_and_saveexec_b64" and "exec" not in self.places:
            first = int(operands[0][2:].split(":")[0])
            return self.put("exec", [REGX, *uleb(SCALAR + first), PIECE, 4, REGX, *uleb(SCALAR + first + 1), PIECE, 4])
        if name == "s_or_b64" and operands[0] == "exec" and "exec" in self.places:
            first = int(operands[2][2:].split(":")[0])
            if self.places["exec"][1] == SCALAR + first:
                return self.restore("exec")
        if name in ("v_accvgpr_write_b32", "v_accvgpr_read_b32") and re.match(r"[va]\d+$", operands[1]):
            if self.places.get(operands[0]) == copied(operands[0], operands[1]):
                return self.restore(operands[0])
            if is_saved(operands[1]) and operands[1] not in self.places:
                return self.put(operands[1], copied(operands[1], operands[0]))
        spill = re.match(r"(v\d+)$", operands[0]) if operands else None
        if spill and name in ("buffer_store_dword", "buffer_load_dword") and operands[3].split()[0] in ("s33", "s32"):
            if int(operands[0][1:]) < 40 or (operands[3].startswith("s32") and self.moved):
                return []
            offset = int((re.search(r"offset:(\d+)", operands[3]) or [0, 0])[1])
            if name == "buffer_load_dword":
                return self.restore(operands[0])
            if operands[0] not in self.places:
                return self.put(operands[0], saved(operands[0], offset, self.whole))
        return []


def convert(lines):
    function, name, is_kernel = None, None, set()
    for text in lines:
        match = re.match(r"\s*\.amdhsa_kernel (\S+)", text)
        if match:
            is_kernel.add(match[1])
    for text in lines:
        yield text
        match = re.match(r"(\w+):", text)
        if match and not text.startswith("."):
            name = match[1]
        if re.match(r"\s*\.cfi_startproc", text):
            function = Function()
            yield from escapes(function.begin(name in is_kernel))
            if name in is_kernel:
                function = None
        elif re.match(r"\s*\.cfi_endproc", text):
            function = None
        elif function and re.match(r"\s+[sv_b]\w+", text):
            mnemonic, _, rest = text.split(";")[0].strip().partition(" ")
            operands = [o.strip() for o in rest.split(",")] if rest else []
            name_only = re.sub(r"_e(32|64)$", "", mnemonic)
            yield from escapes(function.step(name_only, operands) + function.lose(name_only, operands))


def escapes(rules):
    for bytes_ in rules:
        yield "\t.cfi_escape " + ", ".join(f"0x{b:02x}" for b in bytes_) + "\n"


if __name__ == "__main__":
    with open(sys.argv[1]) as source:
        result = list(convert(source.readlines()))
    with open(sys.argv[2], "w") as out:
        out.writelines(result)
