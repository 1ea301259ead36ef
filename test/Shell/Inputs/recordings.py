# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recordings in files: what is shown is what the program's own session shows, and damaged files are told."""
import hashlib
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import lldb
from stops import Session, line_of
from why import whether

RUN, PROGRAMS = sys.argv[1:]
PROGRAM = PROGRAMS + "/origins-O0"
# The debugger's own lines are in between.
sys.stdout.reconfigure(line_buffering=True)
folder = tempfile.mkdtemp()
recording = os.path.join(folder, "run.rec")


def record(path, *before):
    done = subprocess.run([*before, RUN, "--runtime", "wavelane", "--record", path, PROGRAM], capture_output=True, text=True)
    return done.returncode, done.stdout.strip(), done.stderr.strip().replace(folder, "FOLDER").split("\n")[-1]


def contents(path=recording):
    with open(path, "rb") as file:
        return file.read()


class Opened(Session):
    """A recording, without its program."""

    def __init__(self, path=recording):
        self.debugger = lldb.SBDebugger.Create()
        self.debugger.SetAsync(False)
        self.host = self.debugger.CreateTarget("")
        self.said = self.command(f"target create --core {path}")
        self.command(f"target select {self.debugger.GetNumTargets() - 1}")

    def time(self):
        return self.command("gpu time").split(";")[0]


def shown(text):
    return re.sub(r"0x[0-9a-f]{5,}", "0x..", text)


print("recorded:", *record(recording))
before = hashlib.sha256(contents()).hexdigest()
# The program's own session says what is right.
with Session(PROGRAM) as s:
    s.at("end", source="origins.hip")
    s.run()
    s.command("thread lane select 3")
    right = {name: s.value(name) for name in ("t", "neighbour", "i")}
    origin = shown(s.command("thread lane origin t"))

with Opened() as s:
    s.at("end", source="origins.hip")
    print("back:", s.step("reverse-continue"))
    s.command("thread lane select 3")
    print("values:", whether({name: s.value(name) for name in right} == right, f"not {right}"))
    # The program's own code says where a copy was asked for.
    found = shown(s.command("thread lane origin t"))
    print("origin:", whether(found == re.sub(r" \([\w.]+:\d+\)", "", origin), found))
    print("step back:", s.step("reverse-next"))
    s.command("breakpoint delete -f")
    s.at("stored", source="origins.hip")
    print("earlier kernel:", s.step("reverse-continue"), s.time())
    print("beginning:", s.step("reverse-continue"), s.time())
    s.at("added", "-c 'i == 5'", source="origins.hip")
    print("forward:", s.step("continue"))
    print("over the launch:", s.step("continue"), s.value("i"))
    s.command("thread lane select 5")
    print("next:", s.step("next"), s.value("t"))
    # Where nothing was changed, the way back and forth ends in the same places.
    place = s.time()
    s.command("reverse-stepi")
    s.command("stepi")
    print("back and forth:", whether(s.time() == place, s.time()))
    s.command("watchpoint set expression -s 4 -- &y[i]")
    print("a watchpoint:", s.step("continue"))
    print("in front of it:", s.step("reverse-stepi"))
    print("once more:", s.step("continue"))
    s.command("watchpoint delete -f")
    print("present:", s.step("continue"))
    print("the end:", s.command("continue").split(": ")[-1], s.waves.GetNumThreads(), "waves")
    print("after it:", s.command("continue"), "|", s.command("next"))
    print("back from there:", s.step("reverse-continue"))
    print("and forward:", s.step("continue"))
print("the file is as it was:", whether(hashlib.sha256(contents()).hexdigest() == before, "it has changed"))

# Damaged files. The last program header is the recording's.
whole = contents()
headers, size, count = struct.unpack_from("<Q", whole, 32)[0], *struct.unpack_from("<HH", whole, 54)
place = struct.unpack_from("<Q", whole, headers + (count - 1) * size + 8)[0]
FIRST = 24  # bytes of the recording's own header


def damaged(name, data):
    path = os.path.join(folder, "damaged.rec")
    with open(path, "wb") as file:
        file.write(data)
    print(f"{name}:", end=" ", flush=True)
    with Opened(path) as s:
        told = s.said if "error" in s.said else s.step("reverse-continue").partition(": ")[2] + ", " + s.time()
        print(told.replace(folder, "FOLDER"), flush=True)


def changed(at, bytes):
    return whole[:at] + bytes + whole[at + len(bytes):]


damaged("cut in its oldest part", whole[:-64])
damaged("cut in its newest part", whole[:place + FIRST + 100])
damaged("cut in front of it", whole[:place])
damaged("a byte in the oldest part", changed(len(whole) - 64, bytes([whole[-64] ^ 1])))
damaged("a byte in the newest part", changed(place + FIRST + 100, bytes([whole[place + FIRST + 100] ^ 1])))
damaged("another version", changed(place + 8, struct.pack("<I", 99)))
damaged("not a recording", changed(place, b"NOTHING!"))
damaged("cut in its headers", whole[:100])
damaged("empty", b"")
with Opened(os.path.join(folder, "missing.rec")) as s:
    print("missing:", s.said.replace(folder, "FOLDER"))
print("no such folder:", *record(os.path.join(folder, "missing", "run.rec")))
print("not a file:", *record(folder))
disk = os.path.join(folder, "disk")
os.mkdir(disk)
full = record(disk + "/run.rec", "unshare", "-rm", "sh", "-c", f'mount -t tmpfs -o size=64k none {disk} && "$@"; code=$?; ls -A {disk}; exit $code', "sh")
print("full disk:", *(full if "unshare" not in full[2] and "mount" not in full[2] else ("can't be made here",)))
shutil.rmtree(folder)
