//===-- StopFilter.h - which findings stop ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_CHECK_STOPFILTER_H
#define WAVELANE_SIMULATOR_CHECK_STOPFILTER_H

#include "Findings.h"

#include "wavelane/Protocol/Device/Suppressions.h"

#include "llvm/Support/JSON.h"

namespace wavelane::check {

/// Which findings stop their wave, or the program's call, in front of a
/// debugger: of all checks, unless the debugger chooses, and none without one.
class StopFilter {
public:
  /// Whether there is a debugger from now on.
  void setActive(bool On) {
    IsActive = On;
    Last = nullptr;
  }
  /// Takes what a debugger's request (simulator::MessageType::CheckRequest)
  /// chooses: "stopOn", a list of checks, and "ignore" with "suppressions" and
  /// their "name". After an error, nothing has changed.
  llvm::Error choose(const llvm::json::Object &Request);
  /// Whether \a T stops; take() returns it then. It must outlive this.
  bool stops(const ReportedFinding &T);
  /// The last finding that stops something, once; null if there is none.
  const ReportedFinding *take() { return std::exchange(Last, nullptr); }

private:
  bool IsActive = false;
  unsigned On = CountBit - 1; ///< bits of checks
  Suppressions Ignored;
  const ReportedFinding *Last = nullptr;
};

} // namespace wavelane::check

#endif // WAVELANE_SIMULATOR_CHECK_STOPFILTER_H
