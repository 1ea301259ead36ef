//===-- Api.h - what the files with HIP's functions share -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_RUNTIME_API_H
#define WAVELANE_SIMULATOR_RUNTIME_API_H

#include "Runtime.h"

#include "wavelane/GPU/Processors.h"

namespace wavelane {
namespace runtime {

extern thread_local hipError_t LastError;

/// Tells a debugger that a function of HIP's fails.
void tellError(hipError_t E);

/// Every function of HIP ends with this: errors are kept for hipGetLastError.
inline hipError_t done(hipError_t E) {
  if (E != hipSuccess && E != hipErrorNotReady) {
    LastError = E;
    tellError(E);
  }
  return E;
}

/// Whether a device's waves of all workgroups can wait for each other.
inline bool hasWaveSync(const AgentDescription &Device) {
  const gpu::Processor *P = gpu::findByName(Device.processor);
  return P && P->family().HasWaveSync;
}

/// Explicit arguments: pointers to each, as HIP's launch functions have them,
/// or a block of them.
struct Arguments {
  void **Each = nullptr;
  const void *Packed = nullptr;
  size_t PackedSize = 0;
};

/// Reads hipModuleLaunchKernel's `extra`, if any, into \a Out.
hipError_t readExtra(void **Extra, Arguments &Out);

/// Writes the explicit arguments of \a K to its argument block, which has
/// \a Size bytes. \return false if one is missing.
bool packArguments(const Kernel &K, const Arguments &Given, uint8_t *To,
                   uint64_t Size);

/// \a MultiGrid as in Launch.
hipError_t launchKernel(Runtime &R, const Kernel &K, dim3 Grid, dim3 Block,
                        const Arguments &A, size_t Shared, hipStream_t Handle,
                        uint64_t MultiGrid = 0);

/// Blocks of \a K with \a Block work-items that a compute unit of its device
/// holds at once.
int blocksPerUnit(Runtime &R, const Kernel &K, int Block, size_t Dynamic);

} // namespace runtime
} // namespace wavelane

/// Starts the runtime if need be; returns from the function if it can't be
/// used.
#define HIP_READY(R)                                                           \
  wavelane::runtime::Runtime &R = wavelane::runtime::Runtime::get();           \
  if (hipError_t ReadyError = R.ready())                                       \
  return done(ReadyError)

/// Returns the error of \a Call, if any.
#define HIP_TRY(Call)                                                          \
  do {                                                                         \
    if (hipError_t TryError = (Call))                                          \
      return done(TryError);                                                   \
  } while (false)

#endif // WAVELANE_SIMULATOR_RUNTIME_API_H
