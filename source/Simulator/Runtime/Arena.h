//===-- Arena.h - device memory ---------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_RUNTIME_ARENA_H
#define WAVELANE_SIMULATOR_RUNTIME_ARENA_H

#include "wavelane/Protocol/Device/DeviceMessages.h"

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace wavelane {
namespace runtime {

using namespace simulator;

enum class MemoryKind { Device, Host, Managed, Registered, Internal };

struct Allocation {
  uint64_t Size = 0;     ///< the requested size
  uint64_t Reserved = 0; ///< size in pages, including the guard page
  MemoryKind Kind = MemoryKind::Internal;
  unsigned Flags = 0;
  size_t Record = 0; ///< its index in the table for debuggers
};

/// A record of an allocation for debuggers, which find the table by its symbol,
/// wavelane_allocations.
struct AllocationRecord {
  static constexpr unsigned Depth = 6;
  uint64_t Address, Size;
  uint64_t Callers[Depth]; ///< return addresses, innermost first; 0 after the
                           ///< last
};
struct AllocationTable {
  uint64_t Count;
  const AllocationRecord *Records; ///< in arbitrary order
};

class Arena {
public:
  /// \return false with \a Error set.
  bool create(std::string &Error);
  int fd() const { return Fd; }
  ArenaHeader *header() const {
    return reinterpret_cast<ArenaHeader *>(ArenaBase);
  }
  /// Whether the device records what it is asked for.
  bool isRecorded() const {
    return __atomic_load_n(&header()->recorded, __ATOMIC_RELAXED) != 0;
  }

  /// Allocates zeroed pages that program and device may use according to \a
  /// Access, followed by an inaccessible page.
  /// \return null if there is no room.
  void *allocate(uint64_t Size, MemoryKind Kind, unsigned Flags = 0,
                 uint8_t Access = PageRead | PageWrite);
  /// \return false if \a Address is not what allocate() returned.
  bool free(void *Address);
  /// The allocation that contains \a Address; \a Base is its start.
  bool find(const void *Address, uint64_t &Base, Allocation &Out);
  uint64_t total() const { return uint64_t(16) << 30; }
  uint64_t used() const { return Used; }

  enum class Change { Present, Made, Freed };
  using Listener =
      std::function<void(uint64_t Address, const Allocation &, Change)>;
  /// Notifies \a L of all allocations: the present ones, and each change.
  /// Ranges that are freed from now on are only used again when there is no
  /// other room.
  void listen(Listener L);

private:
  bool takeBack();
  void giveBack(uint64_t Address, uint64_t Size);
  size_t addRecord(uint64_t Address, uint64_t Size);
  void removeRecord(size_t Record);

  std::mutex Lock;
  int Fd = -1;
  std::map<uint64_t, uint64_t> Free; ///< sizes by address
  std::map<uint64_t, Allocation> Live;
  std::vector<AllocationRecord> Records;
  std::atomic<uint64_t> Used{0};
  Listener OnChange;
  std::deque<std::pair<uint64_t, uint64_t>> Resting; ///< freed, not in Free
};

} // namespace runtime
} // namespace wavelane

#endif // WAVELANE_SIMULATOR_RUNTIME_ARENA_H
