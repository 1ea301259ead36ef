//===-- CheckStops.h - which findings of checks stop ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_PROCESS_AMDGPU_CHECKSTOPS_H
#define WAVELANE_PLUGINS_PROCESS_AMDGPU_CHECKSTOPS_H

#include "lldb/Utility/StructuredData.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <string>

namespace lldb_private {
namespace wavelane {
class WaveProcess;

/// Asks the device's checks (packets::Checks). The error is a sentence for the
/// user.
llvm::Expected<StructuredData::ObjectSP> AskChecks(WaveProcess &process,
                                                   llvm::json::Object request);

/// Sends the device's checks which findings stop waves, by the settings
/// plugin.process.amdgpu.check and check-ignore.
class CheckStops {
public:
  /// Called before the process runs: sends changes. Warns the user of what has
  /// no effect.
  void Send(WaveProcess &process);

private:
  /// What was sent.
  std::string m_checks, m_ignored, m_suppressions;
  std::string m_missing_file; ///< that was warned of
};

} // namespace wavelane
} // namespace lldb_private

#endif
