# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stops of waves while the host is stepped over a breakpoint whose condition doesn't hold."""
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
print("told:", re.findall(r"the host's code has stopped as well.*", begin))
print("stepi:", re.findall(r"stop reason = (.*)", end)[-1])
