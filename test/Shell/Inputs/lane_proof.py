# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the loops of lane_loops.py, annotated, in LLDB, and compares each lane's value of the loop's variable with the memory that the lane
really touches: the registers of the memory operands at each instruction of whole passes.

usage: lane_proof.py FOLDER [--compilers LIST] [--flags NAMES] [--rows LIST] [--languages LIST]
Prints a line for each program and what was wrong; it fails where anything was."""
import argparse
import collections
import json
import os
import re
import shutil
import subprocess
import sys

import lane_loops
import lldb

TOP = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
DWARFDUMP = "/usr/lib/llvm-22/bin/llvm-dwarfdump"
V4 = "-O3 -march=x86-64-v4 -mprefer-vector-width=512"
FLAGS = {  # name: (flags of clang, flags of gcc, what the processor must have)
    "sse": ("-O2", "-O3", None),
    "avx2": ("-O3 -mavx2", "-O3 -mavx2", "avx2"),
    "avx512": (V4, V4, "avx512f"),
    "fast": ("-O3 -mavx2 -ffast-math", "-O3 -mavx2 -ffast-math -funroll-loops", "avx2"),
    "narrow": ("-O2 -msse4.2 -mllvm -force-vector-interleave=1", "-O2 -ftree-vectorize -msse4.2", "sse4_2"),
    "unrolled": ("-O3 -mavx2 -funroll-loops -mllvm -unroll-runtime", "-O3 -fvect-cost-model=unlimited -funroll-all-loops", "avx2"),
    "strange": ("-O3 -mavx2 -mllvm -enable-interleaved-mem-accesses -mllvm -enable-cond-stores-vec=1 -fno-omit-frame-pointer",
                "-O3 -mavx2 -fno-omit-frame-pointer -fno-inline-small-functions -fPIC", "avx2"),
}
COMPILERS = ("clang-14", "clang-16", "clang-19", "clang-22", "gcc")
STEPS, PASSES = 900, 2  # instructions and passes of one loop that are looked at
NAMES = "rax rbx rcx rdx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15 rip".split()
SIZES = {"byte": 1, "word": 2, "dword": 4, "qword": 8, "xmmword": 16, "ymmword": 32, "zmmword": 64}


class Array:
    """Memory that a loop touches: its place, and which elements an iteration of the counter i does, as (factor, offset, is certain)."""

    def __init__(self, base, element, forms):
        self.base, self.element = base, element
        forms, _, row = forms.partition("%")
        self.row = int(row) if row else None
        self.forms, self.is_told = [], True
        for form in forms.replace(" ", "").split(","):
            certain, form = not form.endswith("?"), form.rstrip("?")
            match = re.fullmatch(r"(?:(\d+)\*)?([a-z]+)([-+]\d+)?", form)
            if match and match[2] != "n":
                self.forms.append((int(match[1] or 1), int(match[3] or 0), certain))
            else:
                self.is_told = False  # such as n-i

    def holds(self, address):
        return self.base <= address < self.base + lane_loops.SIZE * self.element

    def elements(self, address, size):
        """The elements of some bytes."""
        first, last = (address - self.base) // self.element, (address + size - 1 - self.base) // self.element
        return {e % self.row if self.row else e for e in range(first, last + 1)}

    def named(self, values, certain_only=False):
        return {(f * v + o) % self.row if self.row else f * v + o for v in values for f, o, c in self.forms if c or not certain_only}


class Region:
    """The code of an annotated loop."""

    def __init__(self, function, begin, end, lanes):
        self.function, self.begin, self.end, self.lanes = function, begin, end, lanes


def dumped(program, section):
    return subprocess.run([DWARFDUMP, section, program], capture_output=True, text=True, check=True).stdout.split("\n")


def regions(program):
    """Every piece of code that has lanes, by the debug information."""
    lists, offset = {}, None
    for line in dumped(program, "--debug-loclists"):
        match = re.match(r"(0x[0-9a-f]+):", line)
        offset = int(match[1], 16) if match else offset
        match = re.match(r"\s+\[(0x[0-9a-f]+), (0x[0-9a-f]+)\): DW_OP_constu (0x[0-9a-f]+), DW_OP_stack_value$", line)
        if match:
            lists.setdefault(offset, []).append([int(g, 16) for g in match.groups()])
    found, name = [], None
    for line in dumped(program, "--debug-info"):
        name = None if "DW_TAG_" in line else name
        match = re.search(r'DW_AT_(?:name|abstract_origin|specification)\s+\(.*?"([^"]*)"\)', line)
        name = match[1] if match and name is None else name
        match = re.search(r"DW_AT_unknown_3ec0\s+\((0x[0-9a-f]+)\)", line)
        if match:
            found += [Region(name, *entry) for entry in lists[int(match[1], 16)]]
    return found


class Session:
    """One program in LLDB."""

    def __init__(self, program, loops):
        self.debugger = lldb.SBDebugger.Create()
        self.debugger.SetAsync(False)
        self.command("settings set target.x86-disassembly-flavor intel")
        self.command("settings set target.process.stop-on-exec false")
        self.target = self.debugger.CreateTarget(program)
        self.loops = {loop.name: loop for loop in loops}
        self.wrong, self.checked, self.values, self.unchecked = [], 0, 0, []
        self.instructions, self.complaints = {}, collections.Counter()

    def command(self, text, thread=None):
        result = lldb.SBCommandReturnObject()
        interpreter = self.debugger.GetCommandInterpreter()
        if thread:
            interpreter.HandleCommand(text, lldb.SBExecutionContext(thread.GetFrameAtIndex(0)), result)
        else:
            interpreter.HandleCommand(text, result)
        return result.GetOutput() if result.Succeeded() else None

    def run(self, all_regions):
        """Stops at each region and looks at some passes."""
        self.regions = all_regions
        module = self.target.FindModule(self.target.GetExecutable())
        by_breakpoint, arrays = {}, {}
        for loop in self.loops.values():
            self.target.BreakpointCreateByName(loop.name).SetOneShot(True)
        for region in all_regions:
            breakpoint = self.target.BreakpointCreateBySBAddress(module.ResolveFileAddress(region.begin))
            by_breakpoint[breakpoint.GetID()] = region
        process = self.target.LaunchSimple(None, ["OMP_NUM_THREADS=3"], ".")
        self.slide = module.GetObjectFileHeaderAddress().GetLoadAddress(self.target) - module.GetObjectFileHeaderAddress().GetFileAddress()
        seen = set()
        while process.GetState() == lldb.eStateStopped:
            thread = next((t for t in process if t.GetStopReason() == lldb.eStopReasonBreakpoint), None)
            if thread is None:
                self.wrong.append(f"the program stops: {[t.GetStopDescription(100) for t in process]}")
                break
            process.SetSelectedThread(thread)
            region = by_breakpoint.get(thread.GetStopReasonDataAtIndex(0))
            name = re.split(r"[.(<]", thread.GetFrameAtIndex(0).GetFunctionName() or "")[0]
            if region is None:
                if name in self.loops:
                    arrays[name] = self.arrays(thread.GetFrameAtIndex(0), self.loops[name])
            else:
                self.target.BreakpointDelete(thread.GetStopReasonDataAtIndex(0))
                seen.add(region)
                outer = self.loops.get(re.split(r"[.(<]", region.function)[0])
                if outer is None and region.function != "main":
                    self.unchecked.append(f"{region.function}: not of the table")
                elif outer:
                    self.look(thread, region, outer, *arrays.get(outer.name, ([], {})))
            process.Continue()
        if process.GetState() == lldb.eStateExited and process.GetExitStatus():
            self.wrong.append(f"the program ends with {process.GetExitStatus()}")
        self.unreached = [r for r in all_regions if r not in seen]
        process.Kill()
        lldb.SBDebugger.Destroy(self.debugger)

    def arrays(self, frame, loop):
        """([Array], {parameter: value}) where the function begins."""
        found = []
        for name, forms in loop.touches.items():
            value = frame.GetValueForVariablePath(name)
            if not value.IsValid() or value.GetError().Fail():
                value = self.target.FindFirstGlobalVariable(name)
            if not value.IsValid():
                raise SystemExit(f"{loop.name}: there is no {name}: {value.GetError().GetCString()}")
            kind = value.GetType().GetCanonicalType()
            if kind.IsReferenceType():
                kind, value = kind.GetDereferencedType(), value.Dereference()
            is_array = kind.IsArrayType()
            base = value.GetLoadAddress() if is_array else value.GetValueAsUnsigned()
            element = kind.GetArrayElementType() if is_array else kind.GetPointeeType()
            while element.IsArrayType():
                element = element.GetArrayElementType()
            array = Array(base, element.GetByteSize(), forms)
            array.is_pointed = name == loop.row.points
            found.append(array)
        parameters = {v.GetName(): v.GetValue() for v in frame.GetVariables(True, False, False, True)}
        return found, parameters

    # One loop

    def look(self, thread, region, loop, arrays, parameters):
        passes, current, first_pc, asked = [], None, None, set()
        for _ in range(STEPS):
            frame = thread.GetFrameAtIndex(0)
            pc = frame.GetPC() - self.slide
            here = next((r for r in self.regions if r.function == region.function and r.begin <= pc < r.end), None)
            if here is None:
                break
            first_pc = first_pc or pc
            values = self.lane_values(thread, loop, here, frame)
            if values is not None:
                if current is None or values[0] != current["values"][0]:
                    if len(passes) == PASSES:
                        break
                    current = {"values": values, "touched": collections.defaultdict(set), "whole": True}
                    passes.append(current)
                elif values != current["values"]:
                    self.complain(loop, here, frame, f"the values change within a pass: {values[:3]} and {current['values'][:3]}")
            self.touch(frame, loop, here, arrays, current, values)
            if pc not in asked:
                asked.add(pc)
                self.also(thread, frame, loop, here, values, parameters)
                self.others(frame, loop, here, parameters)
            thread.StepInstruction(False)
        if not passes:
            self.unchecked.append(f"{loop.name}: no value is available")
            return
        self.checked += 1
        self.values += sum(len(p["values"]) for p in passes)
        self.compare(loop, region, arrays, passes, first_pc)

    def lane_values(self, thread, loop, region, frame):
        """The variable in each lane; None where it isn't available."""
        variable = loop.variable if frame.FindVariable(loop.variable).IsValid() else "i"
        values = self.printed(thread, variable)
        if values is None:
            return None
        if len(values) != region.lanes:
            self.complain(loop, region, frame, f"{len(values)} lanes instead of {region.lanes}")
        steps = {b - a for a, b in zip(values, values[1:])}
        if len(steps) != 1 or steps == {0}:
            self.complain(loop, region, frame, f"the lanes' values don't differ by one step: {values}")
        return values

    def printed(self, thread, variable):
        """A variable's number in each lane; None where it isn't available."""
        text = self.command(f"thread lane print --json {variable}", thread)
        answer = json.loads(text) if text else {"values": [{}]}
        if any("bytes" not in v for v in answer["values"]):
            return None
        is_signed = not answer["type"].startswith(("unsigned", "size_t", "std::size_t")) or "*" in answer["type"]
        return [int.from_bytes(bytes.fromhex(v["bytes"]), "little", signed=is_signed) for v in answer["values"]]

    def touch(self, frame, loop, region, arrays, current, values):
        """Notes the memory that the instruction accesses, and compares it with the lanes."""
        for address, size in self.accesses(frame):
            array = next((a for a in arrays if a.holds(address)), None)
            if array is None or not array.is_told or current is None:
                continue
            if values is None:
                current["whole"] = False
                continue
            elements = array.elements(address, size)
            current["touched"][array] |= elements
            numbers = self.numbers(arrays, values)
            allowed = array.named(numbers)
            gap = max(f for f, _, _ in array.forms) * abs(numbers[1] - numbers[0]) - 1
            if gap and not array.row:  # Vectors load what lies between, too.
                allowed = set(range(min(allowed), max(allowed) + gap + 1))
            if not elements <= allowed:
                self.complain(loop, region, frame, f"{sorted(elements)[0]}..{sorted(elements)[-1]} is touched by lanes of {values[0]}..{values[-1]}")

    @staticmethod
    def numbers(arrays, values):
        """The counter's values as numbers of elements, where it is a pointer."""
        array = next((a for a in arrays if a.is_pointed), None)
        return [(v - array.base) // array.element for v in values] if array else values

    def compare(self, loop, region, arrays, passes, first):
        """Compares whole passes with what their lanes name."""
        proven = False
        for number, one in enumerate(passes if len(passes) == PASSES else passes[:-1]):
            if not one["whole"] or number == 0 and first != region.begin:
                continue  # It may have begun before.
            for array, touched in one["touched"].items():
                named = array.named(self.numbers(arrays, one["values"]), True)
                if len({o for _, o, _ in array.forms}) > 1 and not named <= touched:
                    continue  # What another pass has read is kept.
                proven = proven or bool(named)
                if not named <= touched:
                    self.wrong.append(f"{loop.name}: lanes of {one['values'][0]}..{one['values'][-1]} touch {min(touched)}..{max(touched)} only")
        if loop.is_never:
            self.wrong.append(f"{loop.name}: it has {region.lanes} lanes, and must have none")
        if not proven:
            self.unchecked.append(f"{loop.name}: no whole pass was compared")

    def also(self, thread, frame, loop, region, values, parameters):
        """Other variables that count the loop, lane by lane."""
        for name, wanted in loop.row.also.items():
            found = self.printed(thread, name)
            if found is None or values is None:
                continue
            known = {k: int(v) for k, v in parameters.items() if v and re.fullmatch(r"-?\d+", v)}
            if found != [eval(wanted, {**known, "i": v}) for v in values]:
                self.complain(loop, region, frame, f"'{name}' shows {found[:3]} in lanes of {values[:3]}")

    def others(self, frame, loop, region, parameters):
        """Other variables are what they were where the function began, or not available."""
        for value in frame.GetVariables(True, True, False, True):
            name = value.GetName()
            if value.GetError().Fail() or value.GetValue() is None or name in (loop.variable, "i", *loop.row.others, *loop.row.also):
                continue
            if frame.IsInlined() and name not in parameters:
                continue  # a parameter of the inlined function, which the compiler's own location tells
            if name not in parameters:
                self.complain(loop, region, frame, f"'{name}' shows {value.GetValue()}")
            elif not frame.IsInlined() and value.GetValue() != parameters[name]:
                self.complain(loop, region, frame, f"'{name}' shows {value.GetValue()} and was {parameters[name]}")

    def accesses(self, frame):
        """[(address, size)] of the memory operands of the frame's next instruction, but for those with vectors of addresses."""
        pc = frame.GetPC()
        if pc not in self.instructions:
            i = self.target.ReadInstructions(frame.GetPCAddress(), 1)[0]
            self.instructions[pc] = (i.GetMnemonic(self.target) or "", i.GetOperands(self.target) or "", i.GetByteSize())
        mnemonic, operands, length = self.instructions[pc]
        match = re.search(r"(\w+) ptr (?:\w+:)?\[([^\]]*)\]", operands)
        if not match or mnemonic.startswith(("lea", "nop", "prefetch", "call", "jmp")) or "mm" in match[2]:
            return []
        address = 0
        for sign, part in re.findall(r"([-+]?)\s*([^-+\s]+)", match[2]):
            scale, _, name = part.rpartition("*")
            if name in NAMES:
                value = frame.FindRegister(name).GetValueAsUnsigned() * int(scale or 1) + (length if name == "rip" else 0)
            else:
                value = int(name, 0)
            address += -value if sign == "-" else value
        return [(address & (1 << 64) - 1, SIZES[match[1]])]

    def complain(self, loop, region, frame, text):
        self.complaints[loop.name] += 1
        if self.complaints[loop.name] < 4:
            self.wrong.append(f"{loop.name} at {frame.GetPC() - self.slide:#x}: {text}")


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        return set(next(line for line in file if line.startswith("flags")).split())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--compilers", default=",".join(COMPILERS))
    parser.add_argument("--flags", default=",".join(FLAGS))
    parser.add_argument("--rows")
    parser.add_argument("--languages", default="c,c++")
    arguments = parser.parse_args()
    os.makedirs(arguments.folder, exist_ok=True)
    total, reasons, wrong, unchecked = collections.Counter(), collections.Counter(), [], []
    for language in arguments.languages.split(","):
        loops = lane_loops.loops(language, arguments.rows and arguments.rows.split(","))
        if not loops:
            continue
        source = os.path.join(arguments.folder, "loops." + {"c": "c", "c++": "cpp"}[language])
        with open(source, "w", encoding="utf-8") as file:
            file.write(lane_loops.program(loops))
        for compiler in arguments.compilers.split(","):
            if not shutil.which(compiler):
                print(f"{compiler}: not there")
                total["programs not run"] += 1
                continue
            for name in arguments.flags.split(","):
                for_clang, for_gcc, needed = FLAGS[name]
                flags = (for_clang if "clang" in compiler else for_gcc).split()
                if needed and needed not in processor():
                    print(f"{compiler} {name}: the processor has no {needed}")
                    total["programs not run"] += 1
                    continue
                program = os.path.join(arguments.folder, f"{language[:1]}{len(language)}-{compiler}-{name}")
                driver = compiler.replace("clang", "clang++").replace("gcc", "g++") if language == "c++" else compiler
                openmp = "-fopenmp" if "clang" not in compiler else "-fopenmp=libgomp"
                reports = annotated(driver, flags + ["-w", "-g", openmp], source, program)
                session = Session(program, loops)
                session.run(regions(program))
                own = [r for r in reports if r["function"] != "main"]
                count = sum(1 for r in own if r["lanes"])
                print(f"{language} {compiler} {' '.join(flags)}: {len(own)} vectorised loops, {count} annotated, {len(own) - count} refused, "
                      f"{session.checked} pieces of code stopped at, {session.values} values compared, {len(session.wrong)} wrong", flush=True)
                for text in session.wrong:
                    print("   WRONG", text)
                wrong += session.wrong
                unchecked += [f"{program}: {u}" for u in session.unchecked]
                total.update({"vectorised": len(own), "annotated": count, "stopped at": session.checked, "values": session.values,
                              "not reached": len(session.unreached)})
                reasons.update(r["reason"] for r in own if not r["lanes"])
    print(", ".join(f"{count} {what}" for what, count in total.items()))
    print("refused:", ", ".join(f"{reason} {count}" for reason, count in reasons.most_common()))
    with open(os.path.join(arguments.folder, "unchecked"), "w", encoding="utf-8") as file:
        file.write("\n".join(unchecked) + "\n")
    print(f"{len(unchecked)} not compared with whole passes")
    print(f"wrong: {len(wrong)}")
    sys.stdout.flush()
    return 1 if wrong or not total["annotated"] else 0


def annotated(compiler, flags, source, program):
    """Compiles with annotate-lanes; returns its report of each loop."""
    result = subprocess.run([sys.executable, os.path.join(TOP, "utils", "annotate-lanes"), "--json", compiler, *flags, source, "-o", program],
                            capture_output=True, text=True, check=False)
    if result.returncode:
        raise SystemExit(f"{compiler} {' '.join(flags)}: {result.stdout}{result.stderr}")
    return json.loads(result.stdout)["loops"]


if __name__ == "__main__":
    sys.exit(main())
