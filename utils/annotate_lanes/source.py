# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The functions of the source, as read by clang's own parser (-ast-dump=json), whichever compiler generated the code."""
import bisect
import json
import os
import re
import subprocess
import tempfile

from . import tools
from .cfg import NotUnderstood
from .command import FORTRAN

FUNCTIONS = ("FunctionDecl", "CXXMethodDecl", "CXXConstructorDecl", "CXXDestructorDecl", "CXXConversionDecl")
# The options that affect the meaning of the source; all others are for the code generator.
KEPT = ("-I", "-D", "-U", "-include", "-isystem", "-iquote", "-idirafter", "-isysroot", "--sysroot", "-std=", "-x", "-fopenmp", "-fno-exceptions",
        "-fno-rtti", "-fsigned-char", "-funsigned-char", "-fms-extensions", "-ansi", "-nostdinc", "-ffreestanding", "-O", "-m")
# The largest tree, in clang's own form, of a source in C that is read whole: each part that is read alone costs a process.
SMALL_TREE = 2 << 20
WITH_VALUE = ("-I", "-D", "-U", "-include", "-isystem", "-iquote", "-idirafter", "-x", "-isysroot", "--sysroot")


def clang():
    """The path of the newest installed clang."""
    return tools.newest("clang")


class Source:
    """The sources of one compilation. arguments: the compilation's own options."""

    def __init__(self, arguments):
        self._folder, self._trees = tempfile.TemporaryDirectory(), {}
        self._arguments, rest = [], iter(arguments)
        for argument in rest:
            if argument in WITH_VALUE:
                self._arguments += [argument, next(rest, "")]
            elif argument.startswith(KEPT) and not argument.startswith("-mllvm"):
                self._arguments.append(argument)
        self._functions, self._lines, self._whole = {}, {}, {}

    def functions(self, main, name):
        """The functions with a body whose qualified name has `name` in it, of the translation unit of the file `main`."""
        key = (main, name)
        if key not in self._functions:
            self._functions[key] = [n for node in self._declarations(main, name) for n in walk(node) if n.get("kind") in FUNCTIONS and any(
                c.get("kind") == "CompoundStmt" for c in n.get("inner", []))]
        return self._functions[key]

    def enumerator(self, main, name):
        """The value of an enumerator with an explicit value; None for others."""
        for node in self._declarations(main, name):
            if node.get("kind") == "EnumConstantDecl" and node.get("name") == name:
                return next((int(n["value"]) for n in walk(node) if n.get("kind") == "ConstantExpr" and "value" in n), None)
        return None

    def _tree(self, main):
        """The file of the parsed translation unit: parsed once, and read in parts on demand."""
        if main not in self._trees:
            path = clang()
            if main.endswith(FORTRAN):
                raise NotUnderstood("not-c", "its source is Fortran; only C and C++ can be read")
            if path is None:
                raise NotUnderstood("no-parser", "clang isn't there to read its source with")
            if not os.path.exists(main):
                raise NotUnderstood("no-source", f"its source {main} isn't there")
            tree = os.path.join(self._folder.name, f"{len(self._trees)}.ast")
            result = subprocess.run([path, "-w", "-Wno-everything", "-Qunused-arguments", *self._arguments, "-emit-ast", main, "-o", tree],
                                    capture_output=True, text=True, errors="replace", check=False)
            error = next((line for line in result.stderr.split("\n") if "error:" in line), "clang fails") if result.returncode else None
            self._trees[main] = (tree, error)
        tree, error = self._trees[main]
        if error:
            raise NotUnderstood("unreadable-source", f"its source can't be read: {error.strip()}")
        return tree

    def _declarations(self, main, name):
        """The syntax trees of the declarations whose qualified name has `name` in it."""
        tree = self._tree(main)
        if main.endswith(".c") and os.path.getsize(tree) <= SMALL_TREE:
            return self._whole_declarations(main).get(name, [])
        return self._filtered_declarations(main, name, tree)

    def _whole_declarations(self, main):
        """{name: syntax trees} of all functions and enumerators of a source in C, whose names aren't qualified."""
        if main not in self._whole:
            result = subprocess.run([clang(), "-fsyntax-only", "-w", "-Wno-everything", "-Qunused-arguments", *self._arguments, "-Xclang", "-ast-dump=json", main],
                                    capture_output=True, text=True, errors="replace", check=False)
            unit, found = json.loads(result.stdout), {}
            self._file = main
            self._place(unit)
            for node in children(unit):
                for one in children(node) if node.get("kind") == "EnumDecl" else [node]:
                    found.setdefault(one.get("name"), []).append(one)
            self._whole[main] = found
        return self._whole[main]

    def _filtered_declarations(self, main, name, tree):
        result = subprocess.run([clang(), "-fsyntax-only", "-w", "-Xclang", "-ast-dump=json", "-Xclang", f"-ast-dump-filter={name}", tree],
                                capture_output=True, text=True, errors="replace", check=False)
        decoder, at, text = json.JSONDecoder(), 0, result.stdout
        self._file = main
        while True:
            at = text.find("{", at)
            if at < 0:
                return
            try:
                node, at = decoder.raw_decode(text, at)
            except ValueError:
                at += 1  # a line "Dumping f:" of a name with a brace
                continue
            self._place(node)
            yield node

    def _place(self, node):
        """Gives every node its file and its extent as ((line, column), (line, column))."""
        stack = [node]
        while stack:
            one = stack.pop()
            name = self._offset(one.get("loc"))
            one["line"] = self._line(name)[0] if name is not None else None
            begin, end = (self._offset(one.get("range", {}).get(word)) for word in ("begin", "end"))
            one["file"] = self._file
            one["extent"] = (self._line(begin), self._line(end)) if begin is not None and end is not None else None
            stack += [c for c in reversed(one.get("inner", [])) if isinstance(c, dict)]

    def _offset(self, place):
        """The offset of a place in its file, or of the macro's use for an expansion; None if there is none."""
        if not place:
            return None
        if "expansionLoc" in place:
            self._offset(place["spellingLoc"])
            return self._offset(place["expansionLoc"])
        self._file = place.get("file", self._file)
        return place.get("offset")

    def _line(self, offset):
        if self._file not in self._lines:
            try:
                with open(self._file, "rb") as file:
                    data = file.read()
            except OSError:
                data = b""
            self._lines[self._file] = [0] + [m.end() for m in re.finditer(b"\n", data)]
        starts = self._lines[self._file]
        line = bisect.bisect_right(starts, offset)
        return line, offset - starts[line - 1] + 1


def children(node):
    """The children of a node; an absent one is an empty node."""
    return [c for c in node.get("inner", []) if isinstance(c, dict)]


def walk(node):
    """A node and all its descendants."""
    yield node
    for child in children(node):
        yield from walk(child)


def type_of(node):
    """A node's type, without typedefs and qualifiers."""
    kind = node.get("type", {})
    return plain_type(kind.get("desugaredQualType", kind.get("qualType", "")))


def plain_type(text):
    text = re.sub(r"\b(const|volatile|restrict|__restrict|__restrict__|struct|class|union|enum)\b\s*", "", text)
    return re.sub(r"\s*\*\s*", " *", text).strip()


def pointee(text):
    """The type that a pointer type points to, or of an array type's elements; None for others."""
    match = re.fullmatch(r"(.*) \(\*\)(\[.*)", text)
    if match:
        return match[1] + match[2]
    if text.endswith("*"):
        return text[:-1].strip()
    match = re.fullmatch(r"([^\[]*)\[[^\]]*\](.*)", text)
    return match[1].strip() + match[2] if match else None


SIZES = {"char": 1, "signed char": 1, "unsigned char": 1, "bool": 1, "_Bool": 1, "char8_t": 1, "short": 2, "unsigned short": 2, "char16_t": 2,
         "_Float16": 2, "__bf16": 2, "int": 4, "unsigned int": 4, "float": 4, "wchar_t": 4, "char32_t": 4, "long": 8, "unsigned long": 8,
         "long long": 8, "unsigned long long": 8, "double": 8, "__int128": 16, "unsigned __int128": 16, "long double": 16}
UNSIGNED = ("unsigned char", "bool", "_Bool", "char8_t", "unsigned short", "char16_t", "unsigned int", "char32_t", "unsigned long", "unsigned long long")
INTEGERS = {name: size for name, size in SIZES.items() if "loat" not in name and "double" not in name and size <= 8 and name != "__bf16"}


def size_of(text, size_of_structure):
    """A type's size in bytes; None if unknown. size_of_structure(name) returns that of a structure."""
    if text in SIZES:
        return SIZES[text]
    if text.endswith("*") or "(*)" in text:
        return 8
    match = re.fullmatch(r"([^\[]*)\[(\d+)\](.*)", text)
    if match:
        inner = size_of(match[1].strip() + match[3], size_of_structure)
        return inner * int(match[2]) if inner is not None else None
    return size_of_structure(text) if re.fullmatch(r"[\w:<>, ]+", text) else None


def is_vector(text):
    """Whether a type is an explicit SIMD vector in the source."""
    return "vector_size" in text or "ext_vector" in text or "vector_type" in text
