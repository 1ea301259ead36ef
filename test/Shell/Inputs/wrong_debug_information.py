# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Wrong or missing debug information: an error for that item, and everything else unchanged.

usage: wrong_debug_information.py PROGRAM SOURCE OUT-FOLDER
"""
import os
import random
import re
import struct
import subprocess
import sys
import lldb
import edited
from stops import Session
from why import whether

program, source, out = sys.argv[1:]
os.makedirs(out, exist_ok=True)
assembly = edited.compile_gpu(source, "gfx90a", "-g", "-O0")
HONEST = ("honest", "also", "n", "sum")


def code(name, text=assembly, *after_link):
    return edited.make_code("gfx90a", text, os.path.join(out, name + ".co"), *after_link)


def start(file, mark="look"):
    session = Session(program, file)
    session.host.BreakpointCreateBySourceRegex("// " + mark, lldb.SBFileSpec("lies.hip"))
    session.run()
    session.command("thread lane select 5")
    return session


def values(session, names=HONEST):
    frame = session.waves.GetSelectedThread().GetSelectedFrame()
    found = []
    for name in names:
        value = frame.FindVariable(name)
        found.append(f"{name} {value.GetValue() or 'error: ' + str(value.GetError()).strip()}")
    return ", ".join(found)


def end(session):
    """The program isn't disturbed."""
    session.host.DeleteAllBreakpoints()
    state = session.resume()
    print("  and on:", session.host.GetProcess().GetSTDOUT(100).strip(), "|", state)


def short(text):
    return re.sub(r"\s+", " ", text.replace("error: ", "", 1)).strip()


def local(number):
    """The location of variable lie<number> in the assembly."""
    return "".join(f"\\.byte\t{byte}\n\t" for byte in (161, number, 50, 22, 24))


LIES = (("a register that no GPU has", (0x90, 0x8f, 0x4e)), ("an accumulation register that the wave has not", (0x90, 0xff, 0x19)),
        ("an address space that doesn't exist", (0xa1, 3, 0x39, 0x16, 0x18)), ("an empty stack", (0x22,)),
        ("an endless loop", (0x2f, 0xfd, 0xff)), ("no operation", (2,)), ("the end in an operand", (3, 0, 0, 0, 0)),
        ("memory that isn't there", (0x30, 0x06)), ("a piece of nothing", (0x93, 0xff, 0xff, 0xff, 0x7f)))

print("== locations")
text = assembly
for number, (_, expression) in enumerate(LIES, 1):
    expression = list(expression) + [0x96] * (5 - len(expression))
    text = edited.replace(text, local(number), "".join(f".byte\t{byte}\n\t" for byte in expression))
with start(code("locations", text)) as s:
    print(" ", values(s))
    for number, (what, _) in enumerate(LIES, 1):
        name = f"lie{number}"
        print(f"  {what}:", values(s, (name,)))
        for command in (f"p {name}", f"p {name} + honest", f"expression {name} = 1", f"thread lane print {name}"):
            if "error:" not in s.command(command):
                print(f"  no error from '{command}':", s.command(command))
    shown = s.command("frame variable")
    print("  together:", len([line for line in shown.splitlines() if "= <" in line]), "errors,",
          *re.findall(r"\(\w+\) ((?:honest|also|sum) = \S+)", shown))
    print("  lanes:", s.command("thread lane print honest").splitlines()[9].split(), s.command("p honest + n"))
    end(s)

print("== frame bases")
# A byte of each function's `regx s33`, except the kernel's, which is the last one before its variables.
BASE = re.compile(r"(; DW_AT_frame_base\n\t\.byte\t144\n\t\.byte\t)65$", re.MULTILINE)
kernel = [base.start() for base in BASE.finditer(assembly) if base.start() < re.search(local(0), assembly).start()][-1]
for what, register in (("a register never written", 92), ("a register that no GPU has", 2), ("the program counter", 16)):
    text = BASE.sub(lambda base: base[0] if base.start() == kernel else f"{base[1]}{register}", assembly)
    with start(code("base", text), "inner") as s:
        print(f"  {what}:", values(s, ("honest", "own")))
        wave = s.waves.GetSelectedThread()
        print("   frames:", [frame.GetFunctionName().split("(")[0] for frame in wave], short(s.command("p honest + 1")))
        s.command("up")
        print("   the caller's:", values(s, HONEST[:3]))
        end(s)

text = BASE.sub(lambda base: f"{base[1]}92" if base.start() == kernel else base[0], assembly)
with start(code("base", text)) as s:
    print("  a kernel's:", values(s, ("honest", "also")), "|", s.waves.GetSelectedThread().GetNumFrames())
    end(s)
with start(code("honest"), "inner") as s:
    base = s.waves.GetSelectedThread().GetFrameAtIndex(0).FindRegister("s33").GetValue()
    s.command("register write s33 0x7ffff000")
    print("  outside of the wave's memory:", values(s, ("honest", "own")))
    s.command(f"register write s33 {base}")
    print("  again:", values(s, ("honest", "own")))
    end(s)

print("== address spaces of pointers")
with start(code("pointer", edited.replace(assembly, r"(\.long\t)2(\s*; DW_AT_address_class)", r"\g<1>77\2"))) as s:
    print(" ", values(s, ("pointer", "honest")), short(s.command("frame variable pointer")))
    for text in ("*pointer", "pointer[1] + 1", "pointer == nullptr"):
        print(f"  p {text}:", short(s.command(f"p {text}")))
    end(s)


def change_lines(file, change):
    """Changes the bytes of the line table."""
    section = file + ".line"
    subprocess.run(("llvm-objcopy-19", f"--dump-section=.debug_line={section}", file), check=True)
    with open(section, "rb") as old:
        data = bytearray(old.read())
    change(data)
    with open(section, "wb") as new:
        new.write(data)
    subprocess.run(("llvm-objcopy-19", f"--update-section=.debug_line={section}", file), check=True)
    return file


def past_the_end(data):
    """Each sequence's end, its last advance, goes far past the code."""
    found = 0
    for at in range(len(data) - 5):
        if data[at] == 2 and data[at + 1] < 0x80 and data[at + 2:at + 5] == bytes((0, 1, 1)):
            data[at + 1] = 0x7f
            found += 1
        elif data[at] == 2 and data[at + 1] >= 0x80 and data[at + 2] < 0x80 and data[at + 3:at + 6] == bytes((0, 1, 1)):
            data[at + 1:at + 3] = bytes((0xff, 0x7f))
            found += 1
    assert found, "no sequence ends with an advance"


def elsewhere(data):
    """Sequences begin at addresses without code."""
    found = 0
    for at in range(len(data) - 11):
        if data[at:at + 3] == bytes((0, 9, 2)):
            data[at + 3:at + 11] = struct.pack("<Q", 0x7fff00000000)
            found += 1
    assert found, "no sequence sets an address"


def inside(data):
    """The first sequence, the kernel's, begins two bytes late."""
    at = data.index(bytes((0, 9, 2)))
    address = struct.unpack("<Q", data[at + 3:at + 11])[0]
    data[at + 3:at + 11] = struct.pack("<Q", address + 2)


def broken(data):
    """Its header gives a length that is too large."""
    data[0:4] = struct.pack("<I", 0x7ffffff0)


print("== line tables")
for what, change in (("past the code", past_the_end), ("where no code is", elsewhere), ("cut off", broken)):
    file = change_lines(code("lines"), change)
    with Session(program, file) as s:
        s.command("breakpoint set -n inner")
        s.run()
        wave = s.waves.GetSelectedThread()
        s.command("up")
        entries = [frame.GetLineEntry().GetLine() for frame in wave]
        print(f"  {what}: frames", [frame.GetFunctionName().split("(")[0] for frame in wave], "lines",
              ["none" if line in (0, 2**32 - 1) else "some" for line in entries], values(s, ("honest", "n")))
        s.host.BreakpointCreateBySourceRegex("// look", lldb.SBFileSpec("lies.hip"))
        end(s)
with Session(program, change_lines(code("lines"), inside)) as s:
    s.host.BreakpointCreateBySourceRegex("// look", lldb.SBFileSpec("lies.hip"))
    print("  inside instructions:", s.run(), s.host.GetProcess().GetSTDOUT(100).strip())

print("== little debug information")
plain = edited.compile_gpu(source, "gfx90a", "-O0")
for what, file in (("none", code("plain", plain)), ("stripped", code("stripped", assembly, ("llvm-strip-19", "--strip-all", "{}")))):
    with Session(program, file) as s:
        s.command("breakpoint set -n lies")
        s.host.BreakpointCreateBySourceRegex("// look", lldb.SBFileSpec("lies.hip"))
        print(f"  {what}:", s.run().split(" at ")[0])
        wave = s.waves.GetSelectedThread()
        frame = wave.GetFrameAtIndex(0)
        print("   frames", [frame.GetFunctionName() for frame in wave], "|", short(s.command("frame variable")), "|",
              short(s.command("frame variable honest")), "|", short(s.command("p honest")))
        print("   lanes", s.command("thread lane list").splitlines()[0].split(": ")[1], "|", short(s.command("p threadIdx.x")),
              "|", short(s.command("p $workitem[0] + $lane")), "|", short(s.command("p 2 + 3")))
        pc = frame.GetPC()
        s.command("thread step-inst")
        after = s.waves.GetSelectedThread().GetFrameAtIndex(0).GetPC()
        print("   stepped", whether(0 < after - pc < 16, f"{pc:#x} to {after:#x}"),
              s.command("disassemble --count 1 --pc").count("->"), s.command("register read exec").strip())
        end(s)

print("== memory that faults while it is read")
with start(code("honest"), "inner") as s:
    print(" ", values(s, ("honest", "wild")), short(s.command("frame variable *wild")))
    for text in ("wild->value", "*wild", "wild->next->value + 1", "node", "node.next->name", "*list", "own"):
        print(f"  p {text}:", short(s.command(f"p {text}")))
    print("  x:", short(s.command("gpu memory read 0x123456789000")), "|",
          short(s.command("gpu memory read --space local 0x7ffffff0")), "|",
          short(s.command("gpu memory read --space private_lane 0xfffffff0")))
    end(s)

print("== damaged sections")
whole = code("damaged")
for section in (".debug_info", ".debug_abbrev", ".debug_str_offsets", ".debug_addr", ".debug_rnglists", ".debug_str"):
    file = os.path.join(out, "damaged" + section + ".co")
    subprocess.run(("llvm-objcopy-19", f"--dump-section={section}={file}.section", whole), check=True)
    with open(file + ".section", "rb") as old:
        data = bytearray(old.read())
    chance = random.Random(1)
    for _ in range(len(data) // 10):
        data[chance.randrange(len(data))] = chance.randrange(256)
    with open(file + ".section", "wb") as new:
        new.write(data)
    subprocess.run(("llvm-objcopy-19", f"--update-section={section}={file}.section", whole, file), check=True)
    with Session(program, file) as s:
        s.command("breakpoint set -n inner")
        s.command("breakpoint set -n lies")
        where = s.run()
        for text in ("frame variable", "p honest + 1", "p *this", "up", "frame variable", "bt", "image lookup -t Node"):
            s.command(text)
        print(f"  {section}: stopped in", where.split(" (")[0])
        end(s)
