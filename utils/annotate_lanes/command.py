# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A compiler's command, executed through its assembly, to which lanes are added."""
import os
import shutil
import subprocess
import tempfile

FORTRAN = (".f", ".for", ".f77", ".f90", ".f95", ".f03", ".f08", ".f18", ".F", ".FOR", ".F90", ".F95", ".F03", ".F08")  # refused, loop by loop
SOURCES = (".c", ".cc", ".cpp", ".cxx", ".c++", ".C", *FORTRAN)
WITH_VALUE = ("-o", "-x", "-I", "-D", "-U", "-include", "-isystem", "-iquote", "-MF", "-MT", "-MQ", "-L", "-l", "-Xclang", "-Xlinker",
              "-arch", "-target", "-T", "-u", "--param", "-mllvm")
WITHOUT_CODE = ("-E", "-M", "-MM", "-fsyntax-only", "-###", "--version", "--help", "-dumpmachine")
OF_TARGET = ("--target=", "-m", "-Wa,", "-Xassembler")  # what the assembler gets, too


class Unusable(Exception):
    """Why a command can't be executed, as text for the user."""


class Command:
    """compiler: a program's name; arguments: its arguments."""

    def __init__(self, compiler, arguments):
        self.compiler, self.arguments = compiler, arguments
        self.sources, self.output, self.mode, self.others = [], None, None, []  # mode: '-c', '-S' or None for linking
        rest = iter(arguments)
        for argument in rest:
            if argument == "-o":
                self.output = next(rest, None)
            elif argument in ("-c", "-S"):
                self.mode = argument
            elif argument in WITH_VALUE:
                self.others += [argument, next(rest, "")]
            elif not argument.startswith("-") and argument.endswith(SOURCES):
                self.sources.append(argument)
            else:
                self.others.append(argument)

    def run(self, annotate):
        """The exit status. annotate(assembly, out, options) writes the annotated assembly, and returns whether it has lanes."""
        self._check()
        if any(a in WITHOUT_CODE for a in self.others):
            return subprocess.call([self.compiler, *self.arguments])
        with tempfile.TemporaryDirectory() as folder:
            results = []
            for number, source in enumerate(self.sources):
                os.mkdir(f"{folder}/{number}")
                status, result = self._compile(source, f"{folder}/{number}", annotate)
                if status:
                    return status
                results.append(result)
            if self.mode is None:
                return subprocess.call([self.compiler, *results, *self.others, *(["-o", self.output] if self.output else [])])
        return 0

    def _check(self):
        kind = object_file(self.compiler)
        if kind:
            raise Unusable(f"{self.compiler} is {kind}: lanes are added while a source is compiled: utils/annotate-lanes COMPILER ... -c SOURCE")
        if not self.sources:
            objects = [a for a in self.others if object_file(a)]
            more = f" ({objects[0]} is {object_file(objects[0])}, to which lanes can't be added)" if objects else ""
            raise Unusable(f"there is no C or C++ source among the arguments of {self.compiler}{more}")
        if self.output and self.mode and len(self.sources) > 1:
            raise Unusable(f"{self.mode} and -o with several sources")

    def _compile(self, source, folder, annotate):
        """(exit status, the result)."""
        stem = os.path.splitext(os.path.basename(source))[0]
        assembly, annotated = f"{folder}/{stem}.s", f"{folder}/{stem}.annotated.s"
        options = [o for o in self.others if not o.startswith(("-l", "-Wl,"))]
        status = subprocess.call([self.compiler, *options, *self._commenting(), "-S", source, "-o", assembly])
        if status:
            return status, None
        result = {"-S": self.output or stem + ".s", "-c": self.output or stem + ".o", None: f"{folder}/{stem}.o"}[self.mode]
        if not annotate(assembly, annotated, self.others):
            return subprocess.call([self.compiler, *options, self.mode or "-c", source, "-o", result]), result
        if self.mode == "-S":
            shutil.copyfile(annotated, result)
            return 0, result
        options = [o for o in self.others if o.startswith(OF_TARGET) and not o.startswith("-mllvm")]
        return subprocess.call([self.compiler, *options, "-c", annotated, "-o", result]), result

    def _commenting(self):
        """The options that make a compiler describe its debug information's directives in comments."""
        version = subprocess.run([self.compiler, "--version"], capture_output=True, text=True, check=False).stdout
        return [] if "clang" in version else ["-dA", "-gno-variable-location-views"]


def object_file(path):
    """A description of an object file, archive or program; None for other files."""
    try:
        with open(path, "rb") as file:
            head = file.read(20)
    except OSError:
        return None
    if head.startswith(b"!<arch>"):
        return "an archive"
    if not head.startswith(b"\x7fELF"):
        return None
    if len(head) < 20:
        return "a truncated ELF file"
    return "an object file" if head[16:18] in (b"\1\0", b"\0\1") else None
