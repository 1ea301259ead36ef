# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recordings in files: what is shown is what the program's own session shows, and damaged files are reported."""
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


def record(path, *before, program=PROGRAM):
    done = subprocess.run([*before, RUN, "--runtime", "wavelane", "--record", path, program], capture_output=True, text=True)
    return done.returncode, done.stdout.strip().replace("\n", " "), done.stderr.strip().replace(folder, "FOLDER").split("\n")[-1]


def state():
    """Of the file, which is large and has holes."""
    known = os.stat(recording)
    return known.st_size, known.st_mtime_ns


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
before = state()
# The program's own session says what is right.
with Session(PROGRAM) as s:
    s.at("end", source="origins.hip")
    s.run()
    s.command("thread lane select 3")
    right = {name: s.value(name) for name in ("t", "neighbor", "i")}
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
print("the file is as it was:", whether(state() == before, "it has changed"))

# Damaged files. The last program header is the recording's.
with open(recording, "rb") as file:
    headers, size, count = struct.unpack("<Q", os.pread(file.fileno(), 8, 32))[0], *struct.unpack("<HH", os.pread(file.fileno(), 4, 54))
    place = struct.unpack("<Q", os.pread(file.fileno(), 8, headers + (count - 1) * size + 8))[0]
end = state()[0]
NEWEST = place + 24 + 100  # after the recording's own header


def damaged(name, edit):
    path = os.path.join(folder, "damaged.rec")
    subprocess.run(["cp", "--sparse=always", recording, path], check=True)
    with open(path, "r+b") as file:
        edit(file)
    print(f"{name}:", end=" ", flush=True)
    with Opened(path) as s:
        reported = s.said if "error" in s.said else s.step("reverse-continue").partition(": ")[2] + ", " + s.time()
        print(reported.replace(folder, "FOLDER"), flush=True)


def cut(at):
    return lambda file: file.truncate(at)


def flip(at):
    return lambda file: os.pwrite(file.fileno(), bytes([os.pread(file.fileno(), 1, at)[0] ^ 1]), at)


def put(at, data):
    return lambda file: os.pwrite(file.fileno(), data, at)


damaged("cut in its oldest part", cut(end - 64))
damaged("cut in its newest part", cut(NEWEST))
damaged("cut in front of it", cut(place))
damaged("a byte in the oldest part", flip(end - 64))
damaged("a byte in the newest part", flip(NEWEST))
damaged("another version", put(place + 8, struct.pack("<I", 99)))
damaged("not a recording", put(place, b"NOTHING!"))
damaged("cut in its headers", cut(100))
damaged("empty", cut(0))
with Opened(os.path.join(folder, "missing.rec")) as s:
    print("missing:", s.said.replace(folder, "FOLDER"))
print("no such folder:", *record(os.path.join(folder, "missing", "run.rec")))
print("not a file:", *record(folder))
# An older recording stays until there is a new one.
print("nothing to record:", *record(recording, program="/bin/true"), whether(state() == before, "the older one has changed"))
link = os.path.join(folder, "link.rec")
os.symlink("run.rec", link)
record(link)
print("over an older one:", whether(os.path.islink(link) and state() != before, "it wasn't replaced"), sorted(os.listdir(folder)))
disk = os.path.join(folder, "disk")
os.mkdir(disk)
for older in "", f"echo older > {disk}/run.rec && ":
    full = record(disk + "/run.rec", "unshare", "-rm", "sh", "-c", f'mount -t tmpfs -o size=64k none {disk} && {older}"$@"; code=$?; cat {disk}/* 2> /dev/null; exit $code', "sh")
    print("full disk:", *(full if "unshare" not in full[2] and "mount" not in full[2] else ("can't be made here",)))
shutil.rmtree(folder)
