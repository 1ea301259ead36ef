//===-- WatchRegisters.h - The watch registers of GPUs ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_DEBUGLIBRARY_WATCHREGISTERS_H
#define WAVELANE_DEBUGLIBRARY_WATCHREGISTERS_H

#include "DeviceConnection.h"
#include "Objects.h"
#include "SavedRegisters.h"

namespace wavelane::library {

/// Sets watch registers on every GPU of a process whose queues are suspended.
class Watchpoints {
public:
  Watchpoints(Objects &List, Connection &Conn, WaveRegisters &Registers)
      : List(List), Conn(Conn), Registers(Registers) {}

  /// The maximum number of watchpoints.
  size_t count() const;
  Status set(uint64_t Address, uint64_t Size, amd_dbgapi_watchpoint_kind_t Kind,
             uint64_t &Id);
  Status remove(uint64_t Id);

private:
  Status setOn(const Agent &A, Watchpoint &Watch,
               amd_dbgapi_watchpoint_kind_t Kind);
  /// Sets whether new waves trap on watches.
  int overrideLaunches(bool On);
  /// Sets whether existing waves trap on watches.
  Status watchInWaves(bool On);

  Objects &List;
  Connection &Conn;
  WaveRegisters &Registers;
};

} // namespace wavelane::library

#endif // WAVELANE_DEBUGLIBRARY_WATCHREGISTERS_H
