# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs with AMD's own runtime under the debugger: breakpoints, lanes, steps, a core, faults, and an attach."""
import subprocess
import sys

import lldb
from stops import Session

run, programs, core = sys.argv[1:4]
AMD = ["plugin.process.amdgpu.runtime amd"]


def lanes(s):
    return s.command("thread lane list").splitlines()[0].split(": ")[1]


with Session(f"{programs}/saxpy-cov4", settings=AMD) as s:
    s.command("breakpoint set -f saxpy.hip -p 'float t ='")
    print("stop:", s.run())
    print("lanes:", lanes(s))
    print("lane 9:", s.command("thread lane select 9") and s.value("i"))
    print("waves:", s.waves.GetNumThreads())
    print("next:", s.step())
    print("core:", s.command(f"process save-core {core}"))
    s.command("breakpoint delete -f")
    print("then:", s.resume())

# Private memory, which the runtime gives a queue on request, and a second run.
with Session(f"{programs}/compute-cov4", settings=AMD) as s:
    s.command("breakpoint set -n fibonacci -o true")
    for _ in range(2):
        print("function:", s.run().split(":")[0])
        wave = s.waves.GetSelectedThread()
        print("caller:", wave.GetFrameAtIndex(wave.GetNumFrames() - 1).GetFunctionName())
        print("then:", s.resume())
        s.command("breakpoint set -n fibonacci -o true")

with Session(f"{programs}/saxpy-cov4") as s:
    s.command(f"target create {programs}/saxpy-cov4 --core {core}")
    print("core:", s.waves.GetNumThreads(), "waves,", lanes(s), s.value("n"))

for kind in ("some", "abort"):
    # Without randomized addresses, memory is near the end of what a GPU can address.
    with Session(f"{programs}/faults-cov4", kind, settings=[*AMD, "target.disable-aslr false"]) as s:
        print(f"{kind}:", s.run())
        s.resume()
        print("then:", *(t.GetStopDescription(100) for t in s.host.GetProcess() if t.GetStopReason() == lldb.eStopReasonSignal))

program = subprocess.Popen([run, "--runtime", "amd", f"{programs}/attach-cov4"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                           text=True)
assert program.stdout.readline() == "started\n"
program.stdin.write("\n")
program.stdin.flush()
assert program.stdout.readline() == "running\n"
with Session("") as s:
    s.command(f"process attach -p {program.pid}")
    s.host = s.debugger.GetTargetAtIndex(0)
    gpu = next(t for t in map(s.debugger.GetTargetAtIndex, range(s.debugger.GetNumTargets())) if t.GetTriple().startswith("amdgcn"))
    print("attached:", gpu.GetProcess().GetThreadAtIndex(0).GetFrameAtIndex(0).GetFunctionName())
    s.command("breakpoint set -f attach.hip -p spinning")
    s.debugger.SetSelectedTarget(gpu)
    print("stop:", s.resume())
    s.command("breakpoint delete -f")
    print("detach:", s.command("process detach"))
out = program.communicate("\n")[0]
print("end:", program.returncode, out.strip())
