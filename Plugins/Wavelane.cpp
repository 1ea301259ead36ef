//===-- Wavelane.cpp - the plugin as LLDB loads it ------------------------===//

#include "ABI/AMDGPU/ABIAMDGPU.h"
#include "Command/Commands.h"
#include "Disassembler/AMDGPU/DisassemblerAMDGPU.h"
#include "DynamicLoader/AMDGPU/DynamicLoaderAMDGPU.h"
#include "Lane/LaneFocus.h"
#include "Language/ExplicitSIMD/SIMDFormatters.h"
#include "Platform/AMDGPU/PlatformAMDGPU.h"
#include "Process/AMDGPU/GPUCoupling.h"
#include "Process/AMDGPU/ProcessAMDGPU.h"
#include "Process/AMDGPU/ProcessGPUHost.h"
#include "Process/AMDGPU/ProcessGPUHostCore.h"
#include "SymbolFile/LaneDWARF/SymbolFileLaneDWARF.h"
#include "SystemRuntime/AMDGPU/SystemRuntimeAMDGPU.h"

#include "lldb/API/SBDebugger.h"
#include "lldb/Core/Debugger.h"
#include "lldb/Interpreter/CommandInterpreter.h"
#include "lldb/Interpreter/CommandObject.h"
#include "lldb/Interpreter/CommandReturnObject.h"
#include "lldb/Target/Target.h"
#include "lldb/Target/TargetList.h"
#include "lldb/Utility/Args.h"

#include <mutex>
#include <set>

using namespace lldb_private;
using namespace lldb_private::wavelane;

static void InitializePlugins() {
  PlatformAMDGPU::Initialize();
  ABIAMDGPU::Initialize();
  DisassemblerAMDGPU::Initialize();
  DynamicLoaderAMDGPU::Initialize();
  ProcessGPUHost::Initialize();
  ProcessGPUHostCore::Initialize();
  ProcessAMDGPU::Initialize();
  SystemRuntimeAMDGPU::Initialize();
  SymbolFileLaneDWARF::Initialize();
  InitializeSIMDFormatters();
  InitializeCommands();
}

/// Commands about the program as a whole work on the host target, whichever of the
/// two is selected.
static bool RunOnHostTarget(void *baton, const char **argv,
                            CommandReturnObject &result) {
  auto *debugger = static_cast<Debugger *>(baton);
  lldb::TargetSP selected_sp = debugger->GetTargetList().GetSelectedTarget();
  std::shared_ptr<GPUCoupling> coupling_sp =
      selected_sp ? GPUCoupling::Find(*selected_sp) : nullptr;
  lldb::TargetSP host_sp =
      coupling_sp ? coupling_sp->GetHostTarget() : nullptr;
  if (!host_sp || host_sp == selected_sp || !argv || !argv[0])
    return false; // The command itself goes on.
  coupling_sp->SelectHostTarget();
  // The context of the running command is settled: it is run again with another.
  Args arguments;
  for (const char **argument = argv + 1; *argument; ++argument)
    arguments.AppendArgument(*argument);
  std::string line = argv[0], rest;
  if (arguments.GetQuotedCommandString(rest) && !rest.empty())
    line += " " + rest;
  debugger->GetCommandInterpreter().HandleCommand(
      line.c_str(), eLazyBoolNo, debugger->GetSelectedExecutionContext(),
      result);
  return true;
}

static void DebuggerIsGoing(lldb::user_id_t id, void *) {
  if (lldb::DebuggerSP debugger_sp = Debugger::FindDebuggerWithID(id))
    GPUCoupling::Clear(debugger_sp.get());
}

static void InitializeDebugger(Debugger &debugger) {
  debugger.AddDestroyCallback(DebuggerIsGoing, nullptr);
  ProcessAMDGPU::DebuggerInitialize(debugger);
  CommandInterpreter &interpreter = debugger.GetCommandInterpreter();
  for (const char *name : {"launch", "attach", "detach", "kill"}) {
    llvm::StringRef rest = name;
    CommandObject *process = interpreter.GetCommandObject("process");
    if (CommandObject *command =
            process ? process->GetSubcommandObject(rest) : nullptr)
      command->SetOverrideCallback(RunOnHostTarget, &debugger);
  }
}

namespace lldb {
/// Called by LLDB for every debugger, and again by `plugin load`.
__attribute__((visibility("default"))) bool
PluginInitialize(lldb::SBDebugger debugger) {
  static std::mutex mutex;
  static std::set<lldb::user_id_t> known;
  static bool initialized = false;
  lldb::DebuggerSP debugger_sp =
      Debugger::FindDebuggerWithID(debugger.GetID());
  if (!debugger_sp)
    return false;
  std::lock_guard<std::mutex> guard(mutex);
  if (!known.insert(debugger.GetID()).second)
    return true;
  const bool first = !initialized;
  initialized = true;
  if (first)
    InitializePlugins();
  InitializeDebugger(*debugger_sp);
  // The parts have seen the debuggers that were there when they were initialized.
  if (!first)
    DebuggerWasCreated(*debugger_sp);
  return true;
}
} // namespace lldb
