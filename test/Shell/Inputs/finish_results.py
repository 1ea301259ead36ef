# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`finish` shows results of every kind, for the focus lane, on each GPU.

usage: finish_results.py PROGRAM GPU...
"""
import sys
import lldb
from stops import Session

def ascii_of(value):
    """A char that isn't a letter, as LLDB prints it."""
    return r"'\0'" if value == 0 else f"'\\x{value & 255:02x}'"


# Each function's result in a lane, as LLDB prints it.
EXPECTED = {
    "of_void": lambda v: "none",
    "of_bool": lambda v: str(bool(v % 2)).lower(),
    "of_char": lambda v: f"'{chr(97 + v % 26)}'",
    "of_schar": lambda v: ascii_of(-v),
    "of_ushort": lambda v: 65535 - v,
    "of_short": lambda v: -v,
    "of_unsigned": lambda v: 4000000000 + v,
    "of_long": lambda v: v * -10000000000,
    "of_ulong": lambda v: 2**64 - 1 - v,
    "of_float": lambda v: f"{v}.5",
    "of_double": lambda v: f"{v}.25",
    "of_half": lambda v: f"{v}.5",
    "of_pointer": lambda v: "out + v",
    "of_reference": lambda v: "out + v",
    "of_enum": lambda v: ("red", "green", "blue")[v % 3],
    "of_wide": lambda v: "high" if v % 2 else "low",
    "of_unused": lambda v: f"{v} {v / 2:g}",
    "of_float4": lambda v: f"{v}.5 {v + 1} {-v} 4",
    "of_short3": lambda v: f"{v} {-v} 3",
    "of_double2": lambda v: f"{v}.5 {v * -2}",
    "of_half2": lambda v: f"{v} -1",
    "of_pair": lambda v: f"{v} {v / 2:g}",
    "of_padded": lambda v: f"'{chr(97 + v % 26)}' {v / 2:g} {str(bool(v % 2)).lower()}",
    "of_nested": lambda v: f"{v} {v / 2:g} {v + 1} {v + 2} {v + 3} {v} 2",
    "of_narrow": lambda v: f"'x' 'y' '{chr(97 + v % 26)}' {-v}",
    "of_bits": lambda v: f"{v % 8} {v * 3} {v * 5}",
    "of_widebits": lambda v: "error",
    "of_derived": lambda v: f"{v} {v / 2:g} {v * 3}",
    "add": lambda v: v + 7,
    "of_either": lambda v: f"{v / 2:g}",
    "of_wideeither": lambda v: f"{v} {-v} {v * 2} 9",
    "of_aligned": lambda v: f"{v} {-v}",
    "of_hip_float4": lambda v: f"{v} {-v} {v}.5 4",
    "of_hip_float3": lambda v: f"{v} {-v} {v}.5",
    "of_hip_double2": lambda v: f"{v} {v}.5",
    "of_hip_short4": lambda v: f"{v} {-v} 3 4",
    "of_empty": lambda v: "",
    "of_large": lambda v: f"{v}" + " 0" * 10 + f" {v * -3}",
    "of_renamed": lambda v: "0 0 0" + f" {v * 9}" + " 0" * 8,
    "of_some": lambda v: v * 100,
}


def text_of(value):
    """A value's scalars in order; for a union, those of one member."""
    if value.GetNumChildren() and not value.GetType().IsPointerType():
        if value.GetType().GetTypeClass() == lldb.eTypeClassUnion:
            return text_of(value.GetChildAtIndex(0 if value.GetByteSize() > 4 else 1))
        return " ".join(text_of(child) for child in value)
    if value.IsValid() and value.GetError().Success() and value.GetValue() is None:
        return ""
    return value.GetValue() or f"error: {value.GetError()}"


def check(session, name, lane, seen):
    wave = session.waves.GetSelectedThread()
    value = wave.GetStopReturnValue()
    want = EXPECTED[name](lane)
    if want == "out + v":
        found = value.GetValueAsUnsigned() - seen.setdefault("out", value.GetValueAsUnsigned() - 4 * lane)
        want = 4 * lane
    elif value.IsValid() and value.GetError().Fail():
        # Bit fields, and parts that the optimizer has dropped.
        found = "error" if name in ("of_widebits", "of_unused") else str(value.GetError())
        want = "error" if name == "of_unused" and "-O2" in sys.argv[1] else want
    else:
        found = text_of(value) if value.IsValid() else "none"
    if str(found) != str(want):
        print(f"  {name} in lane {lane}: {found}, not {want}")
        return 0
    return 1


def run(program, gpu):
    with Session(program, settings=[f"target.env-vars WAVELANE_PROCESSOR={gpu}"]) as s:
        for name in EXPECTED:
            s.command(f"breakpoint set -n {name}")
        s.run()
        right, seen = 0, {}
        for number, name in enumerate(EXPECTED):
            function = s.waves.GetSelectedThread().GetFrameAtIndex(0).GetFunctionName()
            if name not in (function or ""):
                print(f"  {name} expected, stopped in {function}")
                break
            lane = number * 7 % 31 | (1 if name == "of_some" else 0)
            s.command(f"thread lane select {lane}")
            s.waves.GetSelectedThread().StepOut()
            right += check(s, name, lane, seen)
            s.waves.Continue()
        print(f"{gpu}: {right} of {len(EXPECTED)} right")


def outside(program):
    """A lane that the function wasn't called for."""
    with Session(program) as s:
        s.command("breakpoint set -n of_some")
        s.run()
        s.command("thread lane select 4")
        s.waves.GetSelectedThread().StepOut()
        value = s.waves.GetSelectedThread().GetStopReturnValue()
        print("outside:", value.GetValue(), str(value.GetError()).strip())


for gpu in sys.argv[2:]:
    run(sys.argv[1], gpu)
outside(sys.argv[1])
