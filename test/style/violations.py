#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check-style accepts a well-formed file and names what is wrong in others. Usage: violations.py CHECK-STYLE"""
import pathlib
import subprocess
import sys
import tempfile

LICENCE = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
GOOD = f"// {LICENCE}\n\nint one() {{ return 1; }}\n"
CASES = {
    "good.cpp": (GOOD, None),
    "unlicensed.cpp": ("int one() { return 1; }\n", "no line 'SPDX"),
    "other-licence.py": ("# SPDX-License-Identifier: MIT\n", "no line 'SPDX"),
    "late.py": ("import os\nimport re\nimport sys\n# " + LICENCE + "\nprint(os, re, sys)\n", "no line 'SPDX"),
    "last.hip": ("int one();\n\n// " + LICENCE + "\n", None),
    "indented.cpp": (GOOD.replace("{ return", "{\n    return").replace("; }", ";\n}"), "should be clang-formatted"),
    "wide.h": (GOOD + "// " + "wide " * 20 + "\n", "should be clang-formatted"),
    "data.json": ("[]\n", None),
}

failed = False
with tempfile.TemporaryDirectory() as folder:
    for name, (text, wanted) in CASES.items():
        path = pathlib.Path(folder, name)
        path.write_text(text, encoding="utf-8")
        result = subprocess.run([sys.executable, sys.argv[1], str(path)], text=True, capture_output=True, check=False)
        shown = result.stdout + result.stderr
        if (result.returncode != 0) != (wanted is not None) or (wanted or "") not in shown or (wanted and name not in shown):
            failed = True
            print(f"{name}: exit status {result.returncode}, expected {wanted or 'nothing'}, but: {shown}")
sys.exit(failed)
