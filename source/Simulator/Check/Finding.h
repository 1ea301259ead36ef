//===-- Finding.h - what a check has found ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_CHECK_FINDING_H
#define WAVELANE_SIMULATOR_CHECK_FINDING_H

#include "wavelane/GPU/Processors.h"
#include "wavelane/Protocol/Device/Checks.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace wavelane::check {

enum class Space : uint8_t { None, Global, Local, Private };
/// "global", "local" or "private".
llvm::StringRef spaceName(Space In);
/// "0x1f00", as addresses are written.
std::string hex(uint64_t Value);
enum class AccessKind : uint8_t { None, Read, Write, Atomic };

/// A kernel's launch.
struct Launch {
  uint64_t Number = 0; ///< 1 for the process's first
  unsigned Agent = 0;  ///< index of the GPU
  gpu::ProcessorId Processor = gpu::DefaultDevice;
  uint32_t Queue = 0;
  uint64_t PacketId = 0;
  uint64_t KernelObject = 0; ///< the kernel descriptor's address
  uint64_t Entry = 0;
  uint64_t Kernarg = 0;
  uint32_t Grid[3] = {};      ///< in work-items
  uint32_t Workgroup[3] = {}; ///< in work-items; those at the edges may be less
  uint64_t Groups = 0;        ///< the number of workgroups
  unsigned WavesPerGroup = 0;
  unsigned LaneCount = 64;
  uint32_t LocalBytes = 0;        ///< LDS as requested, not rounded
  uint32_t PrivateBytes = 0;      ///< for each lane
  std::vector<uint8_t> Arguments; ///< the argument block's bytes
  /// The host's return addresses at its launch, innermost first; empty if they
  /// aren't known.
  std::vector<uint64_t> HostStack;
  /// Whether --kernel and --launches choose it. Of the others, nothing is
  /// reported.
  bool IsChecked = true;
  /// A kernel of the HIP runtime itself, which copies or fills. It is followed,
  /// but nothing is reported.
  bool IsRuntimes = false;
};
using LaunchRef = std::shared_ptr<const Launch>;

/// Where an instruction of a wave was executed. A copy, which outlives the
/// wave. The host has no launch.
struct Place {
  LaunchRef Kernel;
  uint64_t PC = 0;
  uint32_t Workgroup[3] = {};
  /// The workgroup's size in work-items, less than the launch's at the edges.
  uint32_t GroupSize[3] = {};
  unsigned WaveInGroup = 0;
  uint32_t Stack = 0; ///< who called the function of PC, of CallStacks
  uint64_t Lanes = 0; ///< those that did it
  AccessKind Access = AccessKind::None;

  /// The work-item of \a Lane in its workgroup.
  void workItem(unsigned Lane, uint32_t (&Out)[3]) const;
};

/// An allocation of the program in global memory.
struct Allocation {
  uint64_t Address = 0;
  uint64_t Size = 0; ///< bytes, as requested
  enum Kind : uint8_t {
    Device,
    Host,
    Managed,
    Registered,
    Internal, ///< the runtime's own: queues, arguments, code, ...
  } What = Device;
  uint64_t Number = 0; ///< 1 for the first
  /// Return addresses on the host, innermost first.
  std::vector<uint64_t> Made, Freed;
  bool IsFreed = false;
};
using AllocationRef = std::shared_ptr<const Allocation>;

/// What a check reports. The rest (lines, functions, variables) is found from
/// it when it is shown.
struct Finding {
  /// What happened, in one line without a full stop: "Invalid global write of
  /// size 4 bytes".
  std::string What;
  Place Here;
  Space Memory = Space::None;
  /// The first byte, of the first lane that did it. Local and private
  /// addresses are offsets.
  uint64_t Address = 0;
  uint32_t Size = 0; ///< bytes of a lane's access; 0 if it isn't an access
  /// What was meant to be accessed ("tile[33]"). If it is empty, what is at the
  /// address is reported.
  std::string Variable;
  /// The second side, as of a race, and what it did ("read of size 4 bytes").
  std::optional<Place> Other;
  std::string OtherWhat;
  AllocationRef Block; ///< the allocation concerned, or the nearest
  /// The host's return addresses, innermost first, of a finding in a HIP call.
  std::vector<uint64_t> HostStack;
  /// HostStack isn't of a call, but where the host accesses memory itself.
  bool IsHostAccess = false;
  /// The call for a copy or fill that is the second side.
  std::vector<uint64_t> CopyStack;
  /// More sentences, a line each: values, distances, who waits for whom.
  std::vector<std::string> Notes;
};

/// Findings with the same key are one.
struct FindingKey {
  Kind What;
  uint64_t PC; ///< 0: on the host
  /// Of the second side; 0 if there is none. On the host: the stack's hash.
  uint64_t OtherPC = 0;
  uint32_t Stack = 0; ///< Place::Stack
};
/// The return addresses at the end of a message, 8 bytes each.
std::vector<uint64_t> readStack(llvm::ArrayRef<uint8_t> Message);
/// A number for a stack of the host, for FindingKey.
uint64_t hash(const std::vector<uint64_t> &Stack);

} // namespace wavelane::check

#endif // WAVELANE_SIMULATOR_CHECK_FINDING_H
