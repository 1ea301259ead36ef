# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A server that doesn't know our packets, refuses them, or answers what isn't JSON: no message of LLDB has a packet's name.

usage: packet_names.py HEADER BUILD PROGRAM FOLDER
"""
import os
import pathlib
import re
import subprocess
import sys

header, build, program, folder = sys.argv[1:]
names = re.findall(r'=\s+"([jQ]\w+)"', pathlib.Path(header).read_text())
commands = ["settings set plugin.process.amdgpu.check memory,count", "settings set plugin.process.amdgpu.device simulated", "breakpoint set -n saxpy", "run",
            "thread list", "thread lane list", "thread lane print i", "thread lane find i > 3", "thread lane origin i", "gpu agent list", "gpu dispatch list",
            "gpu wave list", "gpu wave summary", "gpu address-space list", "gpu memory read -s local 0", "gpu check list", "gpu check ignore memory", "gpu count",
            "reverse-next", "next", "finish", "breakpoint set -f saxpy.hip -l 13 -c 'i == 70'", "breakpoint set -f saxpy.hip -l 13 -c 'i + 1'", "continue",
            "register read v0", "bt", "frame variable", "process save-core " + folder + "/core", "wavelane report " + folder + "/report.html",
            "settings set plugin.process.amdgpu.check race", "continue", "kill"]
# Of the answers that LLDB needs to find the GPU, one is wrong at a time.
first = [name for name in names if name.startswith("jAccelerator")]
groups = [[name] for name in first] + [[name for name in names if name not in first]]
reported, refused = [], set()
for says in "", "E01;" + "no way".encode().hex(), "[1]":
    for group in groups:
        log = pathlib.Path(folder, "log")
        log.write_text("")
        environment = {**os.environ, "LLDB_DEBUGSERVER_PATH": os.path.join(os.path.dirname(os.path.realpath(__file__)), "refusing_server.py"),
                       "LLDB_SERVER": f"{build}/bin/lldb-server", "LLDB_SERVER_REFUSES": ",".join(group), "LLDB_SERVER_SAYS": says, "LLDB_SERVER_LOG": str(log)}
        # LLDB ends its list at the first command that fails.
        words = [word for command in commands for word in ("-o", f"script lldb.debugger.HandleCommand({command!r})")]
        result = subprocess.run([f"{build}/bin/lldb", "--no-lldbinit", *words, "-o", "quit", program], env=environment, text=True, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace", timeout=300)
        refused |= set(log.read_text().split())
        if result.returncode < 0:
            reported.append(f"LLDB has died of {says!r} for {group}:\n{result.stdout}")
        reported += [f"{says!r}: {line}" for line in result.stdout.splitlines() if any(name in line for name in names)]
print("\n".join(reported))
print("refused:", ", ".join(sorted(refused)))
print(len(reported), "messages with names")
