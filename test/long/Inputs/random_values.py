# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""random_values.py PROGRAM HOST TABLE LEVEL [verbose]: stops at the marks of random-values' program, and compares the variables of some lanes with
those of the host."""
import collections
import json
import os
import random
import subprocess
import sys
import lldb

program, host, table, level = sys.argv[1:5]
verbose = len(sys.argv) > 5
STOPS, LANES = 60, 3
WAVE = 64 if os.environ["WAVELANE_PROCESSOR"].startswith("gfx9") else 32
MARK = b"\x0d\x00\x80\xbf"  # s_nop 13
SOURCE = os.path.splitext(os.path.basename(table))[0] + ".hip"
with open(table, encoding="utf-8") as file:
    notes = json.load(file)
DEBUGGER = lldb.SBDebugger.Create(False)
counts = collections.Counter()
wrong = []


def read_host():
    """(lane, mark): a list of visits, each a list of frames: (line, {leaf: bits})."""
    found = collections.defaultdict(list)
    for line in subprocess.run([host], capture_output=True, text=True, check=True).stdout.splitlines():
        words = line.split()
        lane, mark = int(words[0]), words[1]
        frames, note = [], notes["marks"][mark]
        values = words[2:]
        while True:
            leaves = note["leaves"]
            frames.append((note["line"], {path: (int(bits, 16), of) for (path, of), bits in zip(leaves, values)}))
            values = values[len(leaves):]
            if not values:
                break
            note = notes["sites"][values[0][1:]]
            values = values[1:]
        found[lane, mark].append(frames)
    return found


def find_marks(target):
    """The addresses of the instructions of marks, of which an optimizer makes several."""
    lines = {note["line"]: mark for mark, note in notes["marks"].items()}
    found = {}
    for module in target.modules:
        for unit in module.compile_units:
            for entry in unit:
                mark = lines.get(entry.GetLine())
                begin = entry.GetStartAddress().GetLoadAddress(target)
                size = entry.GetEndAddress().GetLoadAddress(target) - begin
                if mark is None or entry.GetFileSpec().GetFilename() != SOURCE or size <= 0:
                    continue
                code = target.GetProcess().ReadMemory(begin, size, lldb.SBError()) or b""
                for at in range(0, len(code), 4):
                    if code[at:at + 4] == MARK:
                        found[begin + at] = mark
    return found


def read_leaf(frame, path, of):
    """(bits, mark), or (None, reason)."""
    name = path.split(".")[0].split("[")[0]
    root = frame.FindVariable(name)
    if not root.IsValid():
        return None, "there is no such variable"
    value = root.GetValueForExpressionPath(path[len(name):]) if path != name else root
    error = lldb.SBError()
    if of != "int":
        data = value.GetData()
        size = data.GetByteSize()
        raw = data.ReadRawData(error, 0, size) if size and value.GetError().Success() else None
        bits = int.from_bytes(raw, "little") if raw else None
    else:
        bits = value.GetValueAsUnsigned(error)
        if value.GetType().GetTypeFlags() & lldb.eTypeIsSigned:
            bits = value.GetValueAsSigned(error)
        bits &= (1 << 64) - 1
    if error.Fail() or value.GetError().Fail() or bits is None:
        return None, str(error if error.Fail() else value.GetError())
    return bits, next((text for text in (value.GetSummary(), root.GetSummary()) if text and "[" in text), "")


def compare_frame(where, frame, leaves):
    for path, (wanted, of) in leaves.items():
        bits, text = read_leaf(frame, path, of)
        is_stale = "value at line" in text or "an earlier value" in text
        if bits is None:
            counts["unavailable"] += 1
            if level == "-O0":
                wrong.append(f"{where}: {path}: {text}")
        elif bits == wanted:
            counts["right but stale" if is_stale else "right"] += 1
        elif is_stale:
            counts["marked as stale"] += 1
        elif level == "-O0" or text:
            wrong.append(f"{where}: {path}: {bits:#x} {text}, not {wanted:#x} ({of})")
        else:
            counts["as the debug information says"] += 1
            if verbose:
                result = lldb.SBCommandReturnObject()
                DEBUGGER.GetCommandInterpreter().HandleCommand(f"dwarf variable {path.split('.')[0].split('[')[0]}",
                                                                            lldb.SBExecutionContext(frame), result)
                print(f"{where}: {path}: {bits:#x}, not {wanted:#x} ({of}): {' '.join(result.GetOutput().split())[:300]}")


def read_fact(thread, path):
    stream = lldb.SBStream()
    return stream.GetData() if thread.GetInfoItemByPathAsString(path, stream) else ""


def compare_stop(thread, mark, expected, visits, chooser):
    frame = thread.GetFrameAtIndex(0)
    active = frame.FindRegister("active").GetValueAsUnsigned()
    first = WAVE * int(read_fact(thread, "wave_in_workgroup") or "0", 0)
    seen = {}
    for lane in (lane for lane in range(WAVE) if active >> lane & 1):
        item = first + lane
        visit = visits[item, mark]
        visits[item, mark] += 1
        if visit >= len(expected[item, mark]):
            wrong.append(f"mark {mark}: work-item {item} is there more often than on the host")
            continue
        seen[lane] = expected[item, mark][visit]
    for lane in chooser.sample(sorted(seen), min(LANES, len(seen))):
        thread.GetFrameAtIndex(0).FindRegister("lane").SetValueFromCString(str(lane))
        if thread.GetNumFrames() < len(seen[lane]):
            wrong.append(f"mark {mark}: {thread.GetNumFrames()} frames, not {len(seen[lane])}")
        for number, (line, leaves) in enumerate(seen[lane]):
            frame = thread.GetFrameAtIndex(number)
            if not frame.IsValid():
                break
            if number and level == "-O0" and frame.GetLineEntry().GetLine() != line:
                wrong.append(f"mark {mark}: frame {number} is at line {frame.GetLineEntry().GetLine()}, not {line}")
            compare_frame(f"mark {mark} line {notes['marks'][mark]['line']} lane {lane} frame {number}", frame, leaves)


def main():
    DEBUGGER.SetAsync(False)
    target = DEBUGGER.CreateTarget(program)
    target.BreakpointCreateByName("kernel")
    launch = lldb.SBLaunchInfo([])
    launch.AddOpenFileAction(1, "/dev/null", False, True)
    target.Launch(launch, lldb.SBError())
    gpu = DEBUGGER.GetSelectedTarget()
    marks = find_marks(gpu)
    for breakpoint_ in target.breakpoints:
        breakpoint_.SetEnabled(False)
    for address in marks:
        gpu.BreakpointCreateByAddress(address)
    expected, visits, stops = read_host(), collections.Counter(), 0
    chooser = random.Random(1)
    process = gpu.GetProcess()
    while stops < STOPS:
        process.Continue()
        if process.GetState() != lldb.eStateStopped:
            break
        for thread in process:
            mark = marks.get(thread.GetFrameAtIndex(0).GetPC())
            if thread.GetStopReason() == lldb.eStopReasonBreakpoint and mark:
                stops += 1
                compare_stop(thread, mark, expected, visits, chooser)
    target.GetProcess().Kill()
    for text in wrong[:20]:
        print(text)
    if not stops:
        wrong.append("no stop")
    counts["stops"], counts["wrong"] = stops, len(wrong)
    print(", ".join(f"{counts[kind]} {kind}" for kind in
                    ("stops", "right", "right but stale", "unavailable", "marked as stale", "as the debug information says", "wrong")))
    lldb.SBDebugger.Destroy(DEBUGGER)
    sys.exit(bool(wrong))


main()
