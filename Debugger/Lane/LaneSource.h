//===-- LaneSource.h - what a process plugin tells of lanes -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_DEBUGGER_LANE_LANESOURCE_H
#define WAVELANE_DEBUGGER_LANE_LANESOURCE_H

#include "lldb/Utility/Status.h"
#include "lldb/lldb-defines.h"
#include "lldb/lldb-types.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/StringRef.h"
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lldb_private {
namespace wavelane {

/// The position of a lane's work-item in its grid, in work-items.
struct WorkItem {
  std::array<uint32_t, 3> in_workgroup = {0, 0, 0};
  std::array<uint32_t, 3> in_grid = {0, 0, 0};
};

/// LLDB takes a lower address for a younger frame, and the stack of a wave
/// grows upwards: its frames' addresses are their distances from this.
constexpr lldb::addr_t kWaveFrameBase = uint64_t(1) << 32;

/// Where an inactive lane continues.
struct LanePlace {
  /// A load address; LLDB_INVALID_ADDRESS if there is none.
  lldb::addr_t pc = LLDB_INVALID_ADDRESS;
  /// It continues nowhere: its work is done when the thread ends.
  bool ends = false;
};

/// The lanes of one thread. A Thread subclass whose lanes come from the machine
/// (a GPU wave) implements it beside lldb_private::Thread; it is found by
/// dynamic_cast. A CPU thread has none: its lanes come from debug information.
class LaneSource {
public:
  virtual ~LaneSource() = default;

  /// Lanes that the thread has: 32 or 64 for a wave.
  virtual uint32_t GetLaneCount() = 0;

  /// The lanes that execute (EXEC), as many bits as lanes. A lane of a partial
  /// wave that has no work-item is never active.
  virtual llvm::BitVector GetActiveLanes() = 0;

  /// Where the inactive lanes continue, as far as the code shows; an element
  /// for each lane.
  virtual std::vector<std::optional<LanePlace>> GetLanePlaces() = 0;

  /// \return nullopt if the lane has no work-item or that isn't known.
  virtual std::optional<WorkItem> GetWorkItem(uint32_t lane) = 0;

  /// What a program can ask about its position, as HIP's threadIdx, blockIdx,
  /// blockDim, gridDim and warpSize: numbers for x, y and z.
  enum Extent {
    eWorkItem,       ///< the lane's work-item in its workgroup
    eWorkgroup,      ///< the workgroup in its grid
    eWorkgroupSize,  ///< in work-items
    eWorkgroupCount, ///< of the grid
    eLaneCount,      ///< of the wave, as x
  };
  /// \return nullopt if it isn't known, or the lane has no work-item.
  virtual std::optional<std::array<uint32_t, 3>> GetExtent(Extent which,
                                                           uint32_t lane) = 0;

  /// Whether the function of a frame has set a register such as "s33" to a
  /// place in its stack, so that it can be its frame's base. True if the code
  /// can't be followed.
  virtual bool IsFrameRegister(StackFrame &frame, llvm::StringRef name) = 0;

  /// Whether it isn't certain that there is such a frame: neither call-frame
  /// information nor a symbol told where a function began.
  virtual bool IsGuess(StackFrame &frame) = 0;

  /// The thread's name without the lane, as "saxpy (1,0,0)/2".
  virtual std::string GetWaveName() = 0;

  /// The focus lane, or its name, has changed: what the thread shows of it (its
  /// name) and caches (frames, pseudo registers) is stale.
  virtual void FocusLaneDidChange(uint32_t lane) = 0;
};

/// Memory by DWARF address space (AMDGPU numbers: 0 global, 1 generic, 3 local,
/// 5 private_lane, 6 private_wave). A Process subclass implements it beside
/// lldb_private::Process; it is found by dynamic_cast.
class AddressSpaceMemory {
public:
  virtual ~AddressSpaceMemory() = default;

  /// \param[in] tid, lane The thread and lane, for spaces that depend on them.
  /// \return Bytes read; fewer than \a size only with \a error set.
  virtual size_t ReadAddressSpace(lldb::tid_t tid, uint32_t lane,
                                  uint64_t space, uint64_t address, void *buf,
                                  size_t size, Status &error) = 0;
  virtual size_t WriteAddressSpace(lldb::tid_t tid, uint32_t lane,
                                   uint64_t space, uint64_t address,
                                   const void *buf, size_t size,
                                   Status &error) = 0;
};

/// A process that reads memory from many places at once. It implements this
/// beside lldb_private::Process, and is found by dynamic_cast.
class ReadsTogether {
public:
  virtual ~ReadsTogether() = default;

  /// How often memory was read that LLDB hadn't cached.
  virtual uint64_t GetReadCount() const = 0;

  /// From now on this thread of LLDB reads only what LLDB has cached; other
  /// reads are noted, and fail.
  virtual void BeginNoting() = 0;
  /// Ends that, and reads what was noted.
  /// \return How many bytes were read.
  virtual size_t ReadNoted() = 0;
};

} // namespace wavelane
} // namespace lldb_private

#endif
