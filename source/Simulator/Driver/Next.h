//===-- Next.h - the C library's functions behind ours ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_DRIVER_NEXT_H
#define WAVELANE_SIMULATOR_DRIVER_NEXT_H

#include <dlfcn.h>
#include <fcntl.h>

namespace wavelane::driver {

/// The function of this name that this library overrides.
template <typename F> F *next(const char *Name) {
  return reinterpret_cast<F *>(dlsym(RTLD_NEXT, Name));
}

/// open(2), bypassing this library.
inline int openNext(const char *Path, int Flags, unsigned Mode = 0) {
  static auto *const Next = next<int(const char *, int, ...)>("open64");
  return Next(Path, Flags, Mode);
}

} // namespace wavelane::driver

#endif // WAVELANE_SIMULATOR_DRIVER_NEXT_H
