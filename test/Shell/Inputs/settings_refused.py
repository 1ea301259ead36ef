# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every setting refuses a wrong value, typed or from Python, keeps the one that it has, and is completed.

usage: settings_refused.py FOLDER
"""
import os
import sys

import lldb

folder = sys.argv[1]
prefix = "plugin.process.amdgpu."
there, bad, many, space = f"{folder}/there", f"{folder}/bad", f"{folder}/many", f"{folder}/a folder"
os.makedirs(space, exist_ok=True)
for path, text in ((there, "memory\n"), (bad, "# mine\nmemroy\n"), (many, "# mine\n" + 30 * "root:x:0\n")):
    with open(path, "w") as file:
        file.write(text)

# A right value, and wrong ones with what is said of them.
true = ("true", {"ture": "did you mean 'true'?", "2": "it must be true or false"})
false = ("false", {"flase": "did you mean 'false'?", "maybe": "it must be true or false"})
TABLE = {
    "device": ("simulated", {"hardwear": "it must be auto, simulated or hardware; did you mean 'hardware'?", "gfx90a": "it must be auto"}),
    "runtime": ("amd", {"wavelan": "did you mean 'wavelane'?"}),
    "set-environment": false,
    # It is on the server's machine.
    "library": ("/somewhere/lib.so", {'""': "it must be a path"}),
    "host-core": (there, {f"{folder}/none": "there is no such file", folder: "it is a folder"}),
    "code-objects": (space, {f"{folder}/none": "there is no such file", there: "it must be a folder"}),
    "step-unit": ("wave", {"wvae": "did you mean 'wave'?"}),
    "breakpoint-moves": ("refuse", {"refues": "did you mean 'refuse'?"}),
    "library-files": ("^/opt/", {"(a": "parentheses not balanced", "[": "it must be a regular expression"}),
    "non-stop": true,
    "stop-on-kernel-entry": true,
    "stop-on-module-load": true,
    "stop-on-hip-error": true,
    "stop-on-memory-violation": false,
    "stop-on-illegal-instruction": false,
    "stop-on-arithmetic-exception": false,
    "stop-on-abort": false,
    "stop-on-trap": false,
    "precise-memory": true,
    "precise-alu-exceptions": true,
    "local-range-exceptions": true,
    "check": ("memory,race", {"speed": "the checks are memory", "memory,rcae": "did you mean 'race'?", "memory race": "unknown check", "memory,": "unknown check ''"}),
    "check-ignore": ('"race line=3"', {"memroy": "did you mean 'memory'?", '"race color=3"': "unknown word 'color'", '"race line=x"': "not a line number"}),
    "run-unit": ("rank", {"rnak": "did you mean 'rank'?"}),
    "end-ranks-with-lldb": false,
    "check-kernel": ("^under", {"(a": "parentheses not balanced"}),
    "check-launches": ("3-5,8", {"5-3": "they are numbers from 1", "0": "they are numbers", "a": "they are numbers"}),
    "check-leaks": true,
    "check-suppressions": (there, {bad: "bad:2: unknown kind of finding 'memroy'; did you mean 'memory'?", f"{folder}/none": "there is no such file"}),
    "check-shadow-limit": ("0", {"1048577": "it must be a number from 0 to 1048576", "1.5": "it must be a number", "12MiB": "it must be a number"}),
    "record": ("off", {"of": "did you mean 'off'?"}),
    "record-limit": ("16", {"0": "it must be a number from 1 to 16777216", "much": "it must be a number"}),
    "schedule": ("7", {"1000000000": "it must be a number from 0 to 999999999", "random": "it must be a number"}),
    "memory-limit": ("500", {"16777217": "it must be a number from 0 to 16777216", "much": "it must be a number"}),
}

debugger = lldb.SBDebugger.Create()
interpreter = debugger.GetCommandInterpreter()
faults = []


def run(command):
    result = lldb.SBCommandReturnObject()
    interpreter.HandleCommand(command, result)
    return result


def value(name):
    return run(f"settings show {prefix}{name}").GetOutput()


def expect(what, good, seen):
    if not good:
        faults.append(f"{what}: {seen!r}")


settings = [line.split(" ")[0].removeprefix(prefix) for line in run(f"settings show {prefix[:-1]}").GetOutput().splitlines() if line.startswith(prefix)]
expect("the settings of this test", sorted(settings) == sorted(TABLE), sorted(set(settings) ^ set(TABLE)))
tried = 0
for name, (right, wrong) in TABLE.items():
    default = value(name)
    result = run(f"settings set {prefix}{name} {right}")
    had = value(name)
    expect(f"{name} {right}", result.Succeeded() and had != default, result.GetError() or had)
    for text, said in wrong.items():
        tried += 1
        result = run(f"settings set {prefix}{name} {text}")
        named = f"error: {prefix}{name} is "
        expect(f"{name} {text}", not result.Succeeded() and result.GetError().startswith(named) and said in result.GetError(), result.GetError())
        error = lldb.SBDebugger.SetInternalVariable(prefix + name, text, debugger.GetInstanceName())
        expect(f"{name} {text} by Python", error.Fail() and said in error.GetCString(), error.GetCString())
        expect(f"{name} after {text}", value(name) == had, value(name))
    # All others still have what they had.
for name, (right, _) in TABLE.items():
    run(f"settings set {prefix}{name} {right}")
before = value("")
run(f"settings set {prefix}check speed")
expect("the others", value("") == before, value(""))

# Blanks around a comma.
for name, text in (("check", "memory, race"), ("check-launches", "3-5, 8")):
    result = run(f"settings set {prefix}{name} {text}")
    expect(f"{name} {text}", result.Succeeded() and text in value(name), result.GetError() + value(name))

# Of a file with many wrong lines, the first is reported.
result = run(f"settings set {prefix}check-suppressions {many}")
expect("many", result.GetError().count("\n") == 1 and f"{many}:2: unknown kind of finding 'root:x:0'" in result.GetError() and "(wrong lines: 30)" in result.GetError(),
       result.GetError())

# Elements of the list.
for command, said in (("append {} memroy", "did you mean 'memory'?"), ("insert-before {} 0 memroy", "did you mean"), ("replace {} 0 memroy", "did you mean"),
                      ("set {}[0] memroy", "did you mean"), ("append {} 'init kernel=a' memroy", "did you mean")):
    had = value("check-ignore")
    result = run("settings " + command.format(prefix + "check-ignore"))
    expect(command, not result.Succeeded() and said in result.GetError() and value("check-ignore") == had, result.GetError() + value("check-ignore"))
result = run(f"settings append {prefix}check-ignore 'init kernel=a'")
expect("append", result.Succeeded() and "init kernel=a" in value("check-ignore"), result.GetError())

# A name that is mistyped.
for name, said in (("chek", "has no setting 'chek'; did you mean 'check'?"), ("record-limits", "did you mean 'record-limit'?"), ("zzz", "has no setting 'zzz'")):
    for command in (f"settings set {prefix}{name} 1", f"settings show {prefix}{name}"):
        result = run(command)
        expect(command, not result.Succeeded() and said in result.GetError(), result.GetError())
    expect(name + " in Python", lldb.SBDebugger.SetInternalVariable(prefix + name, "1", debugger.GetInstanceName()).Fail(), "")


def complete(line):
    matches = lldb.SBStringList()
    interpreter.HandleCompletion(line, len(line), 0, -1, matches)
    return [matches.GetStringAtIndex(i) for i in range(1, matches.GetSize())]


for line, wanted in ((f"settings set {prefix}device h", ["hardware"]), (f"settings set {prefix}check m", ["memory"]), (f"settings set {prefix}check memory,", None),
                     (f"settings set {prefix}check memory,ra", ["memory,race"]), (f"settings set {prefix}check-leaks t", ["true"]),
                     (f"settings set {prefix}check-ignore missing", ["missing-wait"]), (f"settings set {prefix}record ", ["auto", "off", "on"]),
                     (f"settings set {prefix}code-objects {folder}/a", [f"{folder}/a folder/"])):
    seen = [word.replace("\\ ", " ").rstrip(" ") for word in complete(line)]
    if wanted is None:
        expect(line, "memory,race" in seen and "memory,memory" not in seen, seen)
    else:
        expect(line, sorted(seen) == wanted, seen)

print("\n".join(faults))
print(f"{len(TABLE)} settings, {tried} wrong values, {len(faults)} not as wanted")
