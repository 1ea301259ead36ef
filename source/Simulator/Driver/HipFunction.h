//===-- HipFunction.h - AMD's HIP function behind ours ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_DRIVER_HIPFUNCTION_H
#define WAVELANE_SIMULATOR_DRIVER_HIPFUNCTION_H

#include "Notes.h"

#define __HIP_PLATFORM_AMD__ 1
#include <hip/hip_runtime_api.h>

/// A function that the program calls instead of AMD's.
#define FACE extern "C" __attribute__((visibility("default")))

namespace wavelane::driver {

inline void *findHip(const char *Name) {
  return notes::find("libamdhip64.so", Name);
}

/// A function of the runtime has failed; a debugger may be notified when the
/// program ends.
void heardError(hipError_t E);

/// A function of AMD's runtime.
template <typename... Parameters> class HipFunction {
public:
  explicit HipFunction(const char *Name)
      : Function(
            reinterpret_cast<hipError_t (*)(Parameters...)>(findHip(Name))) {}
  explicit operator bool() const { return Function; }
  hipError_t operator()(Parameters... Given) const {
    const hipError_t E = Function(Given...);
    if (E != hipSuccess && E != hipErrorNotReady)
      heardError(E);
    return E;
  }

private:
  hipError_t (*const Function)(Parameters...);
};

} // namespace wavelane::driver

/// Defines Next, AMD's function with these parameters and the name of this one.
#define NEXT(...)                                                              \
  static const wavelane::driver::HipFunction<__VA_ARGS__> Next(__func__);      \
  if (!Next)                                                                   \
  return hipErrorSharedObjectSymbolNotFound

#endif // WAVELANE_SIMULATOR_DRIVER_HIPFUNCTION_H
