# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command `fails COMMAND`: runs a command that should fail and prints its error, so that a batch continues."""
import lldb


def fails(debugger, command, result, internal_dict):
    answer = lldb.SBCommandReturnObject()
    debugger.GetCommandInterpreter().HandleCommand(command, answer)
    if answer.Succeeded():
        result.AppendMessage("it worked: " + answer.GetOutput().strip())
    else:
        result.AppendMessage(answer.GetError().strip())


def __lldb_init_module(debugger, internal_dict):
    debugger.HandleCommand("command script add -o -f fails.fails fails")
