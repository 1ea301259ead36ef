# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tries the examples and commands of the documentation.

Blocks that begin with "$ " are executed as a user would: shell commands in a folder that `wavelane tutorial` has made,
and the commands of a session. Only process ids and addresses may differ from run to run.
Tables of commands: each command exists, with its options."""
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import lldb
import shown as shown_lines
from known_commands import Commands
from shown import split
from stops import Session

build, documents = pathlib.Path(sys.argv[1]), [pathlib.Path(name) for name in sys.argv[2:]]
top = pathlib.Path(__file__).resolve().parents[3]
wrong = []


def compare(where, command, shown, real, may_say_more):
    """What is wrong: each line shown must appear, and no others except those of a process that starts or ends."""
    why = shown_lines.fault(shown, real, may_say_more)
    return [f"{where}: '{command}' {why}"] if why else []


def without_places(lines, stopped):
    """The lines about a job's ranks without what nothing decides: where the others are when one of them has stopped."""
    for line in lines:
        if found := re.match(r"ranks? ([\d,-]+): host in ", line):
            if found[1] == stopped:
                yield line
        else:
            yield re.sub(r"^(\d+ +\S+ +\d+ +stopped +-) .*", r"\1", line)


def session(where, command, lines, folder):
    shown = split(lines, "(lldb) ")
    words = command.split()
    is_job = any(name.startswith("job launch") for name, _ in shown)
    if is_job:
        name = words[2] if words[0] == "wavelane" else words[1]
        shutil.copy(build / "test" / "programs" / f"{name}-openmpi", pathlib.Path(folder) / name)
    commands = [part for name, _ in shown for part in ("-o", name)]
    # What follows a crash.
    names = [name for name, _ in shown]
    if "run" in names:
        commands += [part for name in names[names.index("run") + 1:] for part in ("-k", name)]
    start, words = (words[:2], words[1:]) if words[0] == "wavelane" else (words[:1], words)
    program = words[1:] if words[1].startswith("-") else ["--", *words[1:]]
    start = [*start, "--no-lldbinit", "--no-use-colors", "-b", *commands, *program]
    result = subprocess.run(start, cwd=folder, text=True, timeout=120, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, errors="replace")
    real = split(result.stdout.splitlines(), "(lldb) ")[1:]  # The first makes the target.
    real = [(name, text) for name, text in real if not name.startswith("settings set -- target.run-args")]
    if [name for name, _ in shown] != [name for name, _ in real]:
        wrong.append(f"{where}: the session ends early: {result.stdout}")
        return
    if is_job:
        stopped = re.search(r"(?m)^rank (\d+) stopped", "\n".join(lines))[1]
        shown, real = ([(name, list(without_places(text, stopped))) for name, text in parts] for parts in (shown, real))
    # The locations that a breakpoint resolves to immediately aren't worth showing in each example.
    wrong.extend(fault for (name, text), (_, other) in zip(shown, real) if text or not name.startswith("breakpoint")
                 for fault in compare(where, name, text, other, name in ("run", "continue") or name.startswith("job launch")))


def shell(where, command, lines, folder):
    for word in command.split():
        if not (pathlib.Path(folder) / word).exists():
            for source in (top / "test" / "programs" / "cpu-lanes").glob(word):
                shutil.copy(source, folder)
    result = subprocess.run(command, shell=True, cwd=folder, text=True, timeout=120, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    wrong.extend(compare(where, command, lines, result.stdout.splitlines(), False))
    # A program that is shown to fail, or a check that is shown to find something, says so with its exit code.
    if result.returncode != 0 and not re.search("FAILED|[1-9][0-9]* findings?", result.stdout):
        wrong.append(f"{where}: '{command}' fails: {result.stdout}")


def python(where, command, lines, folder):
    if not importlib.util.find_spec("numpy"):
        lines = [line + "  # doctest: +SKIP" if "with numpy" in line else line for line in lines]
    (pathlib.Path(folder) / "example.txt").write_text("\n".join(lines) + "\n")
    # The python3 that LLDB's module is built for.
    environment = {**os.environ, "PATH": os.path.dirname(sys.executable) + ":" + os.environ["PATH"]}
    result = subprocess.run(command + " -m doctest example.txt", shell=True, cwd=folder, env=environment, text=True, timeout=120,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if result.returncode != 0:
        wrong.append(f"{where}: {result.stdout}")


def check_programs(path, text):
    """The programs and files that sentences name: they are there, and know the options."""
    count = 0
    for code in re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)):
        name, *words = code.split() or [""]
        file = build / "bin" / name if name.startswith("wavelane-") else build.parent / name if name.startswith("build/bin/") else top / name
        if not re.match(r"wavelane-(run|rank|dwarf)$|(build/bin|utils|test|editors)/[^.*]", name):
            continue
        count += 1
        if not file.exists():
            wrong.append(f"{path.name}: `{code}`: there is no {file}")
        elif name == "wavelane-run" and words != ["--help"]:
            known = subprocess.run([file, "--help"], text=True, stdout=subprocess.PIPE, check=True).stdout
            wrong.extend(f"{path.name}: `{code}`: unknown option {word}" for word in words if word.startswith("--") and word not in known)
    return count


def check_keys(path, text):
    """Tables of launch.json's keys, and entries of it: the extension knows each key, or LLVM's adapter does."""
    manifest = json.loads((top / "editors" / "vscode" / "package.json").read_text())
    requests = manifest["contributes"]["debuggers"][0]["configurationAttributes"]
    known = {"type", "request", "name", *(key for request in requests.values() for key in request["properties"])}
    keys = []
    for table in re.findall(r"^\| key \|.*\n\|[- |]*\n((?:\|.*\n)+)", text, re.M):
        keys += [key for row in table.splitlines() for key in re.findall(r"`(\w+)`", row.split("|")[1])]
    for block in re.findall(r"^```json\n(.*?)^```", text, re.M | re.S):
        keys += list(json.loads(block))
    wrong.extend(f"{path.name}: launch.json has no key '{key}'" for key in keys if key not in known)
    return len(keys)


def check_blocks(path, text):
    count = 0
    # A page is typed from its beginning, in one folder.
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(tutorial, folder, dirs_exist_ok=True)
        # What only a checkout has is named from its folder.
        for name, place in ("build", build), ("utils", top / "utils"):
            (pathlib.Path(folder) / name).symlink_to(place)
        for block in re.findall(r"^```\w*\n(.*?)^```", text, re.M | re.S):
            # Another host has its own tests.
            if not block.startswith("$ ") or block.startswith("$ ssh "):
                continue
            for command, lines in split(block.splitlines(), "$ "):
                count += 1
                if any(line.startswith("(lldb) ") for line in lines):
                    session(path.name, command, lines, folder)
                elif any(line.startswith(">>> ") for line in lines):
                    python(path.name, command, lines, folder)
                else:
                    shell(path.name, command, lines, folder)
    return count


class Stopped:
    """A stopped kernel, in which commands can be tried."""

    # Commands that start, resume or end a program have their own tests.
    ELSEWHERE = ("file ", "run", "process ", "step", "next", "finish", "up", "down", "thread step-", "thread until", "thread return", "target create", "gpu matrix", "settings set")
    NAMES = {r"\bkernel\b(?!=)": "saxpy", r"\bprog\.hip\b": "saxpy.hip", r"(?<=\*)p\b": "y", r"(?<=-- )p\b": "y", r"(?<=read )p\b": "y", r"\bout\.html\b": "/dev/null"}

    def __init__(self, *places):
        self.sessions = []
        for program, arguments, source, mark in places:
            session = Session(f"{build}/test/programs/{program}", *arguments)
            session.command(f"breakpoint set -f {source} -p '{mark}'")
            session.run()
            self.sessions.append(session)

    def __enter__(self):
        return self

    def __exit__(self, *arguments):
        for session in self.sessions:
            session.__exit__(*arguments)

    def fault(self, command):
        """What is wrong with the command in all of the places, or None."""
        if command.startswith(self.ELSEWHERE):
            return None
        for name, real in self.NAMES.items():
            command = re.sub(name, real, command)
        for session in self.sessions:
            session.command("watchpoint delete -f")
            session.command("target select 1")
            session.command("thread select 1")
            result = lldb.SBCommandReturnObject()
            session.debugger.GetCommandInterpreter().HandleCommand(command, result)
            if result.Succeeded():
                return None
        return f"'{command}': {result.GetError()}"


def check_tables(path, text, commands, stopped):
    """The column with Wavelane's commands: 'command' or 'Wavelane'. Returns the commands' names."""
    names, column = [], None
    for line in text.splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] if line.startswith("|") else []
        heads = [i for i, cell in enumerate(cells) if cell in ("command", "Wavelane")]
        if heads or not cells:
            column = heads[0] if heads else None
            continue
        if column is None or column >= len(cells) or set(cells[column]) <= set("- "):
            continue
        before = []
        for command in re.findall(r"`([^`]*)`", cells[column]):
            command = command.replace("\\|", "|")
            words = re.sub(r"[][]", "", command).split()
            if words[0] == "lldb":  # its own options
                continue
            if words[0] == "wavelane" and words[1] in programs:
                names.append(" ".join(words[:2]))
                continue
            if words[0].startswith("wavelane-") and (build / "bin" / words[0]).exists():
                names.append(words[0])
                continue
            # After a command, others of its group are given by their last word.
            for end in reversed(range(max(1, len(before)))):
                fault = commands.fault(" ".join(before[:end] + words))
                if not fault and end and words[0].islower() and len(commands.leaf(before[:end] + words)[0]) <= end:
                    continue  # the words would be arguments
                if not fault and stopped:
                    fault = stopped.fault(command)
                if not fault:
                    names.append(" ".join(commands.leaf(before[:end] + words)[0]))
                    before = before if end else words
                    break
            else:
                wrong.append(f"{path.name}: `{command}`: {fault}")
    return names


os.environ["PATH"] = f"{build}/bin:{os.environ['PATH']}"
tutorial = tempfile.mkdtemp()
subprocess.run(["wavelane", "tutorial", tutorial], stdout=subprocess.DEVNULL, check=True)
programs = re.findall(r"^  ([\w-]+) ", subprocess.run([build / "bin" / "wavelane", "help"], text=True, stdout=subprocess.PIPE, check=True).stdout, re.M)
debugger = lldb.SBDebugger.Create()
known = Commands(debugger)
places = ("saxpy-O0", (), "saxpy.hip", r"y\[i\] \+="), ("stops-O0", ("exchange",), "stops.hip", r"own \+= other")
with Stopped(*places) as stopped:
    for path in documents:
        text = path.read_text()
        examples = check_blocks(path, text)
        names = check_tables(path, text, known, stopped if path.name.startswith("for-") else None)
        if path.name == "command-table.md":
            wrong.extend(f"{path.name} has no '{name}'" for name in known.added() if name not in names)
        named = check_programs(path, text) + (check_keys(path, text) if path.name == "ide.md" else 0)
        print(f"{path.name}: {examples} examples, {len(names)} commands, {named} names")
lldb.SBDebugger.Destroy(debugger)
shutil.rmtree(tutorial)
for text in wrong:
    print(text)
print(f"{len(wrong)} wrong")
