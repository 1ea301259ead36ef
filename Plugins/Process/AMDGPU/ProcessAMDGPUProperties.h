//===-- ProcessAMDGPUProperties.h - plugin.process.amdgpu.* -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_PROCESS_AMDGPU_PROCESSAMDGPUPROPERTIES_H
#define WAVELANE_PLUGINS_PROCESS_AMDGPU_PROCESSAMDGPUPROPERTIES_H

#include "lldb/Core/UserSettingsController.h"
#include "lldb/Utility/FileSpec.h"
#include "wavelane/Protocol/Server/Stop.h"
#include "llvm/Support/JSON.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace lldb_private {
class Debugger;

namespace wavelane {

/// The settings plugin.process.amdgpu.*, which all debuggers share.
class ProcessAMDGPUProperties : public Properties {
public:
  ProcessAMDGPUProperties();
  /// Makes the settings visible in a debugger.
  void AddTo(Debugger &debugger);

  /// The settings that the server needs, as packets::Settings. Defaults are
  /// left out: then the server's environment applies.
  llvm::json::Object GetServerSettings() const;
  /// Whether a step by line follows the focus lane rather than the wave.
  bool StepsFollowLane() const;
  /// Whether a breakpoint on a line without code may stop at one that isn't
  /// executed whenever that line is.
  bool MovesBreakpoints() const;
  /// Whether a stop holds only the waves that have stopped.
  bool IsNonStop() const;
  bool StopsOnKernelEntry() const;
  bool StopsOnModuleLoad() const;
  bool StopsOnHipError() const;
  /// For a single listener: the plugin that sets that breakpoint.
  void CallWhenStopsOnHipErrorChanges(std::function<void()> callback);
  /// Whether a stop of this kind, if it is an exception, stops a wave.
  bool StopsOn(::wavelane::protocol::StopKind kind) const;
  /// "memory,race"; empty for none.
  std::string GetChecks() const;
  /// The file of suppressions; invalid if there is none.
  FileSpec GetSuppressions() const;
  /// Suppressions of findings, which don't stop; a line each.
  std::vector<std::string> GetIgnoredFindings() const;
  void SetIgnoredFindings(const std::vector<std::string> &lines);
  /// Whether `continue` and a stop are those of all ranks of a job.
  bool RunsJobAsOne() const;
  /// Whether a job's ranks are killed if LLDB goes away.
  bool EndsRanksWithLLDB() const;
  /// Whether waves of the simulated GPU are recorded; nullopt: as the device
  /// wants.
  std::optional<bool> GetRecord() const;
  uint64_t GetRecordLimit() const; ///< bytes
  FileSpec GetHostCore() const;
  FileSpec GetCodeObjects() const;
};
ProcessAMDGPUProperties &GetProcessAMDGPUProperties();

} // namespace wavelane
} // namespace lldb_private

#endif
