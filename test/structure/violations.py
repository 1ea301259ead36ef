# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Proves that utils/check-includes finds violations.

Usage: violations.py <check-includes>
"""

import sys

from proof import prove

TABLE = """# A comment.
source/Low:
Plugins/High: source/Low
"""

GOOD = {
    "include/wavelane/Low/Low.h": "",
    "source/Low/Low.cpp": '#include "wavelane/Low/Low.h"\n#include <vector>\n',
    "Plugins/High/High.h": '#include "wavelane/Low/Low.h"\n',
    "Plugins/High/High.cpp": '#include "High.h"\n#include "lldb/Target/Target.h"\n',
}

# What is added to the good files, the table, and the error that it must give.
VIOLATIONS = [
    ({"source/Low/Low.cpp": '#include "High/High.h"\n'}, TABLE,
     "source/Low/Low.cpp:1: source/Low may not include Plugins/High (Plugins/High/High.h)"),
    ({"Plugins/New/New.cpp": ""}, TABLE, "Plugins/New/New.cpp: its folder isn't in"),
    ({"source/Low/Deep/Deep.cpp": ""}, TABLE, "source/Low/Deep/Deep.cpp: its folder isn't in"),
    ({"Plugins/New/New.h": "", "Plugins/High/More.cpp": '#include "New/New.h"\n'}, TABLE,
     "Plugins/High/More.cpp:1: the folder of Plugins/New/New.h isn't in"),
    ({"source/Low/Low.cpp": '  #  include "High/High.h"\n'},
     TABLE.replace("Low:", "Low: Plugins/High"),
     "a cycle of folders: Plugins/High -> source/Low -> Plugins/High"),
    ({"Plugins/High/A.h": '#include "High/B.h"\n', "Plugins/High/B.h": '#include "C.h"\n',
      "Plugins/High/C.h": '#include "A.h"\n'}, TABLE,
     "a cycle of files: Plugins/High/A -> Plugins/High/B -> Plugins/High/C -> Plugins/High/A"),
    # A header and its source are one, also in different folders.
    ({"Plugins/High/A.h": "", "Plugins/High/A.cpp": '#include "B.h"\n', "Plugins/High/B.h": '#include "A.h"\n'}, TABLE,
     "a cycle of files: Plugins/High/A -> Plugins/High/B -> Plugins/High/A"),
    ({"source/Low/Low.cpp": '#include "More.h"\n', "source/Low/More.h": '#include "wavelane/Low/Low.h"\n'}, TABLE,
     "a cycle of files: source/Low/Low -> source/Low/More -> source/Low/Low"),
    ({"Plugins/High/Low.cpp": ""}, TABLE, "sources with the same name: Plugins/High/Low.cpp, source/Low/Low.cpp"),
    ({"source/Low/Low.cpp": "  return 1; // as Gone.h says\n"}, TABLE, "source/Low/Low.cpp:1: there is no Gone.h"),
    ({"test/Unit/Low/low.cpp": ""}, TABLE, "sources with the same name: source/Low/Low.cpp, test/Unit/Low/low.cpp"),
    ({}, "Plugins/High: source/Low\nsource/Low:\n", "Plugins/High includes source/Low, which is above it"),
    ({"python/wavelane/a.py": "from .b import B\n",
      "python/wavelane/b.py": "if TYPE_CHECKING:\n    from .a import A\n"}, TABLE, "a cycle of modules: a -> b -> a"),
    ({"python/wavelane/a.py": "from . import b, c\n", "python/wavelane/c.py": "from . import a\n"}, TABLE,
     "a cycle of modules: a -> c -> a"),
    ({}, TABLE + "source/More:\nPlugins/Other: source/Low\n",
     "nothing in Plugins/Other includes source/Low"),
]


if __name__ == "__main__":
    sys.exit(prove(sys.argv[1], GOOD, VIOLATIONS, TABLE))
