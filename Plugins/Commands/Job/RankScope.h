//===-- RankScope.h - the ranks of a running `rank apply` -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_COMMANDS_JOB_RANKSCOPE_H
#define WAVELANE_COMMANDS_JOB_RANKSCOPE_H

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lldb_private {
namespace wavelane {

/// The ranks that the command of a `rank apply` is about: breakpoints and
/// watchpoints that it sets are only theirs.
class RankScope {
public:
  /// \param[in] ranks In their order.
  explicit RankScope(std::vector<uint32_t> ranks)
      : m_ranks(std::move(ranks)), m_outer(std::exchange(t_current, this)) {}
  ~RankScope() { t_current = m_outer; }
  RankScope(const RankScope &) = delete;
  RankScope &operator=(const RankScope &) = delete;

  /// Of this thread; null outside of `rank apply`.
  static RankScope *Get() { return t_current; }
  const std::vector<uint32_t> &GetRanks() const { return m_ranks; }

  /// What the breakpoint says that one of the ranks has set for all of them.
  std::optional<std::string> breakpoint_text;

private:
  static thread_local RankScope *t_current;

  const std::vector<uint32_t> m_ranks;
  RankScope *const m_outer;
};

} // namespace wavelane
} // namespace lldb_private

#endif
