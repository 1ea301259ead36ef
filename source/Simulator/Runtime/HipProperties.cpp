//===-- HipProperties.cpp - what programs ask about a device --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HipApi.h"

#include "Simulator/Common/Agent.h"
#include "wavelane/GPU/Features.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstring>
#include <optional>

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

/// The number of workgroups on one compute unit.
static constexpr int MaxBlocksPerUnit = 32;

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

namespace {
/// What is known of a device.
struct Facts {
  hipDeviceProp_t Properties;
  const AgentDescription &Agent;
  const gpu::Processor *GPU; ///< null if the table of GPUs lacks it
};

/// An attribute that is a number of its own.
struct Attribute {
  int Number;
  int (*Get)(const Facts &);
};
} // namespace

/// A member of the properties; the largest int if it doesn't fit.
template <auto Member> static int member(const Facts &F) {
  return int(std::min<uint64_t>(uint64_t(F.Properties.*Member), INT_MAX));
}

static int groupSize(const Facts &F) { return F.Properties.maxThreadsDim[0]; }
static int gridSize(const Facts &F) { return F.Properties.maxGridSize[0]; }

// Attributes of HIP 6, by number.
enum {
  VirtualMemoryManagementSupported = hipDeviceAttributeMemoryPoolsSupported + 1,
  HostRegisterSupported,
  MemoryPoolSupportedHandleTypes,
  WallClockRate = hipDeviceAttributeFineGrainSupport + 1,
  NumberOfXccs,
  MaxAvailableVgprsPerThread
};

using Properties = hipDeviceProp_t;

static constexpr Attribute Attributes[] = {
    {hipDeviceAttributeMaxThreadsPerBlock,
     member<&Properties::maxThreadsPerBlock>},
    {hipDeviceAttributeMaxBlockDimX, groupSize},
    {hipDeviceAttributeMaxBlockDimY, groupSize},
    {hipDeviceAttributeMaxBlockDimZ, groupSize},
    {hipDeviceAttributeMaxThreadsDim, groupSize},
    {hipDeviceAttributeMaxGridDimX, gridSize},
    {hipDeviceAttributeMaxGridDimY, gridSize},
    {hipDeviceAttributeMaxGridDimZ, gridSize},
    {hipDeviceAttributeMaxSharedMemoryPerBlock,
     member<&Properties::sharedMemPerBlock>},
    {hipDeviceAttributeMaxSharedMemoryPerMultiprocessor,
     member<&Properties::sharedMemPerBlock>},
    {hipDeviceAttributeSharedMemPerBlockOptin,
     member<&Properties::sharedMemPerBlock>},
    {hipDeviceAttributeSharedMemPerMultiprocessor,
     member<&Properties::sharedMemPerBlock>},
    {hipDeviceAttributeTotalConstantMemory, member<&Properties::totalConstMem>},
    {hipDeviceAttributeTotalGlobalMem, member<&Properties::totalGlobalMem>},
    {hipDeviceAttributeMaxPitch, member<&Properties::memPitch>},
    {hipDeviceAttributeWarpSize, member<&Properties::warpSize>},
    {hipDeviceAttributeMaxRegistersPerBlock, member<&Properties::regsPerBlock>},
    {hipDeviceAttributeMaxRegistersPerMultiprocessor,
     member<&Properties::regsPerBlock>},
    {MaxAvailableVgprsPerThread,
     [](const Facts &F) {
       return F.GPU && F.GPU->family().Acc == gpu::AccRegisters::Unified ? 512
                                                                         : 256;
     }},
    {hipDeviceAttributeClockRate, member<&Properties::clockRate>},
    {hipDeviceAttributeMemoryClockRate, member<&Properties::memoryClockRate>},
    {hipDeviceAttributeClockInstructionRate,
     member<&Properties::clockInstructionRate>},
    {WallClockRate, member<&Properties::clockInstructionRate>},
    {hipDeviceAttributeMemoryBusWidth, member<&Properties::memoryBusWidth>},
    {hipDeviceAttributeMultiprocessorCount,
     member<&Properties::multiProcessorCount>},
    {hipDeviceAttributePhysicalMultiProcessorCount,
     member<&Properties::multiProcessorCount>},
    {NumberOfXccs, [](const Facts &) { return 1; }},
    {hipDeviceAttributeL2CacheSize, member<&Properties::l2CacheSize>},
    {hipDeviceAttributeMaxThreadsPerMultiProcessor,
     member<&Properties::maxThreadsPerMultiProcessor>},
    {hipDeviceAttributeMaxBlocksPerMultiProcessor,
     [](const Facts &) { return MaxBlocksPerUnit; }},
    {hipDeviceAttributeComputeCapabilityMajor, member<&Properties::major>},
    {hipDeviceAttributeComputeCapabilityMinor, member<&Properties::minor>},
    {hipDeviceAttributeGcnArch,
     [](const Facts &F) { return gcnArch(F.Agent); }},
    {hipDeviceAttributePciBusId, member<&Properties::pciBusID>},
    {hipDeviceAttributeTextureAlignment, member<&Properties::textureAlignment>},
    {hipDeviceAttributeTexturePitchAlignment,
     member<&Properties::texturePitchAlignment>},
    {hipDeviceAttributeSingleToDoublePrecisionPerfRatio,
     [](const Facts &F) {
       return F.GPU ? gpu::features(*F.GPU).SinglesPerDouble : 16;
     }},
    {hipDeviceAttributeCooperativeLaunch,
     member<&Properties::cooperativeLaunch>},
    {hipDeviceAttributeCooperativeMultiDeviceLaunch,
     member<&Properties::cooperativeLaunch>},
    {hipDeviceAttributeCooperativeMultiDeviceUnmatchedFunc,
     member<&Properties::cooperativeLaunch>},
    {hipDeviceAttributeCooperativeMultiDeviceUnmatchedGridDim,
     member<&Properties::cooperativeLaunch>},
    {hipDeviceAttributeCooperativeMultiDeviceUnmatchedBlockDim,
     member<&Properties::cooperativeLaunch>},
    {hipDeviceAttributeCooperativeMultiDeviceUnmatchedSharedMem,
     member<&Properties::cooperativeLaunch>},
};

/// Features that each device has.
static constexpr int Supported[] = {
    hipDeviceAttributeAsyncEngineCount,
    hipDeviceAttributeCanMapHostMemory,
    hipDeviceAttributeComputePreemptionSupported,
    hipDeviceAttributeConcurrentKernels,
    hipDeviceAttributeConcurrentManagedAccess,
    hipDeviceAttributeDeviceOverlap,
    hipDeviceAttributeGlobalL1CacheSupported,
    hipDeviceAttributeHostNativeAtomicSupported,
    hipDeviceAttributeIsLargeBar,
    hipDeviceAttributeLocalL1CacheSupported,
    hipDeviceAttributeManagedMemory,
    hipDeviceAttributeMemoryPoolsSupported,
    hipDeviceAttributeStreamPrioritiesSupported,
    hipDeviceAttributeUnifiedAddressing,
    HostRegisterSupported,
};

/// Features that no device has, including images, and what AMD's runtime says
/// is 0 on every GPU.
static constexpr int Unsupported[] = {
    hipDeviceAttributeAsicRevision,
    hipDeviceAttributeEccEnabled,
    hipDeviceAttributeFineGrainSupport,
    hipDeviceAttributeAccessPolicyMaxWindowSize,
    hipDeviceAttributeCanUseHostPointerForRegisteredMem,
    hipDeviceAttributeCanUseStreamWaitValue,
    hipDeviceAttributeComputeMode,
    hipDeviceAttributeDirectManagedMemAccessFromHost,
    hipDeviceAttributeImageSupport,
    hipDeviceAttributeIntegrated,
    hipDeviceAttributeIsMultiGpuBoard,
    hipDeviceAttributeKernelExecTimeout,
    hipDeviceAttributeLuidDeviceNodeMask,
    hipDeviceAttributeMaxSurface1D,
    hipDeviceAttributeMaxSurface1DLayered,
    hipDeviceAttributeMaxSurface2D,
    hipDeviceAttributeMaxSurface2DLayered,
    hipDeviceAttributeMaxSurface3D,
    hipDeviceAttributeMaxSurfaceCubemap,
    hipDeviceAttributeMaxSurfaceCubemapLayered,
    hipDeviceAttributeMaxTexture1DWidth,
    hipDeviceAttributeMaxTexture1DLayered,
    hipDeviceAttributeMaxTexture1DLinear,
    hipDeviceAttributeMaxTexture1DMipmap,
    hipDeviceAttributeMaxTexture2DWidth,
    hipDeviceAttributeMaxTexture2DHeight,
    hipDeviceAttributeMaxTexture2DGather,
    hipDeviceAttributeMaxTexture2DLayered,
    hipDeviceAttributeMaxTexture2DLinear,
    hipDeviceAttributeMaxTexture2DMipmap,
    hipDeviceAttributeMaxTexture3DWidth,
    hipDeviceAttributeMaxTexture3DHeight,
    hipDeviceAttributeMaxTexture3DDepth,
    hipDeviceAttributeMaxTexture3DAlt,
    hipDeviceAttributeMaxTextureCubemap,
    hipDeviceAttributeMaxTextureCubemapLayered,
    hipDeviceAttributeMultiGpuBoardGroupID,
    hipDeviceAttributePageableMemoryAccess,
    hipDeviceAttributePageableMemoryAccessUsesHostPageTables,
    hipDeviceAttributePciDeviceId,
    hipDeviceAttributePciDomainID,
    hipDeviceAttributePersistingL2CacheMaxSize,
    hipDeviceAttributeReservedSharedMemPerBlock,
    hipDeviceAttributeSurfaceAlignment,
    hipDeviceAttributeTccDriver,
    VirtualMemoryManagementSupported,
    MemoryPoolSupportedHandleTypes,
};

/// \return Nothing for an unknown attribute, or one that isn't a number: names,
/// pointers and structures are read by hipGetDeviceProperties.
static std::optional<int> attribute(Runtime &R, int Device, int What) {
  if (llvm::is_contained(Supported, What))
    return 1;
  if (llvm::is_contained(Unsupported, What))
    return 0;
  const auto *Found = llvm::find_if(
      Attributes, [What](const Attribute &A) { return A.Number == What; });
  if (Found == std::end(Attributes))
    return std::nullopt;
  const AgentDescription &Agent = R.Device.device(unsigned(Device));
  Facts F = {{}, Agent, gpu::findByName(Agent.processor)};
  fillProperties(R, Device, F.Properties);
  return Found->Get(F);
}

extern "C" {

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
  const std::optional<int> Known = attribute(R, Device, What);
  if (!Known)
    return done(hipErrorInvalidValue);
  *Value = *Known;
  return hipSuccess;
}

} // extern "C"

// Since HIP 6, programs that ask for the structure of HIP 5 by name.
HIP_SAME(hipGetDevicePropertiesR0000, hipGetDeviceProperties);
