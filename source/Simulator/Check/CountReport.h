//===-- CountReport.h - what lines cost, for people -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_CHECK_COUNTREPORT_H
#define WAVELANE_SIMULATOR_CHECK_COUNTREPORT_H

#include "Counter.h"

#include <map>
#include <string>
#include <utility>

namespace wavelane::check {

/// The counts of all of a run's devices.
class CountReport {
public:
  /// \param Devices The reports of devices; those without "lines" add nothing.
  explicit CountReport(const llvm::json::Array &Devices);

  bool isEmpty() const { return ByLine.empty(); }
  /// The \a Most lines with the most instructions.
  /// \param Others What shows the others: "--json has all".
  std::string table(size_t Most, llvm::StringRef Others) const;
  /// Which lines ran, in LCOV's format (geninfo(1)).
  std::string lcov() const;
  /// The source with the counts beside it, as a part of a page.
  std::string heatMap() const;

private:
  using Place = std::pair<std::string, uint32_t>; ///< file and line
  std::map<Place, Counts> ByLine;
  std::map<std::string, std::string> Sources; ///< where files can be read
};

} // namespace wavelane::check

#endif // WAVELANE_SIMULATOR_CHECK_COUNTREPORT_H
