//===-- LaneEvaluation.h - an expression in many lanes ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_DEBUGGER_CONDITION_LANEEVALUATION_H
#define WAVELANE_DEBUGGER_CONDITION_LANEEVALUATION_H

#include "Lane/LaneSource.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace lldb_private {
namespace wavelane {

/// Whether an expression holds in the active lanes of waves, at their youngest
/// frames, as far as their server can tell. It is compiled once for each code
/// address, and sent once for all waves there.
class LaneEvaluation {
public:
  explicit LaneEvaluation(llvm::StringRef text) : m_text(text.str()) {}

  /// Asks for \a threads, which are stopped, and of one process.
  void Ask(llvm::ArrayRef<lldb::ThreadSP> threads);

  /// \return nullopt if LLDB must evaluate it in every lane of the wave.
  std::optional<EvaluatesInLanes::Answer> Find(lldb::tid_t tid) const;

private:
  const std::string m_text;
  llvm::DenseMap<lldb::tid_t, EvaluatesInLanes::Answer> m_answers;
};

} // namespace wavelane
} // namespace lldb_private

#endif
