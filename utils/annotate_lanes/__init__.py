# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Adds to a compiler's assembly what its DWARF lacks about vectorized loops: their number of lanes, and each lane's iteration."""
from . import dwarf
from .annotator import Annotator
from .assembly import Assembly
from .source import Source

__all__ = ["NotEditable", "annotate"]
NotEditable = dwarf.NotEditable


def annotate(text, arguments):
    """(the annotated text of an assembly file, [annotator.LoopReport]); arguments: the compilation's options. Raises NotEditable."""
    assembly = Assembly(text)
    if assembly.foreign():
        raise NotEditable(assembly.foreign())
    return Annotator(assembly, dwarf.DebugInfo(assembly), Source(arguments)).run()
