//===-- ProcessGPUHostCore.h - a core of host and GPU -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_PROCESS_GPUHOST_PROCESSGPUHOSTCORE_H
#define WAVELANE_PLUGINS_PROCESS_GPUHOST_PROCESSGPUHOSTCORE_H

#include "Core/Lane/LaneProcess.h"
#include "Plugins/Process/elf-core/ProcessElfCore.h"

namespace wavelane::corefile {
class CoreFile;
}

namespace lldb_private {
namespace wavelane {

/// Replaces LLDB's ELF core plugin, under its name. A core without GPU state
/// behaves exactly as before; with GPU state, or with a gpucore.PID beside it,
/// the GPU becomes a second target. Cores of a GPU only are left to
/// ProcessAMDGPU.
class ProcessGPUHostCore : public LaneProcess<ProcessElfCore> {
public:
  static void Initialize();
  static lldb::ProcessSP CreateInstance(lldb::TargetSP target_sp,
                                        lldb::ListenerSP listener_sp,
                                        const FileSpec *crash_file_path,
                                        bool can_connect);
  using LaneProcess::LaneProcess;
  ~ProcessGPUHostCore() override;

  Status DoLoadCore() override;

private:
  void OpenGPU(const ::wavelane::corefile::CoreFile &core);
};

} // namespace wavelane
} // namespace lldb_private

#endif
