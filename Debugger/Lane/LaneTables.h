//===-- LaneTables.h - what is known of a process's lanes -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_DEBUGGER_LANE_LANETABLES_H
#define WAVELANE_DEBUGGER_LANE_LANETABLES_H

#include "lldb/lldb-types.h"
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace lldb_private {
namespace wavelane {

class WindowObject;

/// The name that the user has given to a lane.
struct NamedLane {
  lldb::tid_t tid;
  uint32_t lane;
  std::string name;
};

/// Focus lanes, names, and entries of the window of one process. It knows
/// nothing of LLDB's processes and threads, so it never takes a lock of theirs
/// while it holds its own. Safe to use from several threads.
class LaneTables {
public:
  std::optional<uint32_t> GetFocus(lldb::tid_t tid) const;
  /// Without a lane, the thread has no focus lane any more.
  /// \return Whether there are so many that it is time to forget those of
  ///     threads that have ended.
  bool SetFocus(lldb::tid_t tid, std::optional<uint32_t> lane);
  /// Sets the focus lane unless there is one.
  /// \return The focus lane.
  uint32_t SetFirstFocus(lldb::tid_t tid, uint32_t lane);

  /// Empty if the lane, or without one the thread, has no name.
  std::string GetName(lldb::tid_t tid, std::optional<uint32_t> lane) const;
  /// An empty name takes the name away.
  void SetName(lldb::tid_t tid, std::optional<uint32_t> lane, std::string name);
  std::vector<NamedLane> GetLaneNames() const;

  /// The threads that have a focus lane or a name.
  std::set<lldb::tid_t> GetThreads() const;
  /// Forgets focus lanes and names of threads.
  void Forget(const std::set<lldb::tid_t> &tids);

  /// The thread's number in addresses of address spaces (SpaceAddress::slot);
  /// nullopt when there are no more numbers.
  std::optional<uint32_t> GetSlot(lldb::tid_t tid);
  std::optional<lldb::tid_t> FindThreadOfSlot(uint32_t slot) const;

  /// Objects belong to one stop of the process: the first of a later stop
  /// drops those of the one before.
  /// \return The number of an entry (EntryAddress::id), the same for the same
  ///     \a key; nullopt when there are no more numbers.
  std::optional<uint32_t> AddObject(uint32_t stop_id, std::string key,
                                    std::shared_ptr<WindowObject> object);
  /// Null if there is none at this stop.
  std::shared_ptr<WindowObject> FindObject(uint32_t stop_id, uint32_t id) const;

private:
  /// Without a lane: of the thread.
  using Named = std::pair<lldb::tid_t, std::optional<uint32_t>>;

  mutable std::mutex m_mutex;
  std::map<lldb::tid_t, uint32_t> m_focus;
  std::map<Named, std::string> m_names;
  std::vector<lldb::tid_t> m_slots;
  std::map<lldb::tid_t, uint32_t> m_slot_of;

  uint32_t m_objects_stop_id = UINT32_MAX;
  /// Ids aren't reused, so that an address of an earlier stop is never taken
  /// for another object's.
  uint32_t m_next_id = 1;
  std::map<uint32_t, std::shared_ptr<WindowObject>> m_objects;
  std::map<std::string, uint32_t> m_ids;
};

} // namespace wavelane
} // namespace lldb_private

#endif
