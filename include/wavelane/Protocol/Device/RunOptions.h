//===-- RunOptions.h - how a simulated device runs --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PROTOCOL_DEVICE_RUNOPTIONS_H
#define WAVELANE_PROTOCOL_DEVICE_RUNOPTIONS_H

#include <cstdint>

namespace wavelane::simulator {

/// The environment variable with the number of the order in which waves run. 0
/// is the usual one; odd numbers also hold waves for a long time.
constexpr char ScheduleVariable[] = "WAVELANE_SCHEDULE";
constexpr uint64_t ScheduleLimit = 999999999;

/// How many threads of the device can execute waves.
constexpr uint64_t MostThreads = 64;

/// The compute units of a device; some GPUs can have fewer.
constexpr uint64_t MostComputeUnits = 512;

/// MiB that a recording may use.
constexpr uint64_t MostRecordLimit = 1 << 24;

} // namespace wavelane::simulator

#endif // WAVELANE_PROTOCOL_DEVICE_RUNOPTIONS_H
