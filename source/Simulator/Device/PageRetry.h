//===-- PageRetry.h - page faults that are tried again ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With xnack on, an access to memory of the program that no GPU has mapped yet
// waits: the program's side of the driver (Driver/PageFaults.h) is asked to map
// it, and then the access is tried again. One page is asked for at a time.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_DEVICE_PAGERETRY_H
#define WAVELANE_SIMULATOR_DEVICE_PAGERETRY_H

#include "FileMemory.h"

#include <cstdint>
#include <optional>
#include <set>
#include <utility>

namespace wavelane::simulator {

class PageRetry {
public:
  explicit PageRetry(FileMemory &Memory) : Memory(Memory) {}

  void enable(bool On) { IsOn = On; }
  bool isEnabled() const { return IsOn; }
  /// Called for an access that isn't possible.
  /// \return Whether to try it again later; otherwise it is a violation.
  bool shouldWait(unsigned Gpu, uint64_t Address, isa::Access Kind);
  /// Called before waves start: forgets pages that the program no longer has.
  void refresh() {
    if (IsOn)
      Memory.dropStalePages();
  }
  /// The program's side has done what it could.
  void answer(const driver::PageAnswer &A);

private:
  FileMemory &Memory;
  bool IsOn = false;
  struct Request {
    unsigned Gpu;
    uint64_t Page;
    isa::Access Kind;
  };
  std::optional<Request> Asked;
  std::set<std::pair<unsigned, uint64_t>> Refused; ///< GPUs and pages
};

} // namespace wavelane::simulator

#endif // WAVELANE_SIMULATOR_DEVICE_PAGERETRY_H
