# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compresses an offload bundle, in version 2 of the format with zlib: compress_bundle.py FROM TO"""
import hashlib
import struct
import sys
import zlib

with open(sys.argv[1], "rb") as file:
    data = file.read()
packed = zlib.compress(data)
header = struct.pack("<4sHHII8s", b"CCOB", 2, 0, 24 + len(packed), len(data), hashlib.md5(data).digest()[:8])
with open(sys.argv[2], "wb") as file:
    file.write(header + packed)
