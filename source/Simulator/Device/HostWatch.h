//===-- HostWatch.h - the program's own accesses ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// While races are looked for, the program unmaps its memory that kernels use
// whenever the device gets work. Its next access of a page is a fault, reported
// by a userfaultfd, which this object answers by mapping the page again. So the
// first access of a page since then is seen.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_DEVICE_HOSTWATCH_H
#define WAVELANE_SIMULATOR_DEVICE_HOSTWATCH_H

#include "wavelane/Simulator/ProgramMemory.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>
#include <sys/types.h>

namespace wavelane::simulator {

class HostWatch {
public:
  explicit HostWatch(pid_t Program) : Program(Program) {}
  ~HostWatch();
  HostWatch(const HostWatch &) = delete;
  HostWatch &operator=(const HostWatch &) = delete;

  /// \param Fd The program's userfaultfd, which this object owns from now on.
  /// \return false if it isn't one.
  bool start(int Fd);
  /// Sees accesses of these pages of the program, if start() was called.
  void add(uint64_t Address, uint64_t Size);
  /// -1 if nothing is watched.
  int file() const { return File; }

  /// An access of the byte at Address by an instruction of the program's thread
  /// at PC, whose stack pointer is SP. Both are 0 if they aren't known.
  struct Access {
    uint64_t Address;
    bool Writes;
    uint64_t PC, SP;
  };
  /// Called when file() is readable. Each access continues when \a Report has
  /// returned.
  void takeEvents(llvm::function_ref<void(const Access &)> Report);

private:
  void let(uint64_t Page);

  const pid_t Program;
  int File = -1;
};

} // namespace wavelane::simulator

#endif // WAVELANE_SIMULATOR_DEVICE_HOSTWATCH_H
