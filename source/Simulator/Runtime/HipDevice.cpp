//===-- HipDevice.cpp - devices, properties, errors -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HipApi.h"

#include "Simulator/Common/Agent.h"
#include "wavelane/GPU/Features.h"

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <string>

using namespace wavelane;
using namespace wavelane::runtime;

namespace {
// NOLINTBEGIN(readability-identifier-naming): HIP's names.
/// The layout of hipDeviceProp_t in HIP 6 and later.
struct DevicePropertiesR0600 {
  char name[256];
  char uuid[16];
  char luid[8];
  unsigned luidDeviceNodeMask;
  size_t totalGlobalMem, sharedMemPerBlock;
  int regsPerBlock, warpSize;
  size_t memPitch;
  int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate;
  size_t totalConstMem;
  int major, minor;
  size_t textureAlignment, texturePitchAlignment;
  int deviceOverlap, multiProcessorCount, kernelExecTimeoutEnabled, integrated,
      canMapHostMemory, computeMode, maxTexture1D, maxTexture1DMipmap,
      maxTexture1DLinear, maxTexture2D[2], maxTexture2DMipmap[2],
      maxTexture2DLinear[3], maxTexture2DGather[2], maxTexture3D[3],
      maxTexture3DAlt[3], maxTextureCubemap, maxTexture1DLayered[2],
      maxTexture2DLayered[3], maxTextureCubemapLayered[2], maxSurface1D,
      maxSurface2D[2], maxSurface3D[3], maxSurface1DLayered[2],
      maxSurface2DLayered[3], maxSurfaceCubemap, maxSurfaceCubemapLayered[2];
  size_t surfaceAlignment;
  int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID,
      tccDriver, asyncEngineCount, unifiedAddressing, memoryClockRate,
      memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize,
      maxThreadsPerMultiProcessor, streamPrioritiesSupported,
      globalL1CacheSupported, localL1CacheSupported;
  size_t sharedMemPerMultiprocessor;
  int regsPerMultiprocessor, managedMemory, isMultiGpuBoard,
      multiGpuBoardGroupID, hostNativeAtomicSupported,
      singleToDoublePrecisionPerfRatio, pageableMemoryAccess,
      concurrentManagedAccess, computePreemptionSupported,
      canUseHostPointerForRegisteredMem, cooperativeLaunch,
      cooperativeMultiDeviceLaunch;
  size_t sharedMemPerBlockOptin;
  int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost,
      maxBlocksPerMultiProcessor, accessPolicyMaxWindowSize;
  size_t reservedSharedMemPerBlock;
  int hostRegisterSupported, sparseHipArraySupported,
      hostRegisterReadOnlySupported, timelineSemaphoreInteropSupported,
      memoryPoolsSupported, gpuDirectRDMASupported;
  unsigned gpuDirectRDMAFlushWritesOptions;
  int gpuDirectRDMAWritesOrdering;
  unsigned memoryPoolSupportedHandleTypes;
  int deferredMappingHipArraySupported, ipcEventSupported, clusterLaunch,
      unifiedFunctionPointers, reserved[63], hipReserved[32];
  char gcnArchName[256];
  size_t maxSharedMemoryPerMultiProcessor;
  int clockInstructionRate;
  hipDeviceArch_t arch;
  unsigned *hdpMemFlushCntl, *hdpRegFlushCntl;
  int cooperativeMultiDeviceUnmatchedFunc, cooperativeMultiDeviceUnmatchedGrid,
      cooperativeMultiDeviceUnmatchedBlock,
      cooperativeMultiDeviceUnmatchedSharedMem, isLargeBar, asicRevision;
};
// NOLINTEND(readability-identifier-naming)
static_assert(sizeof(DevicePropertiesR0600) == 1472);
} // namespace

static std::string deviceName(Runtime &R, int Device) {
  const gpu::Processor *P =
      gpu::findByName(R.Device.device(unsigned(Device)).processor);
  return std::string("Wavelane simulated ") + (P ? P->Product : "AMD GPU");
}

/// The number of workgroups on one compute unit.
static constexpr int MaxBlocksPerUnit = 32;

static bool exists(Runtime &R, int Device) {
  return Device >= 0 && unsigned(Device) < R.Device.deviceCount();
}

/// gfx90a's is 910; later GPUs only have a name.
static int gcnArch(const AgentDescription &D) {
  const uint32_t V = D.device.gfx_target_version;
  return V / 100 == 900 ? int(900 + V % 100) : 0;
}

/// Fills the members that both versions of the structure have.
template <typename T> static void fillProperties(Runtime &R, int Device, T &P) {
  const AgentDescription &D = R.Device.device(unsigned(Device));
  memset(&P, 0, sizeof(P));
  snprintf(P.name, sizeof(P.name), "%s", deviceName(R, Device).c_str());
  snprintf(P.gcnArchName, sizeof(P.gcnArchName), "%s", D.target_id);
  P.totalGlobalMem = R.Memory.total();
  P.sharedMemPerBlock = D.lds_bytes_per_cu;
  P.regsPerBlock = 65536;
  P.warpSize = int(D.wavefront_size);
  P.maxThreadsPerBlock = 1024;
  for (int &Dim : P.maxThreadsDim)
    Dim = 1024;
  for (int &Dim : P.maxGridSize)
    Dim = 2147483647;
  P.clockRate = 1700000;
  P.memoryClockRate = 1600000;
  P.memoryBusWidth = 4096;
  P.totalConstMem = 2147483647;
  P.major = int(D.device.gfx_target_version / 10000);
  P.minor = int(D.device.gfx_target_version / 100 % 100);
  P.multiProcessorCount = int(D.compute_units);
  P.l2CacheSize = 4 << 20; // as the driver says
  P.maxThreadsPerMultiProcessor =
      int(D.wavefront_size * D.simds_per_cu * D.waves_per_simd);
  P.clockInstructionRate = 100000; // kHz: s_memrealtime
  P.arch.hasGlobalInt32Atomics = 1;
  P.arch.hasGlobalFloatAtomicExch = 1;
  P.arch.hasSharedInt32Atomics = 1;
  P.arch.hasSharedFloatAtomicExch = 1;
  P.arch.hasFloatAtomicAdd = 1;
  P.arch.hasGlobalInt64Atomics = 1;
  P.arch.hasSharedInt64Atomics = 1;
  P.arch.hasDoubles = 1;
  P.arch.hasWarpVote = 1;
  P.arch.hasWarpBallot = 1;
  P.arch.hasWarpShuffle = 1;
  P.arch.hasThreadFenceSystem = 1;
  P.arch.hasSyncThreadsExt = 1;
  P.arch.has3dGrid = 1;
  P.concurrentKernels = 1;
  P.pciBusID = int(D.device.location_id >> 8);
  P.maxSharedMemoryPerMultiProcessor = D.lds_bytes_per_cu;
  P.canMapHostMemory = 1;
  P.isLargeBar = 1;
  P.managedMemory = 1;
  P.concurrentManagedAccess = 1;
  P.cooperativeLaunch = P.cooperativeMultiDeviceLaunch = hasWaveSync(D);
  P.memPitch = 2147483647;
  P.textureAlignment = 256;
  P.texturePitchAlignment = 256;
}

/// \return false for an unknown attribute, or one that isn't a number.
// NOLINTNEXTLINE(readability-function-size): a table.
static bool attribute(Runtime &R, int Device, int What, int &V) {
  // Attributes of HIP 6, by number.
  enum {
    VirtualMemoryManagementSupported =
        hipDeviceAttributeMemoryPoolsSupported + 1,
    HostRegisterSupported,
    MemoryPoolSupportedHandleTypes,
    WallClockRate = hipDeviceAttributeFineGrainSupport + 1,
    NumberOfXccs,
    MaxAvailableVgprsPerThread
  };
  hipDeviceProp_t P;
  fillProperties(R, Device, P);
  const AgentDescription &D = R.Device.device(unsigned(Device));
  const gpu::Processor *GPU = gpu::findByName(D.processor);
  switch (What) {
  case hipDeviceAttributeMaxThreadsPerBlock:
    V = P.maxThreadsPerBlock;
    return true;
  case hipDeviceAttributeMaxBlockDimX:
  case hipDeviceAttributeMaxBlockDimY:
  case hipDeviceAttributeMaxBlockDimZ:
  case hipDeviceAttributeMaxThreadsDim:
    V = P.maxThreadsDim[0];
    return true;
  case hipDeviceAttributeMaxGridDimX:
  case hipDeviceAttributeMaxGridDimY:
  case hipDeviceAttributeMaxGridDimZ:
    V = P.maxGridSize[0];
    return true;
  case hipDeviceAttributeMaxSharedMemoryPerBlock:
  case hipDeviceAttributeMaxSharedMemoryPerMultiprocessor:
  case hipDeviceAttributeSharedMemPerBlockOptin:
  case hipDeviceAttributeSharedMemPerMultiprocessor:
    V = int(P.sharedMemPerBlock);
    return true;
  case hipDeviceAttributeTotalConstantMemory:
    V = int(P.totalConstMem);
    return true;
  case hipDeviceAttributeTotalGlobalMem:
    V = int(std::min<size_t>(P.totalGlobalMem, INT_MAX));
    return true;
  case hipDeviceAttributeMaxPitch:
    V = int(P.memPitch);
    return true;
  case hipDeviceAttributeWarpSize:
    V = P.warpSize;
    return true;
  case hipDeviceAttributeMaxRegistersPerBlock:
  case hipDeviceAttributeMaxRegistersPerMultiprocessor:
    V = P.regsPerBlock;
    return true;
  case MaxAvailableVgprsPerThread:
    V = GPU && GPU->family().Acc == gpu::AccRegisters::Unified ? 512 : 256;
    return true;
  case hipDeviceAttributeClockRate:
    V = P.clockRate;
    return true;
  case hipDeviceAttributeMemoryClockRate:
    V = P.memoryClockRate;
    return true;
  case hipDeviceAttributeClockInstructionRate:
  case WallClockRate:
    V = P.clockInstructionRate;
    return true;
  case hipDeviceAttributeMemoryBusWidth:
    V = P.memoryBusWidth;
    return true;
  case hipDeviceAttributeMultiprocessorCount:
  case hipDeviceAttributePhysicalMultiProcessorCount:
    V = P.multiProcessorCount;
    return true;
  case NumberOfXccs:
    V = 1;
    return true;
  case hipDeviceAttributeL2CacheSize:
    V = P.l2CacheSize;
    return true;
  case hipDeviceAttributeMaxThreadsPerMultiProcessor:
    V = P.maxThreadsPerMultiProcessor;
    return true;
  case hipDeviceAttributeMaxBlocksPerMultiProcessor:
    V = MaxBlocksPerUnit;
    return true;
  case hipDeviceAttributeComputeCapabilityMajor:
    V = P.major;
    return true;
  case hipDeviceAttributeComputeCapabilityMinor:
    V = P.minor;
    return true;
  case hipDeviceAttributeGcnArch:
    V = gcnArch(D);
    return true;
  case hipDeviceAttributePciBusId:
    V = P.pciBusID;
    return true;
  case hipDeviceAttributeTextureAlignment:
    V = int(P.textureAlignment);
    return true;
  case hipDeviceAttributeTexturePitchAlignment:
    V = int(P.texturePitchAlignment);
    return true;
  case hipDeviceAttributeSingleToDoublePrecisionPerfRatio:
    V = GPU ? gpu::features(*GPU).SinglesPerDouble : 16;
    return true;
  case hipDeviceAttributeCooperativeLaunch:
  case hipDeviceAttributeCooperativeMultiDeviceLaunch:
  case hipDeviceAttributeCooperativeMultiDeviceUnmatchedFunc:
  case hipDeviceAttributeCooperativeMultiDeviceUnmatchedGridDim:
  case hipDeviceAttributeCooperativeMultiDeviceUnmatchedBlockDim:
  case hipDeviceAttributeCooperativeMultiDeviceUnmatchedSharedMem:
    V = P.cooperativeLaunch;
    return true;
  // Supported features and limits.
  case hipDeviceAttributeAsyncEngineCount:
  case hipDeviceAttributeCanMapHostMemory:
  case hipDeviceAttributeComputePreemptionSupported:
  case hipDeviceAttributeConcurrentKernels:
  case hipDeviceAttributeConcurrentManagedAccess:
  case hipDeviceAttributeDeviceOverlap:
  case hipDeviceAttributeGlobalL1CacheSupported:
  case hipDeviceAttributeHostNativeAtomicSupported:
  case hipDeviceAttributeIsLargeBar:
  case hipDeviceAttributeLocalL1CacheSupported:
  case hipDeviceAttributeManagedMemory:
  case hipDeviceAttributeMemoryPoolsSupported:
  case hipDeviceAttributeStreamPrioritiesSupported:
  case hipDeviceAttributeUnifiedAddressing:
  case HostRegisterSupported:
    V = 1;
    return true;
  // Unsupported features, including images; what AMD's runtime says on every
  // GPU.
  case hipDeviceAttributeAsicRevision:
  case hipDeviceAttributeEccEnabled:
  case hipDeviceAttributeFineGrainSupport:
  case hipDeviceAttributeAccessPolicyMaxWindowSize:
  case hipDeviceAttributeCanUseHostPointerForRegisteredMem:
  case hipDeviceAttributeCanUseStreamWaitValue:
  case hipDeviceAttributeComputeMode:
  case hipDeviceAttributeDirectManagedMemAccessFromHost:
  case hipDeviceAttributeImageSupport:
  case hipDeviceAttributeIntegrated:
  case hipDeviceAttributeIsMultiGpuBoard:
  case hipDeviceAttributeKernelExecTimeout:
  case hipDeviceAttributeLuidDeviceNodeMask:
  case hipDeviceAttributeMaxSurface1D:
  case hipDeviceAttributeMaxSurface1DLayered:
  case hipDeviceAttributeMaxSurface2D:
  case hipDeviceAttributeMaxSurface2DLayered:
  case hipDeviceAttributeMaxSurface3D:
  case hipDeviceAttributeMaxSurfaceCubemap:
  case hipDeviceAttributeMaxSurfaceCubemapLayered:
  case hipDeviceAttributeMaxTexture1DWidth:
  case hipDeviceAttributeMaxTexture1DLayered:
  case hipDeviceAttributeMaxTexture1DLinear:
  case hipDeviceAttributeMaxTexture1DMipmap:
  case hipDeviceAttributeMaxTexture2DWidth:
  case hipDeviceAttributeMaxTexture2DHeight:
  case hipDeviceAttributeMaxTexture2DGather:
  case hipDeviceAttributeMaxTexture2DLayered:
  case hipDeviceAttributeMaxTexture2DLinear:
  case hipDeviceAttributeMaxTexture2DMipmap:
  case hipDeviceAttributeMaxTexture3DWidth:
  case hipDeviceAttributeMaxTexture3DHeight:
  case hipDeviceAttributeMaxTexture3DDepth:
  case hipDeviceAttributeMaxTexture3DAlt:
  case hipDeviceAttributeMaxTextureCubemap:
  case hipDeviceAttributeMaxTextureCubemapLayered:
  case hipDeviceAttributeMultiGpuBoardGroupID:
  case hipDeviceAttributePageableMemoryAccess:
  case hipDeviceAttributePageableMemoryAccessUsesHostPageTables:
  case hipDeviceAttributePciDeviceId:
  case hipDeviceAttributePciDomainID:
  case hipDeviceAttributePersistingL2CacheMaxSize:
  case hipDeviceAttributeReservedSharedMemPerBlock:
  case hipDeviceAttributeSurfaceAlignment:
  case hipDeviceAttributeTccDriver:
  case VirtualMemoryManagementSupported:
  case MemoryPoolSupportedHandleTypes:
    V = 0;
    return true;
  // Names, pointers and structures: use hipGetDeviceProperties.
  default:
    return false;
  }
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

hipError_t hipGetDeviceProperties(hipDeviceProp_t *Out, int Device) {
  HIP_READY(R);
  if (!Out)
    return done(hipErrorInvalidValue);
  if (!exists(R, Device))
    return done(hipErrorInvalidDevice);
  static_assert(sizeof(hipDeviceProp_t) == 792);
  fillProperties(R, Device, *Out);
  Out->gcnArch = gcnArch(R.Device.device(unsigned(Device)));
  return hipSuccess;
}

HIP_EXPORT hipError_t hipGetDevicePropertiesR0600(void *Out, int Device) {
  HIP_READY(R);
  if (!Out)
    return done(hipErrorInvalidValue);
  if (!exists(R, Device))
    return done(hipErrorInvalidDevice);
  auto &P = *static_cast<DevicePropertiesR0600 *>(Out);
  fillProperties(R, Device, P);
  P.unifiedAddressing = 1;
  P.hostRegisterSupported = 1;
  P.memoryPoolsSupported = 1;
  P.sharedMemPerMultiprocessor = P.sharedMemPerBlock;
  P.sharedMemPerBlockOptin = P.sharedMemPerBlock;
  P.regsPerMultiprocessor = 65536;
  P.maxBlocksPerMultiProcessor = MaxBlocksPerUnit;
  P.streamPrioritiesSupported = 1;
  return hipSuccess;
}

hipError_t hipDeviceGetAttribute(int *Value, hipDeviceAttribute_t What,
                                 int Device) {
  HIP_READY(R);
  if (!Value)
    return done(hipErrorInvalidValue);
  if (!exists(R, Device))
    return done(hipErrorInvalidDevice);
  return done(attribute(R, Device, What, *Value) ? hipSuccess
                                                 : hipErrorInvalidValue);
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
HIP_SAME(hipGetDevicePropertiesR0000, hipGetDeviceProperties);
HIP_SAME(hipChooseDeviceR0000, hipChooseDevice);
HIP_SAME(hipExtGetLastError, hipGetLastError);
