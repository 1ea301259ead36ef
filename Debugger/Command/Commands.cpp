//===-- Commands.cpp ------------------------------------------*- C++ -*-===//

#include "Commands.h"
#include "Lane/LaneFocus.h"
#include "lldb/Core/Debugger.h"
#include "lldb/Interpreter/CommandInterpreter.h"
#include "lldb/Interpreter/CommandObject.h"

using namespace lldb;
using namespace lldb_private;

static void AddCommands(Debugger &debugger) {
  CommandInterpreter &interpreter = debugger.GetCommandInterpreter();
  if (interpreter.GetCommandSPExact("gpu"))
    return; // told of this debugger before
  if (CommandObjectSP thread_sp = interpreter.GetCommandSPExact("thread"))
    thread_sp->LoadSubCommand("lane",
                              lldb_private::wavelane::MakeThreadLaneCommand(interpreter));
  lldb_private::wavelane::ReplaceThreadList(interpreter);
  interpreter.AddCommand("dwarf", lldb_private::wavelane::MakeDwarfCommand(interpreter),
                         /*can_replace=*/false);
  interpreter.AddCommand("gpu", lldb_private::wavelane::MakeGPUCommand(interpreter),
                         /*can_replace=*/false);
  interpreter.AddCommand("wavelane", lldb_private::wavelane::MakeWavelaneCommand(interpreter),
                         /*can_replace=*/false);
}

void lldb_private::wavelane::InitializeCommands() { ForEachDebugger(AddCommands); }

void lldb_private::wavelane::TerminateCommands() { ForgetCallbacks(); }
