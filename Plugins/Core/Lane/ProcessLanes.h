//===-- ProcessLanes.h - what a process holds of lanes ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_CORE_LANE_PROCESSLANES_H
#define WAVELANE_CORE_LANE_PROCESSLANES_H

#include "LaneTables.h"
#include "WindowAddress.h"
#include "lldb/Target/Process.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lldb_private {
namespace wavelane {

/// ROCdbgapi's name of an address space, by its DWARF number; null if unknown.
const char *GetSpaceName(uint64_t space);

/// Where some bytes of an object are.
struct ObjectPart {
  uint64_t size = 0; ///< in bytes
  /// The name of a register, else a place in memory of \a space.
  std::string register_name;
  uint64_t space = 0;
  std::optional<uint32_t> lane; ///< of memory that lanes have each
  /// In bytes, in the whole register or the space.
  uint64_t offset = 0;
};

/// An object without an address, represented by an entry of the window. It
/// belongs to one stop of the process.
class WindowObject {
public:
  virtual ~WindowObject() = default;
  virtual size_t Read(Process &process, uint64_t offset, void *buf, size_t size,
                      Status &error) = 0;
  virtual size_t Write(Process &process, uint64_t offset, const void *buf,
                       size_t size, Status &error) = 0;
  /// Where bytes of the object are, in their order. The error says why they are
  /// nowhere.
  virtual llvm::Expected<std::vector<ObjectPart>> FindParts(uint64_t offset,
                                                            uint64_t size) {
    return llvm::createStringError("it is neither in registers nor in memory");
  }
  /// In bytes; 0 if it has no end, or the end is unknown.
  virtual uint64_t GetSize() = 0;
};

class AddressSpaceMemory;
class ProcessLanes;

/// Whether a wave, a GPU's code, a focus lane or an object of the window has
/// been looked at in this LLDB. Until then an ordinary program's values needn't
/// ask for them.
bool HasUsedLanes();
/// From now on HasUsedLanes().
void UseLanes();
/// \param function Called when lanes are first used. Set once at startup.
void OnFirstUseOfLanes(void (*function)());

/// A process that can have lanes (LaneProcess.h).
class LaneOwner {
public:
  virtual ~LaneOwner() = default;
  /// Null if they were never needed.
  std::shared_ptr<ProcessLanes> GetLanes() const {
    return std::atomic_load(&m_lanes_sp);
  }
  /// Drops cached values, so that they are read again.
  virtual void InvalidateValues() = 0;

private:
  friend class ProcessLanes;
  std::shared_ptr<ProcessLanes> m_lanes_sp;
};

/// Focus lanes and window of one process. Owned by the process (LaneOwner) and
/// created on first use, so a process without lanes pays nothing.
class ProcessLanes {
public:
  /// The focus lane of a thread; see LaneFocus.h.
  static uint32_t GetFocusLane(Thread &thread);

  /// Never null; a temporary for a kind of process without lanes.
  static std::shared_ptr<ProcessLanes> GetOrCreate(Process &process);
  /// Null if they were never needed.
  static std::shared_ptr<ProcessLanes> Get(Process &process);

  std::optional<uint32_t> GetFocus(lldb::tid_t tid) const {
    return m_tables.GetFocus(tid);
  }
  void SetFocus(Process &process, lldb::tid_t tid,
                std::optional<uint32_t> lane);

  /// The threads that have a focus lane or a name; some may have ended.
  std::set<lldb::tid_t> GetThreads() const { return m_tables.GetThreads(); }
  /// Says that a wave has run: if it stops at a breakpoint and its focus lane
  /// is inactive there, the focus goes to the first lane that is active.
  void DoubtFocus(lldb::tid_t tid) { m_tables.DoubtFocus(tid); }

  /// Sets the focus lane unless another thread of LLDB has meanwhile.
  /// \return The focus lane.
  uint32_t SetFirstFocus(lldb::tid_t tid, uint32_t lane) {
    return m_tables.SetFirstFocus(tid, lane);
  }

  /// The name that the user gave to a lane, or without a lane to the thread;
  /// empty if none.
  std::string GetName(lldb::tid_t tid, std::optional<uint32_t> lane) const {
    return m_tables.GetName(tid, lane);
  }
  /// Names are kept while the thread lives. An empty name removes it.
  void SetName(Process &process, lldb::tid_t tid, std::optional<uint32_t> lane,
               std::string name);
  /// All names that the user gave to lanes of live threads.
  std::vector<NamedLane> GetLaneNames(Process &process) const;

  /// Drops cached values that depend on the focus lane.
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

  /// The object of an entry of the window; null, with \a error, if it belonged
  /// to an earlier stop.
  std::shared_ptr<WindowObject> FindObject(Process &process, uint32_t id,
                                           Status &error) const;

  /// A description of \a addr such as "private_lane#0x40 (lane 3)"; empty for
  /// addresses outside the window.
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
  void ForgetEndedThreads(Process &process);
  /// Reads or writes the object of the window, or the memory of an address
  /// space, at \a addr.
  size_t
  Transfer(Process &process, lldb::addr_t addr, Status &error,
           llvm::function_ref<size_t(WindowObject &, uint64_t offset)>
               object_transfer,
           llvm::function_ref<size_t(AddressSpaceMemory &, const SpacePlace &)>
               space_transfer);

  const bool m_has_apertures;
  LaneTables m_tables;
};

} // namespace wavelane
} // namespace lldb_private

#endif
