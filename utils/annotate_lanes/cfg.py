# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A function's control-flow graph: basic blocks, dominators and natural loops."""
import re

from . import instructions as machine


class NotUnderstood(Exception):
    """Why a loop or function can't be analyzed: a short name for programs, and text for the user."""

    def __init__(self, name, text):
        super().__init__(text)
        self.name = name


class Block:
    """A basic block: the instructions [begin, end) of its function."""

    def __init__(self, index, begin, end):
        self.index, self.begin, self.end = index, begin, end
        self.successors, self.predecessors = [], []
        self.loop = None  # the innermost Loop around it


class Loop:
    """A natural loop: its header and all blocks from which a latch is reached without passing the header."""

    def __init__(self, header, latches, blocks):
        self.header, self.latches, self.blocks = header, latches, blocks
        self.parent, self.children = None, []

    def contains(self, block):
        return block in self.blocks

    def ancestors(self):
        """The loops around it, the nearest first."""
        loop = self.parent
        while loop is not None:
            yield loop
            loop = loop.parent


class Function:
    """The code from a function's label to its .size; lines: its first and its last one in the file."""

    def __init__(self, name, begin, end, instructions, labels, addressed, has_landing_pads):
        """labels: {name: index of the instruction after it}; addressed: the possible targets of an indirect jump."""
        self.name, self.begin, self.end = name, begin, end
        self.instructions, self.labels = instructions, labels
        self.addressed, self.has_landing_pads = addressed, has_landing_pads
        self._make_blocks()
        self._find_dominators()
        self._find_loops()

    def block_of(self, index):
        return self._block_of[index]

    def symbols(self):
        """The symbols used by its instructions."""
        return {i.memory().symbol.split("@")[0] for i in self.instructions if i.memory() and i.memory().symbol} | {
            machine.symbol_and_number(o[7:])[0] for i in self.instructions for o in i.operands if isinstance(o, str) and o.startswith("offset ")}

    def _targets(self, index):
        """The possible targets of an instruction, as indices."""
        instruction = self.instructions[index]
        target = instruction.target()
        names = [target] if target and target != "*" else []
        if target == "*" or instruction.mnemonic == "call" and self.has_landing_pads:
            names = self.addressed
        return [self.labels[n] for n in names if n in self.labels and self.labels[n] < len(self.instructions)]

    def _make_blocks(self):
        leaders = {0}
        for index, instruction in enumerate(self.instructions):
            targets = self._targets(index)
            leaders.update(targets)
            if instruction.target() or targets or instruction.mnemonic in machine.ENDS:
                leaders.add(index + 1)
        leaders = sorted(l for l in leaders if l < len(self.instructions))
        self.blocks = [Block(n, b, e) for n, (b, e) in enumerate(zip(leaders, leaders[1:] + [len(self.instructions)]))]
        self._block_of = [block for block in self.blocks for _ in range(block.begin, block.end)]
        for block in self.blocks:
            last = self.instructions[block.end - 1]
            after = [self._block_of[t] for t in self._targets(block.end - 1)]
            if last.mnemonic != "jmp" and last.mnemonic not in machine.ENDS and block.end < len(self.instructions):
                after.append(self._block_of[block.end])
            for successor in dict.fromkeys(after):
                block.successors.append(successor)
                successor.predecessors.append(block)

    def _find_dominators(self):
        """Cooper, Harvey and Kennedy's iteration over the reverse postorder."""
        order, seen, stack = [], {0}, [(self.blocks[0], iter(self.blocks[0].successors))]
        while stack:
            block, rest = stack[-1]
            following = next((s for s in rest if s.index not in seen), None)
            if following is None:
                order.append(block)
                stack.pop()
            else:
                seen.add(following.index)
                stack.append((following, iter(following.successors)))
        order.reverse()
        self.order = order  # what is never reached isn't in it
        self._number = {block: n for n, block in enumerate(order)}
        for block in order:
            block.predecessors = [p for p in block.predecessors if p in self._number]
        self.dominator = {order[0]: order[0]}
        changed = True
        while changed:
            changed = False
            for block in order[1:]:
                known = [p for p in block.predecessors if p in self.dominator]
                new = known[0]
                for other in known[1:]:
                    while new is not other:
                        if self._number[new] > self._number[other]:
                            new = self.dominator[new]
                        else:
                            other = self.dominator[other]
                if self.dominator.get(block) is not new:
                    self.dominator[block], changed = new, True

    def dominates(self, a, b):
        """Whether every path from the entry to b passes a."""
        while self._number[b] > self._number[a]:
            b = self.dominator[b]
        return a is b

    def _find_loops(self):
        latches = {}
        self.irregular = set()  # where a cycle is entered that has other entries, too
        for block in self.order:
            for successor in block.successors:
                if self._number[successor] <= self._number[block]:
                    if self.dominates(successor, block):
                        latches.setdefault(successor, []).append(block)
                    else:
                        self.irregular.add(successor)
        self.loops = []
        for header, ends in latches.items():
            blocks, work = {header}, list(ends)
            while work:
                block = work.pop()
                if block not in blocks:
                    blocks.add(block)
                    work += block.predecessors
            self.loops.append(Loop(header, ends, blocks))
        self.loops.sort(key=lambda loop: len(loop.blocks))
        for number, loop in enumerate(self.loops):
            loop.parent = next((other for other in self.loops[number + 1:] if loop.header in other.blocks), None)
            if loop.parent:
                loop.parent.children.append(loop)
            for block in loop.blocks:
                block.loop = block.loop or loop


def functions(assembly):
    """Every function of an assembly file that uses vectors; others can't have vectorized loops."""
    spans = []
    for number, line in enumerate(assembly.lines):
        match = re.match(r"\s*\.type\s+([\w.$]+),\s*@function", line)
        begin = assembly.labels.get(match[1]) if match else None
        if begin is None:
            continue
        end_mark = re.compile(r"\s*\.size\s+" + re.escape(match[1]) + r",")
        end = next((n for n in range(begin, len(assembly.lines)) if end_mark.match(assembly.lines[n])), None)
        if end is not None and any(re.search(r"\b[xyz]mm\d", assembly.lines[n]) for n in range(begin, end)):
            spans.append((match[1], begin, end))
    for (name, begin, end), (code, labels) in zip(spans, assembly.code([span[1:] for span in spans])):
        if code:
            yield Function(name, begin, end, code, labels, assembly.addressed_labels(), assembly.has_landing_pads(begin, end))
