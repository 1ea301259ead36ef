# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Proves that utils/check-version finds violations.

Usage: version_violations.py <check-version>
"""

import sys

from proof import prove

GOOD = {
    "utils/llvm-version": "77.1.3\n",
    "utils/packages": "clang-77\nlibclang-rt-77-dev\ncmake\n",
    "utils/packages-tests": "clang-format-77\nclang-16\n",
    "docs/a.md": "LLVM 77 crashes on it; so does clang-19, and the llvm-770 of a far future.\n",
    "test/package-lock.json": '"version": "77.1.3"\n',
    "utils/build": "llvm=/usr/lib/llvm-$major\n",
}
VIOLATIONS = [
    ({"README.md": "\ncompiles LLDB 77.1.3.\n"}, "README.md:2: 77.1.3"),
    ({"cmake/A.cmake": "find(HINTS /usr/lib/llvm-77/lib)\n"}, "cmake/A.cmake:1: llvm-77"),
    ({"test/T.test": "# RUN: clang++-77 a.cpp\n"}, "test/T.test:1: clang++-77"),
    ({"utils/x": "apt-get source llvm-toolchain-77\n"}, "utils/x:1: llvm-toolchain-77"),
    ({"docs/b.md": "It needs libclang-cpp77.\n"}, "docs/b.md:1: libclang-cpp77"),
    ({"utils/packages": "clang-76\n"}, "utils/packages:1: clang-76 is of another LLVM than 77.1.3"),
]


if __name__ == "__main__":
    sys.exit(prove(sys.argv[1], GOOD, VIOLATIONS))
