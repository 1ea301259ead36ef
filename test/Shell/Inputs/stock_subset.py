# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What LLDB as Debian packages it has and ours lacks: plugins, settings, commands with their options, programs.

stock_subset.py STOCK OURS"""
import os
import re
import subprocess
import sys

STOCK, OURS = sys.argv[1:]


def output(lldb, *commands):
    words = [lldb, "--batch", "--no-lldbinit"]
    for command in commands:
        words += ["-o", command]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def plugins(lldb):
    """The names, each behind its kind: "process minidump"."""
    found, kind = set(), ""
    for line in output(lldb, "plugin list").splitlines()[1:]:
        name = re.match(r"  \[.\] (\S+)", line)
        if name:
            found.add(f"{kind} {name[1]}")
        else:
            kind = line
    return found


def settings(lldb):
    return set(re.findall(r"^settings set -f (\S+)", exported(lldb), re.M))


def exported(lldb):
    """All settings, as LLDB writes them to be read again."""
    return output(lldb, "settings write -f /dev/stdout")


def commands(lldb):
    """Commands and their subcommands, and their options: "process launch --stop-at-entry"."""
    found, pending = set(), [""]
    while pending:
        level = [name for name in pending if name not in found]
        found |= set(level)
        pending = []
        text = output(lldb, *(f"help {name}" for name in level))
        for name, section in zip(level, re.split(r"^\(lldb\) help.*$", text, flags=re.M)[1:]):
            found |= {f"{name} {option}" for option in re.findall(r"\( (--[\w-]+)", section)}
            heading = "Debugger commands:" if not name else "The following subcommands are supported:"
            if heading in section:
                rest = section.split(heading, 1)[1].split("\nCurrent command abbreviations")[0]
                pending += [f"{name} {word}".strip() for word in re.findall(r"^ {2,6}([a-z][\w-]*) +--", rest, re.M)]
    return found


def programs(lldb):
    folder = os.path.dirname(os.path.realpath(lldb))
    return {name for name in os.listdir(folder) if re.fullmatch(r"lldb(-dap|-server|-mcp|-argdumper)?", name)}


for kind in plugins, settings, commands, programs:
    stock, ours = kind(STOCK), kind(OURS)
    print(f"{kind.__name__}: {'enough' if len(stock) > 2 else f'only {len(stock)}'} in stock's, lacking: {sorted(stock - ours)}")
