//===-- HipApi.h - what the files with HIP's functions share ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_RUNTIME_HIPAPI_H
#define WAVELANE_SIMULATOR_RUNTIME_HIPAPI_H

#include "Runtime.h"
#include "Simulator/Common/HipErrors.h"

#include "wavelane/GPU/Processors.h"

namespace wavelane {
namespace runtime {

extern thread_local hipError_t LastError;

/// Notifies a debugger if \a Size isn't the size of the explicit arguments of
/// \a K.
void checkArgumentBlock(const Kernel &K, size_t Size);

/// The name as in the source.
std::string plainName(const std::string &Name);

/// k<<<...>>>() has failed.
void noteFailedLaunch(const Kernel &K, hipError_t E);
/// The thread asks for its last error.
void forgetFailedLaunch();

/// Ends every HIP function: errors are kept for hipGetLastError.
inline hipError_t done(hipError_t E) {
  if (E != hipSuccess && E != hipErrorNotReady) {
    LastError = E;
    simulator::reportError(uint32_t(E), hipGetErrorName(E),
                           hipGetErrorString(E));
    simulator::noteError(uint32_t(E), hipGetErrorName(E));
  }
  return E;
}

inline bool exists(Runtime &R, int Device) {
  return Device >= 0 && unsigned(Device) < R.Device.deviceCount();
}

/// The name that people read.
std::string deviceName(Runtime &R, int Device);

/// Whether the waves of all of a device's workgroups can wait for each other.
inline bool hasWaveSync(const AgentDescription &Device) {
  const gpu::Processor *P = gpu::findByName(Device.processor);
  return P && P->family().HasWaveSync;
}

/// Explicit arguments: pointers to each, as in HIP's launch functions, or a
/// block of them.
struct Arguments {
  void **Each = nullptr;
  const void *Packed = nullptr;
  size_t PackedSize = 0;
};

/// Reads hipModuleLaunchKernel's `extra`, if any, into \a Out.
hipError_t readExtra(void **Extra, Arguments &Out);

/// Writes the explicit arguments of \a K to its argument block of \a Size
/// bytes.
/// \return false if one is missing.
bool packArguments(const Kernel &K, const Arguments &Given, uint8_t *To,
                   uint64_t Size);

/// \param MultiGrid See Launch::MultiGrid.
hipError_t launchKernel(Runtime &R, const Kernel &K, dim3 Grid, dim3 Block,
                        const Arguments &A, size_t Shared, hipStream_t Handle,
                        uint64_t MultiGrid = 0);

/// The number of blocks of \a K with \a Block work-items that a compute unit of
/// its device can hold at once.
int blocksPerUnit(Runtime &R, const Kernel &K, int Block, size_t Dynamic);

} // namespace runtime
} // namespace wavelane

extern "C" hipError_t hipModuleLaunchCooperativeKernel(
    hipFunction_t F, unsigned GX, unsigned GY, unsigned GZ, unsigned BX,
    unsigned BY, unsigned BZ, unsigned Shared, hipStream_t Handle, void **Each);

/// Starts the runtime if necessary; returns from the function if it can't be
/// used. The last error is forgotten: as with HIP 5 and 6, it is the last
/// call's.
#define HIP_READY(R)                                                           \
  wavelane::runtime::Runtime &R = wavelane::runtime::Runtime::get();           \
  if (hipError_t ReadyError = R.ready())                                       \
    return done(ReadyError);                                                   \
  wavelane::runtime::LastError = hipSuccess

/// Returns from the function with the error of \a Call, if any.
#define HIP_TRY(Call)                                                          \
  do {                                                                         \
    if (hipError_t TryError = (Call))                                          \
      return done(TryError);                                                   \
  } while (false)

/// In front of a function that HIP's headers of this version don't declare.
#define HIP_EXPORT __attribute__((visibility("default")))

/// Exports the function \a Of under another name, with the same parameters. The
/// name has a place of its own: stacks show \a Of by its address.
#define HIP_SAME(Name, Of)                                                     \
  __asm__(".pushsection .text\n"                                               \
          ".globl " #Name "\n"                                                 \
          ".type " #Name ", @function\n" #Name ":\n"                           \
          "  jmp " #Of "@PLT\n"                                                \
          ".size " #Name ", . - " #Name "\n"                                   \
          ".popsection")

#endif // WAVELANE_SIMULATOR_RUNTIME_HIPAPI_H
