//===-- MemoryWatch.h - ends a device that eats the machine -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recordings and checks keep to bounds of their own. What a damaged file or a
// mistake makes the device take beyond them must not stop the machine.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_DEVICE_MEMORYWATCH_H
#define WAVELANE_SIMULATOR_DEVICE_MEMORYWATCH_H

#include <cstdint>
#include <optional>

namespace wavelane::simulator {

/// From now on, this process says so and ends when it has taken more memory for
/// itself than \p Bytes. What the program allocates on the GPU doesn't count.
/// Without \p Bytes, the limit is a quarter of the machine's memory, but at
/// least 3 GiB, and more if someone asks for it by allowMemory().
void watchMemory(std::optional<uint64_t> Bytes);

/// The user lets a part of the device, such as its recording, take so much.
void allowMemory(uint64_t Bytes);

} // namespace wavelane::simulator

#endif // WAVELANE_SIMULATOR_DEVICE_MEMORYWATCH_H
