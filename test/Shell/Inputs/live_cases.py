# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cases of test/cases that a stopped program can represent, each evaluated there by
`dwarf expression evaluate` and compared with its expected result.

usage: live_cases.py BUILD MACHINE PROGRAM BREAKPOINT, an option of `breakpoint set`
"""
import re
import sys

import lldb
import cases
from stops import Session

build, machine, program, breakpoint = sys.argv[1:5]
wrong = 0


def fail(name, why):
    global wrong
    wrong += 1
    print(f"{name}: {why}")


def write_registers(frame, values):
    """Sets registers by DWARF number; returns their old values."""
    before = {}
    for number, value in values.items():
        name = {"x86": ["rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", *(f"r{at}" for at in range(8, 16))],
                "gpu": {**{at: f"s{at - 32}" for at in range(32, 96)}, **{at: f"v{at - 2560}" for at in range(2560, 2816)}}}[machine][number]
        register = frame.FindRegister(name)
        error = lldb.SBError()
        data = register.GetData()
        before[number] = bytes(data.GetUnsignedInt8(error, at) for at in range(data.GetByteSize()))
        new = lldb.SBData()
        new.SetData(error, value, lldb.eByteOrderLittle, 8)
        if not register.SetData(new, error):
            raise SystemExit(f"{name} can't be written: {error.GetCString()}")
    return before


def evaluate(s, code):
    reported = s.command(f"dwarf expression evaluate {code}")
    found = dict(re.findall(r"^(value|location|bytes|error): (.*)$", reported, re.M))
    return found or {"error": reported}


def compare(name, case, found):
    want = case["want"]
    if want.get("error"):
        if "error" not in found and "bytes" in found:
            fail(name, f"an error is wanted, there is {found}")
    elif want["kind"] == "value":
        number = re.match(r"-?\w+", found.get("value", ""))
        if not number or int(number[0], 0) % 2**64 != want["value"] % 2**64:
            fail(name, f"{want['value']} is wanted, there is {found}")
    else:
        expected = "".join(want["bytes"])
        have = found.get("bytes", "").replace(" ", "")
        length = min(len(expected), len(have))
        if not length or have[:length] != expected[:length]:
            fail(name, f"{expected} is wanted, there is {found}")


with Session(program) as s:
    s.command(f"breakpoint set {breakpoint}")
    s.run()
    thread = s.waves.GetSelectedThread()
    count = 0
    for name, case in cases.live(build, machine).items():
        context = case.get("context", {})
        s.command(f"thread lane select {context.get('lane') or 0}")
        wanted = {number: cases.register_bytes(context["registers"][str(number)]) for number in cases.used_registers(case)}
        before = write_registers(thread.GetFrameAtIndex(0), wanted)
        compare(name, case, evaluate(s, cases.assemble(build, case)))
        write_registers(thread.GetFrameAtIndex(0), before)
        count += 1
    print(f"{machine}: {count} cases, {wrong} wrong")
