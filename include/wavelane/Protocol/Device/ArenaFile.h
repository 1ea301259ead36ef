//===-- ArenaFile.h - the memory of Wavelane's HIP runtime ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PROTOCOL_DEVICE_ARENAFILE_H
#define WAVELANE_PROTOCOL_DEVICE_ARENAFILE_H

namespace wavelane::simulator {

/// The memfd with all that the runtime's programs can allocate. What isn't
/// allocated is mapped without access: a debugger reads zeros there, and the
/// device has no memory.
constexpr char ArenaFileName[] = "wavelane-arena";

} // namespace wavelane::simulator

#endif // WAVELANE_PROTOCOL_DEVICE_ARENAFILE_H
