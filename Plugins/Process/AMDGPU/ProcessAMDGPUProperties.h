//===-- ProcessAMDGPUProperties.h - plugin.process.amdgpu.* -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_PROCESS_AMDGPU_PROCESSAMDGPUPROPERTIES_H
#define WAVELANE_PLUGINS_PROCESS_AMDGPU_PROCESSAMDGPUPROPERTIES_H

#include "lldb/Core/UserSettingsController.h"
#include "lldb/Utility/FileSpec.h"
#include "llvm/Support/JSON.h"

#include <functional>
#include <string>

namespace lldb_private {
class Debugger;

namespace wavelane {

/// The settings plugin.process.amdgpu.*, which all debuggers share.
class ProcessAMDGPUProperties : public Properties {
public:
  ProcessAMDGPUProperties();
  /// Shows them in a debugger.
  void AddTo(Debugger &debugger);

  /// What the server takes part in, as packets::Settings has it. What has the
  /// default is left out: then the server's environment counts.
  llvm::json::Object GetServerSettings() const;
  /// A step by line is the focus lane's, not the wave's.
  bool StepsFollowLane() const;
  bool StopsOnKernelEntry() const;
  bool StopsOnModuleLoad() const;
  bool StopsOnHipError() const;
  /// For one listener: the plugin that sets that breakpoint.
  void CallWhenStopsOnHipErrorChanges(std::function<void()> callback);
  /// Whether an exception of a wave is a stop, by what the server says of it.
  bool StopsOnException(llvm::StringRef description) const;
  FileSpec GetHostCore() const;
  FileSpec GetCodeObjects() const;
};
ProcessAMDGPUProperties &GetProcessAMDGPUProperties();

} // namespace wavelane
} // namespace lldb_private

#endif
