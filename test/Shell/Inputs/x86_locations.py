# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Variables of a program on a CPU, with rarely used forms of debug information: each one's value, and the effect of assigning to it.

usage: x86_locations.py FOLDER"""
import os
import subprocess
import sys

import lldb
from stops import Session
from x86_program import PROGRAM


def text(value):
    error = value.GetError()
    if error.Fail():
        return f"error: {error.GetCString()}"
    if value.GetNumChildren() and not value.GetType().IsPointerType():
        return "{" + ", ".join(text(value.GetChildAtIndex(at)) for at in range(min(value.GetNumChildren(), 12))) + ("}" if value.GetNumChildren() <= 12 else ", ...}")
    return value.GetValue() or value.GetSummary() or "()"


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    PROGRAM.write(f"{folder}/x86.s")
    subprocess.run(["clang-19", f"{folder}/x86.s", "-o", f"{folder}/x86"], check=True)
    with Session(f"{folder}/x86") as s:
        s.command("breakpoint set -f prog.c -l 3")
        s.run()
        frame = s.host.GetProcess().GetSelectedThread().GetFrameAtIndex(0)
        for variable in frame.GetVariables(True, True, True, True):
            if variable.GetName() != "chunked":
                print(f"{variable.GetName()} = {text(variable)}")
        automatic = {v.GetName() for v in frame.GetVariables(False, True, False, True)}
        for name in ("bytes_address", "address", "static", "static_narrowed"):
            print(f"{name} is {'automatic' if name in automatic else 'static'}")

        def write(path, to):
            """Assigns by the command, then by the SB API; returns the answer and result of each."""
            before = text(frame.GetValueForVariablePath(path))
            answer = s.command(f"expression {path} = {to}").replace("\n", " ")
            error = lldb.SBError()
            done = frame.GetValueForVariablePath(path).SetValueFromCString(str(to), error)
            print(f"write {path}: {answer.strip()}; SB {'done' if done else 'refused: ' + str(error.GetCString())}; "
                  f"{before} -> {text(frame.GetValueForVariablePath(path))}")
        for path, to in (("in_register", 8), ("pieces.b", 9), ("slot", 21), ("two_places", 22), ("two_registers", 23), ("elements_5", 50), ("elements_0", 51),
                         ("two_registers_each_15", 52), ("vector[1]", 53), ("heap[1]", 54), ("counted[2]", 55),
                         ("constant", 10), ("constants.a", 11), ("deref_implicit", 12), ("half.b", 13), ("half.a", 14), ("short_pair.b", 15), ("plus_place", 16), ("gone", 17)):
            write(path, to)
            if path == "two_places":
                print("  memory:", text(frame.FindVariable("slot")), "rsi:", frame.FindRegister("rsi").GetValueAsUnsigned())
        registers = {r.GetName(): r for group in frame.registers for r in group}
        print("rbx", registers["rbx"].GetValue(), "rsi", registers["rsi"].GetValue(), "rdx", registers["rdx"].GetValue())
        for line in (7, 8, 9):
            s.command("breakpoint delete -f")
            s.command(f"breakpoint set -K false -f prog.c -l {line}")
            s.resume()
            print(f"line {line}:", s.command("thread lane list").splitlines()[0], "|", s.command("frame variable lane").splitlines()[0])
        s.command("breakpoint delete -f")
        print(s.resume())


if __name__ == "__main__":
    main()
