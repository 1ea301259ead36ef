//===-- OriginTree.h - the steps that led to a value ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_COMMANDS_TIME_ORIGINTREE_H
#define WAVELANE_COMMANDS_TIME_ORIGINTREE_H

#include "lldb/lldb-forward.h"
#include "lldb/lldb-types.h"
#include "wavelane/Protocol/Device/HistoryMessages.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lldb_private {
class Stream;
namespace wavelane {

class ProcessAMDGPU;

/// A source line's part in a value, or where the value begins.
struct OriginStep {
  ::wavelane::protocol::OriginKind kind =
      ::wavelane::protocol::OriginKind::Step;
  std::string value; ///< empty if unknown
  std::string line;  ///< "saxpy.hip:9:5"
  std::string source;
  std::string function;
  std::string instruction;
  std::string text; ///< what it is, for people
  std::string wave; ///< "saxpy (0,0,0)/2"
  std::optional<int64_t> wave_id, number;
  std::optional<int64_t> lane;
  std::optional<lldb::addr_t> pc;
  int64_t position = 0;
  /// A copy or fill by the host, in front of that position.
  bool is_host_action = false;
  std::vector<size_t> inputs; ///< steps
  /// With a condition: whether it holds.
  bool holds = true;
};

/// The answer of a search.
class OriginTree {
public:
  static llvm::Expected<OriginTree>
  Build(ProcessAMDGPU &process,
        const ::wavelane::protocol::OriginAnswer &answer, bool is_history);

  const std::vector<OriginStep> &GetSteps() const { return m_steps; }
  /// The steps that gave the value itself.
  const std::vector<size_t> &GetTop() const { return m_top; }
  /// The earliest step for which the condition holds, and for none of its
  /// inputs.
  std::optional<size_t> FindFirst() const { return m_first; }
  /// \param until  Only what leads to FindFirst(), and its inputs.
  void Print(Stream &stream, lldb::tid_t wave, int64_t lane, bool until) const;
  llvm::json::Array ToJSON() const;

private:
  struct Node;
  class Builder;

  void PrintStep(Stream &stream, size_t index, size_t depth, lldb::tid_t wave,
                 int64_t lane) const;

  std::vector<OriginStep> m_steps;
  std::vector<size_t> m_top;
  std::optional<size_t> m_first;
};

} // namespace wavelane
} // namespace lldb_private

#endif
