//===-- NonStop.h - stops that hold only some waves -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_PROCESS_AMDGPU_NONSTOP_H
#define WAVELANE_PLUGINS_PROCESS_AMDGPU_NONSTOP_H

#include "lldb/Utility/Status.h"

#include <atomic>

namespace lldb_private {
namespace wavelane {
class WaveProcess;

/// The setting non-stop, as the server has it. While it is on, LLDB's process
/// is stopped, and has as its threads the waves that are held, while others
/// run: whatever is known of memory may have changed.
class NonStop {
public:
  /// Called before the process runs.
  /// \param keeps_others  Whether stops of waves that don't step are reported
  /// later.
  Status Send(WaveProcess &process, bool keeps_others);

  bool IsOn() const { return m_is_on; }

private:
  std::atomic<bool> m_is_on{false};
  bool m_keeps_others = false;
  bool m_has_refused = false; ///< a core
};

} // namespace wavelane
} // namespace lldb_private

#endif
