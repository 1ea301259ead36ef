# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Proves that utils/check-clocks finds durations and sleeps, and nothing else.

Usage: clock_violations.py <check-clocks>
"""

import sys

from proof import prove

LIST = """# A comment.
source/Low/Known.cpp: seconds(5): a peer may never answer
source/Low/Known.cpp: sleep_for: it sends no event
"""

GOOD = {
    "source/Low/Known.cpp": "wait(std::chrono::seconds(5));\nstd::this_thread::sleep_for(std::chrono::milliseconds(1));\n",
    "source/Low/Free.cpp": "// sleep_for(std::chrono::seconds(5))\nwait(std::chrono::seconds(0));\nconst std::chrono::seconds Time(Limit);\n"
                           'text = "usleep(5)";\n::poll(files, 2, -1);\npoll(&P, 1, 0);\nEvents::sleep(Seen);\nNames = {1, 2};\n',
    "python/wavelane/low.py": "# time.sleep(5)\nwait(timeout=None)\n",
}

# What is added to the good files, the list, and the error that it must give.
VIOLATIONS = [
    ({"Plugins/P.cpp": "\nwait_for(lock, std::chrono::milliseconds(50), done);\n"}, LIST, "Plugins/P.cpp:2: a clock decides, milliseconds(50)"),
    ({"source/S.h": "static constexpr std::chrono::seconds Patience(20);\n"}, LIST, "source/S.h:1: a clock decides, seconds(20)"),
    ({"source/S.h": "static constexpr milliseconds First(10), Second(20);\n"}, LIST, "source/S.h:1: a clock decides, milliseconds(20)"),
    ({"source/S.cpp": "usleep(100);\n"}, LIST, "source/S.cpp:1: a clock decides, usleep"),
    ({"source/S.cpp": "constexpr int kInterval = 100;\n"}, LIST, "a clock decides, kInterval = 100"),
    ({"source/S.cpp": "if (::poll(Fds.data(), 2, 500) > 0)\n"}, LIST, "a clock decides, poll 500"),
    ({"tools/T.cpp": "const timespec Patience = {5, 0};\n"}, LIST, "tools/T.cpp:1: a clock decides, timespec"),
    ({"python/wavelane/new.py": "time.sleep(0.1)\n"}, LIST, "python/wavelane/new.py:1: a clock decides, sleep"),
    ({"python/wavelane/new.py": "run(timeout=5)\n"}, LIST, "a clock decides, timeout 5"),
    ({"editors/vscode/src/a.ts": "setTimeout(f, 20);\n"}, LIST, "editors/vscode/src/a.ts:1: a clock decides, setTimeout"),
    # A second one of the same length needs a reason of its own.
    ({"source/Low/Known.cpp": GOOD["source/Low/Known.cpp"] * 2}, LIST, "source/Low/Known.cpp:3: a clock decides, seconds(5)"),
    ({}, LIST + "source/Low/Free.cpp: seconds(1): nobody has it\n", "source/Low/Free.cpp has no seconds(1)"),
    ({}, LIST + "source/Low/Free.cpp: seconds(1)\n", "malformed line"),
]


if __name__ == "__main__":
    sys.exit(prove(sys.argv[1], GOOD, VIOLATIONS, LIST))
