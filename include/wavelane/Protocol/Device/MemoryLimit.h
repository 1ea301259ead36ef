//===-- MemoryLimit.h - what a device may take ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PROTOCOL_DEVICE_MEMORYLIMIT_H
#define WAVELANE_PROTOCOL_DEVICE_MEMORYLIMIT_H

#include <cstdint>

namespace wavelane::simulator {

/// How many MiB the device may take for itself: its option, and the variable
/// from which the program's runtime takes it.
constexpr char MemoryLimitOption[] = "--memory-limit";
constexpr char MemoryLimitVariable[] = "WAVELANE_MEMORY_LIMIT";
constexpr uint64_t MostMemoryLimit = 1 << 24;

/// The file in the folder of checks (CheckFolderVariable) in which a device
/// that has reached its limit says so, before it ends.
constexpr char MemoryLimitNote[] = "memory-limit";

} // namespace wavelane::simulator

#endif // WAVELANE_PROTOCOL_DEVICE_MEMORYLIMIT_H
