# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Steps a wave by instructions through a loop whose code has no line in parts: each stop has a place in the source.
import sys
from dap_client import Client
from why import whether

adapter, programs, sources = sys.argv[1:]
source = sources + "/hip/faults.hip"
with open(source) as file:
    loop = next(n for n, line in enumerate(file, 1) if "while (*go == 0)" in line)
c = Client(adapter)
c.launch(programs + "/faults-O0", source, [loop], args=["endless"])
wave = c.event("stopped")["threadId"]
c.breakpoints(source)
frames = []
for _ in range(40):
    c.body("next", threadId=wave, granularity="instruction")
    c.event("stopped")
    frames.append(c.top(wave))
lost = [f for f in frames if not f.get("source", {}).get("path", "").endswith("faults.hip") or not loop <= f["line"] <= loop + 2]
print("places:", whether(not lost, lost))
print("adapter:", c.disconnect())
