//===-- SystemRuntimeAMDGPU.cpp -------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SystemRuntimeAMDGPU.h"
#include "Core/Support/BreakpointKinds.h"
#include "DynamicLoader/AMDGPU/DynamicLoaderAMDGPU.h"
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
#include "llvm/Support/JSON.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;
using namespace lldb_private::process_gdb_remote;

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
  if (m_host.GetGDBRemote().SendPacketAndWaitForResponse(
          ::wavelane::server::packets::AcceleratorInitialize, response) !=
          GDBRemoteCommunication::PacketResult::Success ||
      response.IsUnsupportedResponse())
    return; // the server doesn't support GPUs
  llvm::Expected<StructuredData::ObjectSP> actions = ParseJSONResponse(
      ::wavelane::server::packets::AcceleratorInitialize, response);
  if (!actions) {
    m_refusal = llvm::toString(actions.takeError());
    ModulesDidLoad(m_host.GetTarget().GetImages());
    return;
  }
  PerformActions(*actions);
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

void SystemRuntimeAMDGPU::PerformActions(StructuredData::ObjectSP actions_sp) {
  if (!actions_sp)
    return;
  if (StructuredData::Dictionary *action = actions_sp->GetAsDictionary()) {
    PerformAction(*action);
    return;
  }
  if (StructuredData::Array *actions = actions_sp->GetAsArray())
    actions->ForEach([this](StructuredData::Object *action) {
      if (StructuredData::Dictionary *dict = action->GetAsDictionary())
        PerformAction(*dict);
      return true;
    });
}

void SystemRuntimeAMDGPU::PerformAction(StructuredData::Dictionary &action) {
  llvm::StringRef plugin_name;
  action.GetValueForKeyAsString("plugin_name", plugin_name);

  StructuredData::Array *breakpoints = nullptr;
  if (action.GetValueForKeyAsArray("breakpoints", breakpoints) && breakpoints)
    breakpoints->ForEach([&](StructuredData::Object *item) {
      if (StructuredData::Dictionary *description = item->GetAsDictionary())
        SetBreakpoint(plugin_name, *description);
      return true;
    });

  std::shared_ptr<ProgramCoupling> coupling_sp = m_host.GetCoupling();
  StructuredData::Dictionary *connect = nullptr;
  if (action.GetValueForKeyAsDictionary("connect_info", connect) && connect) {
    llvm::StringRef url, triple, processor;
    connect->GetValueForKeyAsString("connect_url", url);
    connect->GetValueForKeyAsString("triple", triple);
    connect->GetValueForKeyAsString("processor", processor);
    coupling_sp = GetProgramCouplings().get_or_create(m_host.GetTarget());
    m_host.SetCoupling(coupling_sp);
    if (llvm::Error error = coupling_sp->Connect(
            PlatformAMDGPU::MakeArch(triple, processor), url)) {
      m_host.SetCoupling(nullptr);
      Report("GPU debugging is off", std::move(error));
      return;
    }
    lldb::pid_t device = LLDB_INVALID_PROCESS_ID;
    connect->GetValueForKeyAsInteger("device_process", device);
    m_host.SetDeviceProcess(device);
  }

  bool refresh = false;
  for (llvm::StringRef key :
       {"load_libraries", "wait_for_gpu_process_to_resume", "refresh_modules"})
    if (action.GetValueForKeyAsBoolean(key, refresh) && refresh)
      break;
  if (refresh && coupling_sp)
    coupling_sp->RefreshModules();
}

void SystemRuntimeAMDGPU::SetBreakpoint(
    llvm::StringRef plugin_name, StructuredData::Dictionary &description) {
  // The server identifies its breakpoints by number or by name.
  StructuredData::ObjectSP identifier_sp =
      description.GetValueForKey("identifier");
  std::string identifier;
  if (identifier_sp) {
    StreamString text;
    identifier_sp->Dump(text, /*pretty_print=*/false);
    identifier = text.GetString().str();
  }
  const std::string key = (plugin_name + "/" + identifier).str();
  Target &target = m_host.GetTarget();
  auto known = m_breakpoints.find(key);
  if (known != m_breakpoints.end()) {
    target.RemoveBreakpointByID(known->second);
    m_breakpoints.erase(known);
  }

  BreakpointSP breakpoint_sp;
  StructuredData::Dictionary *place = nullptr;
  if (description.GetValueForKeyAsDictionary("by_address", place) && place) {
    uint64_t address = LLDB_INVALID_ADDRESS;
    if (place->GetValueForKeyAsInteger("load_address", address))
      breakpoint_sp = target.CreateBreakpoint(address, /*internal=*/true,
                                              /*request_hardware=*/false);
  } else if (description.GetValueForKeyAsDictionary("by_name", place) &&
             place) {
    llvm::StringRef function, library;
    place->GetValueForKeyAsString("function_name", function);
    place->GetValueForKeyAsString("shlib", library);
    FileSpecList libraries;
    if (!library.empty())
      libraries.Append(FileSpec(library));
    if (!function.empty())
      breakpoint_sp = target.CreateBreakpoint(
          &libraries, /*containingSourceFiles=*/nullptr, function.str().c_str(),
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
  baton->plugin_name = plugin_name.str();
  StreamString json;
  description.Dump(json, /*pretty_print=*/false);
  baton->description_sp = StructuredData::ParseJSON(json.GetString());
  StructuredData::Array *symbols = nullptr;
  if (description.GetValueForKeyAsArray("symbol_names", symbols) && symbols)
    for (size_t i = 0; i < symbols->GetSize(); ++i)
      if (std::optional<llvm::StringRef> name =
              symbols->GetItemAtIndexAsString(i))
        baton->symbol_names.push_back(name->str());
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
  llvm::json::Array values;
  for (const std::string &name : baton.symbol_names) {
    llvm::json::Object value{{"name", name}, {"value", nullptr}};
    SymbolContextList found;
    target.GetImages().FindSymbolsWithNameAndType(ConstString(name),
                                                  eSymbolTypeAny, found);
    for (const SymbolContext &context : found) {
      const addr_t address = context.symbol
                                 ? context.symbol->GetLoadAddress(&target)
                                 : LLDB_INVALID_ADDRESS;
      if (address != LLDB_INVALID_ADDRESS) {
        value["value"] = llvm::json::Value(uint64_t(address));
        break;
      }
    }
    values.push_back(std::move(value));
  }
  StreamString description;
  if (baton.description_sp)
    baton.description_sp->Dump(description, /*pretty_print=*/false);
  llvm::Expected<llvm::json::Value> breakpoint =
      llvm::json::parse(description.GetString());
  if (!breakpoint) {
    llvm::consumeError(breakpoint.takeError());
    return false;
  }
  llvm::Expected<StructuredData::ObjectSP> response = SendJSONPacket(
      m_host.GetGDBRemote(),
      ::wavelane::server::packets::Make(
          ::wavelane::server::packets::AcceleratorBreakpointHit,
          llvm::json::Object{{"plugin_name", baton.plugin_name},
                             {"breakpoint", std::move(*breakpoint)},
                             {"symbol_values", std::move(values)}}));
  if (!response) {
    Report("GPU debugging may fail", response.takeError());
    return false;
  }
  StructuredData::Dictionary *dict = (*response)->GetAsDictionary();
  if (!dict)
    return false;
  bool disable = false, resume = true;
  dict->GetValueForKeyAsBoolean("disable_bp", disable);
  dict->GetValueForKeyAsBoolean("auto_resume_native", resume);
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
  PerformActions(dict->GetValueForKey("actions"));
  if (GetProcessAMDGPUProperties().StopsOnModuleLoad() && loader() &&
      loader()->GetChanges() != changes) {
    StreamSP stream_sp = target.GetDebugger().GetAsyncOutputStream();
    stream_sp->Printf("GPU code objects: %s\n",
                      loader()->GetLastChange().c_str());
    stream_sp->Flush();
    resume = false;
  }
  if (disable)
    if (BreakpointSP breakpoint_sp = target.GetBreakpointByID(break_id))
      breakpoint_sp->SetEnabled(false);
  return !resume;
}
