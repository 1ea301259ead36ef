# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Proves that utils/check-messages finds code that reads messages, and nothing else.

Usage: message_violations.py <check-messages>
"""

import sys

from proof import prove

LIST = """# A comment.
source/Low/Known.cpp: "no such file": the system's
"""

GOOD = {
    "source/Low/Known.cpp": 'bool f(StringRef why) { return why.contains("no such file"); }\n',
    "source/Low/Words.cpp": '// if (why == "not a word")\n'
                            'bool g(StringRef key) { return key == "kind" || key.starts_with("gfx") || key.split(\',\').first == "a"; }\n'
                            'Error h() { return createStringError("there is no wave " + Twine(3)); }\n'
                            'auto i = result.GetErrorString().empty();\n',
    "python/wavelane/low.py": 'words = text.split(",")\nmessage = "no wave is selected"\n',
}

# What is added to the good files, the list, and the error that it must give.
VIOLATIONS = [
    ({"Plugins/New/A.cpp": 'if (why.contains("still running"))\n'}, LIST, 'Plugins/New/A.cpp:1: reads words, "still running"'),
    ({"Plugins/New/A.cpp": "x;\nif (text\n    .starts_with(\n        \"memory violation\"))\n"}, LIST, 'reads words, "memory violation"'),
    ({"tools/x/A.cpp": 'text.consume_front("error: ");\n'}, LIST, 'reads words, "error: "'),
    ({"tools/x/A.cpp": 'text.consume_front(\n    llvm::formatv("the server refused {0}: ", name).str());\n'}, LIST, 'reads words, "the server refused {0}: "'),
    ({"tools/x/A.cpp": 'text.split(" (lane");\n'}, LIST, 'reads words, " (lane"'),
    ({"source/Low/A.h": 'return kind == "too many";\n'}, LIST, 'source/Low/A.h:1: reads words, "too many"'),
    ({"tools/x/A.cpp": 'return llvm::StringRef(other) == llvm::Twine("gpu of ").concat(name).str();\n'}, LIST, 'reads words, "gpu of "'),
    ({"source/Low/A.cpp": 'strstr(text, "not modeled");\n'}, LIST, 'reads words, "not modeled"'),
    ({"source/Low/A.cpp": 'line.consume_front("=========");\n'}, LIST, 'reads words, "========="'),
    ({"source/Low/A.cpp": "if (StringRef(error.AsCString()).starts_with(prefix))\n"}, LIST, "reads the text of an error, a stop or a command"),
    ({"source/Low/A.cpp": "result.GetOutputString().split(lines, c);\n"}, LIST, "reads the text of an error, a stop or a command"),
    ({"python/wavelane/a.py": 'if "memory violation" in text:\n'}, LIST, 'python/wavelane/a.py:1: reads words, "memory violation"'),
    ({"editors/vscode/src/a.ts": "if (said.includes('Listening for'))\n"}, LIST, "editors/vscode/src/a.ts:1: reads words, 'Listening for'"),
    ({}, LIST + 'source/Low/Words.cpp: "gone away": nobody does\n', 'Words.cpp doesn\'t read "gone away"'),
    ({}, LIST + 'source/Low/Words.cpp: "no reason"\n', "malformed line"),
]


if __name__ == "__main__":
    sys.exit(prove(sys.argv[1], GOOD, VIOLATIONS, LIST))
