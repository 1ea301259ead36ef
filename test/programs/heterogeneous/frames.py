# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The call-frame information that ROCm's compiler writes, but upstream's doesn't: where a function keeps its return address and the
registers that it saves, in lanes of vector registers and in slots of the stack."""
import re
from code import Instruction
from dwarf import *

CFA_EXPRESSION, EXPRESSION, VAL_EXPRESSION, UNDEFINED_RULE, SAME_VALUE, DEF_ASPACE_CFA = 0x0f, 0x10, 0x16, 0x07, 0x08, 0x30


def is_saved(register):
    """Whether a function must preserve a vector or accumulation register."""
    return int(register[1:]) >= (32 if register[0] == "a" else 40)


class Function:
    """The effects of one function's instructions on its caller's registers."""

    def __init__(self, target):
        self.target = target
        self.return_address = ["s30", "s31"]
        self.frame_pointer = None  # The register that has held the stack pointer since the function's entry.
        self.moved = False         # The stack pointer is no longer what it was.
        self.whole = None          # While all lanes are on, to spill a whole register: the mask of those that were.
        self.masks = []            # Of lanes that wait for others.
        self.exec_copy = None        # A copy of EXEC that may become one of them.
        self.places = {}           # Register: the expression of its place.
        self.lost = set()          # Registers that are overwritten and not saved.

    def begin(self, is_kernel):
        if is_kernel:
            # Memory 0 of private_wave; no caller.
            return [[CFA_EXPRESSION, 4, *constant(0), *in_space(PRIVATE_WAVE)], [UNDEFINED_RULE, self.target.pc]]
        return [self.cfa("s32"), self.pc()]

    def rule(self, register, expression, kind=EXPRESSION):
        return [kind, *uleb(self.target.number(register)), *uleb(len(expression)), *expression]

    def regx(self, register):
        return regx(self.target.number(register))

    def lane(self, register, index):
        return [*self.regx(register), USER, OFFSET_UCONST, *uleb(4 * index)]

    def cfa(self, register):
        if not self.target.is_flat:
            return [DEF_ASPACE_CFA, *uleb(self.target.number(register)), 0, PRIVATE_WAVE]
        expression = [*self.regx(register), DEREF_SIZE, 4, *constant(self.target.shift), SHL, *in_space(PRIVATE_WAVE)]
        return [CFA_EXPRESSION, len(expression), *expression]

    def pc(self):
        parts = [self.places.get(r, self.regx(r)) for r in self.return_address]
        expression = [*parts[0], PIECE, 4, *parts[1], PIECE, 4]
        return [EXPRESSION, self.target.pc, *uleb(len(expression)), *expression]

    def put(self, register, expression):
        self.places[register] = expression
        return [self.rule(register, expression)] + ([self.pc()] if register in self.return_address else [])

    def restore(self, register):
        if self.places.pop(register, None) is None:
            return []
        rules = [[SAME_VALUE, *uleb(self.target.number(register))]]
        return rules + ([self.pc()] if register in self.return_address else [])

    def active_on_entry(self):
        """The lanes that are on and those that wait, in whatever part of the function."""
        if not self.masks:
            if not self.whole:
                return [[SAME_VALUE, *uleb(self.target.exec)]]
            return [self.rule("exec", self.target.mask(self.whole))]
        size = self.target.lanes // 8
        expression = [*(self.target.mask(self.whole) if self.whole else regx(self.target.exec)), DEREF_SIZE, size]
        for mask in self.masks:
            expression += [*self.target.mask(mask), DEREF_SIZE, size, OR]
        return [self.rule("exec", expression, VAL_EXPRESSION)]

    def saved(self, register, offset):
        # Of the stack, behind the canonical frame address that the evaluation begins with: a dword of each lane.
        slot = [USER, OFFSET_UCONST, *uleb(offset * self.target.lanes)]
        return slot if self.whole else [*self.regx(register), SWAP, *slot, *self.select()]

    def copied(self, register, to):
        """A vector register in an accumulation register, or the other way round."""
        return [*self.regx(register), *self.regx(to), *self.select()]

    def select(self):
        """The second place for the lanes that the function was entered with, the first for the others: the mask chooses."""
        return [USER, ENTRY_REG, *uleb(self.target.exec), DEREF_SIZE, self.target.lanes // 8,
                USER, SELECT_BIT_PIECE, 32, self.target.lanes]

    def lose(self, name, operands):
        """A caller's registers that an instruction overwrites: those that needn't be saved."""
        if not operands or "store" in name or name.startswith(("s_", "v_cmp", "v_writelane", "v_readlane")):
            return []
        match = re.match(r"v(?:(\d+)|\[(\d+):(\d+)\])$", operands[0])
        if not match:
            return []
        first, last = int(match[1] or match[2]), int(match[1] or match[3])
        lost = [n for n in range(first, last + 1) if not is_saved(f"v{n}") and n not in self.lost]
        self.lost.update(lost)
        return [[UNDEFINED_RULE, *uleb(self.target.number(f"v{n}"))] for n in lost]

    def step(self, i):
        """The rules that change after an instruction."""
        name, operands = i.full_name, i.operands
        if name == "s_mov_b32" and operands[1] == "s32" and not self.moved:
            self.frame_pointer = operands[0]
            return [self.cfa(operands[0])]
        if name == "s_mov_b32" and operands[1] == "s33":
            return self.put("s33", self.regx(operands[0]))
        if name == "s_mov_b32" and operands[0] == "s33":
            self.frame_pointer = None
            return [self.cfa("s32"), *self.restore("s33")]
        if name in ("s_addk_i32", "s_add_i32") and operands[0] == "s32":
            self.moved = True
        if name == "v_writelane_b32":
            held = next((r for r, place in self.places.items() if place == self.regx(operands[1])), operands[1])
            if held in ("s30", "s31", "s33") or int(held[1:]) >= 34:
                return self.put(held, self.lane(operands[0], int(operands[2], 0)))
        if name == "v_readlane_b32" and operands[0] != "s33":
            held = next((r for r, place in self.places.items() if place == self.lane(operands[1], int(operands[2], 0))), None)
            if held == operands[0]:
                return self.restore(held)
            if held:
                return self.put(held, self.regx(operands[0]))
        if i.name in ("s_or_saveexec", "s_xor_saveexec") and operands[1] == "-1":
            self.whole = operands[0]
            return self.active_on_entry()
        if i.name == "s_mov" and operands[0] == "exec":
            if operands[1] == "-1":
                return []
            self.whole = None
            return self.active_on_entry()
        if i.name == "s_mov" and operands[1] == "exec" and operands[0].startswith("s"):
            self.exec_copy = operands[0]
        if name.startswith("v_cmpx") and self.exec_copy:
            self.masks.append(self.exec_copy)
            self.exec_copy = None
            return self.active_on_entry()
        joins = i.name in ("s_andn2_saveexec", "s_or_saveexec") and operands[1] in self.masks
        if joins:
            self.masks.remove(operands[1])
        if joins or i.name == "s_and_saveexec":
            self.masks.append(operands[0])
            return self.active_on_entry()
        if i.name == "s_or" and operands[:2] == ["exec", "exec"] and operands[2] in self.masks:
            self.masks.remove(operands[2])
            return self.active_on_entry()
        if name in ("v_accvgpr_write_b32", "v_accvgpr_read_b32") and re.match(r"[va]\d+$", operands[1]):
            if self.places.get(operands[0]) == self.copied(operands[0], operands[1]):
                return self.restore(operands[0])
            if is_saved(operands[1]) and operands[1] not in self.places:
                return self.put(operands[1], self.copied(operands[1], operands[0]))
        return self.spill(name, operands)

    def spill(self, name, operands):
        """A whole register in a slot of the stack: buffer_store_dword v40, off, s[0:3], s33 offset:4 or
        scratch_store_b32 off, v40, s33 offset:4."""
        if not name.startswith(("buffer_store_dword", "buffer_load_dword", "scratch_store_b32", "scratch_load_b32")):
            return []
        register = next((o for o in operands if re.match(r"v\d+$", o)), None)
        base, _, offset = operands[-1].partition(" ")
        if base not in ("s32", "s33") or (base == "s32" and self.moved) or register is None or not is_saved(register):
            return []
        if "load" in name:
            return self.restore(register)
        if register in self.places:
            return []
        return self.put(register, self.saved(register, int((re.search(r"offset:(\d+)", offset) or [0, 0])[1])))


def convert(lines, target):
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
            function = Function(target)
            yield from escapes(function.begin(name in is_kernel))
            if name in is_kernel:
                function = None
        elif re.match(r"\s*\.cfi_endproc", text):
            function = None
        elif function and re.match(r"\s+[sv_b]\w+", text):
            instruction = Instruction(0, text)
            yield from escapes(function.step(instruction) + function.lose(instruction.full_name, instruction.operands))


def escapes(rules):
    for bytes_ in rules:
        yield "\t.cfi_escape " + ", ".join(f"0x{b:02x}" for b in bytes_) + "\n"
