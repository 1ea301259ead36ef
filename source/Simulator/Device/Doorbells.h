//===-- Doorbells.h - hearing a program's doorbells -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program rings a doorbell by a store to memory that it shares with the
// device. While the device is idle, these pages are write-protected (by a
// userfaultfd of the program, handled here): the first store wakes the device,
// and then continues. So an idle device costs nothing, and a busy one doesn't
// slow down doorbells.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_DEVICE_DOORBELLS_H
#define WAVELANE_SIMULATOR_DEVICE_DOORBELLS_H

#include "wavelane/Simulator/Protocol.h"

#include <vector>

namespace wavelane::simulator {

class Doorbells {
public:
  ~Doorbells();
  /// Adds pages of the program with doorbells.
  /// \param Fd Its userfaultfd, which this object owns from now on; -1 if
  ///     it was passed before or doesn't exist.
  void add(const DoorbellRange &Range, int Fd);
  /// Whether stores are noticed; otherwise the caller has to poll.
  bool canWait() const { return Ranges.empty() || File >= 0; }
  bool isArmed() const { return Armed; }
  /// The next store will make file() readable.
  void arm();
  /// Lets stores continue.
  void disarm();
  int file() const { return File; }
  /// Called when file() is readable.
  void takeEvents();

private:
  void protect(bool On);
  int File = -1;
  std::vector<DoorbellRange> Ranges;
  bool Armed = false;
};

} // namespace wavelane::simulator

#endif // WAVELANE_SIMULATOR_DEVICE_DOORBELLS_H
