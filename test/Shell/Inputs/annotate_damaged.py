# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Damages an assembly file in many ways; annotate-lanes annotates each or reports why it doesn't.

usage: annotate_damaged.py FOLDER-OF-THE-PACKAGE COUNT FILE.s"""
import collections
import random
import sys

sys.path.insert(0, sys.argv[1])
from annotate_lanes import NotEditable, annotate  # pylint: disable=wrong-import-position


def damaged(lines, seed):
    """The lines truncated, with some missing, with other characters, or in another order."""
    chance, lines = random.Random(seed), list(lines)
    kind = seed % 4
    if kind == 0:
        return lines[:chance.randrange(len(lines))]
    for _ in range(3):
        n, m = chance.randrange(len(lines)), chance.randrange(len(lines))
        if kind == 1:
            del lines[n]
        elif kind == 2 and lines[n]:
            at = chance.randrange(len(lines[n]))
            lines[n] = lines[n][:at] + chr(chance.randrange(32, 127)) + lines[n][at + 1:]
        elif kind == 3:
            lines[n], lines[m] = lines[m], lines[n]
        lines = lines or [""]
    return lines


def main():
    with open(sys.argv[3], encoding="utf-8") as file:
        lines = file.read().split("\n")
    counts = collections.Counter()
    for seed in range(int(sys.argv[2])):
        try:
            annotate("\n".join(damaged(lines, seed)), ["-O3"])
            counts["annotated"] += 1
        except NotEditable:
            counts["refused"] += 1
    print(f"{counts['annotated']} read, {counts['refused']} refused")


if __name__ == "__main__":
    main()
