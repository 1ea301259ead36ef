//===-- Doorbells.h - hearing a program's doorbells -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program rings a doorbell by a store to memory that it shares with the
// device. While the device has nothing to do, it has these pages protected
// against writes (userfaultfd of the program, handled here): the first store
// wakes it, and goes on. So an idle device costs nothing, and a busy one makes
// no doorbell slow.
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
  /// Pages of the program that are doorbells. \param Fd of its userfaultfd, now
  /// ours, or -1 if it has told before or has none.
  void add(const DoorbellRange &Range, int Fd);
  /// Whether a store would be heard; if not, who waits for one has to look.
  bool canWait() const { return Ranges.empty() || File >= 0; }
  bool isArmed() const { return Armed; }
  /// From now on the next store makes file() readable.
  void arm();
  /// Lets stores go on.
  void disarm();
  int file() const { return File; }
  /// file() is readable.
  void takeEvents();

private:
  void protect(bool On);
  int File = -1;
  std::vector<DoorbellRange> Ranges;
  bool Armed = false;
};

} // namespace wavelane::simulator

#endif // WAVELANE_SIMULATOR_DEVICE_DOORBELLS_H
