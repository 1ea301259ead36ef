//===-- CheckSet.h - the checks of a device ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_CHECK_CHECKSET_H
#define WAVELANE_SIMULATOR_CHECK_CHECKSET_H

#include "Counter.h"
#include "MemoryCheck.h"
#include "RaceCheck.h"
#include "SyncCheck.h"

namespace wavelane::check {

struct CheckSet {
  std::vector<std::unique_ptr<Check>> All;
  // Those of All that are asked for more than others; null if they are off.
  MemoryCheck *Memory = nullptr;
  Counter *Lines = nullptr;
  RaceCheck *Races = nullptr;
  SyncCheck *Sync = nullptr;
};

} // namespace wavelane::check

#endif // WAVELANE_SIMULATOR_CHECK_CHECKSET_H
