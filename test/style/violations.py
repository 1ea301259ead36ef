#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check-style accepts a well-formed file and names what is wrong in others. Usage: violations.py CHECK-STYLE"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

LICENSE = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
GOOD = f"// {LICENSE}\n\nint one() {{ return 1; }}\n"
CASES = {
    "good.cpp": (GOOD, None),
    "unlicensed.cpp": ("int one() { return 1; }\n", "no line 'SPDX"),
    "other-license.py": ("# SPDX-License-Identifier: MIT\n", "no line 'SPDX"),
    "late.py": ("import os\nimport re\nimport sys\n# " + LICENSE + "\nprint(os, re, sys)\n", "no line 'SPDX"),
    "last.hip": ("int one();\n\n// " + LICENSE + "\n", None),
    "indented.cpp": (GOOD.replace("{ return", "{\n    return").replace("; }", ";\n}"), "should be clang-formatted"),
    "wide.h": (GOOD + "// " + "wide " * 20 + "\n", "should be clang-formatted"),
    "data.json": ("[]\n", None),
}
# What clang-tidy finds.
TIDY_CASES = {
    "tidy.cpp": (GOOD, None),
    "misnamed.cpp": (GOOD.replace("one", "get_one"), "invalid case style for function 'get_one'"),
    "long.cpp": (f"// {LICENSE}\n\nint sum(int A) {{\n" + "  A += A;\n" * 120 + "  return A;\n}\n", "function 'sum' exceeds"),
}


def check(name, text, wanted, *options):
    """Whether check-style finds in a file what is wanted; prints what it finds otherwise."""
    path = pathlib.Path(folder, name)
    path.write_text(text, encoding="utf-8")
    result = subprocess.run([sys.executable, sys.argv[1], *options, str(path)], text=True, capture_output=True, check=False)
    shown = result.stdout + result.stderr
    if (result.returncode != 0) == (wanted is not None) and (wanted or "") in shown and (not wanted or name in shown):
        return True
    print(f"{name}: exit status {result.returncode}, expected {wanted or 'nothing'}, but: {shown}")
    return False


with tempfile.TemporaryDirectory() as folder:
    good = [check(name, text, wanted) for name, (text, wanted) in CASES.items()]
    shutil.copy(pathlib.Path(sys.argv[1]).parents[1] / ".clang-tidy", folder)
    commands = [{"directory": folder, "file": name, "command": f"clang++ -c {name}"} for name in TIDY_CASES]
    pathlib.Path(folder, "compile_commands.json").write_text(json.dumps(commands), encoding="utf-8")
    good += [check(name, text, wanted, "--tidy", folder) for name, (text, wanted) in TIDY_CASES.items()]
sys.exit(not all(good))
