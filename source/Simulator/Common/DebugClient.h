//===-- DebugClient.h - debug operations on a program's device --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// KFD's DBG_TRAP in a debugging process: operations are sent to the device of
// the process that they name.
//
// As in the kernel, a process can be attached before its runtime is up: ENABLE
// then answers "disabled", and is passed on when the device appears.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_COMMON_DEBUGCLIENT_H
#define WAVELANE_SIMULATOR_COMMON_DEBUGCLIENT_H

#include "wavelane/Protocol/Device/DeviceMessages.h"

#include <cstdint>
#include <vector>

namespace wavelane::simulator {

/// The GPUs that process \a Pid will have, if its device doesn't exist yet.
using ListAgents = std::vector<kfd::DeviceSnapshotEntry> (*)(uint32_t Pid);

/// The ioctl. \return Its result, or -1 with errno set.
int debugTrap(kfd::DebugTrapArguments &A, ListAgents Agents);

} // namespace wavelane::simulator

#endif // WAVELANE_SIMULATOR_COMMON_DEBUGCLIENT_H
