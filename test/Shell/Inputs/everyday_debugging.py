# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Situations of daily use: settings while a wave is selected, HIP's headers, lanes that have ended, watched elements, lines without code."""
import os
import re
import sys
import tempfile

import lldb
from stops import Session, line_of
from why import whether

folder = sys.argv[1]
LINE = {mark: line_of(mark, "daily.hip") for mark in (
    "in index", "after index", "in store", "in uneven", "odd ends", "even goes on", "even again", "asserts", "meets")}


def place(s):
    """What the user sees: the selected frame's line, and the reason."""
    thread = s.waves.GetSelectedThread()
    frame = thread.GetSelectedFrame()
    entry = frame.GetLineEntry()
    mark = next((mark for mark, line in LINE.items() if line == entry.GetLine()), entry.GetLine())
    return f"{entry.GetFileSpec().GetFilename()} '{mark}' in {frame.GetDisplayFunctionName().split('(')[0]}"


def reason(s):
    return s.waves.GetSelectedThread().GetStopDescription(200)


quiet = open(os.devnull, "w")


def start(program, *options, **others):
    session = Session(program, *options, **others)
    session.debugger.SetOutputFileHandle(quiet, False)
    return session


print("== settings")
with tempfile.TemporaryDirectory() as room, start(folder + "/daily-O0") as s:
    s.at("in index", source="daily.hip")
    s.run()
    print("selected:", s.debugger.GetSelectedTarget().GetTriple().split("-")[0])
    for text in ("set target.env-vars DAILY=yes", "append target.env-vars MORE=1", "set target.run-args some words", f"set target.output-path {room}/out",
                 "show target.run-args"):
        print(text.replace(room, "ROOM"), "->", s.command("settings " + text).replace("\n", " "))
    print("element:", s.command("settings show target.env-vars").count("=yes"))
    s.command("settings set target.max-children-count 7")
    print("another setting:", s.command("settings show target.max-children-count"), s.command("target select 0") and
          s.command("settings show target.max-children-count"))
    s.command("target select 1")
    s.command("breakpoint delete -f")
    s.command("process kill")
    s.command("run")
    with open(room + "/out") as out:
        print("the program:", out.readline().strip())

for level in (0, 2):
    print(f"== headers -O{level}")
    with start(f"{folder}/daily-O{level}") as s:
        s.command("breakpoint set -n spot")
        s.run()
        print("name:", place(s))
        for text in ("thread list", "thread lane list", "gpu wave list"):
            listed = s.command(text)
            print(f"{text} has the line:", whether("daily.hip:%d" % LINE["in index"] in listed, listed))
        if level == 0:
            s.command("breakpoint delete -f")
            s.at("in index", source="daily.hip")
            s.command("process kill")
            s.run()
        first, steps = place(s), 0
        while place(s) == first and steps < 20:
            s.command("step")
            steps += 1
        print("steps:", steps, "then", place(s))
        s.command("next")
        print("next:", place(s))
    with start(f"{folder}/daily-O{level}") as s:
        s.arguments = ["assert"]
        s.run()
        print("assertion:", place(s), "-", reason(s).split(":")[0])

print("== all frames")
with start(f"{folder}/daily-O2", settings=("plugin.process.amdgpu.library-files ''",)) as s:
    s.command("breakpoint set -n spot")
    s.run()
    print("name:", place(s).split(" '")[0])

print("== ended lanes")
for level in (0, 2):
    with start(f"{folder}/daily-O{level}") as s:
        s.at("even again", source="daily.hip")
        s.run()
        print(place(s))
        print("select 1:", s.command("thread lane select 1").splitlines()[0].split(", ", 2)[1])
        before = s.waves.GetSelectedThread().GetFrameAtIndex(0).GetPC()
        s.command("next")
        print("next:", reason(s), "moved:", s.waves.GetSelectedThread().GetFrameAtIndex(0).GetPC() != before)
        print("select 45:", s.command("thread lane select 45"))

print("== the lane of a breakpoint")
with start(f"{folder}/daily-O0") as s:
    s.at("in uneven", source="daily.hip")
    s.run()
    s.command("thread lane select 1")
    s.at("even again", source="daily.hip")
    s.command("continue")
    print(place(s), s.command("p (int)$lane"))

print("== the end of a wave")
with start(folder + "/daily-O0") as s:
    s.at("in store", source="daily.hip")
    s.run()
    for _ in range(10):
        s.command("next")
        if "ended" in reason(s):
            break
    # An exception would end a script of commands.
    print(reason(s), s.waves.GetSelectedThread().GetStopReason() == lldb.eStopReasonThreadExiting)

print("== no wave is left")
with start(f"{folder}/daily-O0") as s:
    s.at("even again", source="daily.hip")
    s.run()
    for _ in range(10):
        s.command("next")
        if not s.waves.GetNumThreads():
            break
    print("|" + s.command("thread list").splitlines()[-1])

print("== watched elements")
with start(f"{folder}/daily-O0") as s:
    s.at("in store", source="daily.hip")
    s.run()
    s.command("breakpoint delete -f")
    print(s.command("watchpoint set expression -s 8 -- out + 5").splitlines()[0].split(":")[0])
    s.resume()
    print(reason(s), s.waves.GetSelectedThread().GetName().split(", ")[-1], place(s))

print("== lines without code")
with start(f"{folder}/daily-O2") as s:
    for mark, offset in (("in index", -2), ("in index", -1), ("in store", 1), ("meets", 0)):
        text = s.command(f"breakpoint set -f daily.hip -l {LINE[mark] + offset}")
        print(mark, offset, "->", re.sub(r"0x\w+", "0x", text))
    print("host:", s.command("breakpoint set -n main").split(", address")[0], s.command("breakpoint set -n main").endswith("(host code only)"))
    s.command("breakpoint delete -f")
    # The optimizer has dropped a line; the host's code is further down.
    s.at("even goes on", source="daily.hip")
    s.run()
    print("stops at:", place(s))
