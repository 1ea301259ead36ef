//===-- LateStores.h - stores that others see later -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In a chaos schedule, some of a wave's stores to global memory arrive later
// than the instruction has ended, and later than stores after them, as AMD's
// memory model allows (LLVM's AMDGPU usage page, "Memory Model"). They arrive
// when the wave waits for its stores, at a barrier, at its end, before the wave
// itself accesses their bytes, when the wave stops in front of a debugger, and
// after some memory instructions of the wave. Nothing else decides, so a
// schedule can be repeated.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_DEVICE_LATESTORES_H
#define WAVELANE_SIMULATOR_DEVICE_LATESTORES_H

#include "Queue.h"

#include "wavelane/Simulator/ISA/Observer.h"

#include <cstdint>
#include <vector>

namespace wavelane::simulator {

/// Makes stores of the wave that runs late: the last observer of its executor.
class LateStores : public isa::Observer {
public:
  /// \a W runs next, on \a A.
  void runs(Agent &A, WaveParts &W);
  /// Lets what \a W has stored arrive.
  static void arriveAll(Agent &A, WaveParts &W);

  bool before(const isa::WaveState &State,
              const isa::ObservedInstruction &I) override;
  void after(const isa::WaveState &State,
             const isa::ObservedInstruction &I) override;

private:
  /// Whether a store that hasn't arrived has bytes of an access.
  bool concerns(const isa::LaneAccess &A) const;
  void delay(const isa::ObservedInstruction &I);

  Agent *On = nullptr;
  WaveParts *Running = nullptr;
  /// What is in memory before the instruction, for each access.
  struct OldBytes {
    uint8_t Bytes[LateStore::MostBytes];
  };
  std::vector<OldBytes> Old;
};

} // namespace wavelane::simulator

#endif // WAVELANE_SIMULATOR_DEVICE_LATESTORES_H
