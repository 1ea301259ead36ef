#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which functions of AMD's HIP runtime ours hasn't, or has with another version.

Usage: hip_names.py READELF OURS THEIRS...
"""
import collections
import subprocess
import sys


def exports(readelf, library):
    """The versions of each function."""
    text = subprocess.run((readelf, "-W", "--dyn-syms", library), check=True, stdout=subprocess.PIPE, text=True).stdout
    names = collections.defaultdict(set)
    for line in text.splitlines():
        fields = line.split()
        if len(fields) == 8 and fields[6] != "UND" and "@" in fields[7]:
            name, version = fields[7].replace("@@", "@").split("@")
            if version.startswith("hip_") and name != version:
                names[name].add(version)
    return names


readelf, ours, *theirs = sys.argv[1:]
own, count, wrong = exports(readelf, ours), 0, 0
for library in theirs:
    # The debugger library's own, which are in AMD's by an accident of its build.
    for name, versions in sorted(exports(readelf, library).items()):
        if name.startswith("amd_dbgapi"):
            continue
        count += 1
        if not versions <= own[name]:
            wrong += 1
            print(f"{library}: {name} of {', '.join(sorted(versions))}: {', '.join(sorted(own[name])) or 'missing'}")
print(f"{count} functions, {wrong} wrong")
sys.exit(wrong != 0)
