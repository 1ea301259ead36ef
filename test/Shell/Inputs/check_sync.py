# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs each mistake of sync-bugs.hip, and its twin, and compares the JSON with what is known of the mistake."""
import json
import os
import subprocess
import sys
import tempfile

runner, programs, source = sys.argv[1:4]
with open(source) as text:
    lines = {line.split("LINE: ")[1].strip(): number
             for number, line in enumerate(text, 1) if "LINE: " in line}

# By mistake: kind, line, variable, line of the other side, and the number of lanes.
EXPECTED = {
    "half": ("barrier-divergence", "half", None, None, "half"),
    "elsewhere": ("barrier-divergence", "elsewhere", None, "there", None),
    "flag": ("deadlock", "flag", "out[0]", None, None),
    "lock": ("deadlock", "lock", "out[0]", None, None),
    "grid": ("deadlock", "grid", "out[0]", None, None),
    "waves": ("deadlock", "waves", "turn", "barrier", None),
    "returns": None,
    "counts": None,
}
# At -O0, __syncthreads() is a function, whose caller isn't known.
UNOPTIMISED = {
    "flag": EXPECTED["flag"],
    "waves": ("deadlock", "waves", "turn", None, None),
    "returns": None,
    "counts": None,
}
BUILDS = [("sync-bugs-O2", "gfx90a", EXPECTED), ("sync-bugs-O2", "gfx1030", EXPECTED),
          ("sync-bugs-O2", "gfx1100", EXPECTED), ("sync-bugs-O0", "gfx90a", UNOPTIMISED)]


def findings(program, device, *arguments):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "findings.json")
        command = [runner, "--device", device, "--check", "sync", "--json", path,
                   os.path.join(programs, program), *arguments]
        done = subprocess.run(command, capture_output=True, timeout=120, text=True)
        with open(path) as text:
            devices = json.load(text)["devices"]
        return [f for device in devices for f in device["findings"]], done


def line_of(side):
    return next((frame["line"] for frame in side["frames"] if frame.get("file") == os.path.realpath(source)), None)


def wrong(found, done, want):
    """What isn't as expected, or an empty string."""
    if want is None:
        return found and f"findings: {[f['text'] for f in found]}"
    kind, line, variable, other, lanes = want
    if len(found) != 1:
        return f"{len(found)} findings: {[f['kind'] for f in found]}"
    f = found[0]
    seen = (f["kind"], line_of(f["here"]), f.get("variable"))
    if seen != (kind, lines[line], variable):
        return f"{seen}, want {(kind, lines[line], variable)}"
    if other and ("other" not in f or line_of(f["other"]) != lines[other]):
        return f"the other side is {f.get('other')}, want line {lines[other]}"
    if lanes == "half":
        want = [lane for lane in range(64 if f["here"]["gpu"] == "gfx90a" else 32) if lane % 32 < 16]
        if f["here"]["lanes"] != want:
            return f"lanes {f['here']['lanes']}, want {want}"
    ended = "Kernel aborted (Deadlock: " in done.stderr
    if ended != (kind == "deadlock"):
        return "the program has ended" if ended else "the program has not ended"
    return ""


count = total = 0
for program, device, expected in BUILDS:
    for mistake, want in expected.items():
        for twin in ([], ["clean"]):
            found, done = findings(program, device, mistake, *twin)
            problem = wrong(found, done, None if twin else want)
            total += 1
            if problem:
                print(f"{program} on {device}, {mistake} {twin}: {problem}\n{done.stderr}")
            else:
                count += 1
print(f"all {total} as expected" if count == total else f"{count} of {total} as expected")
