//===-- ProcessGPUHostCore.cpp --------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ProcessGPUHostCore.h"
#include "Core/Support/RelativeSources.h"
#include "Platform/AMDGPU/PlatformAMDGPU.h"
#include "ProgramCoupling.h"
#include "wavelane/Formats/CoreFile/CoreFile.h"

#include "lldb/Core/Debugger.h"
#include "lldb/Core/PluginManager.h"
#include "lldb/Host/FileSystem.h"
#include "lldb/Target/Platform.h"
#include "lldb/Target/Target.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

void ProcessGPUHostCore::Initialize() {
  if (!PluginManager::UnregisterPlugin(ProcessElfCore::CreateInstance))
    return;
  PluginManager::RegisterPlugin(ProcessElfCore::GetPluginNameStatic(),
                                ProcessElfCore::GetPluginDescriptionStatic(),
                                CreateInstance);
}

ProcessSP ProcessGPUHostCore::CreateInstance(TargetSP target_sp,
                                             ListenerSP listener_sp,
                                             const FileSpec *crash_file_path,
                                             bool can_connect) {
  // LLDB reports files that aren't core files.
  ProcessSP process_sp = ProcessElfCore::CreateInstance(
      target_sp, listener_sp, crash_file_path, can_connect);
  if (!process_sp)
    return nullptr;
  auto core = ::wavelane::corefile::CoreFile::open(crash_file_path->GetPath());
  if (!core)
    llvm::consumeError(core.takeError());
  else if ((*core)->isGpuOnly())
    return nullptr;
  MapRelativeSources(*target_sp);
  return std::make_shared<ProcessGPUHostCore>(target_sp, listener_sp,
                                              *crash_file_path);
}

ProcessGPUHostCore::~ProcessGPUHostCore() {
  // Finalize calls functions of this class.
  Finalize(/*destructing=*/true);
}

Status ProcessGPUHostCore::DoLoadCore() {
  auto core = ::wavelane::corefile::CoreFile::open(GetCoreFile().GetPath());
  std::string reason;
  bool is_damaged = false;
  llvm::handleAllErrors(core.takeError(), [&](const llvm::StringError &error) {
    reason = error.getMessage();
    is_damaged =
        error.convertToErrorCode() == std::errc::executable_format_error;
  });
  // LLDB opens a damaged core silently, and shows nothing.
  if (is_damaged)
    return Status(reason);
  // LLDB gives a target without a program the most recently used platform.
  PlatformSP platform_sp = GetTarget().GetPlatform();
  if (platform_sp &&
      platform_sp->GetPluginName() == PlatformAMDGPU::GetPluginNameStatic())
    GetTarget().SetPlatform(Platform::GetHostPlatform());
  Status error = ProcessElfCore::DoLoadCore();
  if (error.Fail())
    return error;
  if (reason.empty())
    OpenGPU(**core);
  else // LLDB reads as much of the core as it can.
    Debugger::ReportWarning("no GPU state can be read: " + reason,
                            GetTarget().GetDebugger().GetID());
  return error;
}

void ProcessGPUHostCore::OpenGPU(const ::wavelane::corefile::CoreFile &core) {
  FileSpec gpu_core;
  if (!core.getGpuState().empty()) {
    gpu_core = GetCoreFile();
  } else if (core.getPid()) {
    FileSpec beside = GetCoreFile().CopyByRemovingLastPathComponent();
    beside.AppendPathComponent("gpucore." + std::to_string(core.getPid()));
    if (FileSystem::Instance().Exists(beside))
      gpu_core = beside;
  }
  if (!gpu_core)
    return;
  std::shared_ptr<ProgramCoupling> coupling_sp =
      GetProgramCouplings().get_or_create(GetTarget());
  if (llvm::Error error = coupling_sp->OpenCore(gpu_core, GetCoreFile()))
    Debugger::ReportError("the GPU side of the core can't be shown: " +
                              llvm::toString(std::move(error)),
                          GetTarget().GetDebugger().GetID());
}
