//===-- CoreDumps.h - device memory in a program's core ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory of a simulated device is mapped into the program, all of its 64
// GB. The kernel would fill each page of it to write the core of a program that
// crashes. As with a real device, it is left out.

#ifndef WAVELANE_SIMULATOR_COMMON_COREDUMPS_H
#define WAVELANE_SIMULATOR_COMMON_COREDUMPS_H

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

namespace wavelane::simulator {

/// If it is 1, the program's core has the device memory that is allocated.
inline constexpr char DumpMemoryVariable[] = "WAVELANE_DUMP_DEVICE_MEMORY";

inline bool dumpsDeviceMemory() {
  static const bool Wanted = [] {
    const char *Value = secure_getenv(DumpMemoryVariable);
    return Value && !strcmp(Value, "1");
  }();
  return Wanted;
}

/// For memory that isn't allocated.
inline void leaveOutOfCore(void *Address, uint64_t Size) {
  madvise(Address, Size, MADV_DONTDUMP);
}

/// For allocated memory of the device.
inline void dumpIfWanted(void *Address, uint64_t Size) {
  madvise(Address, Size, dumpsDeviceMemory() ? MADV_DODUMP : MADV_DONTDUMP);
}

} // namespace wavelane::simulator

#endif
