# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Callbacks of a script's own for commands, with other words than LLDB's: `command script import` sets them."""
import lldb

COMMANDS = ("breakpoint set", "frame variable", "thread backtrace", "process continue", "expression", "register read", "target list")
kept = []


def take(*words):
    print("taken:", words)
    return True


def __lldb_init_module(debugger, _):
    for name in COMMANDS:
        print("set:", debugger.GetCommandInterpreter().SetCommandOverrideCallback(name, take))
    for name in COMMANDS:
        result = lldb.SBCommandReturnObject()
        debugger.GetCommandInterpreter().HandleCommand(name, result)
