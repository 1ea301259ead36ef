//===-- MemoryWatch.h - ends a process that eats the machine ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recordings and checks keep to bounds of their own. What a damaged file or a
// mistake makes a process take beyond them must not stop the machine.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_MEMORYLIMIT_MEMORYWATCH_H
#define WAVELANE_MEMORYLIMIT_MEMORYWATCH_H

#include <cstdint>
#include <optional>
#include <string>

namespace wavelane::memorylimit {

struct Watched {
  const char *Program;            ///< its name
  const char *Variable;           ///< the variable that sets another limit
  uint64_t Share;                 ///< the limit in bytes, if no other is set
  std::optional<uint64_t> Chosen; ///< the limit that somebody has set
  int Status = 1;                 ///< that the process ends with
  /// A file that gets the reason; none if empty.
  std::string Note = {};
};

/// From now on, this process says so and ends when it has taken more memory for
/// itself than its limit. What it shares with others, as device memory, doesn't
/// count. Called once.
void watchMemory(Watched Process);

/// The user lets a part of this process, such as a recording, take so much: the
/// limit becomes higher unless it was chosen, up to three quarters of the
/// machine.
void allowMemory(uint64_t Bytes);

} // namespace wavelane::memorylimit

#endif // WAVELANE_MEMORYLIMIT_MEMORYWATCH_H
