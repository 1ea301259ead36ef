//===-- Wavelane.cpp - the plugin as LLDB loads it ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ABI/AMDGPU/ABIAMDGPU.h"
#include "Command/Commands.h"
#include "Command/Overrides.h"
#include "Coupling/GPUCoupling.h"
#include "Disassembler/AMDGPU/DisassemblerAMDGPU.h"
#include "DynamicLoader/AMDGPU/DynamicLoaderAMDGPU.h"
#include "DynamicLoader/Host/DynamicLoaderHost.h"
#include "InstrumentationRuntime/HIP/InstrumentationRuntimeHIP.h"
#include "Job/Job.h"
#include "Language/ArrayRows/ArrayRowsFormatter.h"
#include "Language/ExplicitSIMD/SIMDExpressions.h"
#include "Language/ExplicitSIMD/SIMDFormatters.h"
#include "Language/HIP/HIPBuiltins.h"
#include "Language/HIP/WaveFunctionNames.h"
#include "Language/SmallFloat/SmallFloatFormatters.h"
#include "Language/UniquePointer/UniquePointerFormatter.h"
#include "ObjectContainer/FatBinary/ObjectContainerFatBinary.h"
#include "Platform/AMDGPU/PlatformAMDGPU.h"
#include "Process/AMDGPU/ProcessAMDGPU.h"
#include "Process/GPUHost/ProcessGPUHost.h"
#include "Process/GPUHost/ProcessGPUHostCore.h"
#include "Statusline/WaveStatusline.h"
#include "Support/Debuggers.h"
#include "Support/WavelaneLog.h"
#include "SymbolFile/LaneDWARF/SymbolFileLaneDWARF.h"
#include "SystemRuntime/AMDGPU/SystemRuntimeAMDGPU.h"

#include "lldb/API/SBDebugger.h"
#include "lldb/Core/Debugger.h"

#include <cstdlib>
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
  DynamicLoaderHost::Initialize();
  ObjectContainerFatBinary::Initialize();
  ProcessGPUHost::Initialize();
  ProcessGPUHostCore::Initialize();
  ProcessAMDGPU::Initialize();
  SystemRuntimeAMDGPU::Initialize();
  InstrumentationRuntimeHIP::Initialize();
  SymbolFileLaneDWARF::Initialize();
  InitializeHIPBuiltins();
  InitializeWaveFunctionNames();
  InitializeSIMDFormatters();
  InitializeSIMDExpressions();
  InitializeSmallFloatFormatters();
  InitializeArrayRowsFormatter();
  InitializeUniquePointerFormatter();
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
}

/// Removes what `wavelane` has set for LLDB's Python, which has read it by now:
/// programs that are debugged have a Python of their own.
static void ForgetPythonHome() {
  if (getenv("WAVELANE_PYTHON")) {
    unsetenv("WAVELANE_PYTHON");
    unsetenv("PYTHONHOME");
  }
}

namespace lldb {
/// LLDB calls this for every debugger, and again for `plugin load`.
__attribute__((visibility("default"))) bool
PluginInitialize(lldb::SBDebugger debugger) {
  static std::mutex mutex;
  static std::set<lldb::user_id_t> known;
  static bool initialized = false;
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
