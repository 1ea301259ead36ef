# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Types of a target without modules: each once, though several languages share them."""
import lldb

debugger = lldb.SBDebugger.Create()
target = debugger.GetDummyTarget()
for name in "int", "unsigned long", "no such type":
    print(f"{name}:", [found.GetName() for found in target.FindTypes(name)])
