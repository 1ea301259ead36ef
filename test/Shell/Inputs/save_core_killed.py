# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kills lldb-server while it writes a core: save_core_killed.py PROGRAM FUNCTION"""
import os
import signal
import sys
import tempfile
import threading

import lldb

program, function = sys.argv[1:3]
# A file system that has files without a name.
holder = tempfile.TemporaryDirectory(dir="/dev/shm")
folder = holder.name
debugger = lldb.SBDebugger.Create(False)
debugger.SetAsync(False)
target = debugger.CreateTarget(program)
target.BreakpointCreateByName(function)
process = target.LaunchSimple(None, None, None)
with open(f"/proc/{process.GetProcessID()}/status") as status:
    server = next(int(line.split()[1]) for line in status if line.startswith("TracerPid"))


def kill_writer():
    """Once the server has a file open in that folder."""
    files = f"/proc/{server}/fd"
    while True:
        for name in os.listdir(files):
            try:
                if os.readlink(f"{files}/{name}").startswith(folder):
                    os.kill(server, signal.SIGKILL)
                    return
            except FileNotFoundError:
                pass


threading.Thread(target=kill_writer, daemon=True).start()
print("saved:", process.SaveCore(os.path.join(folder, "core")).GetCString() or "whole")
lldb.SBDebugger.Destroy(debugger)
print("left:", os.listdir(folder))
