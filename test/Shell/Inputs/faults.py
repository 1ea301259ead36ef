# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Faults with the lanes that caused them, and the settings that stop where kernels begin and modules come."""
import sys
from stops import Session

programs = sys.argv[1]
for kind in ("some", "divide", "abort", "assert"):
    with Session(f"{programs}/faults-O0", kind) as s:
        print(f"{kind}: {s.run()}")

print("== kernel entry")
with Session(f"{programs}/stops-O0", "twice") as s:
    s.command("settings set plugin.process.amdgpu.stop-on-kernel-entry true")
    print(s.run())
    print(s.resume())
    print("then:", s.resume())
with Session(f"{programs}/stops-O0") as s:
    print("16 waves:", s.run())
    s.command("settings set plugin.process.amdgpu.stop-on-kernel-entry false")
    print("then:", s.resume())

print("== modules")
with Session(f"{programs}/modules", f"{programs}/modules.co") as s:
    s.command("settings set plugin.process.amdgpu.stop-on-module-load true")
    for _ in range(3):
        where = s.run() if s.host.GetProcess().GetNumThreads() == 0 else s.resume()
        thread = s.host.GetProcess().GetSelectedThread()
        print("stop:", thread.GetStopDescription(100), "in", thread.GetFrameAtIndex(0).GetFunctionName())
    s.command("settings clear plugin.process.amdgpu.stop-on-module-load")
