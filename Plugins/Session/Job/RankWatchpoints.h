//===-- RankWatchpoints.h - watchpoints of several ranks --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SESSION_JOB_RANKWATCHPOINTS_H
#define WAVELANE_SESSION_JOB_RANKWATCHPOINTS_H

#include "lldb/lldb-types.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace lldb_private {
namespace wavelane {

/// Which watchpoints were set by one command: each rank numbers its own, and
/// those of its GPU. Thread-safe.
class RankWatchpoints {
public:
  /// A rank's, on a side.
  struct Place {
    uint32_t rank = 0;
    bool is_gpu = false;
    bool operator<(const Place &other) const {
      return std::pair(rank, is_gpu) < std::pair(other.rank, other.is_gpu);
    }
  };
  using Group = std::map<Place, lldb::watch_id_t>;

  void Add(Group group) {
    std::lock_guard<std::mutex> guard(m_mutex);
    m_groups.push_back(std::move(group));
  }
  /// The number that the watchpoint of \a place has in \a other; none if it
  /// has no such one.
  std::optional<lldb::watch_id_t> Find(const Place &place, lldb::watch_id_t id,
                                       const Place &other) const {
    std::lock_guard<std::mutex> guard(m_mutex);
    // Numbers of deleted ones aren't used again in a process.
    for (const Group &group : m_groups) {
      auto own = group.find(place), found = group.find(other);
      if (own != group.end() && own->second == id && found != group.end())
        return found->second;
    }
    return std::nullopt;
  }

private:
  mutable std::mutex m_mutex;
  std::vector<Group> m_groups;
};

} // namespace wavelane
} // namespace lldb_private

#endif
