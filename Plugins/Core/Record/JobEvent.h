//===-- JobEvent.h - a job's events for an editor ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_CORE_RECORD_JOBEVENT_H
#define WAVELANE_CORE_RECORD_JOBEVENT_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lldb_private {
namespace wavelane {

/// A job takes the events of its ranks' processes, so it notifies those that
/// present the ranks of what these do. It is the text of an event of LLDB.
struct JobEvent {
  /// The class of the broadcaster, and its only kind of event.
  static constexpr char BroadcasterClass[] = "wavelane.job";
  static constexpr uint32_t Bit = 1;

  enum class Kind {
    /// The rank of this host target has come, and is stopped.
    Joined,
    /// The ranks of these host targets run.
    Running,
    /// Ranks have stopped. Each is given by the target that it shows, host or
    /// GPU; the first one is shown for all.
    Stopped,
    /// The ranks of these host targets have ended.
    Ended,
    /// All ranks and the launcher have ended.
    Over,
  };

  Kind kind = Kind::Over;
  /// LLDB's numbers, unique in all debuggers.
  std::vector<uint64_t> targets;
  /// Those of a stop that were only interrupted.
  std::vector<uint64_t> interrupted;

  /// JSON.
  std::string Format() const;
  static std::optional<JobEvent> Parse(llvm::StringRef text);
};

} // namespace wavelane
} // namespace lldb_private

#endif
