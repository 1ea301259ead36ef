//===-- ProgramMemory.h - memory of the program -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_PROGRAMMEMORY_H
#define WAVELANE_SIMULATOR_PROGRAMMEMORY_H

#include <cstdint>
#include <functional>
#include <sys/types.h>
#include <sys/uio.h>

namespace wavelane::simulator {

/// Reads \a Size bytes of a program's memory at \a Address.
/// \return false if it isn't all there.
using ReadMemory =
    std::function<bool(uint64_t Address, void *Out, size_t Size)>;

/// Of a process that runs.
inline ReadMemory memoryOf(pid_t Program) {
  return [Program](uint64_t Address, void *Out, size_t Size) {
    const iovec Here = {Out, Size};
    const iovec There = {reinterpret_cast<void *>(Address), Size};
    return process_vm_readv(Program, &Here, 1, &There, 1, 0) == ssize_t(Size);
  };
}

} // namespace wavelane::simulator

#endif // WAVELANE_SIMULATOR_PROGRAMMEMORY_H
