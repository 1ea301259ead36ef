# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Copies a program, with bytes of its first offload bundle replaced: damage_bundle.py FROM TO OFFSET HEXADECIMAL"""
import os
import sys

source, copy, offset, replacement = sys.argv[1:]
with open(source, "rb") as file:
    data = bytearray(file.read())
starts = [at for at in (data.find(b"CCOB"), data.find(b"__CLANG_OFFLOAD_BUNDLE__")) if at >= 0]
at = min(starts) + int(offset)
replacement = bytes.fromhex(replacement)
assert data[at:at + len(replacement)] != replacement
data[at:at + len(replacement)] = replacement
with open(copy, "wb") as file:
    file.write(data)
os.chmod(copy, 0o755)
