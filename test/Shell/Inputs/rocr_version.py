# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""set_rocr_version N: the version that the GPU's runtime reports for its trap handler and structures, in the stopped program's r_debug."""

import lldb

NAMES = ("_amdgpu_r_debug", "TheDebug")


@lldb.command("set_rocr_version")
def set_rocr_version(debugger, command, result, dictionary):
    target = debugger.GetSelectedTarget()
    (symbol,) = (s for m in target.module_iter() if m.file.basename.startswith(("libhsa-runtime64", "libamdhip64"))
                 for s in m if s.GetName() and any(name in s.GetName() for name in NAMES))
    error = lldb.SBError()
    target.process.WriteMemory(symbol.addr.GetLoadAddress(target), int(command).to_bytes(4, "little"), error)
    if error.Fail():
        result.SetError(error)
