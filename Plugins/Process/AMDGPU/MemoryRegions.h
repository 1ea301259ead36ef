//===-- MemoryRegions.h - what an address of a GPU belongs to ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_PROCESS_AMDGPU_MEMORYREGIONS_H
#define WAVELANE_PLUGINS_PROCESS_AMDGPU_MEMORYREGIONS_H

#include "lldb/Target/MemoryRegionInfo.h"
#include "lldb/lldb-types.h"
#include <optional>

namespace lldb_private {
namespace wavelane {

class WaveProcess;

/// Describes the region that contains \a address: local or private memory, a
/// code object, an allocation of the program, or another mapping of its memory.
/// Gaps between these are regions without access.
/// \return nullopt if this can't be determined: the host program is gone or
///     running.
std::optional<MemoryRegionInfo> DescribeMemory(WaveProcess &process,
                                               lldb::addr_t address);

} // namespace wavelane
} // namespace lldb_private

#endif
