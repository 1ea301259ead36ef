# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A job of several ranks, each with a GPU: one stop, one view, one end.

usage: job.py LAUNCHER PROGRAM SOURCE RANKS SCHEMA
"""
import json
import sys

import jsonschema

from job_session import JobSession, first, line_of

launcher, program, source, count = *sys.argv[1:4], int(sys.argv[4])
last = count - 1
with open(sys.argv[5]) as file:
    schema = json.load(file)


def check_json(session, *commands):
    """Whether the commands' JSON follows the schema."""
    for command in commands:
        name = " ".join(command.split()[:2])
        value = session.json(command)
        jsonschema.Draft202012Validator({"$defs": schema["$defs"], **schema["properties"][name]}).validate(value)
        assert value, command
    return len(commands)


with JobSession(launcher) as s:
    s.debugger.CreateTarget(program)
    # Each rank runs until it stops by itself.
    s.command("settings set plugin.process.amdgpu.run-unit rank")
    kernel, reduced = line_of(source, "in the kernel"), line_of(source, "printf")
    s.command(f"breakpoint set -f ring.hip -l {kernel}")
    text = s.launch(count, program)
    print("launch:", first(text, r"^ranks .* stopped$"))
    print("shown:", first(text, r"stop reason = .*"), first(text, "ring.hip:[0-9]+"))
    for rank in s.ranks():
        print("rank", rank)
    print(s.command("rank threads"), end="")
    print("print:", s.command("rank print factor"), end="")
    print("some:", s.command("rank print --ranks 0 value"), end="")
    print("select:", first(s.command(f"rank select {last}"), "rank . of ."), s.command("p factor").strip())
    print("lane:", s.command("thread lane select 9") and s.command("p i").strip())
    print("host:", first(s.command("rank select --host 0"), "stop reason = .*"))
    print("apply:", s.command("rank apply all p 1 + 1").split("\n")[:2])
    print(s.command("rank backtrace"), end="")

    print("JSON:", check_json(s, "rank list --json", "rank threads --json", "rank backtrace --json", "rank print --json factor"))

    # A breakpoint that is set in one rank is every rank's; so is one that is deleted.
    s.command("breakpoint delete 1")
    s.command(f"breakpoint set -f ring.hip -l {reduced} -c 'rank >= 0'")
    # Equal lists are shown once.
    lists = s.command("rank apply all breakpoint list 2")
    print("conditions:", lists.count("\n2: ") == lists.count("Condition: rank >= 0") > 0)
    text = s.command("job continue")
    print("continue:", first(text, r"^ranks? .* stopped.*$"), first(text, "ring.hip:[0-9]+"))
    print("sums:", s.command("rank print sum"), end="")
    print("results:", s.command("rank print result"), end="")
    print("hits:", s.command("rank apply all breakpoint list -b").count("resolved"))
    s.command("breakpoint delete 2")
    print("end:", s.command("job continue").strip().split("\n"))
    print("ranks:", s.ranks(), check_json(s, "rank list --json", "rank threads --json"))
    # A stop of one rank stops all.
    s.command("settings set plugin.process.amdgpu.run-unit job")
    s.command(f"breakpoint set -f ring.hip -l {kernel} -c 'factor == 2 && i == 70'")
    text = s.launch(count, program)
    print("one:", first(text, r"^rank .* stopped.*$"), first(text, r"^rank .*: Process"), first(text, "lane 6"))
    for rank in s.ranks():
        print("rank", *rank.split(", ")[:3 if "breakpoint" in rank else 2])
    print("all end:", first(s.command("continue"), "ranks .* exited .*"))
    print("errors:", s.command("rank select 9"), s.command("rank apply 0-9 bt"), s.command("rank apply x bt"), end="")
