//===-- Commands.cpp --------------------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Commands.h"
#include "Commands/Dwarf/DwarfCommands.h"
#include "Commands/Job/JobCommands.h"
#include "Commands/Overrides/Overrides.h"
#include "Commands/Time/TimeCommands.h"
#include "Core/Support/Debuggers.h"
#include "lldb/Core/Debugger.h"
#include "lldb/Interpreter/CommandInterpreter.h"
#include "lldb/Interpreter/CommandObject.h"

using namespace lldb;
using namespace lldb_private;

static void AddCommands(Debugger &debugger) {
  CommandInterpreter &interpreter = debugger.GetCommandInterpreter();
  if (interpreter.GetCommandSPExact("gpu"))
    return; // already added to this debugger
  if (CommandObjectSP thread_sp = interpreter.GetCommandSPExact("thread"))
    thread_sp->LoadSubCommand("lane",
                              wavelane::MakeThreadLaneCommand(interpreter));
  wavelane::ReplaceThreadList(interpreter);
  wavelane::ExtendCommands(interpreter);
  wavelane::AddReverseCommands(interpreter);
  interpreter.AddCommand("dwarf", wavelane::MakeDwarfCommand(interpreter),
                         /*can_replace=*/false);
  interpreter.AddCommand("gpu", wavelane::MakeGPUCommand(interpreter),
                         /*can_replace=*/false);
  interpreter.AddCommand("job", wavelane::MakeJobCommand(interpreter),
                         /*can_replace=*/false);
  interpreter.AddCommand("rank", wavelane::MakeRankCommand(interpreter),
                         /*can_replace=*/false);
  interpreter.AddCommand("wavelane", wavelane::MakeWavelaneCommand(interpreter),
                         /*can_replace=*/false);
}

void wavelane::InitializeCommands() { ForEachDebugger(AddCommands); }
