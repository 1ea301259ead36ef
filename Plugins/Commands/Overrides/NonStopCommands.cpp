//===-- NonStopCommands.cpp - commands while waves run --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In non-stop mode, LLDB's processes are stopped while waves run and write
// memory. LLDB keeps values until a process runs, so they are dropped before
// each command that shows some.
//
//===----------------------------------------------------------------------===//

#include "Commands/Base/CommandOverrides.h"
#include "Core/Lane/LaneProcess.h"
#include "Core/Record/LaneText.h"
#include "Overrides.h"
#include "Process/AMDGPU/ProcessAMDGPU.h"
#include "Session/Coupling/GPUCoupling.h"

#include "lldb/Core/Debugger.h"
#include "lldb/Interpreter/CommandInterpreter.h"
#include "lldb/Interpreter/CommandObject.h"
#include "lldb/Interpreter/CommandReturnObject.h"
#include "lldb/Target/TargetList.h"
#include "lldb/Utility/State.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

/// The GPU of the selected target's program if its waves run while it is
/// stopped; else null.
static std::shared_ptr<ProcessAMDGPU> FindNonStop(Debugger &debugger) {
  TargetSP target_sp = debugger.GetTargetList().GetSelectedTarget();
  std::shared_ptr<GPUCoupling> coupling_sp =
      target_sp ? GPUCoupling::Find(*target_sp) : nullptr;
  std::shared_ptr<ProcessAMDGPU> gpu_sp =
      coupling_sp ? coupling_sp->GetGPU() : nullptr;
  return gpu_sp && gpu_sp->IsNonStop() &&
                 StateIsStoppedState(gpu_sp->GetState(), /*must_exist=*/true)
             ? gpu_sp
             : nullptr;
}

static bool DropValues(void *baton, const char **, CommandReturnObject &) {
  std::shared_ptr<ProcessAMDGPU> gpu_sp =
      FindNonStop(*static_cast<Debugger *>(baton));
  if (!gpu_sp)
    return false; // run the command itself
  gpu_sp->InvalidateValues();
  ProcessSP host_sp = gpu_sp->GetCoupling()->GetHost();
  if (auto *owner = dynamic_cast<LaneOwner *>(host_sp.get()))
    owner->InvalidateValues();
  if (auto *sharer = dynamic_cast<SharesMemory *>(host_sp.get()))
    sharer->ForgetMemory();
  return false;
}

/// Runs `process interrupt`, also at a stop that holds only some waves.
static bool HoldWaves(void *baton, const char **, CommandReturnObject &result) {
  std::shared_ptr<ProcessAMDGPU> gpu_sp =
      FindNonStop(*static_cast<Debugger *>(baton));
  if (!gpu_sp)
    return false; // run the command itself
  if (Status error = gpu_sp->HoldAll(); error.Fail()) {
    result.AppendError(error.AsCString());
    return true;
  }
  const uint32_t count = gpu_sp->GetThreadList().GetSize();
  result.AppendMessage(FormatCount(count, "wave") +
                       (count == 1 ? " is held" : " are held"));
  result.SetStatus(eReturnStatusSuccessFinishResult);
  return true;
}

void lldb_private::wavelane::AddNonStopCommands(Debugger &debugger) {
  CommandInterpreter &interpreter = debugger.GetCommandInterpreter();
  for (auto [group, names] :
       std::initializer_list<std::pair<llvm::StringRef, llvm::StringRef>>{
           {"", "dwim-print expression"},
           {"frame", "info select variable"},
           {"memory", "find read"},
           {"target", "variable"},
           {"thread", "backtrace info"}}) {
    llvm::SmallVector<llvm::StringRef> words;
    names.split(words, ' ');
    for (llvm::StringRef word : words) {
      CommandObject *command =
          interpreter.GetCommandObject(group.empty() ? word : group);
      if (command && !group.empty())
        command = command->GetSubcommandObject(word);
      if (command)
        OverrideCommand(*command, DropValues, &debugger);
    }
  }
  CommandObject *process = interpreter.GetCommandObject("process");
  if (CommandObject *command =
          process ? process->GetSubcommandObject("interrupt") : nullptr)
    OverrideCommand(*command, HoldWaves, &debugger);
}
