# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs each command of a file on a program, also behind a failed one: each_command.py PROGRAM FILE"""
import sys

import lldb

program, commands = sys.argv[1:]
debugger = lldb.SBDebugger.Create()
debugger.SetAsync(False)
debugger.SetUseColor(False)
debugger.HandleCommand("target create " + program)
interpreter = debugger.GetCommandInterpreter()
for line in open(commands):
    command = line.strip()
    if not command:
        continue
    result = lldb.SBCommandReturnObject()
    interpreter.HandleCommand(command, result)
    print("(lldb)", command)
    print((result.GetOutput() or "") + (result.GetError() or ""), end="", flush=True)
lldb.SBDebugger.Destroy(debugger)
