//===-- ProcessLanes.h - what a process holds of lanes ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_DEBUGGER_LANE_PROCESSLANES_H
#define WAVELANE_DEBUGGER_LANE_PROCESSLANES_H

#include "WindowAddress.h"
#include "lldb/Target/Process.h"
#include "llvm/Support/Error.h"
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace lldb_private {
namespace wavelane {

/// ROCdbgapi's name of an address space, by its DWARF number; null for none.
const char *GetSpaceName(uint64_t space);

/// An object without an address, behind an entry of the window. It belongs to
/// one stop of the process.
class WindowObject {
public:
  virtual ~WindowObject() = default;
  virtual size_t Read(Process &process, uint64_t offset, void *buf, size_t size,
                      Status &error) = 0;
  virtual size_t Write(Process &process, uint64_t offset, const void *buf,
                       size_t size, Status &error) = 0;
  /// In bytes; 0 where it has no end, or none is known.
  virtual uint64_t GetSize() = 0;
};

class ProcessLanes;

/// A process that can have lanes (LaneProcess.h).
class LaneOwner {
public:
  virtual ~LaneOwner() = default;
  /// Null when the process never needed them.
  std::shared_ptr<ProcessLanes> GetLanes() const {
    return std::atomic_load(&m_lanes_sp);
  }
  /// Values that were read from the process are read again from now on.
  virtual void InvalidateValues() = 0;

private:
  friend class ProcessLanes;
  std::shared_ptr<ProcessLanes> m_lanes_sp;
};

/// Focus lanes and window of one process. It lives in the process (LaneOwner)
/// and is made when first wanted, so that a process without lanes pays nothing.
class ProcessLanes {
public:
  /// Never null. A process of a kind that has no lanes gets one that is
  /// forgotten.
  static std::shared_ptr<ProcessLanes> GetOrCreate(Process &process);
  /// Null when the process never needed one.
  static std::shared_ptr<ProcessLanes> Get(Process &process);

  std::optional<uint32_t> GetFocus(lldb::tid_t tid) const;
  void SetFocus(Process &process, lldb::tid_t tid,
                std::optional<uint32_t> lane);

  /// Sets the focus lane unless another thread of LLDB has done so meanwhile.
  /// \return The focus lane.
  uint32_t SetFirstFocus(Process &process, lldb::tid_t tid, uint32_t lane);

  /// The name that the user has given to a lane, or without one to the thread;
  /// empty for none.
  std::string GetName(lldb::tid_t tid, std::optional<uint32_t> lane) const;
  /// It is kept while the thread lives. An empty one takes the name away.
  void SetName(Process &process, lldb::tid_t tid, std::optional<uint32_t> lane,
               std::string name);
  /// All names that the user has given to lanes, of threads that live.
  struct LaneName {
    lldb::tid_t tid;
    uint32_t lane;
    std::string name;
  };
  std::vector<LaneName> GetLaneNames(Process &process) const;

  /// Values that depend on the focus lane are read again from now on.
  void InvalidateValues(Process &process);

  /// \return An address for byte \a offset of a 32-bit address space.
  llvm::Expected<lldb::addr_t> GetSpaceAddress(lldb::tid_t tid, uint32_t lane,
                                               uint64_t space, uint32_t offset);

  /// \return An address for \a object. The same \a key gives the same address
  ///     until the process runs.
  llvm::Expected<lldb::addr_t>
  GetObjectAddress(Process &process, std::string key,
                   std::shared_ptr<WindowObject> object);

  bool Contains(lldb::addr_t addr) const;
  size_t Read(Process &process, lldb::addr_t addr, void *buf, size_t size,
              Status &error);
  size_t Write(Process &process, lldb::addr_t addr, const void *buf,
               size_t size, Status &error);

  /// The object behind an entry of the window; null, with \a error, when it was
  /// of an earlier stop.
  std::shared_ptr<WindowObject> FindObject(Process &process, uint32_t id,
                                           Status &error);

  /// What \a addr means, as "private_lane#0x40 (lane 3)"; empty for addresses
  /// outside the window.
  std::string Describe(Process &process, lldb::addr_t addr) const;

  /// Memory of an address space of a thread and lane.
  struct SpacePlace {
    lldb::tid_t tid;
    uint32_t lane;
    uint64_t space;
    uint64_t offset;
  };
  std::optional<SpacePlace> FindSpacePlace(Process &process, lldb::addr_t addr,
                                           Status &error) const;

  explicit ProcessLanes(bool has_apertures) : m_has_apertures(has_apertures) {}

private:
  void DropStaleObjects(Process &process);

  const bool m_has_apertures;
  mutable std::recursive_mutex m_mutex;
  std::map<lldb::tid_t, uint32_t> m_focus;
  /// Without a lane: of the thread.
  std::map<std::pair<lldb::tid_t, std::optional<uint32_t>>, std::string>
      m_names;
  std::vector<lldb::tid_t> m_slots;
  std::map<lldb::tid_t, uint32_t> m_slot_of;

  uint32_t m_objects_stop_id = UINT32_MAX;
  /// Ids are not used again, so that an address of an earlier stop is never
  /// taken for another object's.
  uint32_t m_next_id = 1;
  std::map<uint32_t, std::shared_ptr<WindowObject>> m_objects;
  std::map<std::string, uint32_t> m_ids;
};

} // namespace wavelane
} // namespace lldb_private

#endif
