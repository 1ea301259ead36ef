//===-- Wavelane.cpp - the plugin as LLDB loads it ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ABI/AMDGPU/ABIAMDGPU.h"
#include "Commands/Base/CommandOverrides.h"
#include "Commands/Commands.h"
#include "Commands/Overrides/Completions.h"
#include "Commands/Overrides/Overrides.h"
#include "Commands/Words/WordCommands.h"
#include "Core/Statusline/WaveStatusline.h"
#include "Core/Support/Debuggers.h"
#include "Core/Support/SourceFiles.h"
#include "Core/Support/WavelaneLog.h"
#include "Disassembler/AMDGPU/DisassemblerAMDGPU.h"
#include "DynamicLoader/AMDGPU/DynamicLoaderAMDGPU.h"
#include "DynamicLoader/Host/DynamicLoaderHost.h"
#include "InstrumentationRuntime/HIP/InstrumentationRuntimeHIP.h"
#include "Language/ArrayRows/ArrayRowsFormatter.h"
#include "Language/CharArrays/CharArrayFormatter.h"
#include "Language/ExplicitSIMD/SIMDExpressions.h"
#include "Language/ExplicitSIMD/SIMDFormatters.h"
#include "Language/HIP/HIPBuiltins.h"
#include "Language/HIP/WaveFunctionNames.h"
#include "Language/SmallFloat/SmallFloatFormatters.h"
#include "Language/UniquePointer/UniquePointerFormatter.h"
#include "ObjectContainer/FatBinary/ObjectContainerFatBinary.h"
#include "Platform/AMDGPU/PlatformAMDGPU.h"
#include "Platform/RemoteServer/PlatformRemoteServer.h"
#include "Process/AMDGPU/ProcessAMDGPU.h"
#include "Process/GPUHost/ProcessGPUHost.h"
#include "Process/GPUHost/ProcessGPUHostCore.h"
#include "ProtocolServer/MCP/ProtocolServerMCP.h"
#include "Session/Coupling/GPUCoupling.h"
#include "Session/Job/Job.h"
#include "SymbolFile/LaneDWARF/SymbolFileLaneDWARF.h"
#include "SystemRuntime/AMDGPU/SystemRuntimeAMDGPU.h"

#include "lldb/API/SBDebugger.h"
#include "lldb/Core/Debugger.h"
#include "lldb/DataFormatters/DataVisualization.h"
#include "lldb/Interpreter/CommandInterpreter.h"
#include "lldb/Interpreter/CommandObject.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <mutex>
#include <set>
#include <string>

using namespace lldb_private;
using namespace lldb_private::wavelane;

/// Adds the formatters to LLDB's. Only values of programs need them, and LLDB's
/// own are only made now: that takes a quarter of what the plugin adds to
/// LLDB's start.
static void InitializeFormatters() {
  InitializeHIPSummaries();
  InitializeSIMDFormatters();
  InitializeSmallFloatFormatters();
  InitializeArrayRowsFormatter();
  InitializeCharArrayFormatter();
  InitializeUniquePointerFormatter();
  // The first category is LLDB's default, and those of the user come next.
  using Categories = DataVisualization::Categories;
  static constexpr llvm::StringLiteral g_of_lldb[] = {"default", "system",
                                                      "VectorTypes"};
  TypeCategoryMap::Position place = 1, count = 0;
  for (uint32_t at = 0; at < Categories::GetCount(); ++at) {
    lldb::TypeCategoryImplSP category_sp = Categories::GetCategoryAtIndex(at);
    if (!category_sp || !category_sp->IsEnabled())
      continue;
    ++count;
    if (!llvm::is_contained(g_of_lldb, llvm::StringRef(category_sp->GetName())))
      ++place;
  }
  place = std::min(place, count);
  for (const char *name :
       {"hip", "simd", "gpu-arrays", "char-arrays", "unique-pointers"})
    Categories::Enable(ConstString(name), place);
}

static void NeedFormatters() {
  static std::once_flag once; // LLDB reads files in several threads.
  std::call_once(once, InitializeFormatters);
}

/// Before a command about formatters, the formatters must be there.
static void AddToTypeCommands(Debugger &debugger) {
  lldb::CommandObjectSP type_sp =
      debugger.GetCommandInterpreter().GetCommandSPExact("type");
  for (const char *kind :
       {"category", "filter", "format", "summary", "synthetic"})
    for (const char *name : {"add", "clear", "define", "delete", "disable",
                             "enable", "info", "list"}) {
      lldb::CommandObjectSP group_sp =
          type_sp ? type_sp->GetSubcommandSPExact(kind) : nullptr;
      if (lldb::CommandObjectSP command_sp =
              group_sp ? group_sp->GetSubcommandSPExact(name) : nullptr)
        OverrideCommand(
            *command_sp,
            [](void *, const char **, CommandReturnObject &) {
              NeedFormatters();
              return false; // The command itself is to be run.
            },
            nullptr);
    }
}

static void InitializePlugins() {
  InitializeLog();
  PlatformAMDGPU::Initialize();
  PlatformRemoteServer::Initialize();
  PlatformRemoteLinux::Initialize();
  ABIAMDGPU::Initialize();
  DisassemblerAMDGPU::Initialize();
  DynamicLoaderAMDGPU::Initialize();
  DynamicLoaderHost::Initialize();
  ObjectContainerFatBinary::Initialize();
  GPUCoupling::Initialize();
  ProcessGPUHost::Initialize();
  ProcessGPUHostCore::Initialize();
  ProcessAMDGPU::Initialize();
  lldb_private::wavelane::ProtocolServerMCP::Initialize();
  SystemRuntimeAMDGPU::Initialize();
  InstrumentationRuntimeHIP::Initialize();
  SymbolFileLaneDWARF::Initialize();
  InitializeHIPBuiltins();
  SymbolFileLaneDWARF::BeforeFiles(NeedFormatters);
  InitializeWaveFunctionNames();
  InitializeSIMDExpressions();
  InitializeCommands();
}

static void DebuggerIsGoing(lldb::user_id_t id, void *) {
  if (lldb::DebuggerSP debugger_sp = Debugger::FindDebuggerWithID(id)) {
    Job::Clear(debugger_sp.get());
    GPUCoupling::Clear(debugger_sp.get());
  }
}

static void InitializeDebugger(Debugger &debugger) {
  debugger.AddDestroyCallback(DebuggerIsGoing, nullptr);
  ProcessAMDGPU::DebuggerInitialize(debugger);
  AddWaveToStatusline(debugger);
  OverrideCommands(debugger);
  AddNonStopCommands(debugger);
  AddWords(debugger);
  ExtendCompletions(debugger.GetCommandInterpreter());
  AddToTypeCommands(debugger);
}

/// Removes what `wavelane` has set for LLDB's Python, which has read it by now:
/// programs that are debugged have a Python of their own.
static void ForgetPythonHome() {
  if (getenv("WAVELANE_PYTHON")) {
    unsetenv("WAVELANE_PYTHON");
    unsetenv("PYTHONHOME");
  }
}

/// Why the plugin can't work in the LLDB that has loaded it; empty if it can.
/// \param caller  An address of that LLDB's.
static std::string WhyNot(const void *caller) {
  Dl_info caller_info, used_info;
  const auto used =
      reinterpret_cast<const void *>(&Debugger::FindDebuggerWithID);
  // The loader has then brought another liblldb for the plugin.
  if (dladdr(caller, &caller_info) && dladdr(used, &used_info) &&
      caller_info.dli_fbase != used_info.dli_fbase)
    return "this LLDB hides the functions that the plugin calls, or is of "
           "another version";
  // PointerResolver::Set; a reference to it would end an LLDB that lacks it.
  if (!dlsym(RTLD_DEFAULT, "_ZN12lldb_private15PointerResolver3SetEPS0_"))
    return "this LLDB is built without Wavelane's patches";
  return {};
}

/// The LLDB that the plugin was installed with.
static std::string FindOwnLLDB() {
  Dl_info info;
  llvm::SmallString<256> path;
  if (!dladdr(reinterpret_cast<const void *>(&FindOwnLLDB), &info) ||
      llvm::sys::fs::real_path(info.dli_fname, path))
    return "lldb";
  llvm::sys::path::remove_filename(path);
  llvm::sys::path::append(path, "..", "bin", "lldb");
  llvm::sys::path::remove_dots(path, /*remove_dot_dot=*/true);
  return path.str().str();
}

namespace lldb {
/// LLDB calls this for every debugger, and again for `plugin load`.
__attribute__((visibility("default"))) bool
PluginInitialize(lldb::SBDebugger debugger) {
  static std::mutex mutex;
  static std::set<lldb::user_id_t> known;
  static bool initialized = false;
  if (const std::string why = WhyNot(__builtin_return_address(0));
      !why.empty()) {
    llvm::errs() << "wavelane: " << why << ": use Wavelane's, " << FindOwnLLDB()
                 << "\n";
    return false;
  }
  lldb::DebuggerSP debugger_sp = Debugger::FindDebuggerWithID(debugger.GetID());
  if (!debugger_sp)
    return false;
  std::lock_guard<std::mutex> guard(mutex);
  if (!known.insert(debugger.GetID()).second)
    return true;
  const bool first = !initialized;
  initialized = true;
  if (first) {
    ForgetPythonHome();
    if (debugger_sp->GetTargetList().GetNumTargets() == 0)
      LimitSourceFiles();
    InitializePlugins();
  }
  InitializeDebugger(*debugger_sp);
  // The parts already know the debuggers that existed when they were
  // initialized.
  if (!first)
    DebuggerWasCreated(*debugger_sp);
  return true;
}
} // namespace lldb
