//===-- Watchpoints.h - The watch registers of GPUs -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_LIBRARY_WATCHPOINTS_H
#define WAVELANE_SIMULATOR_LIBRARY_WATCHPOINTS_H

#include "Connection.h"
#include "Objects.h"
#include "WaveRegisters.h"

namespace wavelane::library {

/// Sets watch registers on every GPU of a process whose queues are suspended.
class Watchpoints {
public:
  Watchpoints(Objects &objects, Connection &connection,
              WaveRegisters &registers)
      : objects(objects), connection(connection), registers(registers) {}

  /// How many there can be.
  size_t count() const;
  Status set(uint64_t address, uint64_t size, amd_dbgapi_watchpoint_kind_t kind,
             uint64_t &id);
  Status remove(uint64_t id);

private:
  Status setOn(const Agent &agent, Watchpoint &watch,
               amd_dbgapi_watchpoint_kind_t kind);
  /// Has waves to come trap on watches, or not.
  int overrideLaunches(bool on);
  /// Has the waves that there are trap on watches, or not.
  Status watchInWaves(bool on);

  Objects &objects;
  Connection &connection;
  WaveRegisters &registers;
};

} // namespace wavelane::library

#endif // WAVELANE_SIMULATOR_LIBRARY_WATCHPOINTS_H
