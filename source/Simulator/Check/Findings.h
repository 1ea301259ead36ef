//===-- Findings.h - findings, folded and described -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_CHECK_FINDINGS_H
#define WAVELANE_SIMULATOR_CHECK_FINDINGS_H

#include "CallStacks.h"
#include "Check.h"
#include "Options.h"
#include "Symbols.h"

#include "llvm/ADT/DenseMap.h"

#include <array>
#include <set>

namespace wavelane::check {

/// A side of a finding with its names.
struct ReportedPlace {
  Place At;
  std::string Kernel;
  std::vector<Frame> Frames;   ///< innermost first
  std::vector<Frame> Launched; ///< the host's, at the kernel's launch
};

/// A finding as it is shown.
struct ReportedFinding {
  unsigned Id = 0; ///< 1 for the first
  Kind What;
  Finding Raw;
  ReportedPlace Here;
  std::optional<ReportedPlace> Other;
  std::string Variable; ///< "out[64]"; may be empty
  std::vector<Frame> HostStack, CopyStack, Made, Freed;
  uint64_t Count = 0; ///< how often it was seen
  uint64_t Lanes = 0; ///< the lanes of all of these
};

/// All findings of a device.
class Findings {
public:
  Findings(const Options &Wanted, Symbols &Names, const CallStacks &Calls)
      : Wanted(Wanted), Names(Names), Calls(Calls) {}

  /// Counts a finding.
  /// \return It, if it is new and is shown; otherwise null.
  const ReportedFinding *add(const FindingKey &Key, unsigned Lanes,
                             llvm::function_ref<Finding()> Describe);
  /// \return false if it is known already.
  bool addNotChecked(const std::string &What) {
    return NotChecked.insert(What).second;
  }
  const std::vector<std::unique_ptr<ReportedFinding>> &all() const {
    return Shown;
  }

  /// The finding as lines of text.
  static std::string text(const ReportedFinding &T);
  static llvm::json::Object json(const ReportedFinding &T);
  /// The same with "report", its text, and "suppression", the line that
  /// suppresses it.
  static llvm::json::Object fullJson(const ReportedFinding &T);
  /// What suppressions compare.
  static FindingPlace place(const ReportedFinding &T);
  /// The report of a device.
  llvm::json::Value json(llvm::StringRef Program) const;

private:
  struct Entry {
    uint64_t Count = 0, Lanes = 0;
    ReportedFinding *Shown =
        nullptr; ///< null if it is suppressed, or too many are shown
  };
  std::unique_ptr<ReportedFinding> makeReported(Kind What, Finding F);

  const Options &Wanted;
  Symbols &Names;
  const CallStacks &Calls;
  using Key = std::pair<std::pair<unsigned, uint64_t>, uint64_t>;
  llvm::DenseMap<Key, Entry> Entries;
  std::vector<std::unique_ptr<ReportedFinding>> Shown;
  std::set<std::string> NotChecked;
  uint64_t Suppressed = 0; ///< distinct findings
  /// Distinct findings beyond Options::Max, by check.
  std::array<uint64_t, CheckCount> Unreported = {};
  uint64_t Uncounted = 0; ///< findings beyond the table's size, all of them
};

/// "0-3, 7" for the bits of \a Lanes.
std::string laneList(uint64_t Lanes);
/// "0-2, 5", of numbers in their order.
std::string numberList(llvm::ArrayRef<uint32_t> Numbers);

} // namespace wavelane::check

#endif // WAVELANE_SIMULATOR_CHECK_FINDINGS_H
