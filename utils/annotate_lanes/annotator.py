# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Annotates the vectorized loops of one assembly file."""
import os

from . import dwarf
from .cfg import NotUnderstood, functions
from .instructions import Unavailable
from .location import Locator, lane_count
from .proof import Prover
from .rewriting import Rewriting
from .source import INTEGERS
from .statements import SourceFunction
from .values import Values
from .variables import Position, Scope


class LoopReport:
    """The result for one vectorized loop."""

    def __init__(self, file, line, function):
        self.file, self.line, self.function = file, line, function
        self.lanes, self.variables, self.reason, self.text = None, [], None, ""

    def sentence(self):
        """One line for the user."""
        what = f"{self.lanes} lanes of {' and '.join(repr(v) for v in self.variables)}" if self.lanes else f"not annotated: {self.text}"
        return f"{os.path.basename(self.file)}:{self.line}: {self.function}: {what}"


class Facts:
    """Information from the translation unit about types, enumerators and other functions."""

    def __init__(self, info, source, main):
        self.size_of_structure, self.member_offset = info.size_of_structure, info.member_offset
        self.enumerator = lambda name: source.enumerator(main, name)
        self.functions = lambda name: [n for n in source.functions(main, name) if n.get("name") == name]


class Annotation:
    """A proven loop with the expressions for its variables."""

    def __init__(self, loop, scope, source_loop, lanes, pieces):
        self.loop, self.scope, self.source_loop, self.lanes = loop, scope, source_loop, lanes
        self.pieces = pieces  # {variable: [(first instruction, instruction after the last, expression)]}


class Annotator:
    def __init__(self, assembly, info, source):
        self.assembly, self.info, self.source = assembly, info, source
        self.rewriting = Rewriting(info)
        self.reports = []
        unit = info.entries[0]
        directory = info.name(unit, dwarf.AT_COMP_DIR) or "."
        self.main = os.path.join(directory, info.name(unit) or "")
        self.files = {n: os.path.realpath(os.path.join(directory, path)) for n, path in assembly.files.items()}
        self._sources = {}

    def run(self):
        """(text, reports)."""
        for function in functions(self.assembly):
            loops = [loop for loop in function.loops if not loop.children and _is_vectorized(function, loop)]
            self._report_unrolled(function, loops)
            if not loops:
                continue
            function.whole = (self.rewriting.label(f".Lwavelane_{function.begin}_begin", function.begin + 1),
                              self.rewriting.label(f".Lwavelane_{function.begin}_end", function.end))
            annotations = []
            for loop in sorted(loops, key=lambda one: one.header.begin):
                report = self._report(function, loop)
                try:
                    annotation = self._annotation(function, loop, report)
                    annotations.append(annotation)
                    report.lanes = annotation.lanes.count
                    report.variables = sorted(annotation.scope.source.variables[v].name for v in annotation.pieces if annotation.lanes.variables[v][2])
                except NotUnderstood as why:
                    report.reason, report.text = why.name, str(why)
                except (Unavailable, RecursionError) as why:
                    report.reason, report.text = "unavailable", str(why)
                self.reports.append(report)
            if annotations:
                self._write(function, annotations)
        return self.rewriting.text(), self.reports

    def _report(self, function, loop):
        places = sorted(i.source for i in _instructions(function, loop) if i.source and i.source[1])
        file, line = places[0][:2] if places else (None, 0)
        return LoopReport(self.files.get(file, "?"), line, function.name)

    def _report_unrolled(self, function, loops):
        """Reports the loops whose code is unrolled whole within the loop around them, but for a scalar rest."""
        known = {i.source[:2] for loop in loops for i in _instructions(function, loop) if i.source}
        for loop in function.loops:
            inner = {block for child in loop.children for block in child.blocks}
            own = [function.instructions[i] for block in loop.blocks if block not in inner for i in range(block.begin, block.end)]
            lines = sorted(i.source[:2] for i in own if i.is_packed() and i.is_access() and ".LC" not in i.text and i.source and i.source[1])
            if not loop.children or not lines or known.intersection(lines):
                continue
            report = LoopReport(self.files.get(lines[0][0], "?"), lines[0][1], function.name)
            report.reason, report.text = "unrolled", "it is unrolled whole: its vectors are in no loop of their own"
            self.reports.append(report)
            known.update(lines)

    # Finding

    def _annotation(self, function, loop, report):
        values = function.values = getattr(function, "values", None) or Values(function)
        scope, source_loop = self._scope(function, loop, values)
        report.line, report.file = source_loop.extent[0][0], os.path.realpath(scope.source.file)
        lanes, source_loop = self._proven(scope, loop, source_loop)
        report.line = source_loop.extent[0][0]
        locator, pieces = Locator(values, loop), {}
        for identity, (start, rate, step) in lanes.variables.items():
            variable = scope.source.variables[identity]
            bits = 8 * INTEGERS.get(variable.type, 8)
            spans = _spans(function, loop, lambda index: locator.lane_value(start, rate, step, bits, index))
            if spans and scope.entries_of(variable) and not scope.source.is_ambiguous(variable):
                pieces[identity] = spans
        if not any(lanes.variables[v][2] for v in pieces):
            names = ", ".join(repr(scope.source.variables[v].name) for v in lanes.variables)
            raise NotUnderstood("no-register", f"no registers hold {names} while it runs, or {names} has no debug information")
        return Annotation(loop, scope, source_loop, lanes, pieces)

    @staticmethod
    def _proven(scope, loop, source_loop):
        """(Lanes, the loop in the source): the innermost one, or one around it whose iterations each execute it completely."""
        why = None
        for around in [source_loop, *source_loop.ancestors()]:
            try:
                return Prover(scope, loop, around, around is not source_loop).prove(), around
            except NotUnderstood as reason:
                why = why or reason
        if source_loop.parent:
            try:
                return Prover(scope, loop, source_loop.parent, True).prove_whole(source_loop), source_loop
            except NotUnderstood:
                pass
        raise why

    def _scope(self, function, loop, values):
        """(the function or inlined call that the loop is written in, the loop in its source)."""
        subprogram = next((e for e in self.info.entries if e.tag == dwarf.TAG_SUBPROGRAM and any(
            first <= function.instructions[0].line and function.begin <= first <= function.end for first, _ in self.info.code_ranges(e))), None)
        if subprogram is None:
            raise NotUnderstood("no-debug-information", "its function has no debug information")
        lines = [i.line for i in _instructions(function, loop)]
        chain = [subprogram]
        while True:
            inside = [e for e in _inlined(chain[-1]) if all(any(b <= n < e_ for b, e_ in self.info.code_ranges(e)) for n in lines)]
            if not inside:
                break
            chain.append(inside[0])
        scope = None
        for entry in chain:
            scope = Scope(function, values, self.info, entry, self._source_function(entry, function, loop), scope)
        why = NotUnderstood("no-source-loop", "its code is that of no loop, or of several loops, of its source")
        call = None
        while scope is not None:
            if scope.source is not None:
                source_loop = scope.source.innermost_loop(self._places(scope, function, loop) | ({call} if call else set()))
                if source_loop:
                    return scope, source_loop
            call = self.info.number(scope.entry, dwarf.AT_CALL_LINE), self.info.number(scope.entry, dwarf.AT_CALL_COLUMN) or 0
            scope = scope.outer
        raise why

    def _places(self, scope, function, loop):
        """The places in the scope's own source of the loop's code, including calls that were inlined into it."""
        inlined = [(e, self.info.code_ranges(e)) for e in _inlined(scope.entry)]
        found = set()
        for i in _instructions(function, loop):
            call = next((e for e, ranges in inlined if any(b <= i.line < e_ for b, e_ in ranges)), None)
            if call is not None:
                found.add((self.info.number(call, dwarf.AT_CALL_LINE), self.info.number(call, dwarf.AT_CALL_COLUMN) or 0))
            elif i.source and i.source[1] and self.files.get(i.source[0]) == os.path.realpath(scope.source.file) and (
                    i.is_access() or i.is_packed()):
                found.add(i.source[1:])
        return found

    def _source_function(self, entry, function, loop):
        """The source's information on the function of an entry; None if it can't be determined."""
        name, linkage = self.info.name(entry), self.info.name(entry, dwarf.AT_LINKAGE_NAME)
        if not name:
            return None
        plain = name.split("<")[0].split(".")[0]
        line = self.info.number(entry, dwarf.AT_DECL_LINE)
        key = (plain, linkage and linkage.split(".")[0], line)
        if key not in self._sources:
            nodes = [n for n in self.source.functions(self.main, plain) if n.get("name") == plain and n["extent"]]
            exact = [n for n in nodes if linkage and n.get("mangledName") == linkage.split(".")[0]]
            nodes = exact or [n for n in nodes if n["line"] == line or "." in name]
            self._sources[key] = SourceFunction(nodes[0], Facts(self.info, self.source, self.main)) if len(nodes) == 1 else None
        return self._sources[key]

    # Writing

    def _write(self, function, annotations):
        subprogram = annotations[0].scope.subprogram
        prefix, rewriting, info = f".Lwavelane_{function.begin}", self.rewriting, self.info
        counts, added, removed = [], {}, {}
        for number, annotation in enumerate(annotations):
            for part, (first, last) in enumerate(_runs(function, annotation.loop)):
                span = tuple(rewriting.label(f"{prefix}_loop{number}_{part}_{word}", line) for word, line in (
                    ("begin", function.instructions[first].line), ("end", function.instructions[last - 1].line + 1)))
                counts.append((*span, lane_count(annotation.lanes.count)))
                for entry in self._changed(annotation):
                    removed.setdefault(entry, []).append(span)
            for identity, spans in annotation.pieces.items():
                variable = annotation.scope.source.variables[identity]
                labels = [(*(rewriting.label(f"{prefix}_v{number}_{identity}_{first}_{word}", line) for word, line in (
                    ("begin", function.instructions[first].line), ("end", function.instructions[last - 1].line + 1))), expression)
                    for first, last, expression in spans]
                for entry in annotation.scope.entries_of(variable):
                    added.setdefault(entry, []).extend(labels)
        rewriting.set_list(subprogram, dwarf.AT_NUM_LANES, prefix + "_lanes", counts)
        for number, entry in enumerate(dict.fromkeys([*added, *removed])):
            old = info.location(entry, function.whole)
            kept = old
            for begin, end in removed.get(entry, []):
                kept = [part for one in kept for part in self._without(one, begin, end)]
            if entry in added or kept != old:
                rewriting.set_list(entry, dwarf.AT_LOCATION, f"{prefix}_variable{number}", added.get(entry, []) + kept)

    def _changed(self, annotation):
        """The entries of the variables that aren't, or may not be, the same in all lanes."""
        scope, entries = annotation.scope, []
        lines = [i.line for i in _instructions(scope.function, annotation.loop)]
        for call in _all_inlined(scope.entry):
            if any(b <= n < e for b, e in self.info.code_ranges(call) for n in lines):
                entries += [e for e in call.descendants() if e.tag in (dwarf.TAG_VARIABLE, dwarf.TAG_FORMAL_PARAMETER)]
        position = Position.in_loop(annotation.source_loop)
        while scope is not None:
            entries += self._changed_of(scope, position, annotation.loop)
            line, scope = self.info.number(scope.entry, dwarf.AT_CALL_LINE), scope.outer
            position = Position.at_call(scope.source.innermost_loop({(line, 0)}) if scope and scope.source else None)
        return entries

    @staticmethod
    def _changed_of(scope, position, loop):
        """The entries of one scope's own variables, at a place in its source."""
        source = scope.source
        if source is None:
            return scope.entries
        changed = set(source.escaped)
        if position.own:
            changed |= source.modified_in(position.own) | source.declared_in(position.own) | source.elements_changed_in(position.own)
        # Variables that outer loops change are the same in all lanes, unless the compiler executes several of their iterations at once.
        for around in position.around:
            if not any(scope.value_of(source.variables[v], loop, position) is not None for v in source.inductions(around)[0]):
                changed |= source.modified_in(around) | source.declared_in(around)
        changed |= {v.identity for v in source.variables.values() if source.is_ambiguous(v)}
        kept = {e for v in source.variables.values() if v.identity not in changed for e in scope.entries_of(v)}
        return [e for e in scope.entries if e not in kept or not scope.is_steady(e, loop)]

    def _without(self, entry, begin, end):
        """The parts of a location list's entry outside a range of code."""
        entry_begin, entry_end, expression = entry
        position = {label: self.info.line_of(label) for label in (entry_begin, entry_end, begin, end)}
        if None in position.values():
            raise dwarf.NotEditable(f"the label {next(k for k, v in position.items() if v is None)} isn't in it")
        if position[entry_end] <= position[begin] or position[end] <= position[entry_begin]:
            return [entry]
        parts = []
        if position[entry_begin] < position[begin]:
            parts.append((entry_begin, begin, expression))
        if position[end] < position[entry_end]:
            parts.append((end, entry_end, expression))
        return parts


def _instructions(function, loop):
    return [function.instructions[i] for block in loop.blocks for i in range(block.begin, block.end)]


def _is_vectorized(function, loop):
    return any(i.is_packed() for i in _instructions(function, loop))


def _runs(function, loop):
    """[(first instruction, instruction after the last)] of the loop's code, in the file's order."""
    runs = []
    for block in sorted(loop.blocks, key=lambda b: b.begin):
        if runs and runs[-1][1] == block.begin:
            runs[-1] = (runs[-1][0], block.end)
        else:
            runs.append((block.begin, block.end))
    return runs


def _spans(function, loop, expression):
    """[(first, one past the last, expression)] for the loop's instructions with equal expressions; expression(index) may be None."""
    spans = []
    for begin, end in _runs(function, loop):
        for index in range(begin, end):
            own = expression(index)
            if own is None:
                continue
            if spans and spans[-1][1] == index and spans[-1][2] == own and index > begin:
                spans[-1] = (spans[-1][0], index + 1, own)
            else:
                spans.append((index, index + 1, own))
    return spans


def _inlined(entry):
    """The calls that were inlined into a function itself."""
    for child in entry.children:
        if child.tag == dwarf.TAG_INLINED:
            yield child
        elif child.tag == dwarf.TAG_LEXICAL_BLOCK:
            yield from _inlined(child)


def _all_inlined(entry):
    """The calls that were inlined into a function, directly or indirectly."""
    for call in _inlined(entry):
        yield call
        yield from _all_inlined(call)
