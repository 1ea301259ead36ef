# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A wrong value of each of docs/environment.md's variables is refused with its name: by wavelane-run, without it, and in a session.

usage: environment_refused.py TOP BUILD PROGRAM FOLDER
"""
import json
import os
import pathlib
import re
import socket
import subprocess
import sys

import lldb

top, build, program, folder = sys.argv[1:]
os.makedirs(folder, exist_ok=True)
NO_NUMBER = "it must be a number from"
SWITCH = ("1", {"yes": "it must be 0 or 1", "true": "it must be 0 or 1", "2": "it must be 0 or 1"})
MEMORY = ("8000", {"much": NO_NUMBER, "0": NO_NUMBER, "16777217": NO_NUMBER, "0x100": NO_NUMBER})
# A right value, and wrong ones with what is said of them.
TABLE = {
    "WAVELANE_PROCESSOR": ("gfx90a,gfx90a", {"gfx9x": "there is no simulated gfx9x", "gfx90a,": "there is no simulated GPU"}),
    "WAVELANE_CUS": ("8", {"abc": NO_NUMBER, "0": NO_NUMBER, "513": NO_NUMBER, "-1": NO_NUMBER,
                           "200": "a simulated gfx90a has at most 120 compute units"}),
    "WAVELANE_RUNTIME": ("wavelane", {"amdd": "did you mean 'amd'?"}),
    "WAVELANE_TRANSLATE": ("verify", {"verfy": "it must be 0, 1 or verify; did you mean 'verify'?", "2": "it must be 0, 1 or verify"}),
    "WAVELANE_THREADS": ("2", {"x": NO_NUMBER, "65": NO_NUMBER}),
    "WAVELANE_MEMORY_LIMIT": MEMORY,
    "WAVELANE_SCHEDULE": ("7", {"7x": NO_NUMBER, "1000000000": NO_NUMBER}),
    "WAVELANE_RECORD": (f"{folder}/run.rec", {f"{folder}/none/x.rec": f"there is no folder {folder}/none", folder: "it is a folder"}),
    "WAVELANE_RECORD_LIMIT": ("64", {"0": NO_NUMBER, "big": NO_NUMBER}),
    "WAVELANE_HIP_COMPILER": ("/bin/true", {"/none": "it must be a program", "/etc/passwd": "it must be a program", "/": "it must be a program"}),
    "WAVELANE_DUMP_DEVICE_MEMORY": SWITCH,
    "WAVELANE_LATE_FAULTS": ("3", {"late": NO_NUMBER, "1048577": NO_NUMBER}),
    "WAVELANE_LOG": SWITCH,
    "WAVELANE_DEVICE": ("simulated", {"hardwear": "did you mean 'hardware'?"}),
    "WAVELANE_SERVER_MEMORY_LIMIT": MEMORY,
    "WAVELANE_GPU_PORT": ("4001-4010", {"abc": "it must be a port", "0": "it must be a port", "4010-4001": "it must be a port", "4001-": "it must be a port"}),
    "WAVELANE_RANK_LOG": (f"{folder}/log", {f"{folder}/none/log": "there is no folder"}),
    "WAVELANE_ADAPTER_ENDS_WITH_INPUT": SWITCH,
    "WAVELANE_RUNTIME_DIR": (f"{folder}/sockets", {f"{folder}/made": "there is no such folder", "made": "it must be an absolute path"}),
}
# What is known only when it is used.
LENIENT = {"WAVELANE_DBGAPI_LIBRARY", "WAVELANE_JOB", "WAVELANE_JOB_SECRET"}
os.makedirs(f"{folder}/sockets", mode=0o700, exist_ok=True)
faults = []


def expect(what, good, seen):
    if not good:
        faults.append(f"{what}: {seen!r}")


def run(command, **variables):
    done = subprocess.run(command, env={**os.environ, **variables}, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


page = (pathlib.Path(top) / "docs/environment.md").read_text().partition("## Internal")[0]
listed = set(re.findall(r"(?m)`(WAVELANE_[A-Z_]+)`", page))
expect("the page's variables", listed == set(TABLE) | LENIENT, listed ^ (set(TABLE) | LENIENT))
debugger = lldb.SBDebugger.Create()
debugger.SetAsync(False)
tried = 0
for name, (right, wrong) in TABLE.items():
    for text in right, "":
        code, said = run([f"{build}/bin/wavelane-run", program], **{name: text})
        expect(f"{name}={text}", code == 0 and "PASSED" in said, (code, said))
    for text, why in wrong.items():
        tried += 1
        reported = f"{name} is '{text}': "
        code, said = run([f"{build}/bin/wavelane-run", program], **{name: text})
        expect(f"{name}={text} run", code == 2 and reported in said and why in said and "PASSED" not in said and said.count("\n") == 1, (code, said))
        code, said = run([program], LD_LIBRARY_PATH=f"{build}/lib/wavelane", **{name: text})
        expect(f"{name}={text} alone", code != 0 and f"wavelane-gpu: {reported}" in said and why in said and "PASSED" not in said, (code, said))
        if text == "200":
            continue  # only the GPU knows how many it can have
        debugger.SetSelectedTarget(debugger.CreateTarget(program))
        debugger.HandleCommand(f"settings set target.env-vars '{name}={text}'")
        result = lldb.SBCommandReturnObject()
        debugger.GetCommandInterpreter().HandleCommand("run", result)
        expect(f"{name}={text} session", not result.Succeeded() and reported in result.GetError() and why in result.GetError(), result.GetOutput() + result.GetError())
# A mistyped name is reported once, and kills nothing.
for name, meant in ("WAVELANE_CU", "WAVELANE_CUS"), ("WAVELAN_LOG", "WAVELANE_LOG"), ("WAVELANE_GPU_PROT", "WAVELANE_GPU_PORT"):
    reported = f"warning: {name} has no effect: did you mean {meant}?\n"
    for way, command, own in ("run", [f"{build}/bin/wavelane-run", program], {}), ("alone", [program], {"LD_LIBRARY_PATH": f"{build}/lib/wavelane"}):
        code, said = run(command, **own, **{name: "8"})
        expect(f"{name} {way}", code == 0 and "PASSED" in said and said.count(reported) == said.count("has no effect") == 1, (code, said))
    code, said = run([f"{build}/bin/lldb", "-b", "-o", "run", program], **{name: "8"})
    expect(f"{name} session", "PASSED" in said and said.count(reported) == said.count("has no effect") == 1, said)


def ask_adapter(value):
    """What an adapter that listens reports to its first client."""
    with subprocess.Popen([f"{build}/bin/lldb-dap", "--connection", "listen://127.0.0.1:0"], env={**os.environ, "WAVELANE_ADAPTER_ENDS_WITH_INPUT": value},
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as adapter:
        port = int(re.search(r"(\d+)\s*$", adapter.stdout.readline())[1])
        with socket.create_connection(("127.0.0.1", port), timeout=60) as client:
            request = json.dumps({"seq": 1, "type": "request", "command": "initialize", "arguments": {"adapterID": "test"}})
            client.sendall(f"Content-Length: {len(request)}\r\n\r\n{request}".encode())
            said = b""
            while b'"command":"initialize"' not in said:
                said += client.recv(1 << 16) or sys.exit("the adapter has ended")
        adapter.kill()
    return said.decode()


for value in "yes", "0":
    said = ask_adapter(value)
    expect(f"adapter {value}", ("WAVELANE_ADAPTER_ENDS_WITH_INPUT is 'yes': it must be 0 or 1; the adapter doesn't end with its input" in said) == (value == "yes"), said)
expect("nothing was made", not os.path.exists(f"{folder}/made") and not os.path.exists(f"{folder}/none"), os.listdir(folder))
code, said = run([f"{build}/bin/wavelane-run", "--cus", "200", program])
expect("--cus 200", code == 2 and "--cus is '200': a simulated gfx90a has at most 120 compute units" in said, (code, said))

print("\n".join(faults))
print(f"{len(TABLE)} variables, {tried} wrong values, {len(faults)} not as wanted")
