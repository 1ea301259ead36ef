# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stops of waves while the host is stepped over a breakpoint whose condition doesn't hold, and of both at once."""
import re
import subprocess
import os
import sys

from stops import line_of

lldb = os.path.join(os.environ["WAVELANE_BUILD"], "bin", "lldb")
store = line_of("turn's end", "busy.hip")
commands = [f"breakpoint set -f busy.hip -l {store}", "breakpoint set -n called -c 'number == -1'", "run", *["continue"] * 19,
            "target select 0", "thread select 1", "thread step-inst", "thread info"]
words = [word for line in commands for word in ("-o", line)]
text = subprocess.run([lldb, "--no-lldbinit", "-b", *words, sys.argv[1]], capture_output=True, text=True).stdout
begin, end = text.split("(lldb) target select 0")
stops = re.findall(r"\* thread #\d+, name = '(\S+).*stop reason = (.*)", begin)
print(f"stops: {sum(stop == ('turns', 'breakpoint 1.1') for stop in stops)} of {len(stops)} are of waves")
print("reported:", re.findall(r"the host's code has stopped as well.*", begin))
print("stepi:", re.findall(r"stop reason = (.*)", end)[-1])

# A host and a kernel that stop at once: which of the two is first differs.
commands = [f"breakpoint set -f unwaited.hip -l {line_of('ends', 'unwaited.hip')}", "run raw fault"]
words = [word for line in commands for word in ("-o", line)]
HOST, GPU = "breakpoint 1.1", "memory violation at 0x40"
seen = set()
for _ in range(40):
    text = subprocess.run([lldb, "--no-lldbinit", "-b", *words, sys.argv[2]], capture_output=True, text=True).stdout
    shown = re.search(r"stop reason = (breakpoint 1.1|memory violation at 0x40)", text)
    also = re.search(r"the (GPU|host's code) has stopped as well: thread #1, (breakpoint 1.1|memory violation at 0x40).*\('target select (\d)' shows it\)", text)
    seen.add((shown and shown[1], also and also.groups()))
    if {(HOST, ("GPU", GPU, "1")), (GPU, ("host's code", HOST, "0"))} <= seen:
        break
for shown, also in sorted(seen, key=str):
    print("shown:", shown, "and reported:", also and " ".join(also))
