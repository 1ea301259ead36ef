# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches a program whose lldb-server dies before the program is resumed: lost_resume.py PROGRAM"""
import sys

import lldb

for is_async in (False, True):
    debugger = lldb.SBDebugger.Create(False)
    debugger.SetAsync(is_async)
    target = debugger.CreateTarget(sys.argv[1])
    error = lldb.SBError()
    target.Launch(target.GetLaunchInfo(), error)
    print("launched:", error)
    lldb.SBDebugger.Destroy(debugger)
