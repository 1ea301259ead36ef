# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shared by sessions about stops and steps."""
import os
import re
import lldb

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = os.path.join(HERE, "..", "..", "programs", "hip")


def line_of(mark, source="stops.hip"):
    """The line with the comment `// mark`."""
    with open(os.path.join(SOURCES, source)) as file:
        for number, text in enumerate(file, 1):
            if re.search(r"// " + re.escape(mark) + r"$", text.rstrip()):
                return number
    raise SystemExit(f"{source} has no line marked '{mark}'")


class Session:
    """A program in its own debugger, until `with` ends."""

    def __init__(self, program, *arguments, settings=()):
        self.debugger = lldb.SBDebugger.Create()
        self.debugger.SetAsync(False)
        self.host = self.debugger.CreateTarget(program)
        self.arguments = list(arguments)
        for text in settings:
            self.command(f"settings set {text}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.host.GetProcess().IsValid():
            self.host.GetProcess().Kill()
        lldb.SBDebugger.Destroy(self.debugger)

    def command(self, text):
        result = lldb.SBCommandReturnObject()
        self.debugger.GetCommandInterpreter().HandleCommand(text, result)
        return ((result.GetOutput() or "") + (result.GetError() or "")).strip()

    def at(self, mark, *options, source="stops.hip"):
        """A breakpoint at the line with that mark."""
        self.command(f"breakpoint set -f {os.path.basename(source)} -l {line_of(mark, source)} " + " ".join(options))

    def run(self):
        self.program = self.host.LaunchSimple(self.arguments, None, ".")
        return self.where()

    @property
    def waves(self):
        return self.debugger.GetSelectedTarget().GetProcess()

    def resume(self):
        self.waves.Continue()
        return self.where()

    def step(self, text="next"):
        self.command(f"thread step-{text}" if text in ("over", "in", "out") else text)
        return self.where()

    def where(self):
        """The stopped wave with its lane, its line's mark and the reason."""
        process = self.waves
        if process.GetState() != lldb.eStateStopped:
            return f"ended with {self.host.GetProcess().GetExitStatus()}"
        wave = process.GetSelectedThread()
        entry = wave.GetFrameAtIndex(0).GetLineEntry()
        mark = ""
        try:
            with open(entry.GetFileSpec().fullpath) as file:
                text = file.read().splitlines()[entry.GetLine() - 1]
            mark = text.split("// ")[1].strip() if "// " in text else text.strip()
        except (OSError, TypeError):
            mark = "unknown"
        return f"{wave.GetName()} at '{mark}': {wave.GetStopDescription(200)}"

    def value(self, name):
        return self.waves.GetSelectedThread().GetFrameAtIndex(0).FindVariable(name).GetValue()
