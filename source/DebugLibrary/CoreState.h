//===-- CoreState.h - The GPU core state of a program -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_DEBUGLIBRARY_CORESTATE_H
#define WAVELANE_DEBUGLIBRARY_CORESTATE_H

#include "Objects.h"
#include "llvm/ADT/ArrayRef.h"

namespace wavelane::library {

/// The GPU state in a core file's note (version 1).
struct CoreState {
  kfd::RuntimeInfo Runtime = {};
  std::vector<kfd::DeviceSnapshotEntry> Agents;
  std::vector<kfd::QueueSnapshotEntry> Queues;

  /// None if the state has an unknown version. Fatal if it is damaged,
  /// ERROR_RESTRICTION if the driver is too old; both are logged.
  static Status parse(llvm::ArrayRef<uint8_t> Note,
                      std::optional<CoreState> &State);
  std::vector<uint8_t> write() const;
};

} // namespace wavelane::library

#endif // WAVELANE_DEBUGLIBRARY_CORESTATE_H
