//===-- LaneSource.h - a process plugin's lanes -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_CORE_LANE_LANESOURCE_H
#define WAVELANE_CORE_LANE_LANESOURCE_H

#include "lldb/Utility/Status.h"
#include "lldb/lldb-defines.h"
#include "lldb/lldb-forward.h"
#include "lldb/lldb-types.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
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

/// LLDB takes a lower address for a younger frame, but the stack of a wave
/// grows upwards: frame addresses are counted down from this.
constexpr lldb::addr_t kWaveFrameBase = uint64_t(1) << 32;

/// Where an inactive lane continues.
struct LanePlace {
  /// A load address; LLDB_INVALID_ADDRESS if there is none.
  lldb::addr_t pc = LLDB_INVALID_ADDRESS;
  /// It continues nowhere: it is finished when the thread ends.
  bool ends = false;
};

/// The lanes of one thread. A Thread subclass with hardware lanes (a GPU wave)
/// implements it beside lldb_private::Thread; it is found by dynamic_cast. A
/// CPU thread doesn't: its lanes come from debug information.
class LaneSource {
public:
  virtual ~LaneSource() = default;

  /// The number of lanes: 32 or 64 for a wave.
  virtual uint32_t GetLaneCount() = 0;

  /// The lanes that really execute, a bit for each lane: those of EXEC, unless
  /// the code has changed EXEC only to save or load registers
  /// (wavelane/GPU/ExecutingLanes.h). A lane of a partial wave that has no
  /// work-item is never active.
  virtual llvm::BitVector GetActiveLanes() = 0;

  /// Whether the thread has stopped because of a breakpoint that the user set;
  /// nullopt if that isn't known yet.
  virtual std::optional<bool> HasHitBreakpoint() { return false; }

  /// Where the inactive lanes continue, as far as the code shows; an element
  /// for each lane.
  virtual std::vector<std::optional<LanePlace>> GetLanePlaces() = 0;

  /// \return nullopt if the lane has no work-item or it isn't known.
  virtual std::optional<WorkItem> GetWorkItem(uint32_t lane) = 0;

  /// A program's view of its position, such as HIP's threadIdx, blockIdx,
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
  /// place in its stack, which makes it a possible base of the frame. True if
  /// the code can't be followed.
  virtual bool IsFrameRegister(StackFrame &frame, llvm::StringRef name) = 0;

  /// Whether the frame is uncertain: neither call-frame information nor a
  /// symbol showed where a function began.
  virtual bool IsGuess(StackFrame &frame) = 0;

  /// The thread's name without the lane, such as "saxpy (1,0,0)/2".
  virtual std::string GetWaveName() = 0;

  /// The focus lane, or its name, has changed: the thread must refresh what
  /// depends on it (its name, frames, pseudo registers).
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

/// A process in which expressions can call functions: the expression writes
/// the arguments to addresses from kCallAddresses on, see Call/FunctionCalls.h.
/// A Process subclass implements it beside lldb_private::Process.
class CallsFunctions {
public:
  static constexpr uint64_t kCallAddresses = uint64_t(5) << 60;

  virtual ~CallsFunctions() = default;

  /// \return Where the expression that runs in \a exe_ctx has its call's
  ///     arguments, results and command: an address of the window;
  ///     LLDB_INVALID_ADDRESS if nothing can be called there.
  virtual lldb::addr_t GetCallAddress(const ExecutionContext &exe_ctx,
                                      uint64_t offset) = 0;
};

/// A process that can read memory from many places at once. Implemented beside
/// lldb_private::Process, and found by dynamic_cast.
class ReadsTogether {
public:
  virtual ~ReadsTogether() = default;

  /// How many reads of memory LLDB's cache didn't serve.
  virtual uint64_t GetReadCount() const = 0;

  /// From now on, reads by this thread of LLDB are served from LLDB's cache
  /// only; others are noted, and fail.
  virtual void BeginNoting() = 0;
  /// Ends noting, and reads the noted memory.
  /// \return The number of bytes read.
  virtual size_t ReadNoted() = 0;
};

/// A process whose server evaluates expressions in lanes of many waves at once.
/// Implemented beside lldb_private::Process, and found by dynamic_cast.
class EvaluatesInLanes {
public:
  struct Question {
    /// ServerExpression::object.
    llvm::json::Object expression;
    std::vector<lldb::tid_t> threads;
    /// A mask, bit 0 being lane 0; nullopt for each wave's active lanes.
    std::optional<uint64_t> lanes;
    bool wants_values = false;
  };
  /// Bit 0 of a mask is lane 0.
  struct Answer {
    /// The lanes in which the server could evaluate it.
    uint64_t known = 0;
    /// Those of them in which it holds.
    uint64_t holds = 0;
    /// If wanted, the value in each of the lanes asked for, in ascending order:
    /// little-endian, extended by zeros.
    std::vector<uint64_t> values;
  };

  virtual ~EvaluatesInLanes() = default;

  /// \return The answer for each of the threads that is stopped.
  virtual llvm::Expected<llvm::DenseMap<lldb::tid_t, Answer>>
  EvaluateInLanes(Question question) = 0;
};

} // namespace wavelane
} // namespace lldb_private

#endif
