"""Adds to a compiler's assembly what its DWARF doesn't say of widened loops: how many lanes they have, and which iteration a lane does."""
import os
import re

from . import dwarf, machine, source
from .loops import NotRecognised, WidenedLoop

OP_LIT0, OP_BREG0, OP_CONSTU, OP_CONSTS, OP_PLUS, OP_MINUS = 0x30, 0x70, 0x10, 0x11, 0x22, 0x1C
OP_SHL, OP_SHR, OP_STACK_VALUE = 0x24, 0x25, 0x9F
OP_PUSH_LANE = bytes([0xE9, 3])  # DW_OP_LLVM_user, DW_OP_LLVM_push_lane


def lane_count(lanes):
    return bytes([OP_CONSTU]) + dwarf.leb128(lanes) + bytes([OP_STACK_VALUE])


def iteration(loop, advanced):
    """The iteration of a lane; advanced: the counter is a step ahead already."""
    offset = -loop.step if advanced else 0
    base = loop.base
    if isinstance(base, int):
        offset -= base
    out = bytes([OP_BREG0 + machine.REGISTER_NUMBERS[loop.register]]) + dwarf.leb128(offset, True)
    if not isinstance(base, int):
        out += bytes([OP_BREG0 + machine.REGISTER_NUMBERS[base], 0, OP_MINUS])
    shift = loop.step.bit_length() - loop.lanes.bit_length()
    if shift:
        out += bytes([OP_CONSTU]) + dwarf.leb128(abs(shift)) + bytes([OP_SHR if shift > 0 else OP_SHL])
    return out + OP_PUSH_LANE + bytes([OP_PLUS, OP_STACK_VALUE])


class Annotator:
    """One assembly file. report gets a line for each widened loop: what was added, or why nothing was."""

    def __init__(self, text, report):
        self.lines, self.report = text.split("\n"), report
        self.info = dwarf.DebugInfo(self.lines)
        self.labels = {m[1]: n for n, line in enumerate(self.lines) if (m := re.match(r"([\w.$]+):", line))}
        self.insertions, self.order = {}, {}
        self.files = self._source_files()
        self.statements = {}

    def _source_files(self):
        files = {}
        for line in self.lines:
            match = re.match(r'\s*\.file\s+(\d+)\s+"([^"]*)"(?:\s+"([^"]*)")?', line)
            if match:
                files[int(match[1])] = os.path.join(*(p for p in match.groups()[1:] if p is not None))
        directory = os.path.dirname(files.get(0, ""))
        return {n: os.path.join(directory, path) for n, path in files.items()}

    def run(self):
        count = 0
        if any(re.match(r"\s*\.intel_syntax", line) for line in self.lines):
            raise dwarf.NotUnderstood("it is in Intel's syntax: compile without -masm=intel")
        for function in machine.functions(self.lines):
            annotated = []
            for loop in (WidenedLoop(function, *span) for span in function.loops()):
                if not loop.is_widened():
                    continue
                try:
                    annotated.append((loop, *self._annotate(function, loop)))
                except NotRecognised as why:
                    self._say(loop, f"not annotated: {why}")
            if annotated:
                count += self._write(function, annotated)
        return "\n".join(self.info.output(self.insertions)) + "\n", count

    def _say(self, loop, text):
        where = sorted(loop.source_lines())
        file, line = where[0] if where else (None, 0)
        self.report(f"{os.path.basename(self.files.get(file, '?'))}:{line}: {loop.function.name}: {text}")

    def _annotate(self, function, loop):
        loop.recognise()
        statement = self._statement(loop)
        if loop.lanes is None:
            count = statement.literal_trip_count()
            if count is None:
                raise NotRecognised(f"its trip count is a constant, but '{statement.bound}' isn't written as a number")
            loop.take_trip_count(count)
        subprogram = self.info.subprogram_of(function.begin, function.end, self.labels)
        if subprogram is None:
            raise NotRecognised("its function has no debug information")
        return subprogram, statement, self._variable(subprogram, statement, function)

    def _statement(self, loop):
        where = loop.source_lines()
        files = {file for file, _ in where}
        if len(files) != 1:
            raise NotRecognised("it holds code of several source files, or of none")
        path = self.files.get(files.pop())
        if path not in self.statements:
            try:
                with open(path, encoding="utf-8", errors="replace") as file:
                    self.statements[path] = list(source.for_statements(file.read()))
            except (OSError, TypeError) as why:
                raise NotRecognised(f"its source can't be read: {why}") from why
        lines = [line for _, line in where]
        # The line of a pragma before the statement stands for it too.
        around = [s for s in self.statements[path] if s.first_line - 1 <= min(lines) and max(lines) <= s.last_line]
        innermost = [s for s in around if s.first_line == max(t.first_line for t in around)]
        if len(innermost) != 1:
            raise NotRecognised("its source isn't one 'for' statement that counts from 0 by one")
        return innermost[0]

    def _variable(self, subprogram, statement, function):
        found = []
        for entry in self.info.children(subprogram):
            if entry.abbreviation.tag == 0x34 and self.info.name(entry) == statement.name:
                line = self.info.declaration_line(entry)
                if line is None or line <= statement.first_line:
                    found.append((line or 0, len(found), entry))
        if not found:
            raise NotRecognised(f"'{statement.name}' has no debug information")
        # The nearest declaration before the loop; of several entries for one variable, the innermost.
        return max(found)[2]

    def _label(self, name, line):
        self.insertions.setdefault(line, []).append(name + ":")
        self.labels[name] = line
        return name

    def _write(self, function, annotated):
        prefix = f".Lwavelane_{function.begin}"
        whole = (self._label(prefix + "_begin", function.begin + 1), self._label(prefix + "_end", function.end))
        counts, variables = [], {}
        for number, (loop, subprogram, statement, variable) in enumerate(annotated):
            begin, advanced, end = (self._label(f"{prefix}_{word}{number}", line) for word, line in (
                ("loop", function.instructions[loop.first].line),
                ("advanced", function.instructions[loop.advance].line + 1),
                ("after", function.instructions[loop.last].line + 1)))
            counts.append((begin, end, lane_count(loop.lanes)))
            variables.setdefault(variable, []).append((begin, advanced, iteration(loop, False)))
            variables[variable].append((advanced, end, iteration(loop, True)))
            self._say(loop, f"{loop.lanes} lanes of '{statement.name}'")
        self.info.set_list(annotated[0][1], dwarf.AT_NUM_LANES, prefix + "_lanes", counts)
        for number, (variable, pieces) in enumerate(variables.items()):
            old = self.info.location(variable, whole)
            for begin, end, _ in pieces:
                old = [part for entry in old for part in self._without(entry, begin, end)]
            self.info.set_list(variable, dwarf.AT_LOCATION, f"{prefix}_variable{number}", pieces + old)
        return len(annotated)

    def _without(self, entry, begin, end):
        """What of a location list's entry lies outside a range of code."""
        entry_begin, entry_end, expression = entry
        position = {label: self.labels.get(label) for label in (entry_begin, entry_end, begin, end)}
        if None in position.values():
            raise dwarf.NotUnderstood(f"the label {next(k for k, v in position.items() if v is None)} isn't in it")
        if position[entry_end] <= position[begin] or position[end] <= position[entry_begin]:
            return [entry]
        parts = []
        if position[entry_begin] < position[begin]:
            parts.append((entry_begin, begin, expression))
        if position[end] < position[entry_end]:
            parts.append((end, entry_end, expression))
        return parts


def annotate(text, report):
    """The annotated text of an assembly file and the number of loops; raises dwarf.NotUnderstood."""
    return Annotator(text, report).run()
