# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Instructions and functions in the assembly."""
import re

MASK_REGISTER = re.compile(r"s\[(\d+):(\d+)\]$|s(\d+)$")


class Instruction:
    """line: its number in the file. Names are those of gfx9, masks are called exec and vcc on every GPU."""

    def __init__(self, line, text):
        self.line = line
        name, _, rest = text.split(";")[0].strip().partition(" ")
        name = re.sub(r"_e(32|64)$", "", name).replace("and_not1", "andn2").replace("or_not1", "orn2")
        self.name = re.sub(r"_b(32|64)$", "", name) if name.startswith("s_") and "exec" in text else name
        self.full_name = name
        self.operands = [re.sub(r"^(exec|vcc)_lo$", r"\1", o.strip()) for o in rest.split(",")] if rest else []

    def written_scalars(self):
        """The numbers of the scalar registers that it writes, as far as its first operand shows."""
        if not self.operands or self.full_name.startswith(("s_cmp", "s_bit", "s_cbranch", "s_branch", "s_setpc", "v_cmpx")):
            return range(0)
        if "store" in self.full_name:
            return range(0)
        found = [o for o in self.operands[:2 if self.full_name.startswith("v_") else 1] if MASK_REGISTER.match(o)]
        # A vector instruction may only read its second operand: better one too many.
        written = set()
        for operand in found:
            first, last, single = MASK_REGISTER.match(operand).groups()
            written.update(range(int(first or single), int(last or single) + 1))
        return written


class Function:
    """A function's instructions, and the lines of its local labels."""

    def __init__(self, begin):
        self.begin = begin  # clang's label
        self.name = ""
        self.instructions, self.labels = [], {}


def read_functions(lines):
    function, name = None, ""
    for number, line in enumerate(lines):
        match = re.match(r"(\.?[\w$.]+):", line)
        if match:
            label = match[1]
            if label.startswith(".Lfunc_begin"):
                function = Function(label)
                function.name = name
            elif label.startswith(".Lfunc_end"):
                if function:
                    yield function
                function = None
            elif function:
                function.labels[label] = number
            if not label.startswith("."):
                name = label
        elif function and re.match(r"\t[sv_b-z]\w+", line) and not line.startswith("\t."):
            function.instructions.append(Instruction(number, line))
