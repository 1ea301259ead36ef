//===-- Wavelane.cpp - the plugin as LLDB loads it ------------------------===//

#include "ABI/AMDGPU/ABIAMDGPU.h"
#include "Command/CommandUtil.h"
#include "Command/Commands.h"
#include "Disassembler/AMDGPU/DisassemblerAMDGPU.h"
#include "DynamicLoader/AMDGPU/DynamicLoaderAMDGPU.h"
#include "Lane/LaneFocus.h"
#include "Language/ArrayRows/ArrayRowsFormatter.h"
#include "Language/ExplicitSIMD/SIMDFormatters.h"
#include "Language/SmallFloat/SmallFloatFormatters.h"
#include "Platform/AMDGPU/PlatformAMDGPU.h"
#include "ObjectContainer/FatBinary/FatBinary.h"
#include "Coupling/GPUCoupling.h"
#include "Process/AMDGPU/ProcessAMDGPU.h"
#include "Process/GPUHost/ProcessGPUHost.h"
#include "Process/GPUHost/ProcessGPUHostCore.h"
#include "Support/WavelaneLog.h"
#include "SymbolFile/LaneDWARF/SymbolFileLaneDWARF.h"
#include "SystemRuntime/AMDGPU/SystemRuntimeAMDGPU.h"

#include "lldb/API/SBDebugger.h"
#include "lldb/Breakpoint/Breakpoint.h"
#include "lldb/Breakpoint/BreakpointLocation.h"
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
  InitializeLog();
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
  InitializeSmallFloatFormatters();
  InitializeArrayRowsFormatter();
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
  const std::string line = QuoteCommand(argv);
  debugger->GetCommandInterpreter().HandleCommand(
      line.c_str(), eLazyBoolNo, debugger->GetSelectedExecutionContext(),
      result);
  return true;
}

/// `breakpoint set` in a program that doesn't use its GPU yet: what is in its GPU code
/// is told from the program's file, and a kernel's line doesn't stop the host.
static bool SetBreakpoint(void *baton, const char **argv,
                          CommandReturnObject &result) {
  static thread_local bool is_nested = false;
  auto *debugger = static_cast<Debugger *>(baton);
  lldb::TargetSP target_sp = debugger->GetTargetList().GetSelectedTarget();
  Module *program =
      target_sp ? target_sp->GetExecutableModulePointer() : nullptr;
  if (is_nested || !program || !argv || !argv[0] ||
      FatBinary::Get(*program).empty())
    return false; // The command itself goes on.
  if (std::shared_ptr<GPUCoupling> coupling_sp = GPUCoupling::Find(*target_sp))
    if (coupling_sp->GetGPU() && coupling_sp->GetGPU()->IsAlive())
      return false;
  const std::string line = QuoteCommand(argv);
  const lldb::break_id_t last = target_sp->GetLastCreatedBreakpoint()
                                    ? target_sp->GetLastCreatedBreakpoint()->GetID()
                                    : 0;
  CommandReturnObject own(/*colors=*/false);
  is_nested = true;
  debugger->GetCommandInterpreter().HandleCommand(
      line.c_str(), eLazyBoolNo, debugger->GetSelectedExecutionContext(), own);
  is_nested = false;
  lldb::BreakpointSP breakpoint_sp = target_sp->GetLastCreatedBreakpoint();
  std::vector<std::string> bound;
  if (own.Succeeded() && breakpoint_sp && breakpoint_sp->GetID() != last)
    bound = FatBinary::Bind(*target_sp, *breakpoint_sp);
  bool is_on_host = bound.empty();
  for (size_t i = 0; breakpoint_sp && i < breakpoint_sp->GetNumLocations(); ++i)
    is_on_host |= breakpoint_sp->GetLocationAtIndex(i)->IsEnabled();
  if (is_on_host && !own.GetOutputString().empty())
    result.AppendMessage(own.GetOutputString().rtrim());
  for (const std::string &text : bound)
    result.AppendMessage(text);
  // LLDB warns of a breakpoint that the host's code hasn't.
  if (const std::string text = own.GetErrorString();
      !text.empty() && !(own.Succeeded() && !bound.empty()))
    result.GetErrorStream() << text;
  result.SetStatus(own.GetStatus());
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
  llvm::StringRef set = "set";
  CommandObject *breakpoint = interpreter.GetCommandObject("breakpoint");
  if (CommandObject *command =
          breakpoint ? breakpoint->GetSubcommandObject(set) : nullptr)
    command->SetOverrideCallback(SetBreakpoint, &debugger);
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
