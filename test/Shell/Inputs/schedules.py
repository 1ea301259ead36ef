# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Schedules: a run is repeated by its number, and others are tried until one differs."""
import os
import re
import subprocess
import sys
from stops import Session
from why import whether

RUN, PROGRAMS = sys.argv[1:]
ORDER, SAXPY = PROGRAMS + "/order-O0", PROGRAMS + "/saxpy-O0"


def run(*arguments, processor="gfx90a"):
    done = subprocess.run([RUN, "--runtime", "wavelane", *arguments], capture_output=True, text=True,
                          env=dict(os.environ, WAVELANE_PROCESSOR=processor))
    return done.returncode, done.stdout.strip(), done.stderr.strip()


for kind in ("random", "chaos"):
    code, out, said = run("--schedule", kind, "--tries", "20", ORDER)
    numbers = re.findall(r"schedule (\d+)", said) or ["0"]
    found = re.search(r"is '(.*?)', not", said)
    print(f"{kind}:", code, out, "|", re.sub(r"\d{2,}", "N", said.split("\n")[0]))
    print("its kind:", "odd" if int(numbers[0]) % 2 else "even")
    again = run("--schedule", numbers[0], ORDER)
    print("again:", whether(found and again[1] == found[1], (said, again)), again[2].replace(numbers[0], "N"))
with Session(ORDER, settings=[f"plugin.process.amdgpu.schedule {numbers[0]}"]) as s:
    s.command("breakpoint set -f order.hip -l 19")
    s.run()
    print("debugged:", whether(f"last {s.value('found')}," in again[1], f"{s.value('found')} {again[1]}"))
PUBLISH = PROGRAMS + "/publish-O2"
for processor in ("gfx90a", "gfx1100"):
    # About one in a hundred differs; the first ends it.
    code, out, said = run("--schedule", "chaos", "--tries", "1000", PUBLISH, processor=processor)
    found = re.search(r"is '(\d+) old values', not", said)
    print(f"late stores, {processor}:", out, whether(found and int(found[1]) > 0, said))
    number = (re.findall(r"schedule (\d+)", said) or ["0"])[0]
    print("again:", whether(found and run("--schedule", number, PUBLISH, processor=processor)[1] == f"{found[1]} old values"))
    print("with a fence:", run("--schedule", "chaos", "--tries", "100", PUBLISH, "fence", processor=processor)[2])
print("no difference:", *run("--schedule", "random", "--tries", "1", SAXPY))
for arguments in (("--schedule", "fast"), ("--schedule=1000000000",), ("--tries", "3"), ("--schedule", "1", "--tries", "2"),
                  ("--schedule", "chaos", "--tries", "0")):
    print(*arguments, run(*arguments, SAXPY)[2].split("\n")[0])
