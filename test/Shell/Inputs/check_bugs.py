# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs each planted bug of a program, and the twins without it, and compares the findings with the source's comments.

"// BUG: NAME KIND VARIABLE ITEMS" says what is found: VARIABLE as it is reported (without an index if it has none here), and the work-items
(their x) of the workgroup; a finding has those of one wave. "-" is none, "*" any. A comment may end with "only O0", "only O2", "not cov4",
or with "unnamed cov4" where that build's runtime doesn't know the variable.
"LINE: NAME" marks the bug's line, and "OTHER: NAME" that of the second side, if that is another one.
What follows from a bug may be of other kinds; the first is of its own.
Each bug runs on two of the builds and GPUs, in turn, and on all of them with WAVELANE_LONG in the environment. With AMD's runtime, which
takes a second to start, every third bug runs, and all of them with WAVELANE_LONG.
Usage: check_bugs.py RUNNER PROGRAMS SOURCE CHECK BUILD:GPU,GPU...
"""
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile

runner, programs, source, check = sys.argv[1:5]
builds = [(spec.split(":")[0], gpu) for spec in sys.argv[5:] for gpu in spec.split(":")[1].split(",")]
# AMD's runtime doesn't say why.
AMD = os.environ.get("WAVELANE_RUNTIME") == "amd"
ABORTED = "HSA_STATUS_ERROR_EXCEPTION" if AMD else "Kernel aborted (Deadlock: "
bugs, places = {}, {"LINE": {}, "OTHER": {}}
with open(source) as text:
    for number, line in enumerate(text, 1):
        if "// BUG: " in line:
            name, *rest = line.split("// BUG: ")[1].split()
            bugs[name] = rest
        for what, name in re.findall(r"(LINE|OTHER): (\w+)", line):
            places[what].setdefault(name, []).append(number)


def findings(program, device, checks, *arguments):
    """The findings, and what the program wrote."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "findings.json")
        options = ["--leak-check", "full"] if "memory" in checks else []
        done = subprocess.run([runner, "--device", device, "--check", checks, *options, "--json", path,
                               os.path.join(programs, program), *arguments],
                              capture_output=True, timeout=170, text=True)
        with open(path) as text:
            return [f for device in json.load(text)["devices"] for f in device["findings"]], done


def line_of(frames):
    real = os.path.realpath(source)
    return next((frame["line"] for frame in frames if os.path.realpath(frame.get("file", "")) == real), None)


def numbers(text):
    """{0, 1, 2, 9} for "0-2,9"."""
    ends = [[int(end) for end in part.split("-")] for part in text.split(",")]
    return {n for end in ends for n in range(end[0], end[-1] + 1)}


def wrong_items(here, items, is_race):
    """What isn't right with the work-items of a finding's place. A race is reported of one lane, or of all of a scalar access."""
    seen = [item[0] for item in here.get("workItems", [])]
    if items == "-":
        return seen and f"work-items {seen}"
    lanes = 64 if here["gpu"].startswith("gfx9") or "wave64" in here["program"] else 32
    first = here["wave"] * lanes
    want = sorted(numbers(items) & set(range(first, first + lanes)))
    good = seen and set(seen) <= set(want) if is_race else seen == want and want
    return "" if good else f"work-items {seen}, want {want}"


def wrong(found, done, bug, program):
    """What isn't as expected, or an empty string."""
    kind, variable, items, *rule = bugs[bug]
    if rule[:1] == ["unnamed"] and program.endswith("-" + rule[1]):
        variable = "-"
    lines = places["LINE"][bug] + places["OTHER"].get(bug, [])
    if not found:
        return "no findings"
    if found[0]["kind"] != kind:
        return f"{found[0]['kind']}, want {kind}"
    if (ABORTED in done.stderr) != (kind == "deadlock"):
        return "whether the program is ended"
    for f in found:
        # A finding in a call has no place on the GPU.
        here = line_of(f["here"]["frames"] if "here" in f else f.get("hostStack", []))
        other = line_of(f["other"]["frames"]) if "other" in f else None
        # What the compiler has merged may have no line.
        if here not in lines or (other is not None and other not in lines):
            return f"{(f['kind'], here, other)}, want {lines}"
    f = found[0]
    seen = f.get("variable", "-").removeprefix("an element of ")
    # An element may have a part ("in[15] + 8 bytes").
    if variable != "*" and variable != seen.split(" " if "[" in variable else "[")[0]:
        return f"variable {seen}, want {variable}"
    return items != "*" and wrong_items(dict(f.get("here", {}), program=program), items, kind.endswith("-race"))


def one(program, device, bug):
    """The problem of a bug, or of all twins."""
    if bug:
        found, done = findings(program, device, check, bug)
        problem = wrong(found, done, bug, program)
    else:
        found, done = findings(program, device, check, "all", "clean")
        problem = found and f"{len(found)} findings" or done.returncode and f"exit code {done.returncode}"
    return problem and f"{program} on {device}, {bug or 'all twins'}: {problem}\n{done.stderr}"


def chosen(number, bug):
    """Where a bug runs."""
    fit = builds
    if len(bugs[bug]) > 3 and bugs[bug][3] != "unnamed":
        rule, build = bugs[bug][-2:]
        fit = [at for at in builds if at[0].endswith("-" + build) == (rule == "only")]
    if os.environ.get("WAVELANE_LONG"):
        return fit
    if AMD and number % 3:
        return set()
    return {fit[at % len(fit)] for at in (number, number + len(fit) // 2)} if fit else set()


with concurrent.futures.ThreadPoolExecutor(2) as pool:
    runs = [(bug, at) for number, bug in enumerate(bugs) for at in chosen(number, bug)]
    waits = [pool.submit(one, *at, None) for at in builds] + [pool.submit(one, *at, bug) for bug, at in runs]
    problems = [problem for wait in waits if (problem := wait.result())]
for problem in problems:
    print(problem)
print(f"{len(waits) - len(problems)} of {len(waits)} as expected" if problems else
      f"all {len({bug for bug, _ in runs})} bugs as expected, and nothing without them")
