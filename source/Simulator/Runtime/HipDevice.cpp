//===-- HipDevice.cpp - devices and errors --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HipApi.h"

#include "Simulator/Common/Agent.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <string>

using namespace wavelane;
using namespace wavelane::runtime;

std::string runtime::deviceName(Runtime &R, int Device) {
  const gpu::Processor *P =
      gpu::findByName(R.Device.device(unsigned(Device)).processor);
  return std::string("Wavelane simulated ") + (P ? P->Product : "AMD GPU");
}

extern "C" {

hipError_t hipInit(unsigned Flags) {
  if (Flags)
    return done(hipErrorInvalidValue);
  HIP_READY(R);
  (void)R;
  return hipSuccess;
}

hipError_t hipGetDeviceCount(int *Count) {
  if (!Count)
    return done(hipErrorInvalidValue);
  *Count = 0;
  HIP_READY(R);
  *Count = int(R.Device.deviceCount());
  return hipSuccess;
}

hipError_t hipSetDevice(int Device) {
  HIP_READY(R);
  if (!exists(R, Device))
    return done(hipErrorInvalidDevice);
  Runtime::current() = unsigned(Device);
  return hipSuccess;
}

hipError_t hipGetDevice(int *Device) {
  HIP_READY(R);
  (void)R;
  if (!Device)
    return done(hipErrorInvalidValue);
  *Device = int(Runtime::current());
  return hipSuccess;
}

hipError_t hipDeviceGet(hipDevice_t *Out, int Device) {
  HIP_READY(R);
  if (!Out)
    return done(hipErrorInvalidValue);
  if (!exists(R, Device))
    return done(hipErrorInvalidDevice);
  *Out = Device;
  return hipSuccess;
}

hipError_t hipDeviceGetName(char *Name, int Size, hipDevice_t Device) {
  HIP_READY(R);
  if (!Name || Size <= 0)
    return done(hipErrorInvalidValue);
  if (!exists(R, Device))
    return done(hipErrorInvalidDevice);
  snprintf(Name, size_t(Size), "%s", deviceName(R, Device).c_str());
  return hipSuccess;
}

hipError_t hipDeviceTotalMem(size_t *Size, hipDevice_t Device) {
  HIP_READY(R);
  if (!Size)
    return done(hipErrorInvalidValue);
  if (!exists(R, Device))
    return done(hipErrorInvalidDevice);
  *Size = R.Memory.total();
  return hipSuccess;
}

hipError_t hipDeviceComputeCapability(int *Major, int *Minor,
                                      hipDevice_t Device) {
  HIP_READY(R);
  if (!Major || !Minor)
    return done(hipErrorInvalidValue);
  if (!exists(R, Device))
    return done(hipErrorInvalidDevice);
  const uint32_t V =
      R.Device.device(unsigned(Device)).device.gfx_target_version;
  *Major = int(V / 10000);
  *Minor = int(V / 100 % 100);
  return hipSuccess;
}

hipError_t hipDeviceGetPCIBusId(char *Text, int Size, int Device) {
  HIP_READY(R);
  if (!Text || Size <= 0)
    return done(hipErrorInvalidValue);
  if (!exists(R, Device))
    return done(hipErrorInvalidDevice);
  snprintf(Text, size_t(Size), "0000:%02x:00.0",
           R.Device.device(unsigned(Device)).device.location_id >> 8);
  return hipSuccess;
}

static hipError_t choose(int *Device, const void *Properties) {
  if (!Device || !Properties)
    return done(hipErrorInvalidValue);
  *Device = 0;
  return hipSuccess;
}
hipError_t hipChooseDevice(int *Device, const hipDeviceProp_t *P) {
  return choose(Device, P);
}
HIP_EXPORT hipError_t hipChooseDeviceR0600(int *Device,
                                           const void *Properties) {
  return choose(Device, Properties);
}

hipError_t hipDeviceReset() {
  HIP_READY(R);
  return done(R.waitAll(Runtime::current()));
}

hipError_t hipDeviceCanAccessPeer(int *Can, int Device, int Peer) {
  HIP_READY(R);
  if (!Can)
    return done(hipErrorInvalidValue);
  *Can = 0;
  if (!exists(R, Device) || !exists(R, Peer))
    return done(hipErrorInvalidDevice);
  *Can = Device != Peer; // all devices can access all memory
  return hipSuccess;
}
/// Bit d of element c: device c has enabled access to device d.
static std::atomic<uint32_t> PeerAccess[MaxAgents];

hipError_t hipDeviceEnablePeerAccess(int Peer, unsigned Flags) {
  HIP_READY(R);
  if (!exists(R, Peer) || unsigned(Peer) == Runtime::current())
    return done(hipErrorInvalidDevice);
  if (Flags)
    return done(hipErrorInvalidValue);
  const uint32_t Bit = 1u << Peer;
  return done(PeerAccess[Runtime::current()].fetch_or(Bit) & Bit
                  ? hipErrorPeerAccessAlreadyEnabled
                  : hipSuccess);
}
hipError_t hipDeviceDisablePeerAccess(int Peer) {
  HIP_READY(R);
  if (!exists(R, Peer))
    return done(hipErrorInvalidDevice);
  const uint32_t Bit = 1u << Peer;
  return done(PeerAccess[Runtime::current()].fetch_and(~Bit) & Bit
                  ? hipSuccess
                  : hipErrorPeerAccessNotEnabled);
}

hipError_t hipDeviceSetCacheConfig(hipFuncCache_t) { return hipSuccess; }
hipError_t hipDeviceGetCacheConfig(hipFuncCache_t *Out) {
  if (!Out)
    return done(hipErrorInvalidValue);
  *Out = hipFuncCachePreferNone;
  return hipSuccess;
}
hipError_t hipDeviceSetSharedMemConfig(hipSharedMemConfig) {
  return hipSuccess;
}
hipError_t hipDeviceGetSharedMemConfig(hipSharedMemConfig *Out) {
  if (!Out)
    return done(hipErrorInvalidValue);
  *Out = hipSharedMemBankSizeFourByte;
  return hipSuccess;
}
hipError_t hipSetDeviceFlags(unsigned) { return hipSuccess; }
hipError_t hipGetDeviceFlags(unsigned *Flags) {
  if (!Flags)
    return done(hipErrorInvalidValue);
  *Flags = 0;
  return hipSuccess;
}

hipError_t hipDeviceGetLimit(size_t *Value, hipLimit_t Limit) {
  HIP_READY(R);
  if (!Value)
    return done(hipErrorInvalidValue);
  switch (int(Limit)) {
  case 0: // hipLimitStackSize
    *Value = R.StackLimit;
    return hipSuccess;
  case hipLimitMallocHeapSize:
    *Value = 0; // malloc isn't supported in kernels
    return hipSuccess;
  default:
    return done(hipErrorUnsupportedLimit);
  }
}

/// hipLimitStackSize exists since HIP 5.4.
HIP_EXPORT hipError_t hipDeviceSetLimit(int Limit, size_t Value) {
  HIP_READY(R);
  if (Limit != 0)
    return done(hipErrorUnsupportedLimit);
  if (Value > 65536)
    return done(hipErrorInvalidValue);
  R.StackLimit = Value;
  return hipSuccess;
}

hipError_t hipDriverGetVersion(int *Version) {
  if (!Version)
    return done(hipErrorInvalidValue);
  *Version = HIP_VERSION;
  return hipSuccess;
}
hipError_t hipRuntimeGetVersion(int *Version) {
  return hipDriverGetVersion(Version);
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

hipError_t hipGetLastError() {
  const hipError_t E = LastError;
  LastError = hipSuccess;
  simulator::forgetError();
  forgetFailedLaunch();
  return E;
}
hipError_t hipPeekAtLastError() {
  simulator::forgetError();
  forgetFailedLaunch();
  return LastError;
}

#define HIP_ERRORS(X)                                                          \
  X(hipSuccess, "no error")                                                    \
  X(hipErrorInvalidValue, "invalid argument")                                  \
  X(hipErrorOutOfMemory, "out of memory")                                      \
  X(hipErrorNotInitialized, "initialization error")                            \
  X(hipErrorDeinitialized, "driver shutting down")                             \
  X(hipErrorInvalidConfiguration, "invalid configuration argument")            \
  X(hipErrorInvalidPitchValue, "invalid pitch argument")                       \
  X(hipErrorInvalidSymbol, "invalid device symbol")                            \
  X(hipErrorInvalidDevicePointer, "invalid device pointer")                    \
  X(hipErrorInvalidMemcpyDirection, "invalid copy direction for memcpy")       \
  X(hipErrorInsufficientDriver,                                                \
    "driver version is insufficient for runtime version")                      \
  X(hipErrorMissingConfiguration,                                              \
    "__global__ function call is not configured")                              \
  X(hipErrorInvalidDeviceFunction, "invalid device function")                  \
  X(hipErrorNoDevice, "no ROCm-capable device is detected")                    \
  X(hipErrorInvalidDevice, "invalid device ordinal")                           \
  X(hipErrorInvalidImage, "device kernel image is invalid")                    \
  X(hipErrorInvalidContext, "invalid device context")                          \
  X(hipErrorMapFailed, "mapping of buffer object failed")                      \
  X(hipErrorNoBinaryForGpu,                                                    \
    "no kernel image is available for execution on the device")                \
  X(hipErrorUnsupportedLimit, "limit is not supported on this architecture")   \
  X(hipErrorPeerAccessUnsupported,                                             \
    "peer access is not supported between these two devices")                  \
  X(hipErrorInvalidSource, "device kernel image is invalid")                   \
  X(hipErrorFileNotFound, "file not found")                                    \
  X(hipErrorSharedObjectSymbolNotFound, "shared object symbol not found")      \
  X(hipErrorSharedObjectInitFailed, "shared object initialization failed")     \
  X(hipErrorOperatingSystem, "OS call failed or operation not supported")      \
  X(hipErrorInvalidHandle, "invalid resource handle")                          \
  X(hipErrorIllegalState, "the operation cannot be performed in this state")   \
  X(hipErrorNotFound, "named symbol not found")                                \
  X(hipErrorNotReady, "device not ready")                                      \
  X(hipErrorIllegalAddress, "an illegal memory access was encountered")        \
  X(hipErrorLaunchOutOfResources, "too many resources requested for launch")   \
  X(hipErrorLaunchTimeOut, "the launch timed out and was terminated")          \
  X(hipErrorPeerAccessAlreadyEnabled, "peer access is already enabled")        \
  X(hipErrorPeerAccessNotEnabled, "peer access has not been enabled")          \
  X(hipErrorContextIsDestroyed, "context is destroyed")                        \
  X(hipErrorAssert, "device-side assert triggered")                            \
  X(hipErrorHostMemoryAlreadyRegistered,                                       \
    "part or all of the requested memory range is already mapped")             \
  X(hipErrorHostMemoryNotRegistered,                                           \
    "pointer does not correspond to a registered memory region")               \
  X(hipErrorLaunchFailure, "unspecified launch failure")                       \
  X(hipErrorCooperativeLaunchTooLarge,                                         \
    "too many blocks in cooperative launch")                                   \
  X(hipErrorNotSupported, "operation not supported")                           \
  X(hipErrorStreamCaptureUnsupported,                                          \
    "operation not permitted when stream is capturing")                        \
  X(hipErrorStreamCaptureUnmatched,                                            \
    "the capture was not initiated in this stream")                            \
  X(hipErrorStreamCaptureUnjoined, "capturing stream has unjoined work")       \
  X(hipErrorStreamCaptureIsolation,                                            \
    "dependency created on uncaptured work in another stream")                 \
  X(hipErrorUnknown, "unknown error")                                          \
  X(hipErrorRuntimeMemory, "runtime memory call returned error")               \
  X(hipErrorRuntimeOther, "runtime call other than memory returned error")

const char *hipGetErrorString(hipError_t E) {
  switch (E) {
#define CASE(Name, Text)                                                       \
  case Name:                                                                   \
    return Text;
    HIP_ERRORS(CASE)
#undef CASE
  default:
    return "unknown error";
  }
}

const char *hipGetErrorName(hipError_t E) {
  switch (E) {
#define CASE(Name, Text)                                                       \
  case Name:                                                                   \
    return #Name;
    HIP_ERRORS(CASE)
#undef CASE
  default:
    return "hipErrorUnknown";
  }
}

static hipError_t describe(hipError_t E, const char *(*Describe)(hipError_t),
                           const char **Out) {
  const bool IsKnown =
      E == hipErrorUnknown || strcmp(hipGetErrorName(E), "hipErrorUnknown");
  if (Out)
    *Out = IsKnown ? Describe(E) : nullptr;
  return Out && IsKnown ? hipSuccess : hipErrorInvalidValue;
}
HIP_EXPORT hipError_t hipDrvGetErrorName(hipError_t E, const char **Out) {
  return describe(E, hipGetErrorName, Out);
}
HIP_EXPORT hipError_t hipDrvGetErrorString(hipError_t E, const char **Out) {
  return describe(E, hipGetErrorString, Out);
}

//===----------------------------------------------------------------------===//
// Functions by name
//===----------------------------------------------------------------------===//

/// The function \a Name of this library for a program of HIP \a Version (0:
/// the newest); null if there is none.
static void *findFunction(const char *Name, int Version, bool IsPerThread) {
  Dl_info Self;
  if (strncmp(Name, "hip", 3) ||
      !dladdr(reinterpret_cast<void *>(&findFunction), &Self))
    return nullptr;
  void *Library = dlopen(Self.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (!Library)
    return nullptr;
  std::string Exact = Name;
  // hip_runtime_api.h of HIP 6 gives these names another meaning.
  if ((!Version || Version >= 600) &&
      (Exact == "hipGetDeviceProperties" || Exact == "hipChooseDevice"))
    Exact += "R0600";
  void *Found =
      IsPerThread ? dlsym(Library, (Exact + "_spt").c_str()) : nullptr;
  if (!Found)
    Found = dlsym(Library, Exact.c_str());
  dlclose(Library);
  return Found;
}

enum class Lookup : int { Found, NotFound };
enum LookupFlags : uint64_t { LegacyStream = 1, PerThreadStream = 2 };

static hipError_t lookUp(const char *Name, void **Out, int Version,
                         uint64_t Flags, Lookup *Result) {
  if (!Name || !*Name || !Out || Flags > PerThreadStream)
    return done(hipErrorInvalidValue);
  *Out = findFunction(Name, Version, Flags == PerThreadStream);
  if (Result)
    *Result = *Out ? Lookup::Found : Lookup::NotFound;
  return *Out || Result ? hipSuccess : done(hipErrorNotFound);
}

/// \param Version As HIP's headers have it: 100 times the major number, and
/// the minor number.
HIP_EXPORT hipError_t hipGetProcAddress(const char *Name, void **Out,
                                        int Version, uint64_t Flags,
                                        Lookup *Result) {
  return lookUp(Name, Out, Version, Flags, Result);
}
HIP_EXPORT hipError_t hipGetDriverEntryPoint(const char *Name, void **Out,
                                             unsigned long long Flags,
                                             Lookup *Result) {
  return lookUp(Name, Out, 0, Flags, Result);
}
HIP_EXPORT hipError_t hipGetDriverEntryPoint_spt(const char *Name, void **Out,
                                                 unsigned long long Flags,
                                                 Lookup *Result) {
  return lookUp(Name, Out, 0, Flags ? Flags : PerThreadStream, Result);
}

} // extern "C"

// Since HIP 6, programs that ask for the structure of HIP 5 by name.
HIP_SAME(hipChooseDeviceR0000, hipChooseDevice);
HIP_SAME(hipExtGetLastError, hipGetLastError);
