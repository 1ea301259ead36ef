# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Proves that utils/check-sentences finds violations.

Usage: sentence_violations.py <check-sentences>
"""

import sys

from proof import prove

SAID = "the program is of another time than the one that was asked for"
GOOD = {
    "test/sentences.txt": "# Sentences.\nTWICE=it says the same thing twice, and again and again\n",
    "test/Shell/a.test": f"# RUN: true\n# CHECK: error: {SAID}\n# CHECK-NEXT: error: {SAID}\n# CHECK: [[SAYS_TWICE]]\n",
    "test/Shell/b.test": "# CHECK: error: the program is of another time\n# The program is of another time than the one that was asked for.\n",
}
VIOLATIONS = [
    ({"test/Shell/c.test": f"# RUN: true\n# NEXT-SAME: warning: {SAID}\n"}, "test/Shell/c.test:2:"),
    ({"test/Shell/c.test": "# CHECK: it says the same thing twice, and again and again\n"}, "is in test/sentences.txt"),
    ({"test/Shell/c.test": "# CHECK: [[SAYS_NOTHING]]\n"}, "there is no NOTHING"),
    ({"test/Shell/a.test": "# CHECK: nothing\n"}, "no test expects TWICE"),
]


if __name__ == "__main__":
    sys.exit(prove(sys.argv[1], GOOD, VIOLATIONS))
