# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page of other debuggers' commands has what `wavelane aliases` lists, and all that is run for them are commands.

usage: word_table.py PAGE [--write]
"""
import re
import sys

import lldb

PAGE = sys.argv[1]
debugger = lldb.SBDebugger.Create()
interpreter = debugger.GetCommandInterpreter()


def run(line):
    result = lldb.SBCommandReturnObject()
    interpreter.HandleCommand(line, result)
    return result


def rows():
    listed = run("wavelane aliases").GetOutput()
    for line in listed.splitlines():
        typed, what = re.fullmatch(r"(.{44,}?)  (\S.*)", line).groups()
        typed = typed.strip().replace("|", "\\|")
        if what[:2] == "! ":
            yield f"| `{typed}` | {what[2:].replace('|', '&#124;')} |", []
        elif what[:2] == "= ":
            yield f"| `{typed}` | {what[2:]} |", []
        else:
            yield f"| `{typed}` | `{what.replace('|', chr(92) + '|')}` |", what.split(";")


wanted = list(rows())
with open(PAGE) as file:
    text = file.read()
shown = [line for line in text.splitlines() if line.startswith("| `")]
if "--write" in sys.argv:
    head = text[:text.index("| --- | --- |\n") + len("| --- | --- |\n")]
    with open(PAGE, "w") as file:
        file.write(head + "".join(row + "\n" for row, _ in wanted))
    sys.exit()
wrong = 0
for row in [row for row, _ in wanted if row not in shown]:
    print("missing in the page:", row)
    wrong += 1
for row in [row for row in shown if row not in [one for one, _ in wanted]]:
    print("not in Words.def:", row)
    wrong += 1
for row, commands in wanted:
    for command in commands:
        # Words up to the first option or argument.
        words = re.match(r"[a-z_-]+( [a-z-]+)*", command).group().split(" -")[0]
        known = next((n for n in range(len(words.split()), 0, -1) if run("help " + " ".join(words.split()[:n])).Succeeded()), 0)
        group = known and run("help " + " ".join(words.split()[:known])).GetOutput()
        # What is typed behind a group's name may be its subcommand.
        takes_rest = re.search(r"[a-z-]+( [a-z-]+)* (\.\.\.|\[\.\.\.\])|\|", command)
        if not known or (group and "The following subcommands are supported" in group and not takes_rest):
            print("not a command:", row)
            wrong += 1
print(f"{len(wanted)} words, {wrong} wrong")
lldb.SBDebugger.Destroy(debugger)
