# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Proves that one of the checks of the structure passes good files, and fails on each violation."""

import pathlib
import subprocess
import sys
import tempfile


def check(tool, files, listed):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        command = [sys.executable, tool, root]
        if listed is not None:
            (root / "list.txt").write_text(listed)
            command.append(root / "list.txt")
        return subprocess.run(command, capture_output=True, text=True)


def prove(tool, good, violations, listed=None):
    """Runs the check with the good files, then with each violation added.

    A violation is files, the check's list unless it has none, and the error that it must give.
    """
    wrong = []
    result = check(tool, good, listed)
    if result.returncode or result.stderr:
        wrong.append(f"the good files fail:\n{result.stderr}")
    for files, *other, error in violations:
        result = check(tool, {**good, **files}, other[0] if other else None)
        if result.returncode != 1 or error not in result.stderr:
            wrong.append(f"no '{error}' but {result.returncode}:\n{result.stderr}")
    print("\n".join(wrong))
    return bool(wrong)
