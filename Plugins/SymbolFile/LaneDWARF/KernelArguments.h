//===-- KernelArguments.h - where a kernel's arguments are ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_KERNELARGUMENTS_H
#define WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_KERNELARGUMENTS_H

#include "llvm/ADT/StringMap.h"
#include <cstdint>
#include <vector>

namespace lldb_private {
class ObjectFile;
namespace wavelane {

/// An argument's place in a dispatch's argument segment, in bytes.
struct KernelArgument {
  uint64_t offset = 0;
  uint64_t size = 0;
};

/// The arguments declared in the source, in order.
using KernelArguments = std::vector<KernelArgument>;

/// Reads a code object's metadata (AMDGPUUsage, "Code Object Metadata").
/// \return The kernels by their mangled names; empty if the metadata is
///     missing or malformed.
llvm::StringMap<KernelArguments> ReadKernelArguments(ObjectFile &object_file);

/// What a kernel needs, in bytes, and its largest workgroup, in work-items.
struct KernelMemory {
  uint64_t local = 0;
  uint64_t private_memory = 0;
  uint64_t largest_workgroup = 1;
};

/// \return The kernels' memory by their mangled names.
llvm::StringMap<KernelMemory> ReadKernelMemory(ObjectFile &object_file);

/// \return The number of work-items of the largest workgroup of each kernel, by
///     mangled names.
llvm::StringMap<uint64_t> ReadWorkgroupLimits(ObjectFile &object_file);

} // namespace wavelane
} // namespace lldb_private

#endif
