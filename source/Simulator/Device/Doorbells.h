//===-- Doorbells.h - hearing a program's doorbells -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program rings a doorbell by a store to memory that it shares with the
// device. While the device is idle, these pages are write-protected (by a
// userfaultfd of the program, handled here): the first store wakes the device,
// and then continues. So an idle device costs nothing, and a busy one, or one
// that was a moment ago, doesn't slow down doorbells.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_DEVICE_DOORBELLS_H
#define WAVELANE_SIMULATOR_DEVICE_DOORBELLS_H

#include "wavelane/Protocol/Device/DeviceMessages.h"

#include <vector>

namespace wavelane::simulator {

class Doorbells {
public:
  ~Doorbells();
  /// Adds pages of the program with doorbells.
  /// \param Fd Its userfaultfd, which this object owns from now on; -1 if
  ///     it was passed before or doesn't exist.
  void add(const DoorbellRange &Range, int Fd);
  /// Whether stores are noticed now; otherwise the caller has to poll.
  bool canWait() const { return Ranges.empty() || (File >= 0 && Armed); }
  /// After this, the next store will make file() readable. It does nothing
  /// until the device has been idle for some time: a fault costs the program
  /// more than a few looks cost the device, and a store that has just been let
  /// through isn't done before the program's thread has run.
  /// \param Idle How long the device has had nothing to do, in nanoseconds.
  /// \return true if it wasn't armed before: a store may have been missed.
  bool arm(uint64_t Idle);
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

/// The program may send any descriptor.
bool isUserfaultfd(int Fd);

} // namespace wavelane::simulator

#endif // WAVELANE_SIMULATOR_DEVICE_DOORBELLS_H
