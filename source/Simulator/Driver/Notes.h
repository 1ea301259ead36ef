//===-- Notes.h - notes for the device's checks -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From KFD's ioctls, the device knows memory in pages. With checks, the
// program's calls of HIP and HSA are followed, too: they give bytes, and who
// has called.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_DRIVER_NOTES_H
#define WAVELANE_SIMULATOR_DRIVER_NOTES_H

#include "wavelane/Protocol/Device/DeviceMessages.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace wavelane::driver::notes {

using simulator::MemoryNote;
using simulator::OrderNote;
/// Return addresses, innermost first.
using Stack = std::vector<uint64_t>;

/// Whether this process has a device that checks.
bool areWanted();
/// Whether the device follows values, and so must know when copies end.
bool followValues();
/// Whether it must know the order of streams.
bool followOrder();

MemoryNote make(MemoryNote::What What, const void *Address, uint64_t Size = 0);
/// The calls that led here.
Stack callers();
/// Waits until the device knows it. If a debugger wants the program to stop,
/// calls __wavelaneOnFinding.
void send(const MemoryNote &Note, const Stack &From);

void order(const OrderNote &Note);

/// A function of a library that may not be among those that a program's
/// symbols are searched in.
/// \param Library The beginning of its file's name.
void *find(const char *Library, const char *Name);
/// Whether \a Address is in the code of that library.
bool isIn(const char *Library, const void *Address);

/// A call of a runtime by the program, or by a runtime: they call their own
/// functions, too, which nobody is notified of.
class Call {
public:
  Call() : IsOuter(Depth++ == 0) {}
  ~Call() { --Depth; }
  Call(const Call &) = delete;
  Call &operator=(const Call &) = delete;
  bool isNoted() const { return IsOuter && areWanted(); }
  static bool isInside() { return Depth != 0; }

private:
  static thread_local unsigned Depth;
  const bool IsOuter;
};

} // namespace wavelane::driver::notes

#endif // WAVELANE_SIMULATOR_DRIVER_NOTES_H
