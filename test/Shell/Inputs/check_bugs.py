# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs each planted bug of a program, and its twin without it, and compares the findings with the source's comments.

"// BUG: NAME KIND [VARIABLE]" names a bug; "LINE: NAME" marks its line, and "OTHER: NAME" that of the second side, if that is another one. VARIABLE is compared at -O0, without its index.
What follows from a bug may be of other kinds; the first is of its own.
Usage: check_bugs.py RUNNER PROGRAMS SOURCE CHECK BUILD:GPU,GPU...
"""
import json
import os
import re
import subprocess
import sys
import tempfile

runner, programs, source, check = sys.argv[1:5]
builds = [(spec.split(":")[0], gpu) for spec in sys.argv[5:] for gpu in spec.split(":")[1].split(",")]
bugs, places = {}, {"LINE": {}, "OTHER": {}}
with open(source) as text:
    for number, line in enumerate(text, 1):
        if "// BUG: " in line:
            name, *rest = line.split("// BUG: ")[1].split()
            bugs[name] = rest
        for what, name in re.findall(r"(LINE|OTHER): (\w+)", line):
            places[what].setdefault(name, []).append(number)


def findings(program, device, *arguments):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "findings.json")
        done = subprocess.run([runner, "--device", device, "--check", check, "--json", path,
                               os.path.join(programs, program), *arguments],
                              capture_output=True, timeout=120, text=True)
        if done.returncode:
            return [{"kind": f"exit code {done.returncode}"}], done.stderr
        with open(path) as text:
            return [f for device in json.load(text)["devices"] for f in device["findings"]], done.stderr


def line_of(frames):
    real = os.path.realpath(source)
    return next((frame["line"] for frame in frames if os.path.realpath(frame.get("file", "")) == real), None)


def wrong(found, bug, program):
    """What isn't as expected, or an empty string."""
    kind, *variable = bugs[bug]
    lines = places["LINE"][bug] + places["OTHER"].get(bug, [])
    if not found:
        return "no findings"
    if found[0]["kind"] != kind:
        return f"{found[0]['kind']}, want {kind}"
    for f in found:
        # A finding in a call has no place on the GPU.
        here = line_of(f["here"]["frames"] if "here" in f else f.get("hostStack", []))
        other = line_of(f["other"]["frames"]) if "other" in f else None
        if here not in lines or (other is not None and other not in lines):
            return f"{(f['kind'], here, other)}, want {lines}"
        if variable and program.endswith("-O0") and (f.get("variable") or "").split("[")[0] != variable[0]:
            return f"variable {f.get('variable')}, want {variable[0]}"
    return ""


count = 0
for program, device in builds:
    for bug in bugs:
        for twin in ([], ["clean"]):
            found, text = findings(program, device, bug, *twin)
            problem = wrong(found, bug, program) if not twin else found and f"findings: {[f['kind'] for f in found]}"
            if problem:
                print(f"{program} on {device}, {bug} {twin}: {problem}\n{text}")
            else:
                count += 1
total = len(builds) * len(bugs) * 2
print(f"all {len(bugs)} bugs as expected" if count == total else f"{count} of {total} as expected")
