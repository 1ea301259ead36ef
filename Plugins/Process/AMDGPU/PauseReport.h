//===-- PauseReport.h - what is shown of a pause ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_PROCESS_AMDGPU_PAUSEREPORT_H
#define WAVELANE_PLUGINS_PROCESS_AMDGPU_PAUSEREPORT_H

#include "llvm/Support/FormatVariadic.h"

#include <cstdint>
#include <string>

namespace lldb_private {
namespace wavelane {

/// The stop at which the user has interrupted waves, or attached to them, and
/// what the waves did then that aren't shown.
class PauseReport {
public:
  /// \param[in] others As PausedWaves::DescribeOthers.
  void Set(uint32_t stop_id, std::string others) {
    m_stop_id = stop_id;
    m_others = std::move(others);
  }
  bool IsOf(uint32_t stop_id) const { return stop_id == m_stop_id; }
  /// A line about the \a count waves that a stop doesn't show; empty for none.
  std::string DescribeOthers(uint32_t stop_id, size_t count) const {
    if (!count)
      return "";
    return llvm::formatv(
        "  {0} more {1} stopped{2} ('thread list' shows {3})\n", count,
        count == 1 ? "wave is" : "waves are",
        IsOf(stop_id) ? ": " + m_others : "", count == 1 ? "it" : "them");
  }

private:
  uint32_t m_stop_id = UINT32_MAX;
  std::string m_others;
};

} // namespace wavelane
} // namespace lldb_private

#endif
