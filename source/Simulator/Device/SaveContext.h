//===-- SaveContext.h - waves in the queue's context save area --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Waves go to the save area and come back. Of thousands that are suspended few
// have run since the last time: only those are moved.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_DEVICE_SAVECONTEXT_H
#define WAVELANE_SIMULATOR_DEVICE_SAVECONTEXT_H

#include "Memory.h"
#include "Queue.h"

namespace wavelane::simulator {

/// Writes the state of the queue's waves. \return false if there is no room.
bool saveContext(DeviceMemory &Memory, Queue &Q);
/// Takes back what every wave needs: its control registers. \return false if
/// the area was damaged.
bool loadContext(DeviceMemory &Memory, Queue &Q);
/// Takes back the rest, of a wave that is about to run. \return false if it
/// can't be read.
bool loadWave(DeviceMemory &Memory, Queue &Q, Wave &W);

} // namespace wavelane::simulator

#endif // WAVELANE_SIMULATOR_DEVICE_SAVECONTEXT_H
