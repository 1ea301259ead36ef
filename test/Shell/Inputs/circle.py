# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A core in which the runtime's list of code objects is circular."""
import struct
import sys

import lldb

program, core = sys.argv[1:3]
debugger = lldb.SBDebugger.Create()
debugger.SetAsync(False)


def command(text):
    result = lldb.SBCommandReturnObject()
    debugger.GetCommandInterpreter().HandleCommand(text, result)
    return (result.GetOutput() or "") + (result.GetError() or "")


host = debugger.CreateTarget(program)
host.BreakpointCreateByName("saxpy")
process = host.LaunchSimple(None, None, ".")
runtime = next(m for m in host.module_iter() if m.file.basename.startswith("libamdhip64"))
(r_debug,) = (s for s in runtime if s.GetName() and "TheDebug" in s.GetName())
error = lldb.SBError()
link_map = process.ReadPointerFromMemory(r_debug.addr.GetLoadAddress(host) + 8, error)
debugger.SetSelectedTarget(host)
command(f"process save-core {core}")
process.Kill()
with open(core, "r+b") as file:
    file.seek(32)
    (headers,) = struct.unpack("<Q", file.read(8))
    file.seek(56)
    (count,) = struct.unpack("<H", file.read(2))
    for i in range(count):
        file.seek(headers + 56 * i)
        kind, _, offset, address, _, size = struct.unpack("<IIQQQQ", file.read(40))
        if kind == 1 and address <= link_map and link_map + 32 <= address + size:
            file.seek(offset + link_map + 24 - address)
            file.write(link_map.to_bytes(8, "little"))
            print("a circle of one")
command("target delete --all")
print(command(f"target create {program} --core {core}"))
print(command("thread list"))
lldb.SBDebugger.Destroy(debugger)
