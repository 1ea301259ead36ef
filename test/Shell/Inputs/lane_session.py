# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One program of lane_loops.py in LLDB: each lane's value of a loop's variable is compared with the memory that the lane really accesses."""
import collections
import json
import os
import re
import subprocess

import lane_loops
import lldb

DWARFDUMP = os.path.join(os.environ["WAVELANE_LLVM"], "llvm-dwarfdump")
STEPS, PASSES = 900, 2  # instructions and passes of one loop that are looked at
NAMES = "rax rbx rcx rdx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15 rip".split()
PACKED = re.compile(r"v?(movu|mova|movdq|p(add|sub|mul|max|min|and|or|xor|cmp)|(add|sub|mul|max|min|div)p[sd])")
COUNTERS = ("i", "j", "k", "r", "t")  # of loops around, all of them small
SIZES = {"byte": 1, "word": 2, "dword": 4, "qword": 8, "xmmword": 16, "ymmword": 32, "zmmword": 64}


class Array:
    """Memory that a loop accesses: its place, and the elements for an iteration of the counter i, as (factor, offset, is certain)."""

    def __init__(self, base, element, forms, is_pointed):
        self.base, self.element, self.is_pointed = base, element, is_pointed  # is_pointed: the counter points into it
        forms, _, row = forms.partition("%")
        self.row = int(row) if row else None
        self.forms, self.is_known = [], True
        for form in forms.replace(" ", "").split(","):
            certain, form = not form.endswith("?"), form.rstrip("?")
            match = re.fullmatch(r"(?:(\d+)\*)?([a-z]+)([-+]\d+)?", form)
            if match and match[2] != "n":
                self.forms.append((int(match[1] or 1), int(match[3] or 0), certain))
            else:
                self.is_known = False  # such as n-i

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
    """Every piece of code with lanes, according to debug information."""
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
        self.seen = set()  # names of loops
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
        """Stops at each region and examines some passes."""
        self.regions = all_regions
        module = self.target.FindModule(self.target.GetExecutable())
        by_breakpoint, arrays = {}, {}
        for region in all_regions:
            if region.function in self.loops and self.loops[region.function].is_never:
                self.wrong.append(f"{region.function}: it has {region.lanes} lanes, and must have none")
        for loop in self.loops.values():
            self.command(f"breakpoint set --one-shot true --skip-prologue false --name {loop.name}")
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

    def vectorized(self):
        """The table's functions that have loops of packed instructions."""
        module, found = self.target.FindModule(self.target.GetExecutable()), set()
        for symbol in module:
            name = re.split(r"[.(<]", symbol.GetName() or "")[0]
            if name not in self.loops or symbol.GetType() != lldb.eSymbolTypeCode:
                continue
            packed, places = [], {}
            for i in symbol.GetInstructions(self.target):
                place, mnemonic, operands = i.GetAddress().GetFileAddress(), i.GetMnemonic(self.target), i.GetOperands(self.target)
                places[place] = True
                if PACKED.match(mnemonic) and " ptr " in operands:
                    packed.append(place)
                to = int(operands, 16) if mnemonic.startswith("j") and re.fullmatch(r"0x[0-9a-f]+", operands) else None
                if to in places and any(to <= p <= place for p in packed):
                    found.add(name)
        return found

    def arrays(self, frame, loop):
        """([Array], {parameter: value}) where the function begins."""
        found = []
        for name, forms in loop.touches.items():
            if name in loop.parameters():  # in a register, whether or not the debug information says so
                kind = frame.FindVariable(name).GetType().GetCanonicalType()
                pointer = frame.FindRegister(("rdi", "rsi", "rdx", "rcx", "r8", "r9")[loop.parameters().index(name)]).GetValueAsUnsigned()
                element = kind.GetDereferencedType().GetArrayElementType() if kind.IsReferenceType() else kind.GetPointeeType()
                found.append(Array(pointer, element.GetByteSize(), forms, name == loop.row.points))
                continue
            value = frame.GetValueForVariablePath(name)
            if not value.IsValid() or value.GetError().Fail():
                value = self.target.FindFirstGlobalVariable(name)
            if not value.IsValid():
                raise SystemExit(f"{loop.name}: there is no {name}: {value.GetError().GetCString()}")
            kind = value.GetType().GetCanonicalType()
            is_array = kind.IsArrayType()
            base = value.GetLoadAddress() if is_array else value.GetValueAsUnsigned()
            element = kind.GetArrayElementType() if is_array else kind.GetPointeeType()
            while element.IsArrayType():
                element = element.GetArrayElementType()
            found.append(Array(base, element.GetByteSize(), forms, False))
        parameters = {v.GetName(): v.GetValue() for v in frame.GetVariables(True, False, False, True)}
        return found, parameters

    # One loop

    def look(self, thread, region, loop, arrays, parameters):
        passes, current, first_pc, asked, early = [], None, None, set(), []
        at_begin = None  # the values when the region's first instruction was last executed
        for _ in range(STEPS):
            frame = thread.GetFrameAtIndex(0)
            pc = frame.GetPC() - self.slide
            here = next((r for r in self.regions if r.function == region.function and r.begin <= pc < r.end), None)
            if here is None:
                break
            first_pc = first_pc or pc
            values = self.lane_values(thread, loop, here, frame)
            if values is not None:
                # If lanes execute all iterations of an inner loop, each pass has the same values.
                is_again = pc == region.begin and values == at_begin and current["steps"]
                at_begin = values if pc == region.begin else at_begin
                if current is None or values[0] != current["values"][0] or is_again:
                    if len(passes) == PASSES:
                        break
                    current = {"values": values, "touched": collections.defaultdict(set), "whole": True, "steps": 0, "region": here}
                    passes.append(current)
                elif values != current["values"]:
                    self.complain(loop, here, frame, f"the values change within a pass: {values[:3]} and {current['values'][:3]}")
            early += self.accesses(frame)
            # At the beginning of an inlined function's code, LLDB's frame is the caller's, which has no such variable.
            if values is not None or pc != region.begin:
                self.touch(early, frame, loop, here, arrays, current, values)
                early = []
            if current:
                current["steps"] += 1
            if pc not in asked:
                asked.add(pc)
                self.also(thread, frame, loop, here, values, parameters)
                self.others(frame, loop, here, parameters)
            thread.StepInstruction(False)
        if not passes:
            self.unchecked.append(f"{loop.name}: no value is available")
            return
        self.checked += 1
        self.seen.add(loop.name)
        self.values += sum(len(p["values"]) for p in passes)
        self.compare(loop, region, arrays, passes, first_pc)

    def lane_values(self, thread, loop, region, frame):
        """The variable in each lane; None where it isn't available."""
        if not frame.FindVariable(loop.variable).IsValid():
            return None  # Its block has ended.
        values = self.printed(thread, loop.variable)
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

    def touch(self, accesses, frame, loop, region, arrays, current, values):
        """Notes the memory that instructions access, and compares it with the lanes."""
        for address, size in accesses:
            array = next((a for a in arrays if a.holds(address)), None)
            if array is None or not array.is_known or current is None:
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
        """The counter's values as numbers of elements, if it is a pointer."""
        array = next((a for a in arrays if a.is_pointed), None)
        return [(v - array.base) // array.element for v in values] if array else values

    def compare(self, loop, region, arrays, passes, first):
        """Compares whole passes with their lanes' values."""
        proven = False
        # A piece of a loop's code out of line, where another piece begins the passes, is entered in the middle of one.
        is_first_whole = first == region.begin and all(p["region"] is region for p in passes[1:])
        for number, one in enumerate(passes if len(passes) == PASSES else passes[:-1]):
            if not one["whole"] or number == 0 and not is_first_whole:
                continue  # It may have begun before.
            for array, touched in one["touched"].items():
                named = array.named(self.numbers(arrays, one["values"]), True)
                if len({o for _, o, _ in array.forms}) > 1 and not named <= touched:
                    continue  # What another pass has read is kept.
                proven = proven or bool(named)
                if not named <= touched:
                    self.wrong.append(f"{loop.name}: lanes of {one['values'][0]}..{one['values'][-1]} touch {min(touched)}..{max(touched)} only")
        if not proven:
            self.unchecked.append(f"{loop.name}: no whole pass was compared")

    def also(self, thread, frame, loop, region, values, parameters):
        """Checks other variables that count the loop, lane by lane."""
        for name, wanted in loop.row.also.items():
            found = self.printed(thread, name)
            if found is None or values is None:
                continue
            known = {k: int(v) for k, v in parameters.items() if v and re.fullmatch(r"-?\d+", v)}
            if found != [eval(wanted, {**known, "i": v}) for v in values]:
                self.complain(loop, region, frame, f"'{name}' shows {found[:3]} in lanes of {values[:3]}")

    def others(self, frame, loop, region, parameters):
        """Other variables have the same value as at the function's beginning, or are unavailable."""
        for value in frame.GetVariables(True, True, False, True):
            name = value.GetName()
            if value.GetError().Fail() or value.GetValue() is None or name in (loop.variable, *loop.row.also):
                continue
            if name == "i" or name in loop.row.others:
                if name in COUNTERS and value.GetType().GetByteSize() <= 4 and abs(value.GetValueAsSigned()) > lane_loops.SIZE:
                    self.complain(loop, region, frame, f"'{name}' shows {value.GetValue()}")
                continue
            if frame.IsInlined() and name not in parameters:
                continue  # a parameter of the inlined function, which the compiler's own location gives
            if name not in parameters:
                self.complain(loop, region, frame, f"'{name}' shows {value.GetValue()}")
            elif parameters[name] is None:
                continue  # The compiler gives it no location where the function begins.
            elif not frame.IsInlined() and value.GetValue() != parameters[name] and (
                    # LLDB doesn't relocate addresses in calls' parameters.
                    not value.GetType().IsPointerType() or value.GetValueAsUnsigned() + self.slide != int(parameters[name], 0)):
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
