//===-- Options.h - what to check, and what to report -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_CHECK_OPTIONS_H
#define WAVELANE_SIMULATOR_CHECK_OPTIONS_H

#include "Finding.h"

#include "wavelane/Protocol/Device/DeviceMessages.h"
#include "wavelane/Protocol/Device/Suppressions.h"

#include "llvm/Support/JSON.h"

#include <optional>
#include <utility>

namespace wavelane::check {

/// The folder of a run (simulator::CheckFolderVariable) may have OptionsFile,
/// and gets a ReportPrefix<pid>.json from each device.
constexpr const char *OptionsFile = simulator::CheckOptionsFile;
constexpr char ReportPrefix[] = "report-";

struct Options {
  /// A bit for each CheckId, and CountBit: counts what each line costs.
  unsigned Checks = 0;
  std::string Kernel;    ///< a regular expression; empty for all
  LaunchRanges Launches; ///< empty for all
  uint64_t Max = 100;    ///< findings that are reported
  /// MiB of memory that each of race and init may take for shadows.
  uint64_t ShadowLimit = 512;
  bool FindsLeaks = false;
  /// The number of the first finding: a core may have some.
  unsigned FirstId = 1;
  Suppressions Suppressed;
  std::string Folder; ///< of the run; may be empty
  /// The program's number in its job, if it has several ranks.
  std::optional<uint32_t> Rank;

  bool has(CheckId Id) const { return Checks & 1u << unsigned(Id); }
  bool counts() const { return Checks & CountBit; }
  /// All but Checks, Folder and Rank, for OptionsFile. Read, "checks" replaces
  /// Checks: a debugger writes it, who chooses late.
  llvm::json::Value toJSON() const;
  llvm::Error fromJSON(const llvm::json::Value &From);
};

} // namespace wavelane::check

#endif // WAVELANE_SIMULATOR_CHECK_OPTIONS_H
