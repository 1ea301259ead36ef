//===-- SystemRuntimeAMDGPU.cpp -------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SystemRuntimeAMDGPU.h"
#include "Core/Support/BreakpointKinds.h"
#include "DynamicLoader/AMDGPU/DynamicLoaderAMDGPU.h"
#include "ObjectContainer/FatBinary/ObjectContainerFatBinary.h"
#include "Platform/AMDGPU/PlatformAMDGPU.h"
#include "Process/AMDGPU/JSONPackets.h"
#include "Process/AMDGPU/ProcessAMDGPU.h"
#include "Process/AMDGPU/ProcessAMDGPUProperties.h"
#include "Process/GPUHost/ProcessGPUHost.h"
#include "Process/GPUHost/ProgramCoupling.h"
#include "wavelane/Protocol/Server/Packets.h"

#include "lldb/Breakpoint/StoppointCallbackContext.h"
#include "lldb/Core/Debugger.h"
#include "lldb/Core/Module.h"
#include "lldb/Core/ModuleSpec.h"
#include "lldb/Core/PluginManager.h"
#include "lldb/Symbol/Symbol.h"
#include "lldb/Symbol/SymbolContext.h"
#include "lldb/Target/Target.h"
#include "lldb/Utility/LLDBLog.h"
#include "lldb/Utility/Log.h"
#include "llvm/ADT/StringExtras.h"

#include <set>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;
using namespace lldb_private::process_gdb_remote;
namespace protocol = ::wavelane::protocol;

void SystemRuntimeAMDGPU::Initialize() {
  PluginManager::RegisterPlugin(GetPluginNameStatic(),
                                "The AMD GPUs that a program uses.",
                                CreateInstance);
}

SystemRuntime *SystemRuntimeAMDGPU::CreateInstance(Process *process) {
  auto *host = dynamic_cast<ProcessGPUHost *>(process);
  if (!host)
    return nullptr;
  const llvm::Triple &triple = host->GetTarget().GetArchitecture().GetTriple();
  if (triple.getArch() != llvm::Triple::x86_64 || !triple.isOSLinux())
    return nullptr;
  return new SystemRuntimeAMDGPU(*host);
}

SystemRuntimeAMDGPU::SystemRuntimeAMDGPU(ProcessGPUHost &process)
    : SystemRuntime(&process), m_host(process) {}

SystemRuntimeAMDGPU::~SystemRuntimeAMDGPU() { Clear(); }

void SystemRuntimeAMDGPU::Clear() {
  for (auto &[key, id] : m_breakpoints)
    m_host.GetTarget().RemoveBreakpointByID(id);
  m_breakpoints.clear();
}

void SystemRuntimeAMDGPU::Report(llvm::StringRef what, llvm::Error error) {
  Debugger::ReportWarning(
      llvm::formatv("{0}: {1}", what, llvm::toString(std::move(error))).str(),
      m_host.GetTarget().GetDebugger().GetID());
}

void SystemRuntimeAMDGPU::Start() {
  Clear();
  m_refusal.clear();
  StringExtractorGDBRemote response;
  protocol::AcceleratorClient client;
  client.ListsLibraries = true;
  if (SendEscapedPacket(m_host.GetGDBRemote(),
                        ::wavelane::server::packets::AcceleratorInitialize +
                            (":" + ::wavelane::protocol::getText(client)),
                        response) !=
          GDBRemoteCommunication::PacketResult::Success ||
      response.IsUnsupportedResponse())
    return; // the server doesn't support GPUs
  auto actions =
      ReadAnswer<std::vector<protocol::AcceleratorActions>>(response);
  if (!actions) {
    m_refusal = llvm::toString(actions.takeError());
    ModulesDidLoad(m_host.GetTarget().GetImages());
    return;
  }
  for (const protocol::AcceleratorActions &each : *actions)
    Perform(each);
}

void SystemRuntimeAMDGPU::ModulesDidLoad(const ModuleList &module_list) {
  if (m_refusal.empty())
    return;
  // A program that doesn't use a GPU doesn't need this warning.
  for (const ModuleSP &module_sp : module_list.Modules()) {
    llvm::StringRef name =
        module_sp->GetFileSpec().GetFilename().GetStringRef();
    if (!name.starts_with("libamdhip64") && !name.starts_with("libhsa-runtime"))
      continue;
    Debugger::ReportWarning("GPU debugging is off: " + m_refusal,
                            m_host.GetTarget().GetDebugger().GetID());
    m_refusal.clear();
    return;
  }
}

void SystemRuntimeAMDGPU::Perform(const protocol::AcceleratorActions &actions) {
  for (const protocol::AcceleratorBreakpoint &breakpoint : actions.Breakpoints)
    SetBreakpoint(actions.PluginName, breakpoint);

  std::shared_ptr<ProgramCoupling> coupling_sp = m_host.GetCoupling();
  if (const auto &connection = actions.Connection) {
    coupling_sp = GetProgramCouplings().get_or_create(m_host.GetTarget());
    m_host.SetCoupling(coupling_sp);
    if (llvm::Error error = coupling_sp->Connect(
            PlatformAMDGPU::MakeArch(connection->Triple,
                                     connection->Processor.value_or("")),
            connection->URL)) {
      m_host.SetCoupling(nullptr);
      Report("GPU debugging is off", std::move(error));
      return;
    }
    m_host.SetDeviceProcess(
        connection->DeviceProcess.value_or(LLDB_INVALID_PROCESS_ID));
    ReportChoice(connection->Processor.value_or(""));
  }
  if (actions.LoadLibraries && coupling_sp)
    coupling_sp->RefreshModules();
}

void SystemRuntimeAMDGPU::ReportChoice(llvm::StringRef processor) {
  Target &target = m_host.GetTarget();
  Debugger &debugger = target.GetDebugger();
  const ModuleSP program_sp = target.GetExecutableModule();
  if (processor.empty() || !program_sp || !debugger.IsHandlingEvents())
    return;
  std::set<std::string> others;
  bool has_own = false;
  for (const ObjectContainerFatBinary::CodeObject &object :
       ObjectContainerFatBinary::GetCodeObjects(*program_sp)) {
    const llvm::StringRef name =
        llvm::StringRef(object.target_id).split(':').first;
    if (name == processor)
      has_own = true;
    else
      others.insert(name.str());
  }
  if (!has_own || others.empty())
    return;
  debugger.GetAsyncOutputStream()->Format(
      "The program runs on {0}; it has code for {1}, too.\n", processor,
      llvm::join(others, ", "));
}

void SystemRuntimeAMDGPU::SetBreakpoint(
    const std::string &plugin_name,
    const protocol::AcceleratorBreakpoint &wanted) {
  const auto key = std::make_pair(plugin_name, wanted.Identifier);
  Target &target = m_host.GetTarget();
  auto known = m_breakpoints.find(key);
  if (known != m_breakpoints.end()) {
    target.RemoveBreakpointByID(known->second);
    m_breakpoints.erase(known);
  }

  BreakpointSP breakpoint_sp;
  if (wanted.ByAddress) {
    breakpoint_sp =
        target.CreateBreakpoint(wanted.ByAddress->Load, /*internal=*/true,
                                /*request_hardware=*/false);
  } else if (wanted.ByName && !wanted.ByName->Function.empty()) {
    FileSpecList libraries;
    if (const auto &library = wanted.ByName->Library;
        library && !library->empty())
      libraries.Append(FileSpec(*library));
    breakpoint_sp = target.CreateBreakpoint(
        &libraries, /*containingSourceFiles=*/nullptr,
        wanted.ByName->Function.c_str(),
        eFunctionNameTypeFull | eFunctionNameTypeBase, eLanguageTypeUnknown,
        /*offset=*/0, /*offset_is_insn_count=*/false,
        /*skip_prologue=*/eLazyBoolNo, /*internal=*/true,
        /*request_hardware=*/false);
  }
  if (!breakpoint_sp) {
    Report("GPU debugging may fail",
           llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "the server requested a breakpoint without "
                                   "a function or an address"));
    return;
  }
  breakpoint_sp->SetBreakpointKind(kCodeObjectsBreakpoint);

  auto baton = std::make_unique<Baton>();
  baton->plugin_name = plugin_name;
  baton->breakpoint = wanted;
  breakpoint_sp->SetCallback(
      BreakpointHit, std::make_shared<TypedBaton<Baton>>(std::move(baton)),
      /*is_synchronous=*/true);
  m_breakpoints[key] = breakpoint_sp->GetID();
}

bool SystemRuntimeAMDGPU::BreakpointHit(void *baton,
                                        StoppointCallbackContext *context,
                                        user_id_t break_id,
                                        user_id_t break_loc_id) {
  ProcessSP process_sp = context->exe_ctx_ref.GetProcessSP();
  if (!process_sp)
    return true;
  auto *runtime =
      dynamic_cast<SystemRuntimeAMDGPU *>(process_sp->GetSystemRuntime());
  return !runtime || runtime->HandleHit(*static_cast<Baton *>(baton), break_id);
}

/// \return Whether the host process stays stopped.
bool SystemRuntimeAMDGPU::HandleHit(const Baton &baton, user_id_t break_id) {
  Target &target = m_host.GetTarget();
  protocol::AcceleratorHit hit;
  hit.PluginName = baton.plugin_name;
  hit.Breakpoint = baton.breakpoint;
  for (const std::string &name : baton.breakpoint.SymbolNames) {
    protocol::AcceleratorHit::Symbol &symbol = hit.SymbolValues.emplace_back();
    symbol.Name = name;
    SymbolContextList found;
    target.GetImages().FindSymbolsWithNameAndType(ConstString(name),
                                                  eSymbolTypeAny, found);
    for (const SymbolContext &context : found) {
      const addr_t address = context.symbol
                                 ? context.symbol->GetLoadAddress(&target)
                                 : LLDB_INVALID_ADDRESS;
      if (address != LLDB_INVALID_ADDRESS) {
        symbol.Value = address;
        break;
      }
    }
  }
  auto answer = AskServer<protocol::AcceleratorHitAnswer>(
      m_host.GetGDBRemote(),
      ::wavelane::server::packets::AcceleratorBreakpointHit, toJSON(hit));
  if (!answer) {
    Report("GPU debugging may fail", answer.takeError());
    return false;
  }
  bool resume = answer->ResumeProgram;
  auto loader = [&]() -> DynamicLoaderAMDGPU * {
    std::shared_ptr<ProgramCoupling> coupling_sp =
        GetProgramCouplings().find(target);
    std::shared_ptr<ProcessAMDGPU> gpu_sp =
        coupling_sp ? coupling_sp->GetGPU() : nullptr;
    return gpu_sp && gpu_sp->IsAlive()
               ? dynamic_cast<DynamicLoaderAMDGPU *>(gpu_sp->GetDynamicLoader())
               : nullptr;
  };
  const unsigned changes = loader() ? loader()->GetChanges() : 0;
  if (answer->Actions)
    Perform(*answer->Actions);
  if (GetProcessAMDGPUProperties().StopsOnModuleLoad() && loader() &&
      loader()->GetChanges() != changes) {
    StreamSP stream_sp = target.GetDebugger().GetAsyncOutputStream();
    stream_sp->Printf("GPU code objects: %s\n",
                      loader()->GetLastChange().c_str());
    stream_sp->Flush();
    resume = false;
  }
  if (answer->DisableBreakpoint)
    if (BreakpointSP breakpoint_sp = target.GetBreakpointByID(break_id))
      breakpoint_sp->SetEnabled(false);
  return !resume;
}
