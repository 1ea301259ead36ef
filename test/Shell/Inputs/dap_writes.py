# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Variables set in lldb-dap: read-only variables are refused, and written values take effect.

usage: dap_writes.py ADAPTER FOLDER"""
import os
import subprocess
import sys

from dap_client import Client
from why import outcome
from x86_program import PROGRAM

adapter, folder = sys.argv[1:3]
os.makedirs(folder, exist_ok=True)
PROGRAM.write(f"{folder}/x86.s")
subprocess.run(["clang-19", f"{folder}/x86.s", "-o", f"{folder}/x86"], check=True)
c = Client(adapter)
c.launch(f"{folder}/x86", "/nowhere/prog.c", [3])
stop = c.event("stopped")
frame = c.top(stop["threadId"])["id"]
scope = c.scope(frame, "Locals")
for name, value in (("in_register", "8"), ("two_places", "22"), ("elements_5", "50"), ("constant", "10"), ("deref_implicit", "12"), ("gone", "1")):
    before = c.variables(scope)[name]
    print(f"{name}: {outcome(c.request('setVariable', variablesReference=scope, name=name, value=value))}; {before} -> {c.variables(scope)[name]}")
print("slot:", c.variables(scope)["slot"])
print("adapter:", c.disconnect())
