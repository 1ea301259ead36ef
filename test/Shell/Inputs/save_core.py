# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A session's GPU, saved as a core: the core shows the same as the session, with each available debug library.

save_core.py PROGRAMS PROGRAM:FILE:LINE:DEVICES:ARGUMENT...
Without a line the program stops by itself.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import lldb
from why import whether

AMD = os.environ.get("WAVELANE_OTHER_DBGAPI", "/opt/rocm/lib/librocm-dbgapi.so.0")
libraries = [""] + ([AMD] if os.path.exists(AMD) else [])
folder = tempfile.mkdtemp()


def command(debugger, text):
    result = lldb.SBCommandReturnObject()
    debugger.GetCommandInterpreter().HandleCommand(text, result)
    return (result.GetOutput() or "") + (result.GetError() or "")


def facts(debugger, host, gpu):
    """Everything that must be the same, by name."""
    found = {}
    for thread in host.GetProcess():
        found[f"host thread {thread.GetThreadID()}"] = [f.GetPC() for f in thread.get_thread_frames()][:4]
    debugger.SetSelectedTarget(gpu)
    waves = gpu.GetProcess()
    for kind in ("agent", "queue", "dispatch", "workgroup"):
        # In arbitrary order, and with the library's own numbers.
        found[kind] = sorted(str({key: value for key, value in item.items() if key != "id"})
                             for item in json.loads(command(debugger, f"gpu {kind} list --json")))
    for module in gpu.module_iter():
        found[f"module {module.GetFileSpec().GetFilename()}"] = (
            module.GetUUIDString(), module.FindSection(".text").GetLoadAddress(gpu), module.GetTriple())
    for i, thread in enumerate(waves):
        # Wave ids are the library's own; names come from the program.
        name = thread.GetName().split(", lane")[0]
        waves.SetSelectedThread(thread)
        # A breakpoint of the session doesn't belong to anyone in the core.
        found[f"{name}: reason"] = command(debugger, "thread info").rpartition("stop reason = ")[2].split()[:1]
        command(debugger, "thread lane select 0")
        found[f"{name}: frames"] = [(f.GetPC(), f.GetFunctionName(), f.GetLineEntry().GetLine())
                                    for f in thread.get_thread_frames()]
        # A core has the lanes of a finding, not those of an exception.
        found[f"{name}: lanes"] = re.sub(r' *"caused_stop": \w+,\n', "", command(debugger, "thread lane list --json"))
        frame = thread.GetFrameAtIndex(0)
        # Breakpoints are hidden.
        found[f"{name}: code"] = waves.ReadMemory(frame.GetPC(), 16, lldb.SBError())
        for group in frame.GetRegisters():
            for register in group:
                data = register.GetData()
                found[f"{name}: {register.GetName()}"] = bytes(data.uint8s) if data.IsValid() else None
        for space in ("local", "private_wave"):
            found[f"{name}: {space}"] = command(debugger, f"gpu memory read --space {space} 0 --count 16")
        for lane in (0, 5, 31) if i < 3 else (5,):
            command(debugger, f"thread lane select {lane}")
            frame = thread.GetFrameAtIndex(0)
            for variable in frame.GetVariables(True, True, True, True):
                found[f"{name}: lane {lane}: {variable.GetName()}"] = (
                    variable.GetValue(), [variable.GetChildAtIndex(k).GetValue()
                                          for k in range(min(4, variable.GetNumChildren(4)))])
            found[f"{name}: lane {lane}: private_lane"] = command(
                debugger, "gpu memory read --space private_lane 0 --count 16")
    return found


def save(programs, spec):
    program, source, line, devices, argument = spec.split(":")
    debugger = lldb.SBDebugger.Create()
    debugger.SetAsync(False)
    host = debugger.CreateTarget(os.path.join(programs, program))
    if line:
        host.BreakpointCreateByLocation(source, int(line))
    command(debugger, f"settings set target.env-vars WAVELANE_PROCESSOR={devices}")
    host.LaunchSimple([argument] if argument else None, None, folder)
    gpu = debugger.GetSelectedTarget()
    # The session's changes are saved, too.
    command(debugger, "thread lane select 5")
    command(debugger, "register write m0 0x1234")
    live = facts(debugger, host, gpu)
    path = os.path.join(folder, "core")
    said = command(debugger, f"process save-core {path}")
    after = facts(debugger, host, gpu)
    print(f"== {program} on {devices}{argument and ' '}{os.path.basename(argument)}: {len(gpu.GetProcess().threads)} waves, saved", said.strip() or "well",
          "and unchanged" if after == live else "and changed")
    refused = command(debugger, f"process save-core {folder}/none/core").strip()
    print(refused.replace(folder, "FOLDER"))
    print("files", os.listdir(folder))
    # The program continues.
    host.DeleteAllBreakpoints()
    gpu.DeleteAllBreakpoints()
    debugger.SetSelectedTarget(host)
    host.GetProcess().Continue()
    print("the program then:", lldb.SBDebugger.StateAsCString(host.GetProcess().GetState()))
    lldb.SBDebugger.Destroy(debugger)

    text = subprocess.run([os.environ["WAVELANE_BUILD"] + "/bin/lldb", "--no-lldbinit", "-b", "-c", path, "-o", "thread list"],
                          capture_output=True, text=True).stdout
    print("lldb -c:", *(whether(part in text, text) for part in ("stop reason = breakpoint", "was loaded")))
    for library in libraries:
        debugger = lldb.SBDebugger.Create()
        debugger.SetAsync(False)
        if library:
            command(debugger, f"settings set plugin.process.amdgpu.library {library}")
        command(debugger, f"target create --core {path}")
        host, gpu = debugger.GetTargetAtIndex(0), debugger.GetTargetAtIndex(1)
        found = facts(debugger, host, gpu)
        differ = [name for name in live if found.get(name) != live[name]]
        unknown = {"agent"} if library else set()  # each library has its own name for a GPU
        differ = [name for name in differ if name not in unknown]
        print(f"{'another' if library else 'the usual'} library: {'enough' if len(live) > 500 else len(live)} values, "
              f"{len(differ)} differ, {len(set(found) - set(live))} more; host and GPU are",
              "one process" if host.GetProcess().GetProcessID() == gpu.GetProcess().GetProcessID() else "two processes")
        for name in differ[:8]:
            print("  ", name, ": was", str(live[name])[:300], "is", str(found.get(name))[:300])
        for text in ("register write m0 1", "memory write 0x10 1",
                     "gpu memory write --space local 0 1", "process save-core /tmp/none"):
            print(f"{text}: {command(debugger, text).strip()}")
        if library:
            command(debugger, "settings clear plugin.process.amdgpu.library")
        lldb.SBDebugger.Destroy(debugger)
    host_alone(path)
    os.remove(path)


def host_alone(path):
    """The same core without the GPU's note is like any program's."""
    with open(path, "r+b") as file:
        at = file.read(1 << 20).index(b"\x21\0\0\0AMDGPU\0") + 4
        file.seek(at)
        file.write(b"OTHERS")
    debugger = lldb.SBDebugger.Create()
    debugger.SetAsync(False)
    command(debugger, f"target create --core {path}")
    process = debugger.GetSelectedTarget().GetProcess()
    names = [frame.GetFunctionName() for frame in process.GetThreadAtIndex(0).get_thread_frames()]
    print("without the GPU's note:", debugger.GetNumTargets(), "target, frame of main:", whether("main" in names, names))
    lldb.SBDebugger.Destroy(debugger)


for spec in sys.argv[2:]:
    save(sys.argv[1], spec)
shutil.rmtree(folder)
