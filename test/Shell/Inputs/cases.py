# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cases of test/cases, and those that a session can evaluate at a stop of a real program."""
import glob
import json
import os
import re
import subprocess

TOP = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "..")
TYPES = {"generic", "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "f32", "f64"}
# Registers that a session may change, by DWARF number, with their bytes; and the lanes of the code in which it stops.
MACHINES = {
    "x86": {"registers": {number: 8 for number in (0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15)}, "lanes": 8},
    "gpu": {"registers": {**{number: 4 for number in range(32, 64)}, **{number: 256 for number in (2560, 2561)}}, "lanes": 64},
}


def load():
    """All cases, by the name of their unit test: "values_value-lit"."""
    cases = {}
    for path in sorted(glob.glob(os.path.join(TOP, "test", "cases", "*.json"))):
        with open(path) as file:
            for case in json.load(file):
                cases[f"{os.path.basename(path).split('.')[0]}_{case['id']}"] = case
    return cases


def operations(case):
    """The names of a case's operations, without DW_OP_."""
    return {operation[0].removeprefix("DW_OP_") for operation in case.get("expression", [])}


def register_bytes(value):
    """A register of a case's context, as in the machine."""
    if isinstance(value, str):
        return bytes.fromhex(value)
    first = int(value["first"], 0) if isinstance(value["first"], str) else value["first"]
    return b"".join((first + at & 0xffffffff).to_bytes(4, "little") for at in range(value["count"]))


def used_registers(case):
    used = set()
    for name, *operands in case["expression"]:
        found = re.fullmatch(r"DW_OP_b?reg(\d+)", name)
        if found:
            used.add(int(found[1]))
        elif re.fullmatch(r"DW_OP_(b?regx|LLVM_aspace_bregx|regval_type|LLVM_call_frame_entry_reg)", name):
            used.add(operands[0])
    return used


def fits(case, machine):
    """Whether a session can recreate the part of the case's context that the expression uses; it can't for memory and entries."""
    context, known = case.get("context", {}), MACHINES[machine]
    if case.get("semantics") not in ("any", "amdgpu") or case.get("dwarf", {}).get("address_size", 8) != 8 or "expression" not in case or \
            "result_kind" in case:
        return False
    if set(context) & {"frame_base", "cfa", "object", "entry_values", "initial_stack", "cfi", "iteration", "iterations", "pc"}:
        return False
    want = case["want"]
    if not (want.get("error") or want.get("kind") == "value" or "??" not in "".join(want.get("bytes", "??"))):
        return False
    names = operations(case)
    # Other memory may exist.
    if want.get("error") and any("deref" in name for name in names):
        return False
    for name, *operands in case["expression"]:
        if any(isinstance(operand, str) and (operand in TYPES or operand in context.get("dies", {})) or isinstance(operand, (list, dict))
               for operand in operands):
            return False
    # Entries are asked for these, which a running program always has.
    if names & {"call2", "call4", "call_ref", "implicit_pointer", "LLVM_aspace_implicit_pointer", "object_map", "entry_value", "push_object_address", "addrx",
                "constx", "call_frame_cfa", "fbreg", "form_tls_address", "LLVM_call_frame_entry_reg", "push_iteration", "LLVM_push_iteration"}:
        return False
    registers = context.get("registers", {})
    for number in used_registers(case):
        if str(number) not in registers or known["registers"].get(number) != len(register_bytes(registers[str(number)])):
            return False
    if any("push_lane" in name for name in names):
        return context.get("lane") is not None and context["lane"] < known["lanes"] and context.get("lanes", 1) in (known["lanes"], 64)
    return not (machine == "x86" and case["semantics"] == "amdgpu")


def without_memory(cases, build):
    """The names of the cases whose result doesn't depend on memory, according to the engine."""
    bare = []
    for name, case in cases.items():
        bare.append({**case, "id": name, "context": {key: value for key, value in case.get("context", {}).items() if key != "memory"}})
    reported = subprocess.run([os.path.join(build, "bin", "wavelane-dwarf"), "check", "-"], input=json.dumps(bare), text=True, capture_output=True)
    failed = set(re.findall(r"^(\S+): ", reported.stdout, re.M))
    return {name for name in cases if name not in failed}


def live(build, machine):
    """The cases that live_cases.py evaluates on a machine, by name."""
    cases = {name: case for name, case in load().items() if fits(case, machine)}
    good = without_memory(cases, build)
    return {name: case for name, case in cases.items() if name in good}


def assemble(build, case):
    """The case's expression in hexadecimal."""
    text = "; ".join(" ".join([name.removeprefix("DW_OP_"), *map(str, operands)]) for name, *operands in case["expression"])
    reported = subprocess.run([os.path.join(build, "bin", "wavelane-dwarf"), "assemble", text], text=True, capture_output=True)
    if reported.returncode:
        raise SystemExit(f"{text}: {reported.stderr}")
    return "".join(reported.stdout.split())
