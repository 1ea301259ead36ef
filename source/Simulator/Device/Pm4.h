//===-- Pm4.h - PM4 packets -------------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executes packets of compute queues that aren't AQL queues, and of indirect
// buffers of AQL's vendor packets (gfx9 to gfx12).
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_DEVICE_PM4_H
#define WAVELANE_SIMULATOR_DEVICE_PM4_H

#include "DeviceMemory.h"
#include "Queue.h"

#include <cstdint>
#include <string>

namespace wavelane::simulator {

class Pm4 {
public:
  explicit Pm4(DeviceMemory &Memory) : Memory(Memory) {}

  enum class Outcome {
    Done,
    Wait,     ///< for memory to change; try again
    Dispatch, ///< a kernel has to run before the following packets
    Error,
  };
  /// Executes packets of the buffer at \a Base of \a Words dwords, which wraps,
  /// from \a At up to \a End. Moves \a At past finished packets. Sets \a Why
  /// with an error.
  /// \param Read The read index, which is moved before a packet's effects can
  ///     be seen.
  Outcome run(Queue &Q, uint64_t Base, uint64_t Words, uint64_t &At,
              uint64_t End, std::string &Why, uint32_t *Read = nullptr);

private:
  Outcome packet(Queue &Q, unsigned Opcode, const uint32_t *W, unsigned Count,
                 std::string &Why);
  Outcome releaseMemory(const uint32_t *W, std::string &Why);
  Outcome writeData(const uint32_t *W, unsigned Count, std::string &Why);
  Outcome copyData(const uint32_t *W, std::string &Why);
  Outcome waitMemory(const uint32_t *W, std::string &Why);
  Outcome atomicMemory(const uint32_t *W, std::string &Why);
  bool store(uint64_t Address, uint64_t Value, bool Wide, std::string &Why);

  DeviceMemory &Memory;
};

} // namespace wavelane::simulator

#endif // WAVELANE_SIMULATOR_DEVICE_PM4_H
