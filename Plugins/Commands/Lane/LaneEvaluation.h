//===-- LaneEvaluation.h - an expression in many lanes ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_COMMANDS_LANE_LANEEVALUATION_H
#define WAVELANE_COMMANDS_LANE_LANEEVALUATION_H

#include "Core/Lane/LaneSource.h"
#include "lldb/Symbol/CompilerType.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace lldb_private {
namespace wavelane {

/// An expression in lanes of waves, at their youngest frames, as far as their
/// server can evaluate it. It is compiled once for each code address, and sent
/// once for all waves there.
class LaneEvaluation {
public:
  explicit LaneEvaluation(llvm::StringRef text) : m_text(text.str()) {}

  /// Asks for \a threads, which are stopped, and of one process, in which of
  /// their active lanes it holds.
  void AskWhere(llvm::ArrayRef<lldb::ThreadSP> threads);
  /// Asks for its values in lanes of \a thread.
  void AskValues(Thread &thread, const llvm::BitVector &lanes);

  /// \return nullopt if LLDB must evaluate it in every lane of the wave.
  std::optional<EvaluatesInLanes::Answer> Find(lldb::tid_t tid) const;

  /// The value's bytes, in the host's order and extended by zeros, in a lane
  /// that AskValues was called with, last for that thread.
  /// \return nullopt if LLDB must evaluate it.
  std::optional<uint64_t> FindValue(const Thread &thread, uint32_t lane) const;

  /// The value of which FindValue has reported \a bits.
  lldb::ValueObjectSP MakeValue(Thread &thread, uint64_t bits) const;

private:
  void Ask(llvm::ArrayRef<lldb::ThreadSP> threads,
           std::optional<uint64_t> lanes, bool wants_values);

  struct Known {
    EvaluatesInLanes::Answer answer;
    uint64_t lanes = 0; ///< those asked for, if values were wanted
    CompilerType type;
    uint64_t size = 0; ///< of a value, in bytes
  };
  const std::string m_text;
  llvm::DenseMap<lldb::tid_t, Known> m_known;
};

} // namespace wavelane
} // namespace lldb_private

#endif
