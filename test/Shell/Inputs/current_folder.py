# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads each program in a folder whose files have the names of its libraries. Usage: current_folder.py BUILD FOLDER"""

import os
import pathlib
import re
import subprocess
import sys

build, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
programs = [path for path in sorted((build / "bin").iterdir()) if path.is_file() and path.read_bytes()[:4] == b"\x7fELF" and "bench" not in path.name]
libraries = [path for path in sorted((build / "lib").glob("*.so*")) if path.read_bytes()[:4] == b"\x7fELF"]
needed = set()
for file in programs + libraries:
    text = subprocess.run(["readelf", "-d", file], capture_output=True, text=True, check=True).stdout
    needed.update(re.findall(r"Shared library: \[(.*?)\]", text))
    for path in re.findall(r"(?:RUNPATH|RPATH).*\[(.*?)\]", text):
        if not all(part.startswith(("/", "$ORIGIN")) for part in path.split(":")):
            print(f"{file.name}: looks for libraries in '{path}'")
folder.mkdir(parents=True)
for name in needed:
    (folder / name).write_text("not a library")
for program in programs:
    # The dynamic linker lists what it takes.
    run = subprocess.run([program], cwd=folder, capture_output=True, text=True, timeout=60,
                         env={"PATH": os.environ["PATH"], "LD_TRACE_LOADED_OBJECTS": "1"})
    if run.returncode or str(folder) in run.stdout or " => ./" in run.stdout:
        print(program.name, run.stderr.strip() or run.stdout)
print(f"{len(programs) > 10 and len(needed) > 10}: programs and libraries were found")
