//===-- CoreState.h - The GPU core state of a program -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_LIBRARY_CORESTATE_H
#define WAVELANE_SIMULATOR_LIBRARY_CORESTATE_H

#include "Objects.h"
#include "llvm/ADT/ArrayRef.h"

namespace wavelane::library {

/// What a core file's note says of GPUs (version 1).
struct CoreState {
  kfd::RuntimeInfo runtime = {};
  std::vector<kfd::DeviceSnapshotEntry> agents;
  std::vector<kfd::QueueSnapshotEntry> queues;

  /// None where the state is of a version that isn't known. Fatal where it is
  /// damaged, ERROR_RESTRICTION for a driver that is too old; both are logged.
  static Status parse(llvm::ArrayRef<uint8_t> note,
                      std::optional<CoreState> &state);
  std::vector<uint8_t> write() const;
};

} // namespace wavelane::library

#endif // WAVELANE_SIMULATOR_LIBRARY_CORESTATE_H
