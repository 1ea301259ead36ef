//===-- SaveContext.h - waves in the queue's context save area --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Saves waves to the save area and restores them. Of thousands of suspended
// waves, few have run since the last suspension: only those are copied.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_DEVICE_SAVECONTEXT_H
#define WAVELANE_SIMULATOR_DEVICE_SAVECONTEXT_H

#include "DeviceMemory.h"
#include "Queue.h"

namespace wavelane::simulator {

enum class RegistersToSave {
  All,
  /// Not VGPRs and local memory: saveRegisters() follows.
  Scalar
};
/// Writes the state of the queue's waves.
/// \return false if there is no room.
bool saveContext(DeviceMemory &Memory, Queue &Q,
                 RegistersToSave What = RegistersToSave::All);
/// Writes the VGPRs and local memory of waves whose queue is suspended.
/// \param Places  Indices of SavedPlaces::Waves; empty: all waves.
/// \return false if there are no such waves.
bool saveRegisters(DeviceMemory &Memory, Queue &Q,
                   llvm::ArrayRef<uint32_t> Places);
/// Restores the part that every wave needs, its control registers, and notes
/// which the debugger has changed (WaveParts::IsChanged).
/// \return false if the area was damaged.
bool loadContext(DeviceMemory &Memory, Queue &Q);
/// Restores the rest, for a wave that is about to run.
/// \return false if it can't be read.
bool loadWave(DeviceMemory &Memory, Queue &Q, Wave &W);

} // namespace wavelane::simulator

#endif // WAVELANE_SIMULATOR_DEVICE_SAVECONTEXT_H
