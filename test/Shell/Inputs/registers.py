# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every register of a GPU in its set, with its size and DWARF number; the wave's own registers.

usage: registers.py PROGRAM GPU LANES
"""
import re
import sys
import lldb
from stops import Session
from why import whether


def described(session):
    """The server's description of each register, in order."""
    registers = []
    for number in range(2000):
        answer = session.command(f"process plugin packet send qRegisterInfo{number:x}")
        found = re.search(r"response: (.*)", answer)
        if not found or "name:" not in found[1]:
            return registers
        registers.append(dict(item.split(":", 1) for item in found[1].strip().rstrip(";").split(";")))
    return registers


def ranges(items):
    """'s0-s63 4 32-95': names that count up, with their sizes and numbers, in one."""
    runs = []
    for name, size, dwarf in items:
        stem, digits = re.fullmatch(r"([a-z_]+?)(\d*)(?:_w64)?", name).groups() if re.search(r"\d(_w64)?$", name) else (name, "")
        if runs and digits and runs[-1]["stem"] == stem and runs[-1]["size"] == size and int(digits) == runs[-1]["last"] + 1 \
                and (dwarf == runs[-1]["dwarf"] + 1 if dwarf is not None and runs[-1]["dwarf"] is not None
                     else dwarf is runs[-1]["dwarf"]):
            runs[-1].update(last=int(digits), end=name, dwarf=dwarf)
        else:
            runs.append(dict(stem=stem, last=int(digits or 0), start=name, end=name, size=size, dwarf=dwarf, first=dwarf))
    return ", ".join((run["start"] if run["start"] == run["end"] else f"{run['start']}-{run['end']}") + f" {run['size']}" +
                     ("" if run["first"] is None else f" #{run['first']}" if run["first"] == run["dwarf"]
                      else f" #{run['first']}-{run['dwarf']}") for run in runs)


program, gpu, lanes = sys.argv[1], sys.argv[2], int(sys.argv[3])
with Session(program, settings=(f"target.env-vars WAVELANE_PROCESSOR={gpu}",)) as s:
    s.host.BreakpointCreateByName("saxpy")
    s.run()
    wave = s.waves.GetThreadAtIndex(2)
    s.waves.SetSelectedThread(wave)
    print(f"== {gpu}, {lanes} lanes")
    registers = described(s)
    sets = {}
    for item in registers:
        sets.setdefault(item["set"], []).append((item["name"], int(item["bitsize"]) // 8,
                                                 int(item["dwarf"]) if "dwarf" in item else None))
    for name, items in sets.items():
        print(f"{name}: {ranges(items)}")
    # The registers shown by LLDB, in the same sets; the wave's own come first.
    groups = wave.GetFrameAtIndex(0).GetRegisters()
    # For registers with two forms, it shows the wave's, under its plain name.
    wide = lanes == 64 and gpu[:4] != "gfx9"
    names = {item["name"] for item in registers}

    def shown(name):
        plain = name.removesuffix("_w64")
        return plain if (plain + "_w64" not in names) or (name != plain) == wide else None

    print("sets:", [group.GetName() for group in groups])
    for group in groups:
        listed = [child.GetName() for child in group]
        reported = [shown(item[0]) for item in sets.get(group.GetName(), []) if shown(item[0])]
        if group.GetName() != "Wave" and listed != reported:
            print(f"  {group.GetName()}: LLDB shows {listed}, the server has {reported}")
    # The registers that this wave has can be read, and shown by DWARF number.
    have = {child.GetName(): child for group in groups for child in group if child.GetError().Success() and child.GetData().GetByteSize()}
    own = have
    vector = "v0"
    s.command(f"expression ${vector}[7] = 107")
    error = lldb.SBError()
    have[vector].GetChildAtIndex(9).SetValueFromCString("109", error)
    written = wave.GetFrameAtIndex(0).FindRegister(vector)
    print("written:", error, written.GetChildAtIndex(9).GetValue(), written.GetChildAtIndex(7).GetValue(),
          s.command(f"register write {vector} '{{{' '.join(str(100 + lane) for lane in range(lanes))}}}'"),
          wave.GetFrameAtIndex(0).FindRegister(vector).GetChildAtIndex(lanes - 1).GetValue(),
          s.command(f"register write {vector} '{{1 2}}'").split(":")[0])
    print("lanes of a vector register:", have[vector].GetNumChildren(),
          wave.GetFrameAtIndex(0).FindRegister(vector).GetChildAtIndex(7).GetValue(), s.command(f"p ${vector}[$lane + 7]"),
          s.command(f"register read {vector}").split()[2 + 7], "own registers", whether(len(own) > 8, own))
    for name in ("exec", "v0", "vcc"):
        item = next(item for item in registers if item["name"] == name + "_w64" * wide)
        place = s.command(f"dwarf expression evaluate regx {item['dwarf']}").splitlines()[-1].strip()
        # For a vector register, the focus lane's element.
        data = wave.GetFrameAtIndex(0).FindRegister(name).GetData().uint8s[:4 if name == "v0" else 8]
        print(f"DWARF {item['dwarf']} is {name}:", whether(place == "bytes: " + bytes(data).hex(" "), place, bytes(data).hex(" ")))
    # There are more than LLDB shows by default.
    s.command("settings set target.max-children-count 256")
    fields = re.findall(r"(\S+ = \S+)", s.command("register read mode status"))
    print("fields:", *(field for field in fields if field.split()[0] in ("FP_ROUND.32", "FP_DENORM.64_16", "PRIV")))
    print("missing:", s.command("register read s200").splitlines()[0])
    # The wave's properties.
    for lane in (3, lanes - 1):
        s.command(f"register write lane {lane}")
        print(*s.command("register read lane active workitem workgroup wave_in_group dispatch").split())
    print("beyond:", s.command(f"register write lane {lanes}").splitlines()[0])
    print("focus:", s.command("thread lane info").split(",")[3:5])
