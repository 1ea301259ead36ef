# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Proves that utils/check-words finds violations.

Usage: word_violations.py <check-words>
"""

import sys

from proof import prove

GOOD = {
    "README.md": "The report lists each finding; who stands behind its color is analyzed.\n",
    "include/H.h": "/// There is no lane number. Analyses of LLVM's run.\nuint64_t at = cursor.tell();\nbool TellsStopInBackground();\n",
    "docs/glossary.md": "Write `ReportStop`, not `TellStop`.\n",
    "utils/lldb-patches/0001.patch": "+// as told\n",
    "test/a.py": "storytelling = outlook = retold = 1\n",
}
VIOLATIONS = [
    ({"docs/a.md": "One.\nWhat isn't checked is told.\n"}, 'docs/a.md:2: "told": write report'),
    ({"source/A.cpp": "bool Wave::isTold() {}\n"}, 'source/A.cpp:1: "Told": write report'),
    ({"Plugins/P.h": "struct Told {};\nvoid TellOther();\n"}, 'Plugins/P.h:2: "Tell": write report'),
    ({"test/b.py": "was_told = True\n"}, 'test/b.py:1: "told": write report'),
    ({"tools/T.cpp": "// optimised code\n"}, 'tools/T.cpp:1: "optimised": write the American spelling'),
    ({"test/c.hip": "int neighbourAt;\n"}, 'test/c.hip:1: "neighbour": write the American spelling'),
    ({"Plugins/C.cpp": 'fail("7 is no lane number");\n'}, "Plugins/C.cpp:1: \"is no lane number\": write 'invalid ... number'"),
    ({"include/O.h": "/// Who looks on.\n"}, 'include/O.h:1: "looks on": write watch or observe'),
]


if __name__ == "__main__":
    sys.exit(prove(sys.argv[1], GOOD, VIOLATIONS))
