//===-- RunReport.h - the findings of a run ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program may have several devices, one for each of its processes.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_CHECK_RUNREPORT_H
#define WAVELANE_SIMULATOR_CHECK_RUNREPORT_H

#include "llvm/Support/JSON.h"

#include <cstdint>
#include <string>

namespace wavelane::check {

/// "saxpy.hip:12", of the first frame with a line of a finding's JSON, or else
/// its address; empty if it has none.
std::string placeText(const llvm::json::Object &Finding);

class RunReport {
public:
  /// Adds a device's report, Findings::json().
  void add(llvm::json::Value Device);
  /// A device has ended without a report.
  void addLost() { ++Lost; }

  /// The number of distinct findings, without suppressed ones.
  uint64_t count() const;
  /// Totals, and what wasn't checked.
  std::string summary() const;
  /// {"version", "devices": [...]}.
  std::string json() const;
  /// SARIF 2.1.0, a run for each device.
  std::string sarif() const;
  /// What each line cost, if the devices counted; otherwise empty.
  std::string counts() const;
  /// Which lines ran, in LCOV's format.
  std::string lcov() const;
  /// A page without scripts.
  std::string html() const;
  /// A file of suppressions for all findings.
  std::string suggestions() const;

private:
  llvm::json::Array Devices;
  unsigned Lost = 0;
};

} // namespace wavelane::check

#endif // WAVELANE_SIMULATOR_CHECK_RUNREPORT_H
