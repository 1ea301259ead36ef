//===-- InstrumentationRuntimeHIP.h - HIP calls that fail -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_INSTRUMENTATIONRUNTIME_HIP_INSTRUMENTATIONRUNTIMEHIP_H
#define WAVELANE_PLUGINS_INSTRUMENTATIONRUNTIME_HIP_INSTRUMENTATIONRUNTIMEHIP_H

#include "lldb/Target/InstrumentationRuntime.h"

namespace lldb_private {
namespace wavelane {

/// Stops of a program at HIP calls that fail. HIP's runtime, AMD's since ROCm
/// 7.14 and the simulated GPU's, calls __hipOnError(info) for each, with a
/// pointer to the error's number, name and text. A stop there, including at a
/// user's breakpoint, says what failed, and selects the frame of the program's
/// call. The simulated GPU's runtime also calls __wavelaneOnFinding(info), with
/// a pointer to a finding's number (8 bytes) and text, where a check has found
/// something in a call that should stop.
///
/// LLDB creates a LanguageRuntime for HIP only if there is a Language plugin
/// for HIP, which LLDB would then use besides C++'s for every name and type of
/// a C++ program.
class InstrumentationRuntimeHIP : public InstrumentationRuntime {
public:
  static void Initialize();
  static llvm::StringRef GetPluginNameStatic() { return "HIP"; }
  static lldb::InstrumentationRuntimeType GetTypeStatic();
  static lldb::InstrumentationRuntimeSP
  CreateInstance(const lldb::ProcessSP &process_sp);

  explicit InstrumentationRuntimeHIP(const lldb::ProcessSP &process_sp)
      : InstrumentationRuntime(process_sp) {}
  ~InstrumentationRuntimeHIP() override;

  llvm::StringRef GetPluginName() override { return GetPluginNameStatic(); }

  /// Sets or removes the breakpoint of the setting stop-on-hip-error.
  void UpdateBreakpoint();

private:
  const RegularExpression &GetPatternForRuntimeLibrary() override;
  bool CheckIfRuntimeIsValid(const lldb::ModuleSP module_sp) override;
  void Activate() override;
  void RemoveBreakpoint();
  void WatchSilentErrors();
  void WatchExit();
  void StopWatching();

  lldb::break_id_t m_breakpoint = LLDB_INVALID_BREAK_ID;
  lldb::break_id_t m_silent_errors = LLDB_INVALID_BREAK_ID;
  lldb::break_id_t m_findings = LLDB_INVALID_BREAK_ID;
  lldb::break_id_t m_exit = LLDB_INVALID_BREAK_ID;
  lldb::TargetWP m_target_wp;
};

} // namespace wavelane
} // namespace lldb_private

#endif
