# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LLDB in a terminal: the status line for a stopped wave."""
import os
import sys
import tempfile

from terminal import Terminal

STOPPED = rb"Process \d+ stopped"

program, gpu = sys.argv[1], sys.argv[2]
home = tempfile.TemporaryDirectory()
os.environ["HOME"] = home.name
terminal = Terminal(f"{os.environ['WAVELANE_BUILD']}/bin/lldb", "--no-lldbinit", "-O", f"settings set target.env-vars WAVELANE_PROCESSOR={gpu}", program)
terminal.until("saxpy-gpus")
terminal.command("breakpoint set -f saxpy.hip -l 12", r"^saxpy-gpus-O0$")
# The host stops for its GPU, later.
terminal.command("run", "breakpoint 1.1$", rb"more waves? (is|are) stopped")
terminal.command("thread lane info", "breakpoint 1.1$")
terminal.command("thread lane select 17", "lane 17")
terminal.command("thread lane name producer", "'producer'")
terminal.command("next", "step over", STOPPED)
terminal.command("thread select 3", r"/2, ")
terminal.command("thread lane select --where --all-waves 'i == 777'", "lane 9")
terminal.command("thread lane select 4711", "lane 9")
terminal.command("breakpoint delete -f", "lane 9")
terminal.type("continue")
terminal.wait(rb"(?s)exited with status = 0.*\(lldb\)")
print("ended:", terminal.until(r"^saxpy-gpus-O0$"))
terminal.command("settings set statusline-format '${target.arch} alone'", "x86_64 alone")
