# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A run in a file: it opens without its program, forward and backward; files that were cut, damaged or never finished say so."""
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import lldb
from stops import Session
from why import whether

RUN, PROGRAMS = map(os.path.abspath, sys.argv[1:])
folder = tempfile.mkdtemp()
name = os.path.join(folder, "run")
sys.stdout.reconfigure(line_buffering=True)


def shown(text):
    return re.sub(r"0x[0-9a-f]{5,}", "0x..", text.replace(folder, "F"))


def record(program, *options):
    done = subprocess.run([RUN, "--runtime", "wavelane", *options, program], capture_output=True, text=True, cwd=folder, check=False)
    return done.returncode, done.stdout.strip(), shown(done.stderr.strip())


class Opened(Session):
    """A recording, without its program."""

    def __init__(self, path):
        super().__init__("")
        self.said = self.command(f"target create --core {path}")
        self.command(f"target select {self.debugger.GetNumTargets() - 1}")


# The program isn't there any more when the file is opened.
program = os.path.join(folder, "origins")
shutil.copy(f"{PROGRAMS}/origins-O0", program)
print("record:", *record(program, "--record", name, "--device", "gfx1100"))
os.remove(program)
with Opened(name) as s:
    print("open:", s.where())
    print("not yet:", s.command("gpu time").split("\n")[0])
    s.command("breakpoint set -f origins.hip -l 17")
    print("back:", s.step("reverse-continue"))
    s.command("thread lane select 3")
    print("t:", s.value("t"))
    print("next:", s.step("next"), s.value("t"))
    for line in shown(s.command("thread lane origin t")).split("\n"):
        if "copy" in line or "argument" in line or "another wave" in line:
            print("  origin:", " ".join(line.split()))
    s.command("breakpoint delete -f")
    print("begin:", s.step("reverse-continue"))
    print("end:", s.step("gpu time now"))
    s.command("continue")
    print("forward:", lldb.SBDebugger.StateAsCString(s.waves.GetState()), s.waves.GetNumThreads(), "waves")

with open(name, "rb") as file:
    whole = file.read()
offset, size, count = struct.unpack_from("<Q", whole, 32)[0], *struct.unpack_from("<HH", whole, 54)
segments = [(offset + i * size, *struct.unpack_from("<IIQQQQQQ", whole, offset + i * size)) for i in range(count)]
header, place, length = next((s[0], s[3], s[6]) for s in segments if s[1] == 0x60574c52)


def spoiled(what, content):
    path = os.path.join(folder, "spoiled")
    with open(path, "wb") as file:
        file.write(content)
    with Opened(path) as s:
        print(f"{what}:", s.step("reverse-stepi").rpartition(": ")[2])


spoiled("cut", whole[:place + length * 2 // 3])
spoiled("cut at its beginning", whole[:place + 10])
spoiled("damaged", whole[:place + length // 2] + bytes([whole[place + length // 2] ^ 255]) + whole[place + length // 2 + 1:])
spoiled("damaged at its beginning", whole[:place] + b"X" + whole[place + 1:])
spoiled("another version", whole[:place + 8] + struct.pack("<I", 99) + whole[place + 12:])

saxpy = PROGRAMS + "/saxpy-O0"
small = os.path.join(folder, "small")
print("nowhere:", *record(saxpy, "--record", folder + "/none/run"))
print("a device:", *record(saxpy, "--record", "/dev/null"), os.path.exists("/dev/null"))
print("no limit:", *record(saxpy, "--record-limit", "10"))
print("two:", *record(saxpy, "--record", small, "--schedule", "random"))
print("no kernel:", *record("/bin/true", "--record", small), os.path.exists(small))
shutil.rmtree(folder)
