# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A debugger in which jobs are started, by a launcher that is installed."""
import json
import os
import re
import tempfile
import time

import lldb

os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                  OMPI_MCA_rmaps_base_oversubscribe="1")


class JobSession:
    def __init__(self, launcher):
        self.launcher = launcher
        self.debugger = lldb.SBDebugger.Create()
        self.debugger.SetAsync(False)
        self.debugger.SetUseColor(False)
        # What the ranks print comes at any time.
        self.output = tempfile.TemporaryFile("w+")
        self.debugger.SetOutputFileHandle(self.output, False)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        lldb.SBDebugger.Destroy(self.debugger)

    def command(self, text):
        """What a command prints; 'failed: ...' if it fails."""
        result = lldb.SBCommandReturnObject()
        self.debugger.GetCommandInterpreter().HandleCommand(text, result)
        if result.Succeeded():
            return result.GetOutput()
        return "failed: " + result.GetOutput() + result.GetError()

    def shown(self):
        """What was printed besides the results of commands."""
        self.output.seek(0)
        return self.output.read()

    def launch(self, ranks, *program, options=""):
        return self.command(f"job launch {options} -- {self.launcher} -n {ranks} {' '.join(program)}")

    def run_until(self, holds):
        """Lets the job run for moments until it has come so far: no event says that. False after a minute."""
        end = time.monotonic() + 60
        while not holds():
            if time.monotonic() > end:
                return False
            self.debugger.SetAsync(True)
            self.command("continue")
            time.sleep(0.3)
            self.debugger.SetAsync(False)
            self.command("job interrupt")
        return True

    def json(self, text):
        return json.loads(self.command(text))

    def ranks(self):
        """Each rank as 'rank: state, reason, where'."""
        return [", ".join(str(rank[key]) for key in ("rank", "state", "reason", "where", "end") if key in rank)
                for rank in self.json("rank list --json")]

    def pids(self):
        return [rank["pid"] for rank in self.json("rank list --json")]


def line_of(source, text):
    with open(source) as lines:
        return next(number for number, line in enumerate(lines, 1) if text in line)


def first(text, pattern):
    """The first match, or what there was instead."""
    found = re.search(pattern, text, re.M)
    return found[0] if found else f"no {pattern} in {text!r}"


def is_alive(pid):
    """Whether a process runs: one that nobody has waited for doesn't."""
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False
