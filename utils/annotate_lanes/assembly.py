# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An assembly file as printed by compilers for x86-64: its lines, labels and sections, and which of its lines are instructions."""
import os
import re

from . import instructions as machine

# Registers and returns in AT&T's and Intel's syntax.
X86 = re.compile(r"%(?:[er]?[abcds][xip]l?|[abcd][lh]|r\d+[dwb]?|[xyz]mm\d)\b|\bret[ql]\b|\[r[abcds][xip]|\b[er][abcds][xip],|\b[xyz]mm\d+\b")
LABEL = re.compile(r'("?)([\w.$@]+)\1:')


class Assembly:
    """One assembly file."""

    def __init__(self, text):
        self.lines = text.split("\n")
        self.labels = {}  # name: line
        for number, line in enumerate(self.lines):
            match = LABEL.match(line)
            if match:
                self.labels.setdefault(match[2], number)
        self.is_intel = any(re.match(r"\s*\.intel_syntax", line) for line in self.lines)
        self._addressed = None
        self._find_sections()
        self._find_files()

    def _find_sections(self):
        """sections: name -> [(first line, line after the last)]."""
        self.sections, stack = {}, [".text"]
        begin = 0
        for number, line in enumerate(self.lines + ["\t.text"]):
            match = re.match(r'\s*\.(section|pushsection)\s+"?([\w.$-]+)', line) or re.match(r"\s*(\.)(text|data|bss)\s*$", line)
            previous = re.match(r"\s*\.(previous|popsection)\b", line)
            if not match and not previous:
                continue
            if number > begin:
                self.sections.setdefault(stack[-1], []).append((begin, number))
            begin = number + 1
            if previous:
                if len(stack) > 1:
                    stack.pop()
            else:
                stack.append(match[2] if match[1] != "." else "." + match[2])

    def _find_files(self):
        """files: number -> path, of the line table."""
        self.files = {}
        for line in self.lines:
            match = re.match(r'\s*\.file\s+(\d+)\s+"([^"]*)"(?:\s+"([^"]*)")?', line)
            if match:
                self.files[int(match[1])] = os.path.join(*(p for p in match.groups()[1:] if p is not None))
        directory = os.path.dirname(self.files.get(0, ""))
        self.files = {n: os.path.normpath(os.path.join(directory, path)) for n, path in self.files.items()}

    def foreign(self):
        """A description of the file if it isn't assembly for an x86 processor; None if it may be."""
        if any(line.startswith(("; ModuleID", "target triple")) for line in self.lines):
            return "it is LLVM's intermediate code, not assembly: compile without -flto and -emit-llvm"
        if any(name.startswith(".gnu.lto_") for name in self.sections):
            return "it is gcc's intermediate code, not assembly: compile without -flto"
        code = [line for name, spans in self.sections.items() if name.startswith(".text") for first, last in spans for line in self.lines[first:last]]
        if any(re.match(r"\s+[a-z][\w.]*\b(?!:)", line) for line in code) and not any(X86.search(line) for line in code):
            return "its code isn't x86-64's"
        return None

    def code(self, spans):
        """[(instructions, labels)] of spans of lines: each instruction with its place in the source, each label with the index after it."""
        found = [self._lines_of_code(*span) for span in spans]
        code = iter(machine.read([line for wanted, _, _ in found for line in wanted], self.is_intel))
        out = []
        for wanted, labels, sources in found:
            instructions = [next(code) for _ in wanted]
            for instruction, place in zip(instructions, sources):
                instruction.source = place
            out.append((instructions, labels))
        return out

    def _lines_of_code(self, begin, end):
        """([(line, text) of an instruction], labels, places in the source)."""
        wanted, labels, sources = [], {}, []
        source, inline_assembly = None, False
        for number in range(begin, end):
            line = self.lines[number]
            if line.strip() in ("#APP", "#NO_APP"):
                inline_assembly = line.strip() == "#APP"
                if inline_assembly:
                    wanted.append((number, ""))
                    sources.append(source)
                continue
            text = "" if line.lstrip().startswith("#") else _without_comment(line).strip()
            label = LABEL.match(text)
            if inline_assembly or not text:
                continue
            if label:
                labels[label[2]] = len(wanted)
            elif text.startswith(".loc"):
                place = re.match(r"\.loc\s+(\d+)\s+(\d+)(?:\s+(\d+))?", text)
                source = tuple(int(number or 0) for number in place.groups()) if place else source
            elif not text.startswith("."):
                wanted.append((number, text))
                sources.append(source)
        return wanted, labels, sources

    def addressed_labels(self):
        """The labels whose addresses are taken, by a jump table, a landing pad or an instruction."""
        if self._addressed is None:
            self._addressed = set()
            for name, spans in self.sections.items():
                for number in (n for first, last in spans if not name.startswith(".debug") for n in range(first, last)):
                    text = _without_comment(self.lines[number]).strip()
                    if text.startswith((".quad", ".long", ".uleb128", ".4byte", ".8byte")) or re.match(r"(lea|mov)\w*\s", text):
                        self._addressed.update(w for w in re.findall(r"[\w.$]+", text)[1:] if w in self.labels)
        return self._addressed

    def has_landing_pads(self, begin, end):
        return any(re.match(r"\s*\.cfi_lsda", line) for line in self.lines[begin:end])


def _without_comment(line):
    return line.split("#")[0] if '"' not in line else line
