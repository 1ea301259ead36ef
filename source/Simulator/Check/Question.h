//===-- Question.h - what Observer::enters() is asked -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_CHECK_QUESTION_H
#define WAVELANE_SIMULATOR_CHECK_QUESTION_H

#include "llvm/ADT/DenseMap.h"

#include <cstdint>

namespace wavelane::check {

/// A key of answers.
struct Question {
  uint64_t Code = 0; ///< StraightCode::Id, from 1 on
  uint64_t Exec = 0;
  uint32_t State = 0; ///< the number before it
  bool ReportsAccesses = false;

  bool operator==(const Question &O) const {
    return Code == O.Code && Exec == O.Exec && State == O.State &&
           ReportsAccesses == O.ReportsAccesses;
  }
};

} // namespace wavelane::check

/// There are millions a second: better hashes take longer than they save.
template <> struct llvm::DenseMapInfo<wavelane::check::Question> {
  using Question = wavelane::check::Question;
  static Question getEmptyKey() { return {}; }
  static Question getTombstoneKey() { return {0, 0, 1}; }
  static unsigned getHashValue(const Question &Q) {
    constexpr uint64_t Odd = 0x9e3779b97f4a7c15;
    const uint64_t Mixed =
        (Q.Code << 32 | Q.State) + (Q.Exec ^ Q.Exec >> 32) + Q.ReportsAccesses;
    return unsigned(Mixed * Odd >> 40);
  }
  static bool isEqual(const Question &A, const Question &B) { return A == B; }
};

#endif // WAVELANE_SIMULATOR_CHECK_QUESTION_H
