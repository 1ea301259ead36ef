# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lists the code objects of an offload bundle and opens one: bundle_members.py FILE TARGET-ID"""
import sys

import lldb

path, name = sys.argv[1:]
lldb.SBDebugger.Initialize()
target = lldb.SBDebugger.Create().CreateTarget("")
specs = lldb.SBModuleSpecList.GetModuleSpecifications(path)
print("members:", *(specs.GetSpecAtIndex(i).GetObjectName() for i in range(specs.GetSize())))
spec = lldb.SBModuleSpec()
spec.SetFileSpec(lldb.SBFileSpec(path))
spec.SetObjectName(name)
module = target.AddModule(spec)
if module:
    files = [unit.file.basename for unit in module.compile_units]
    print(f"{str(module).split('/')[-1]}: {module.num_symbols} symbols, main file {files[0] if files else None}")
else:
    print(f"{name}: no module")
