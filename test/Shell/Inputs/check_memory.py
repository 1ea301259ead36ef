# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs each mistake of memory-bugs.hip, and its twin, and compares the JSON with what is known of the mistake."""
import json
import os
import subprocess
import sys
import tempfile

runner, programs, source = sys.argv[1:4]
with open(source) as text:
    lines = {line.split("LINE: ")[1].strip(): number
             for number, line in enumerate(text, 1) if "LINE: " in line}

# By mistake: kind, line, variable, and the work-items or None on the host.
EXPECTED = {
    "overrun": ("invalid-global-access", "overrun", "out[64]", range(32)),
    "underrun": ("invalid-global-access", "underrun", "in[-1]", [0]),
    "freed": ("use-after-free", "freed", "in[0]", "wave"),
    "null": ("invalid-global-access", "freed", "in[0]", "wave"),
    "local": ("invalid-local-access", "local", "tile[64]", [60, 61, 62, 63]),
    "copy": ("invalid-copy", "copy", None, None),
    "fill": ("invalid-copy", "fill", None, None),
    "doublefree": ("double-free", "doublefree", None, None),
    "badfree": ("invalid-free", "badfree", None, None),
    "leak": ("leak", "make", None, None),
}
BUILDS = [("memory-bugs-O0", "gfx90a"), ("memory-bugs-O2", "gfx90a"), ("memory-bugs-O0", "gfx1030"),
          ("memory-bugs-O2", "gfx1030"), ("memory-bugs-O0", "gfx1100"), ("memory-bugs-O2", "gfx1100"),
          ("memory-bugs-wave64-O2", "gfx1100")]


def findings(program, device, *arguments):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "findings.json")
        command = [runner, "--device", device, "--check", "memory", "--leak-check", "full", "--json", path,
                   os.path.join(programs, program), *arguments]
        done = subprocess.run(command, capture_output=True, timeout=120, text=True)
        with open(path) as text:
            devices = json.load(text)["devices"]
        return [f for device in devices for f in device["findings"]], done.stderr


def wrong(found, mistake):
    """What isn't as expected, or an empty string."""
    kind, line, variable, items = EXPECTED[mistake]
    if len(found) != 1:
        return f"{len(found)} findings: {[f['kind'] for f in found]}"
    f = found[0]
    here = f.get("here")
    frames = here["frames"] if here else f["hostStack"]
    at = next((frame["line"] for frame in frames if frame.get("file") == os.path.realpath(source)), None)
    seen = (f["kind"], at, f.get("variable"))
    if seen != (kind, lines[line], variable):
        return f"{seen}, want {(kind, lines[line], variable)}"
    if items is None:
        return "" if "workItems" not in f.get("here", {}) else "has work-items"
    got = [item[0] for item in here["workItems"]]
    want = list(range(len(got)) if items == "wave" else items)
    return "" if got == want and got else f"work-items {got}, want {want}"


count = 0
for program, device in BUILDS:
    for mistake in EXPECTED:
        for twin in ([], ["clean"]):
            found, text = findings(program, device, mistake, *twin)
            problem = wrong(found, mistake) if not twin else found and f"findings: {[f['text'] for f in found]}"
            if problem:
                print(f"{program} on {device}, {mistake} {twin}: {problem}\n{text}")
            else:
                count += 1
total = len(BUILDS) * len(EXPECTED) * 2
print(f"all {total} as expected" if count == total else f"{count} of {total} as expected")
