#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times opening a GPU core with 10,000 waves until the prompt, and its memory, beside a core with 6 waves.

open.py BUILD [LIBRARY...]: with the embedded debug library, and with each library that is named.
"""
import os
import subprocess
import sys
import tempfile
import time

build, libraries = sys.argv[1], [""] + sys.argv[2:]
REPORT = """import lldb
import os
def peak(pid):
    lines = open(f"/proc/{pid}/status").read().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) // 1024
children = [p for p in os.listdir("/proc") if p.isdigit() and open(f"/proc/{p}/stat").read().rsplit(")", 1)[1].split()[1] == str(os.getpid())]
print("waves", lldb.debugger.GetSelectedTarget().GetProcess().GetNumThreads(), "lldb", peak("self"), "server", max(map(peak, children)))
"""


def opened(core, library, *commands):
    """Seconds until the commands are finished, and their output."""
    settings = ["-o", f"settings set plugin.process.amdgpu.library {library}"] if library else []
    begin = time.monotonic()
    text = subprocess.run([f"{build}/bin/lldb", "--no-lldbinit", "-b", *settings, "-o", f"target create --core {core}",
                           *sum((["-o", c] for c in commands), [])], capture_output=True, text=True, check=True).stdout
    return time.monotonic() - begin, text


with tempfile.TemporaryDirectory() as folder:
    script = os.path.join(folder, "report.py")
    open(script, "w").write(REPORT)
    cores = {}
    for groups in (2, 3334):
        cores[groups] = os.path.join(folder, f"gpucore.{groups}")
        subprocess.run([f"{build}/test/make-gpu-core", cores[groups], f"code={build}/test/cores/gfx90a-64.co", "kernel=add",
                        f"groups={groups}"], check=True)
    for library in libraries:
        name = library or "the embedded library"
        few, _ = opened(cores[2], library)
        many, _ = opened(cores[3334], library)
        looked, _ = opened(cores[3334], library, "thread select 5000", "bt", "register read s5", "thread lane list")
        _, text = opened(cores[3334], library, f"command script import {script}")
        words = text.split("waves ")[-1].split()
        _, base = opened(cores[2], library, f"command script import {script}")
        base = base.split("waves ")[-1].split()
        size = os.path.getsize(cores[3334]) >> 20
        print(f"core with {words[0]} waves ({size} MB), {name}: {many:.2f} s until the prompt ({few:.2f} s with 6 waves), "
              f"{looked - many:+.2f} s to look at one; memory lldb {words[2]} MB ({base[2]} MB with 6), server {words[4]} MB "
              f"({base[4]} MB)")
