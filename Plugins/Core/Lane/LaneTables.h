//===-- LaneTables.h - what is known of a process's lanes -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_CORE_LANE_LANETABLES_H
#define WAVELANE_CORE_LANE_LANETABLES_H

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

/// A name that the user gave to a lane.
struct NamedLane {
  lldb::tid_t tid;
  uint32_t lane;
  std::string name;
};

/// Focus lanes, names, and entries of the window of one process. It knows no
/// LLDB processes or threads, so it never takes one of their locks while it
/// holds its own. Thread-safe.
class LaneTables {
public:
  std::optional<uint32_t> GetFocus(lldb::tid_t tid) const;
  /// Without \a lane, removes the thread's focus lane.
  /// \return Whether the table has grown so much that the caller should forget
  ///     threads that have ended.
  bool SetFocus(lldb::tid_t tid, std::optional<uint32_t> lane);
  /// Sets the focus lane unless the thread has one.
  /// \return The focus lane.
  uint32_t SetFirstFocus(lldb::tid_t tid, uint32_t lane);

  /// Says that the thread has run, if it has a focus lane.
  void DoubtFocus(lldb::tid_t tid);
  bool IsDoubtful(lldb::tid_t tid) const;
  void EndDoubt(lldb::tid_t tid);

  /// Empty if the lane, or without a lane the thread, has no name.
  std::string GetName(lldb::tid_t tid, std::optional<uint32_t> lane) const;
  /// An empty name removes the name.
  void SetName(lldb::tid_t tid, std::optional<uint32_t> lane, std::string name);
  std::vector<NamedLane> GetLaneNames() const;

  /// The threads that have a focus lane or a name.
  std::set<lldb::tid_t> GetThreads() const;
  /// Forgets focus lanes and names of threads.
  void Forget(const std::set<lldb::tid_t> &tids);

  /// The thread's number in addresses of address spaces (SpaceAddress::slot);
  /// nullopt if all numbers are in use.
  std::optional<uint32_t> GetSlot(lldb::tid_t tid);
  std::optional<lldb::tid_t> FindThreadOfSlot(uint32_t slot) const;

  /// Objects belong to one stop of the process: the first of a later stop
  /// drops those of the one before.
  /// \return The number of an entry (EntryAddress::id), the same for the same
  ///     \a key; nullopt if all numbers are in use.
  std::optional<uint32_t> AddObject(uint32_t stop_id, std::string key,
                                    std::shared_ptr<WindowObject> object);
  /// Null if there is none at this stop.
  std::shared_ptr<WindowObject> FindObject(uint32_t stop_id, uint32_t id) const;

private:
  /// A thread, and a lane of it or none.
  using Named = std::pair<lldb::tid_t, std::optional<uint32_t>>;

  mutable std::mutex m_mutex;
  std::map<lldb::tid_t, uint32_t> m_focus;
  std::set<lldb::tid_t> m_doubtful;
  std::map<Named, std::string> m_names;
  std::vector<lldb::tid_t> m_slots;
  std::map<lldb::tid_t, uint32_t> m_slot_of;

  uint32_t m_objects_stop_id = UINT32_MAX;
  /// Never reuse ids, so an address from an earlier stop can't refer to another
  /// object.
  uint32_t m_next_id = 1;
  std::map<uint32_t, std::shared_ptr<WindowObject>> m_objects;
  std::map<std::string, uint32_t> m_ids;
};

} // namespace wavelane
} // namespace lldb_private

#endif
