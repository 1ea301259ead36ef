//===-- MemoryRegions.h - what an address of a GPU belongs to ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_PROCESS_AMDGPU_MEMORYREGIONS_H
#define WAVELANE_PLUGINS_PROCESS_AMDGPU_MEMORYREGIONS_H

#include "lldb/Target/MemoryRegionInfo.h"
#include "lldb/lldb-types.h"
#include <optional>

namespace lldb_private {
namespace wavelane {

class ProcessAMDGPU;

/// Describes the region that \a address is in: local or private memory, a code
/// object, an allocation of the program's, or another mapping of its memory.
/// What is between them is a region without access.
/// \return nullopt where that can't be told: the host program isn't there, or
/// runs.
std::optional<MemoryRegionInfo> DescribeMemory(ProcessAMDGPU &process,
                                               lldb::addr_t address);

} // namespace wavelane
} // namespace lldb_private

#endif
