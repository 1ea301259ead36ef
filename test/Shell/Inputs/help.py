# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Help, apropos, completion and errors of Wavelane's commands."""
import re
import sys

import lldb
from known_commands import Commands

programs = sys.argv[1]
debugger = lldb.SBDebugger.Create()
debugger.SetAsync(False)
debugger.SetUseColor(False)
commands = Commands(debugger)
wrong = []


def check(good, what):
    if not good:
        wrong.append(what)


# Each command has help, with examples of existing commands.
seen = set()
for group in Commands.GROUPS:
    for words, text in commands.leaves(*group):
        name = " ".join(words)
        if text is None:
            wrong.append(f"no help on {name}")
            continue
        seen.add(name)
        check(f"Syntax: {name}" in text, f"help {name} doesn't begin with what can be written")
        examples = re.findall(r"^\(lldb\) (.*)$", text, re.M)
        check(examples, f"help {name} has no example")
        for example in examples:
            fault = commands.fault(re.split(r" {2,}", example)[0])
            check(not fault, f"help {name}: {fault}")
        long = [line for line in text.splitlines() if len(line) > 80 and not line.startswith(("Syntax:", "  " + words[0]))]
        check(not long, f"help {name} has lines that are too long: {long}")
        # LLDB wraps what is wider than a terminal, and leaves a word or two on a line.
        lines = text.splitlines()
        torn = [line for line, after in zip(lines, lines[1:]) if re.match(r"[A-Za-z`].{0,15}$", line) and not line.endswith((":", "."))
                and re.match(r"[A-Za-z`]", after)]
        check(not torn, f"help {name} has torn lines: {torn}")
        check("dispatchs" not in text, f"help {name} has bad English")
for name in ("gpu memory read", "gpu dispatch list", "gpu matrix", "thread lane print", "dwarf expression explain", "job launch", "rank print"):
    check(name in seen, f"{name} isn't listed by the help of its group")


def apropos(word, *names):
    text = commands.run("apropos " + word)[1]
    for name in names:
        check(re.search(rf"^ +{re.escape(name)} +--", text, re.M), f"apropos {word} doesn't find {name}")


apropos("lane", "thread lane", "thread lane select", "gpu memory read", "dwarf variable")
apropos("wave", "gpu wave list", "thread lane", "gpu workgroup list")
apropos("kernel", "gpu dispatch list")
apropos("html", "wavelane report")
apropos("dwarf", "dwarf expression explain", "dwarf variable")


def error(command, *parts):
    good, text = commands.run(command)
    check(not good, f"{command} succeeds")
    for part in parts:
        check(part in text, f"{command}: no {part!r} in {text!r}")


error("thread lane list", "there is no program", "`file PROGRAM`")
error("gpu wave list", "breakpoint set -n KERNEL")
error("gpu nothing", "no subcommand 'nothing'", "`help gpu`")
error("thread lane nothing", "`help thread lane`")
error("dwarf expression nothing", "`help dwarf expression`")

target = debugger.CreateTarget(programs + "/saxpy-O0")
error("thread lane print i", "breakpoint set -n", "`run`")
error("dwarf variable i", "`run`")
commands.run("breakpoint set -f saxpy.hip -l 13")
check(commands.run("run")[0], "the program isn't running")
error("thread lane select", "`thread lane list`")
error("thread lane select x", "invalid lane number 'x'", "--where x")
error("thread lane select 64", "lanes 0-63")
error("thread lane select --where 'i == -1'", "--all-waves")
error("thread lane select --where --all-waves 'i == -1'", "of any wave")
error("thread lane apply inactive frame variable", "`thread lane list`")
error("thread lane apply 0-77 frame variable", "lanes 0-63")
error("dwarf variable nothing", "`frame variable`", "`up`")
error("dwarf variable", "`frame variable`")
error("gpu memory read local#nothing", "space#address")
error("gpu memory read --lane 64 0", "lanes 0-63")


def complete(line, *expected, exactly=False):
    matches = lldb.SBStringList()
    commands.interpreter.HandleCompletion(line, len(line), 0, -1, matches)
    found = [matches.GetStringAtIndex(i) for i in range(1, matches.GetSize())]
    for word in expected:
        check(word in found, f"'{line}' isn't completed with '{word}': {found}")
    if exactly:
        check(len(found) == len(expected), f"'{line}' is completed with {found}")


complete("gpu wo", "workgroup", exactly=True)
complete("thread lane ", "select", "print", "find", "apply")
complete("thread lane select ", "0", "63")
complete("thread lane select 6", "6", "60", "61", "62", "63", exactly=True)
complete("thread lane select --where ", "i", "t", "x", "y", "a", "n")
complete("thread lane select --wh", "--where", exactly=True)
complete("thread lane apply ", "all", "active", "inactive", "0")
complete("thread lane apply 3 frame va", "variable", exactly=True)
complete("thread lane apply 3 frame variable ", "i", "t")
complete("thread lane print ", "i", "t", "x")
complete("thread lane print --al", "--all", "--all-waves", exactly=True)
complete("thread lane find --json ", "i", "t")
complete("dwarf variable ", "i", "t", "x")
complete("dwarf expression evaluate DW_OP_push_l", "DW_OP_push_lane", exactly=True)
complete("gpu memory read ", "local#", "private_lane#")
complete("gpu memory read --lane 6", "60", "63")
complete("gpu memory read --space priv", "private_lane", "private_wave", exactly=True)
complete("thread lane print --lanes 6", "60", "63")
complete("thread lane print --gr", "--grid", exactly=True)
complete("gpu matrix ", "a", "b", "c", "d", exactly=True)
complete("wavelane report out.html --variable ", "i", "t")
complete("thread select ", "1", "16")
complete("gpu wave list 1", "1", "10", "16")
complete("gpu wave list wo", "workgroup=", "workgroup_id=", exactly=True)
complete("gpu wave list state=", "state=stopped", exactly=True)
check("<none>" not in commands.help(("gpu", "wave", "list")), "the arguments of gpu wave list have no name")
complete("frame variable ", "i", "t")
commands.run("thread lane select 7")
complete("settings set plugin.process.amdgpu.step-unit ", "lane", "wave", exactly=True)

for text in wrong:
    print(text)
print(f"{len(seen)} commands, {len(wrong)} wrong")
target.GetProcess().Kill()
lldb.SBDebugger.Destroy(debugger)
