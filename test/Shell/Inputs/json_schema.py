# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The commands' --json output follows docs/commands.schema.json, for waves, CPU threads and stopped programs.

usage: json_schema.py PROGRAMS SCHEMA CPU_PROGRAM BUILD SCRATCH
"""
import json
import pathlib
import re
import subprocess
import sys
import jsonschema
import lldb
from known_commands import Commands
from stops import Session

folder, schema_file, cpu_program, build = sys.argv[1:5]
scratch = pathlib.Path(sys.argv[5])
with open(schema_file) as file:
    schema = json.load(file)
jsonschema.Draft202012Validator.check_schema(schema)
VERSION = schema["$defs"]["lane_list"]["properties"]["schema"]["const"]
checked = {}


def check(session, command, options="", form=None):
    """Runs a command with --json, and validates the answer by its part of the schema."""
    text = f"{command} --json {options}".strip()
    # A warning isn't part of it.
    result = lldb.SBCommandReturnObject()
    session.debugger.GetCommandInterpreter().HandleCommand(text, result)
    return validate(form or command, text, result.GetOutput() or result.GetError())


def validate(form, text, answer):
    """Validates what a command has printed, by its part of the schema."""
    part = {"$defs": schema["$defs"], **schema["properties"][form]}
    try:
        value = json.loads(answer)
        jsonschema.Draft202012Validator(part).validate(value)
        # The version is in each object of the outermost level.
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, dict) and one.get("schema") != VERSION:
                raise ValueError(f"an object has the version {one.get('schema')}, not {VERSION}")
    except (ValueError, jsonschema.ValidationError) as error:
        print(f"{text}: {str(error).splitlines()[0]}")
        return None
    checked.setdefault(form, set()).update(keys_of(value))
    return value


def program(form, *words, file=None):
    """Runs a program of ours, which prints JSON or writes it to a file."""
    done = subprocess.run([f"{build}/bin/{words[0]}", *words[1:]], text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    validate(form, " ".join(map(str, words)), file.read_text() if file else done.stdout)


def keys_of(value):
    if isinstance(value, list):
        return set().union(*map(keys_of, value)) if value else set()
    if isinstance(value, dict):
        return set(value).union(*map(keys_of, value.values()))
    return set()


def lanes(session):
    check(session, "thread lane list")
    check(session, "thread lane info")
    check(session, "thread lane backtrace", "--lanes all")


with Session(f"{folder}/saxpy-O0") as s:
    s.host.BreakpointCreateBySourceRegex("y.i. .= t", lldb.SBFileSpec("saxpy.hip"))
    s.run()
    s.command("thread lane name producer")
    s.command("gpu wave name loader")
    lanes(s)
    check(s, "thread lane print", "--all -- x[i * 1000000]")
    check(s, "thread lane print", "-- i")
    check(s, "thread lane print --all-waves", "--all-waves -- i", form="thread lane print --all-waves")
    check(s, "thread lane find", "-- i == 3")
    for name in ("t", "i", "x"):
        check(s, "dwarf variable", name)
    for kind in ("agent", "queue", "dispatch", "workgroup", "wave", "address-space"):
        check(s, f"gpu {kind} list")
    named = check(s, "gpu wave summary")
    counted = check(s, "gpu wave summary", f"--most {sum(row['waves'] for row in named) - 1}")
    print("without waves:", counted == [{key: row[key] for key in row if key not in ("threads", "names", "labels")} for row in named])
    for place in ("saxpy.hip:13", "saxpy.hip:14", "saxpy.hip:999", "saxpi.hip:1", "/nowhere/saxpy.hip:1"):
        check(s, "wavelane why-not", place)
    check(s, "gpu memory read", "--space private_lane --count 4 0")

# Waiting lanes, and waves at a barrier.
with Session(f"{folder}/stops-O0", "diverge") as s:
    s.at("odd")
    s.run()
    lanes(s)
    check(s, "thread lane find", "-- 1 / ($lane - 5)")
with Session(f"{folder}/stops-O0", "straggle") as s:
    s.at("last")
    s.run()
    check(s, "gpu workgroup list")
# Lanes that a finding is about.
with Session(f"{folder}/memory-bugs-O0", "overrun") as s:
    s.command("settings set plugin.process.amdgpu.check memory,count")
    s.command("settings set plugin.process.amdgpu.record on")
    s.run()
    s.command("settings clear plugin.process.amdgpu.check")
    s.command("settings clear plugin.process.amdgpu.record")
    lanes(s)
    check(s, "gpu time")
    check(s, "gpu check list")
    check(s, "gpu check info", "1")
    s.command("gpu check ignore 1")
    check(s, "gpu check ignore", "--list")
    check(s, "gpu count")
# Tiles.
with Session(f"{folder}/stops-O2", "tiles") as s:
    s.host.BreakpointCreateByName("tiles")
    s.run()
    for _ in range(200):
        if "error" not in s.command("gpu matrix a"):
            break
        s.command("thread step-inst")
    check(s, "gpu matrix", "a")
    check(s, "dwarf variable", "out")
# Where values come from: another wave's store and the host's copies; the first NaN.
with Session(f"{folder}/origins-O0") as s:
    s.at("end", source="origins.hip")
    s.run()
    check(s, "thread lane origin", "t")
    check(s, "thread lane origin", "--until isnan n")
# A CPU's thread.
with Session(cpu_program) as s:
    s.host.BreakpointCreateByName("main")
    s.run()
    lanes(s)
    check(s, "thread lane print", "-- 1 + 1")

# Programs.
for name, options in ("run", ["--check", "all"]), ("check", []), ("count", []):
    for bug in ("memory-bugs-O2", "freed"), ("memory-bugs-O0", "doublefree"), ("init-bugs-O2", "copied"), ("sync-bugs-O2", "function"):
        file = scratch / f"{name}.json"
        program(f"wavelane {name}", "wavelane", name, *options, "--json", file, f"{folder}/{bug[0]}", bug[1], file=file)
program("wavelane doctor", "wavelane", "doctor", "--json")
loop = scratch / "loop.s"
subprocess.run(["clang-19", "-O3", "-g", "-S", "-xc", "-", "-o", loop], input="void f(float *a, float b, int n) { for (int i = 0; i < n; ++i) a[i] += b; }", text=True, check=True)
program("wavelane-annotate-lanes", "wavelane-annotate-lanes", "--json", loop, "-o", scratch / "out.s")

# Each command that has the option is described.
debugger = lldb.SBDebugger.Create()
commands = Commands(debugger)
have = [" ".join(words) for group in Commands.GROUPS for words, text in commands.leaves(*group) if re.search(r"--json\b", text or "")]
lldb.SBDebugger.Destroy(debugger)
print("not described:", [name for name in have if name not in schema["properties"]])
page = pathlib.Path(schema_file).with_name("json.md").read_text()
print("not in the page's table:", [name for name in schema["properties"] if not re.search(rf"(?m)^\|[^|]*`{re.escape(name.split(' --')[0])}\b", page)])

# job.py does this for the commands of ranks.
of_ranks = [part["items"]["$ref"].split("/")[-1] for command, part in schema["properties"].items() if command.startswith("rank ")]
missing = [command for command in schema["properties"] if command not in checked and not command.startswith("rank ")]
print("commands:", len(checked), "missing:", missing)
# Every key of the schema is printed by some command, except rare ones.
known = set().union(*checked.values())
rare = {"done", "omitted", "begin_bit", "end_bit", "entry", "displacement", "unknown", "begin", "end", "parts", "bit", "register", "offset", "value", "error",
        "at_grid_barrier", "label", "stale", "undefined_bytes", "rank", "copyStack"}
print("never seen:", sorted(key for name, definition in schema["$defs"].items() if name not in of_ranks for key in definition.get("properties", ()) if key not in known | rare))
