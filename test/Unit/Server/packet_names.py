#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails when code names one of our packets, a feature or a suffix by itself.

Packets.h is the one list of them, read by the server and by the plugin. Usage: packet_names.py SOURCE_FOLDER"""

import re
import sys
from pathlib import Path

LIST = "include/wavelane/Protocol/Server/Packets.h"
FOLDERS = ("include", "source", "Plugins", "tools")
# After the server's features, names and suffixes come JSON keys and words, which may be used elsewhere.
NAME = re.compile(r'constexpr char (\w+)\[\] =\s*"([^"]*)";')
IS_NAME = re.compile(r"[jqQ][A-Z]\w*$|[\w-]+\+$|\w+:$|--[\w-]+=$|WAVELANE_\w+$|qXfer:")
LITERAL = re.compile(r'//[^\n]*|/\*.*?\*/|"((?:\\.|[^"\\\n])*)"', re.S)


def main():
    root = Path(sys.argv[1])
    names = [value for _, value in NAME.findall((root / LIST).read_text(encoding="utf-8")) if IS_NAME.match(value)]
    if len(names) < 20:
        sys.exit(f"{LIST} lists {len(names)} names only: has its form changed?")
    found = False
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            name = path.relative_to(root).as_posix()
            if path.suffix not in (".cpp", ".h", ".inc", ".def") or name == LIST:
                continue
            text = path.read_text(encoding="utf-8")
            for match in LITERAL.finditer(text):
                literal = match.group(1) or ""
                for packet in names:
                    if literal.startswith(packet) or (packet[0] in ";jQ" and packet in literal) \
                            or (packet.endswith(":") and ";" + packet in literal):
                        found = True
                        print(f"{name}:{text.count(chr(10), 0, match.start()) + 1}: {match.group()}")
    if found:
        sys.exit(f"Packets are named in {LIST} alone.")


if __name__ == "__main__":
    main()
