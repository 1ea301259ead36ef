//===-- MemoryWait.h - a wave that reads memory until it changes ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_CORE_CALL_MEMORYWAIT_H
#define WAVELANE_CORE_CALL_MEMORYWAIT_H

#include "Core/Lane/Wave.h"

#include <cstdint>
#include <optional>

namespace lldb_private {
class Process;

namespace wavelane {

/// What a stopped wave waits for: it would read this memory for ever if nobody
/// else wrote it.
struct MemoryWait {
  lldb::addr_t address = 0;
  uint32_t size = 0; ///< in bytes, 1 to 8
  uint64_t value = 0;
  lldb::addr_t pc = 0; ///< of the instruction that reads it

  /// Executes the wave's code aside, on a copy of its registers and memory, as
  /// DeviceCall does, until the wave is in the same state again.
  /// \return nullopt if it changes memory, ends, waits at a barrier, or isn't
  ///     in the same state again soon.
  static std::optional<MemoryWait> Find(Process &process, Wave &wave);
};

} // namespace wavelane
} // namespace lldb_private

#endif
