#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails when code compares processors by name, ELF machine or version.

The table of GPUs (include/wavelane/GPU) is the one place that knows them; others ask
it for facts. Usage: processor_names.py SOURCE_FOLDER"""

import re
import sys
from pathlib import Path

FOLDERS = ("include", "source", "Plugins", "tools", "python")
TABLE = ("include/wavelane/GPU/", "source/GPU/")
# Exceptions with their reasons: (file, text of the line).
EXCEPTIONS = {
    # Text for users.
    ("Plugins/Process/AMDGPU/ProcessAMDGPUProperties.cpp", "Hardware can report them since"),
    ("source/Protocol/Server/UserVariables.cpp", "the GPUs to simulate, as gfx90a,gfx1100"),
    ("tools/wavelane/ManualFacts.cpp", "wavelane run --device gfx90a,gfx1100 ./saxpy"),
    ("tools/wavelane/ManualFacts.cpp", "wavelane compile --gpu gfx1030 --dry-run saxpy.hip"),
    # The types of a family's registers, which aren't used elsewhere.
    ("source/DebugLibrary/Registers.cpp", "case gpu::FamilyId::"),
    # Not a processor.
}
FORBIDDEN = re.compile(
    r"""["'][^"']*\bgfx[0-9]                    # a name in a string
    | \b[ek]Core_amdgcn_ | \bAMDGCN_GFX[0-9] | \bGK_GFX[0-9] | EF_AMDGPU_MACH_
    | \b(?:ProcessorId|FamilyId|Target)::(?:GFX|NONE\b)  # a line of the table
    | target_?[vV]ersion\s*(?:[<>]=?|[=!]=)     # KFD's number
    | [mM]achine\s*(?:[<>]=?|[=!]=)\s*0x""", re.X)
TOKENS = re.compile(
    r"""//[^\n]* | /\*.*?\*/ | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*'""", re.X | re.S)
PYTHON_TOKENS = re.compile(
    r'''""".*?""" | \#[^\n]* | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*' ''', re.X | re.S)


def without_comments(text, tokens):
    def keep(match):
        token = match.group()
        if token.startswith(("//", "/*", "#", '"""')):
            return "\n" * token.count("\n")
        return token
    return tokens.sub(keep, text)


def find(root):
    """Yields (file, line number, line) of what is forbidden, and uses exceptions up."""
    unused = set(EXCEPTIONS)
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            name = path.relative_to(root).as_posix()
            if path.suffix not in (".cpp", ".h", ".inc", ".def", ".py") or name.startswith(TABLE):
                continue
            tokens = PYTHON_TOKENS if path.suffix == ".py" else TOKENS
            code = without_comments(path.read_text(encoding="utf-8"), tokens)
            for number, line in enumerate(code.splitlines(), 1):
                if not FORBIDDEN.search(line):
                    continue
                excuses = {e for e in EXCEPTIONS if e[0] == name and e[1] in line}
                unused -= excuses
                if not excuses:
                    yield name, number, line.strip()
    for name, text in sorted(unused):
        yield name, 0, f"'{text}' is gone: remove the exception"


def main():
    root = Path(sys.argv[1])
    if not (root / "source" / "GPU").is_dir():
        sys.exit(f"{root} isn't the source folder")
    found = list(find(root))
    for name, number, line in found:
        print(f"{name}:{number}: {line}")
    if found:
        sys.exit("Processors are known by the table of GPUs alone: ask it for a fact "
                 "(wavelane/GPU/Processors.h).")


if __name__ == "__main__":
    main()
