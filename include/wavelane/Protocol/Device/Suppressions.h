//===-- Suppressions.h - findings that aren't reported ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file of lines such as
//
//   # from a library
//   invalid-global-access function="reduce(float*, int)" file=reduce.hip
//   line=12
//
// The first word is a finding's kind, or a check, or *. The others must all
// apply; in function, kernel and file, * stands for any text. A file's name may
// lack leading folders.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PROTOCOL_DEVICE_SUPPRESSIONS_H
#define WAVELANE_PROTOCOL_DEVICE_SUPPRESSIONS_H

#include "wavelane/Protocol/Device/Checks.h"

#include "llvm/Support/Error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace wavelane::check {

/// What suppressions compare.
struct FindingPlace {
  Kind What;
  std::string Kernel; ///< empty on the host
  std::string Function, File;
  uint32_t Line = 0;
};

class Suppressions {
public:
  /// Adds the suppressions of a file's \a Text.
  /// \return An error for the first line with a mistake, with the number of
  /// such lines if there are several: "NAME:3: ... (wrong lines: 4)". The
  /// others count.
  llvm::Error parse(llvm::StringRef Text, llvm::StringRef Name);
  /// An error if \a Line isn't a suppression.
  static llvm::Error check(llvm::StringRef Line);
  bool matches(const FindingPlace &Place) const;
  /// The line that suppresses \a Place.
  static std::string suggest(const FindingPlace &Place);
  const std::string &text() const { return Text; }

private:
  struct Rule {
    unsigned Kinds = 0;                                ///< a bit for each Kind
    std::optional<std::string> Kernel, Function, File; ///< patterns
    std::optional<uint32_t> Line;
  };
  static llvm::Error parseLine(llvm::StringRef Line, Rule &Out);

  std::string Text;
  std::vector<Rule> Rules;
};

} // namespace wavelane::check

#endif // WAVELANE_PROTOCOL_DEVICE_SUPPRESSIONS_H
