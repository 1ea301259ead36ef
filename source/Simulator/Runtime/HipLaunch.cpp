//===-- HipLaunch.cpp - registration, launches, streams, events, modules --===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CodeObject.h"
#include "Graph.h"
#include "HipApi.h"

#include <algorithm>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

using namespace wavelane::runtime;

thread_local hipError_t wavelane::runtime::LastError = hipSuccess;

static uint64_t nowNs() {
  timespec T;
  clock_gettime(CLOCK_MONOTONIC, &T);
  return uint64_t(T.tv_sec) * 1000000000u + uint64_t(T.tv_nsec);
}

static hipStream_t handle(Stream *S) {
  return reinterpret_cast<hipStream_t>(S);
}

extern "C" {

//===----------------------------------------------------------------------===//
// Registration (clang's calls)
//===----------------------------------------------------------------------===//

struct FatBinaryWrapper {
  uint32_t Magic, Version;
  const void *Data;
  void *Unused;
};

void **__hipRegisterFatBinary(const void *Data) {
  auto *W = static_cast<const FatBinaryWrapper *>(Data);
  if (!W || W->Magic != 0x48495046 || W->Version != 1) {
    complain("this program registers a fat binary of an unknown form");
    return nullptr;
  }
  Runtime &R = Runtime::get();
  std::lock_guard<std::mutex> Guard(R.RegistryLock);
  R.Binaries.push_back(std::make_unique<FatBinary>());
  R.Binaries.back()->Image = W->Data;
  return reinterpret_cast<void **>(R.Binaries.back().get());
}

void __hipRegisterFunction(void **Modules, const void *HostFunction, char *,
                           const char *DeviceName, unsigned, void *, void *,
                           void *, void *, int *) {
  if (auto *B = reinterpret_cast<FatBinary *>(Modules))
    B->Functions.push_back({HostFunction, DeviceName});
}

void __hipRegisterVar(void **Modules, void *Var, char *, char *DeviceName, int,
                      size_t Size, int IsConstant, int) {
  if (auto *B = reinterpret_cast<FatBinary *>(Modules))
    B->Variables.push_back({Var, DeviceName, Size, nullptr, IsConstant != 0});
}

void __hipRegisterManagedVar(void *Modules, void **Pointer, void *Initial,
                             const char *Name, size_t Size, unsigned) {
  // The host may use the variable before any call of HIP.
  Runtime &R = Runtime::get();
  if (!Modules || R.readyMemory() != hipSuccess)
    return;
  void *Object =
      R.Memory.allocate(std::max<size_t>(Size, 1), MemoryKind::Managed);
  if (!Object) {
    complain("no memory for the managed variable %s of %zu bytes", Name, Size);
    return;
  }
  if (Initial)
    memcpy(Object, Initial, Size);
  *Pointer = Object;
  static_cast<FatBinary *>(Modules)->Variables.push_back(
      {Pointer, Name, Size, Object});
}

void __hipRegisterSurface(void **, void *, char *, char *, int, int) {}
void __hipRegisterTexture(void **, void *, char *, char *, int, int, int) {}

void __hipUnregisterFatBinary(void **Modules) {
  Runtime &R = Runtime::get();
  auto *B = reinterpret_cast<FatBinary *>(Modules);
  if (!B || R.Forked)
    return;
  std::lock_guard<std::mutex> Guard(R.RegistryLock);
  // Keep code that a kernel is still running: the program may end without
  // waiting.
  for (FatBinary::Loading &On : B->On)
    if (On.Module && On.Error == hipSuccess && R.sticky() == hipSuccess &&
        R.allIdle())
      R.unloadModule(*On.Module);
  auto It = std::find_if(R.Binaries.begin(), R.Binaries.end(),
                         [B](auto &P) { return P.get() == B; });
  if (It != R.Binaries.end()) {
    // Static destructors of the program may still refer to functions.
    (void)It->release();
    R.Binaries.erase(It);
  }
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

} // extern "C"

namespace {
struct Configuration {
  dim3 Grid, Block;
  size_t Shared;
  hipStream_t Stream;
};
} // namespace
static thread_local std::vector<Configuration> Configurations;
/// The launch that follows is that of k<<<...>>>().
static thread_local bool IsPopped = false;

hipError_t wavelane::runtime::readExtra(void **Extra, Arguments &Out) {
  if (!Extra)
    return hipSuccess;
  if (Out.Each)
    return hipErrorInvalidValue;
  for (unsigned I = 0; Extra[I] != HIP_LAUNCH_PARAM_END; I += 2) {
    if (Extra[I] == HIP_LAUNCH_PARAM_BUFFER_POINTER)
      Out.Packed = Extra[I + 1];
    else if (Extra[I] == HIP_LAUNCH_PARAM_BUFFER_SIZE)
      Out.PackedSize = *static_cast<size_t *>(Extra[I + 1]);
    else
      return hipErrorInvalidValue;
  }
  return hipSuccess;
}

bool wavelane::runtime::packArguments(const Kernel &K, const Arguments &Given,
                                      uint8_t *To, uint64_t Size) {
  if (Given.Packed) {
    memcpy(To, Given.Packed, std::min<uint64_t>(Given.PackedSize, Size));
    return true;
  }
  size_t I = 0;
  for (const KernelArgument &A : K.Arguments) {
    if (A.Kind.compare(0, 7, "hidden_") == 0)
      continue;
    if (!Given.Each || !Given.Each[I])
      return false;
    memcpy(To + A.Offset, Given.Each[I++], A.Size);
  }
  return true;
}

hipError_t wavelane::runtime::launchKernel(Runtime &R, const Kernel &K,
                                           dim3 Grid, dim3 Block,
                                           const Arguments &Given,
                                           size_t Shared, hipStream_t Handle,
                                           uint64_t MultiGrid) {
  Stream *S = R.resolve(Handle);
  if (!S)
    return hipErrorInvalidHandle;
  Launch L;
  L.Kernel = &K;
  const uint32_t G[3] = {Grid.x, Grid.y, Grid.z};
  const uint32_t B[3] = {Block.x, Block.y, Block.z};
  for (unsigned I = 0; I < 3; ++I) {
    const uint64_t Items = uint64_t(G[I]) * B[I];
    if (!Items || Items > 0xffffffff)
      return hipErrorInvalidConfiguration;
    L.Grid[I] = uint32_t(Items);
    L.Group[I] = B[I];
  }
  if (Shared > R.Device.device(S->Q->Device).lds_bytes_per_cu)
    return hipErrorInvalidValue;
  L.DynamicLds = uint32_t(Shared);
  L.MultiGrid = MultiGrid;
  if (S->Capture) {
    std::vector<uint8_t> Packed(K.KernargSize);
    if (!packArguments(K, Given, Packed.data(), Packed.size()))
      return hipErrorInvalidValue;
    capture(R, Handle, hipGraphNodeTypeKernel,
            [&R, &K, Grid, Block, Shared, Packed](hipStream_t On) {
              return launchKernel(R, K, Grid, Block,
                                  {nullptr, Packed.data(), Packed.size()},
                                  Shared, On);
            });
    return hipSuccess;
  }
  bool Complete = true;
  hipError_t E = R.launch(*S, L, [&](uint8_t *To, uint64_t Size) {
    Complete = packArguments(K, Given, To, Size);
  });
  return Complete ? E : hipErrorInvalidValue;
}

extern "C" {

hipError_t __hipPushCallConfiguration(dim3 Grid, dim3 Block, size_t Shared,
                                      hipStream_t Stream) {
  Configurations.push_back({Grid, Block, Shared, Stream});
  return hipSuccess;
}

hipError_t __hipPopCallConfiguration(dim3 *Grid, dim3 *Block, size_t *Shared,
                                     hipStream_t *Stream) {
  if (Configurations.empty())
    return done(hipErrorMissingConfiguration);
  const Configuration C = Configurations.back();
  Configurations.pop_back();
  *Grid = C.Grid;
  *Block = C.Block;
  *Shared = C.Shared;
  *Stream = C.Stream;
  IsPopped = true;
  return hipSuccess;
}

hipError_t hipLaunchKernel(const void *Function, dim3 Grid, dim3 Block,
                           void **Arguments, size_t Shared,
                           hipStream_t Stream) {
  const bool HasNoResult = std::exchange(IsPopped, false);
  HIP_READY(R);
  const Kernel *K = nullptr;
  HIP_TRY(R.findKernel(Function, K));
  const hipError_t E =
      launchKernel(R, *K, Grid, Block, {Arguments}, Shared, Stream);
  if (E != hipSuccess && HasNoResult)
    noteFailedLaunch(*K, E);
  return done(E);
}

hipError_t hipExtLaunchKernel(const void *Function, dim3 Grid, dim3 Block,
                              void **Arguments, size_t Shared,
                              hipStream_t Stream, hipEvent_t Start,
                              hipEvent_t Stop, int) {
  if (hipError_t E = Start ? hipEventRecord(Start, Stream) : hipSuccess)
    return E;
  if (hipError_t E =
          hipLaunchKernel(Function, Grid, Block, Arguments, Shared, Stream))
    return E;
  return Stop ? hipEventRecord(Stop, Stream) : hipSuccess;
}

hipError_t hipConfigureCall(dim3 Grid, dim3 Block, size_t Shared,
                            hipStream_t Stream) {
  return __hipPushCallConfiguration(Grid, Block, Shared, Stream);
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

hipError_t hipModuleLoadData(hipModule_t *Out, const void *Image) {
  HIP_READY(R);
  if (!Out || !Image)
    return done(hipErrorInvalidValue);
  auto M = std::make_unique<Module>();
  std::string Why;
  if (hipError_t E = R.loadModule(Image, readableSize(Image, uint64_t(1) << 31),
                                  Runtime::current(), *M, Why)) {
    complain("the module cannot be loaded: %s", Why.c_str());
    return done(E);
  }
  *Out = reinterpret_cast<hipModule_t>(M.release());
  return hipSuccess;
}

hipError_t hipModuleLoadDataEx(hipModule_t *Out, const void *Image, unsigned,
                               hipJitOption *, void **) {
  return hipModuleLoadData(Out, Image);
}

hipError_t hipModuleLoad(hipModule_t *Out, const char *Path) {
  HIP_READY(R);
  if (!Out || !Path)
    return done(hipErrorInvalidValue);
  std::ifstream In(Path, std::ios::binary);
  if (!In)
    return done(hipErrorFileNotFound);
  auto M = std::make_unique<Module>();
  M->Copy.assign(std::istreambuf_iterator<char>(In), {});
  M->File = std::filesystem::path(Path).filename();
  std::string Why;
  if (hipError_t E = R.loadModule(M->Copy.data(), M->Copy.size(),
                                  Runtime::current(), *M, Why)) {
    complain("the module %s cannot be loaded: %s", Path, Why.c_str());
    return done(E);
  }
  *Out = reinterpret_cast<hipModule_t>(M.release());
  return hipSuccess;
}

hipError_t hipModuleUnload(hipModule_t M) {
  HIP_READY(R);
  if (!M)
    return done(hipErrorInvalidHandle);
  auto *Mod = reinterpret_cast<Module *>(M);
  R.unloadModule(*Mod);
  delete Mod;
  return hipSuccess;
}

hipError_t hipModuleGetFunction(hipFunction_t *Out, hipModule_t M,
                                const char *Name) {
  HIP_READY(R);
  if (!Out || !M || !Name)
    return done(hipErrorInvalidValue);
  auto &Kernels = reinterpret_cast<Module *>(M)->Code.Kernels;
  auto It = Kernels.find(Name);
  if (It == Kernels.end())
    return done(hipErrorNotFound);
  *Out = reinterpret_cast<hipFunction_t>(It->second.get());
  return hipSuccess;
}

hipError_t hipModuleGetGlobal(hipDeviceptr_t *Address, size_t *Size,
                              hipModule_t M, const char *Name) {
  HIP_READY(R);
  if (!M || !Name)
    return done(hipErrorInvalidValue);
  auto &Symbols = reinterpret_cast<Module *>(M)->Code.Symbols;
  auto It = Symbols.find(Name);
  if (It == Symbols.end())
    return done(hipErrorNotFound);
  if (Address)
    *Address = reinterpret_cast<hipDeviceptr_t>(It->second.Address);
  if (Size)
    *Size = It->second.Size;
  return hipSuccess;
}

hipError_t hipModuleLaunchKernel(hipFunction_t F, unsigned GX, unsigned GY,
                                 unsigned GZ, unsigned BX, unsigned BY,
                                 unsigned BZ, unsigned Shared,
                                 hipStream_t Stream, void **Arguments,
                                 void **Extra) {
  HIP_READY(R);
  if (!F)
    return done(hipErrorInvalidHandle);
  struct Arguments Given = {Arguments};
  HIP_TRY(readExtra(Extra, Given));
  const Kernel &K = *reinterpret_cast<Kernel *>(F);
  if (Given.Packed)
    checkArgumentBlock(K, Given.PackedSize);
  return done(launchKernel(R, K, dim3(GX, GY, GZ), dim3(BX, BY, BZ), Given,
                           Shared, Stream));
}

/// hipModuleLaunchKernel with the grid in work-items, and events around it.
HIP_EXPORT hipError_t hipExtModuleLaunchKernel(
    hipFunction_t F, uint32_t GX, uint32_t GY, uint32_t GZ, uint32_t BX,
    uint32_t BY, uint32_t BZ, size_t Shared, hipStream_t Stream, void **Each,
    void **Extra, hipEvent_t Start, hipEvent_t Stop, uint32_t) {
  // A grid that ends within a block isn't launched.
  if (!BX || !BY || !BZ || GX % BX || GY % BY || GZ % BZ)
    return done(hipErrorInvalidConfiguration);
  if (hipError_t E = Start ? hipEventRecord(Start, Stream) : hipSuccess)
    return E;
  if (hipError_t E =
          hipModuleLaunchKernel(F, GX / BX, GY / BY, GZ / BZ, BX, BY, BZ,
                                unsigned(Shared), Stream, Each, Extra))
    return E;
  return Stop ? hipEventRecord(Stop, Stream) : hipSuccess;
}

HIP_EXPORT hipError_t hipHccModuleLaunchKernel(
    hipFunction_t F, uint32_t GX, uint32_t GY, uint32_t GZ, uint32_t BX,
    uint32_t BY, uint32_t BZ, size_t Shared, hipStream_t Stream, void **Each,
    void **Extra, hipEvent_t Start, hipEvent_t Stop) {
  return hipExtModuleLaunchKernel(F, GX, GY, GZ, BX, BY, BZ, Shared, Stream,
                                  Each, Extra, Start, Stop, 0);
}

HIP_EXPORT hipError_t hipModuleGetFunctionCount(unsigned *Count,
                                                hipModule_t M) {
  HIP_READY(R);
  (void)R;
  if (!Count || !M)
    return done(hipErrorInvalidValue);
  *Count = unsigned(reinterpret_cast<Module *>(M)->Code.Kernels.size());
  return hipSuccess;
}

HIP_EXPORT hipError_t hipModuleLoadFatBinary(hipModule_t *Out,
                                             const void *Image) {
  return hipModuleLoadData(Out, Image);
}

HIP_EXPORT hipError_t hipGetFuncBySymbol(hipFunction_t *Out,
                                         const void *Function) {
  HIP_READY(R);
  const Kernel *K = nullptr;
  if (!Out || !Function)
    return done(hipErrorInvalidValue);
  HIP_TRY(R.findKernel(Function, K));
  *Out = reinterpret_cast<hipFunction_t>(const_cast<Kernel *>(K));
  return hipSuccess;
}

/// hipLaunchAttribute of HIP 6.5.
struct LaunchAttribute {
  enum { Cooperative = 2, Priority = 8 };
  int Id;
  int Padding;
  union {
    char Bytes[64];
    int Number;
  } Value;
};
static_assert(sizeof(LaunchAttribute) == 72);

/// Whether the attributes ask for a cooperative launch; nullopt, after a
/// complaint, if one isn't supported.
static std::optional<bool> isCooperative(const LaunchAttribute *List,
                                         unsigned Count) {
  bool Is = false;
  for (unsigned I = 0; I < Count; ++I) {
    if (List[I].Id == LaunchAttribute::Cooperative) {
      Is = List[I].Value.Number != 0;
    } else if (List[I].Id != LaunchAttribute::Priority) {
      complain("the launch attribute %d is not supported by the simulated "
               "device's runtime",
               List[I].Id);
      return std::nullopt;
    }
  }
  return Is;
}

/// hipLaunchConfig_t of HIP 6.5.
struct LaunchConfig {
  dim3 Grid, Block;
  size_t Shared;
  hipStream_t Stream;
  const LaunchAttribute *Attributes;
  unsigned Count;
};

HIP_EXPORT hipError_t hipLaunchKernelExC(const LaunchConfig *Config,
                                         const void *Function, void **Each) {
  if (!Config || (Config->Count && !Config->Attributes))
    return done(hipErrorInvalidValue);
  const LaunchConfig &C = *Config;
  const std::optional<bool> Cooperative = isCooperative(C.Attributes, C.Count);
  if (!Cooperative)
    return done(hipErrorNotSupported);
  return *Cooperative
             ? hipLaunchCooperativeKernel(Function, C.Grid, C.Block, Each,
                                          unsigned(C.Shared), C.Stream)
             : hipLaunchKernel(Function, C.Grid, C.Block, Each, C.Shared,
                               C.Stream);
}

/// HIP_LAUNCH_CONFIG of HIP 6.5.
struct DriverLaunchConfig {
  unsigned GX, GY, GZ, BX, BY, BZ, Shared;
  hipStream_t Stream;
  const LaunchAttribute *Attributes;
  unsigned Count;
};

HIP_EXPORT hipError_t hipDrvLaunchKernelEx(const DriverLaunchConfig *Config,
                                           hipFunction_t F, void **Each,
                                           void **Extra) {
  if (!Config || (Config->Count && !Config->Attributes))
    return done(hipErrorInvalidValue);
  const DriverLaunchConfig &C = *Config;
  const std::optional<bool> Cooperative = isCooperative(C.Attributes, C.Count);
  if (!Cooperative || (*Cooperative && Extra))
    return done(hipErrorNotSupported);
  return *Cooperative
             ? hipModuleLaunchCooperativeKernel(F, C.GX, C.GY, C.GZ, C.BX, C.BY,
                                                C.BZ, C.Shared, C.Stream, Each)
             : hipModuleLaunchKernel(F, C.GX, C.GY, C.GZ, C.BX, C.BY, C.BZ,
                                     C.Shared, C.Stream, Each, Extra);
}

//===----------------------------------------------------------------------===//
// Functions: attributes, occupancy
//===----------------------------------------------------------------------===//

static int maxDynamicShared(Runtime &R, const Kernel &K) {
  return int(R.Device.device(K.Device).lds_bytes_per_cu - K.GroupSize);
}

hipError_t hipFuncGetAttributes(hipFuncAttributes *Out, const void *Function) {
  HIP_READY(R);
  const Kernel *K = nullptr;
  if (!Out)
    return done(hipErrorInvalidValue);
  HIP_TRY(R.findKernel(Function, K));
  *Out = {};
  Out->maxThreadsPerBlock = int(K->MaxWorkgroup);
  Out->localSizeBytes = K->PrivateSize;
  Out->sharedSizeBytes = K->GroupSize;
  Out->maxDynamicSharedSizeBytes = maxDynamicShared(R, *K);
  Out->numRegs = int(K->Vgprs);
  Out->binaryVersion = Out->ptxVersion = 90;
  return hipSuccess;
}

hipError_t hipFuncGetAttribute(int *Value, hipFunction_attribute What,
                               hipFunction_t F) {
  if (!Value || !F)
    return done(hipErrorInvalidValue);
  const Kernel &K = *reinterpret_cast<Kernel *>(F);
  switch (What) {
  case HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    *Value = int(K.MaxWorkgroup);
    break;
  case HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
    *Value = int(K.GroupSize);
    break;
  case HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
    *Value = int(K.PrivateSize);
    break;
  case HIP_FUNC_ATTRIBUTE_NUM_REGS:
    *Value = int(K.Vgprs);
    break;
  case HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
    *Value = maxDynamicShared(Runtime::get(), K);
    break;
  default:
    *Value = 0;
    break;
  }
  return hipSuccess;
}

hipError_t hipFuncSetAttribute(const void *, hipFuncAttribute, int) {
  return hipSuccess;
}
hipError_t hipFuncSetCacheConfig(const void *, hipFuncCache_t) {
  return hipSuccess;
}
hipError_t hipFuncSetSharedMemConfig(const void *, hipSharedMemConfig) {
  return hipSuccess;
}

} // extern "C"

int wavelane::runtime::blocksPerUnit(Runtime &R, const Kernel &K, int Block,
                                     size_t Dynamic) {
  const AgentDescription &D = R.Device.device(K.Device);
  if (Block <= 0 || unsigned(Block) > K.MaxWorkgroup)
    return 0;
  const unsigned Vgprs = std::max(8u, (K.Vgprs + 7) / 8 * 8);
  const unsigned Waves =
      std::min(D.waves_per_simd, std::max(1u, 512 / Vgprs)) * D.simds_per_cu;
  const unsigned Lanes = D.wavefront_size;
  unsigned Blocks = Waves / ((unsigned(Block) + Lanes - 1) / Lanes);
  const uint64_t Lds = K.GroupSize + Dynamic;
  if (Lds > D.lds_bytes_per_cu)
    return 0;
  if (Lds)
    Blocks = std::min<unsigned>(Blocks, unsigned(D.lds_bytes_per_cu / Lds));
  return int(std::max(1u, Blocks));
}

extern "C" {

hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int *Blocks,
                                                        const void *Function,
                                                        int Block,
                                                        size_t Dynamic) {
  HIP_READY(R);
  const Kernel *K = nullptr;
  if (!Blocks)
    return done(hipErrorInvalidValue);
  HIP_TRY(R.findKernel(Function, K));
  *Blocks = blocksPerUnit(R, *K, Block, Dynamic);
  return hipSuccess;
}

hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *Blocks, const void *Function, int Block, size_t Dynamic, unsigned) {
  return hipOccupancyMaxActiveBlocksPerMultiprocessor(Blocks, Function, Block,
                                                      Dynamic);
}

HIP_EXPORT hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(
    int *Blocks, hipFunction_t F, int Block, size_t Dynamic) {
  HIP_READY(R);
  if (!Blocks || !F)
    return done(hipErrorInvalidValue);
  *Blocks =
      blocksPerUnit(R, *reinterpret_cast<const Kernel *>(F), Block, Dynamic);
  return hipSuccess;
}

HIP_EXPORT hipError_t
hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *Blocks, hipFunction_t F, int Block, size_t Dynamic, unsigned) {
  return hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(Blocks, F, Block,
                                                            Dynamic);
}

/// How much dynamic local memory each of \a Blocks blocks on a compute unit can
/// have.
HIP_EXPORT hipError_t hipOccupancyAvailableDynamicSMemPerBlock(
    size_t *Size, const void *Function, int Blocks, int Block) {
  HIP_READY(R);
  const Kernel *K = nullptr;
  if (!Size || Blocks <= 0 || Block <= 0)
    return done(hipErrorInvalidValue);
  HIP_TRY(R.findKernel(Function, K));
  const uint64_t Each =
      R.Device.device(K->Device).lds_bytes_per_cu / unsigned(Blocks);
  *Size = Each > K->GroupSize ? Each - K->GroupSize : 0;
  return hipSuccess;
}

hipError_t hipOccupancyMaxPotentialBlockSize(int *Grid, int *Block,
                                             const void *Function,
                                             size_t Dynamic, int Limit) {
  HIP_READY(R);
  const Kernel *K = nullptr;
  if (!Grid || !Block)
    return done(hipErrorInvalidValue);
  HIP_TRY(R.findKernel(Function, K));
  int Size = int(K->MaxWorkgroup);
  if (Limit > 0)
    Size = std::min(Size, Limit);
  Size = std::max(Size / 64 * 64, std::min(Size, 64));
  *Block = Size;
  *Grid = blocksPerUnit(R, *K, Size, Dynamic) *
          int(R.Device.device(K->Device).compute_units);
  return hipSuccess;
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

hipError_t hipStreamCreateWithPriority(hipStream_t *Out, unsigned Flags,
                                       int Priority) {
  HIP_READY(R);
  if (!Out || (Flags & ~unsigned(hipStreamNonBlocking)))
    return done(hipErrorInvalidValue);
  auto S = std::make_unique<Stream>();
  S->Flags = Flags;
  S->Priority = std::max(-1, std::min(1, Priority));
  HIP_TRY(R.createQueue(S->Q, Runtime::current()));
  std::lock_guard<std::recursive_mutex> Guard(R.StreamLock);
  R.Streams.insert(S.get());
  *Out = handle(S.release());
  return hipSuccess;
}
hipError_t hipStreamCreateWithFlags(hipStream_t *Out, unsigned Flags) {
  return hipStreamCreateWithPriority(Out, Flags, 0);
}
hipError_t hipStreamCreate(hipStream_t *Out) {
  return hipStreamCreateWithPriority(Out, 0, 0);
}

hipError_t hipStreamDestroy(hipStream_t Handle) {
  HIP_READY(R);
  Stream *S = R.resolve(Handle);
  if (!S || R.isNull(*S))
    return done(hipErrorInvalidHandle);
  (void)R.wait(*S->Q);
  {
    std::lock_guard<std::recursive_mutex> Guard(R.StreamLock);
    R.Streams.erase(S);
  }
  R.destroyQueue(*S->Q);
  delete S;
  return hipSuccess;
}

hipError_t hipStreamSynchronize(hipStream_t Handle) {
  HIP_READY(R);
  Stream *S = R.resolve(Handle);
  if (!S)
    return done(hipErrorInvalidHandle);
  if (S->Capture)
    return done(hipErrorStreamCaptureUnsupported);
  HIP_TRY(R.before(*S));
  notes::ordered(R, OrderNote::HostAfterStream, S->Q->Id);
  return done(R.wait(*S->Q));
}

hipError_t hipStreamQuery(hipStream_t Handle) {
  HIP_READY(R);
  Stream *S = R.resolve(Handle);
  if (!S)
    return done(hipErrorInvalidHandle);
  if (!S->Q->idle())
    return done(hipErrorNotReady);
  notes::ordered(R, OrderNote::HostAfterStream, S->Q->Id);
  return hipSuccess;
}

hipError_t hipStreamGetFlags(hipStream_t Handle, unsigned *Flags) {
  HIP_READY(R);
  Stream *S = R.resolve(Handle);
  if (!S || !Flags)
    return done(S ? hipErrorInvalidValue : hipErrorInvalidHandle);
  *Flags = S->Flags;
  return hipSuccess;
}

hipError_t hipStreamGetPriority(hipStream_t Handle, int *Priority) {
  HIP_READY(R);
  Stream *S = R.resolve(Handle);
  if (!S || !Priority)
    return done(S ? hipErrorInvalidValue : hipErrorInvalidHandle);
  *Priority = S->Priority;
  return hipSuccess;
}

HIP_EXPORT hipError_t hipStreamGetDevice(hipStream_t Handle,
                                         hipDevice_t *Device) {
  HIP_READY(R);
  Stream *S = R.resolve(Handle);
  if (!S || !Device)
    return done(S ? hipErrorInvalidValue : hipErrorInvalidHandle);
  *Device = int(S->Q->Device);
  return hipSuccess;
}

HIP_EXPORT int hipGetStreamDeviceId(hipStream_t Handle) {
  Runtime &R = Runtime::get();
  const Stream *S = R.ready() ? nullptr : R.resolve(Handle);
  return S ? int(S->Q->Device) : -1;
}

hipError_t hipDeviceGetStreamPriorityRange(int *Least, int *Greatest) {
  if (Least)
    *Least = 1;
  if (Greatest)
    *Greatest = -1;
  return hipSuccess;
}

hipError_t hipStreamWaitEvent(hipStream_t Handle, hipEvent_t E, unsigned) {
  HIP_READY(R);
  Stream *S = R.resolve(Handle);
  auto *Ev = reinterpret_cast<Event *>(E);
  if (!S || !Ev)
    return done(hipErrorInvalidHandle);
  {
    // A stream that waits for captured work is captured as well.
    std::lock_guard<std::recursive_mutex> Guard(R.StreamLock);
    const std::shared_ptr<StreamCapture> Capture = Ev->Capture.lock();
    if (S->Capture && S->Capture != Capture)
      return done(hipErrorStreamCaptureIsolation);
    if (Capture) {
      S->Capture = Capture;
      S->Tail.insert(S->Tail.end(), Ev->Tail.begin(), Ev->Tail.end());
      return hipSuccess;
    }
  }
  if (Ev->Recorded)
    notes::ordered(R, OrderNote::StreamAfterEvent, S->Q->Id,
                   reinterpret_cast<uint64_t>(Ev));
  if (!Ev->Recorded || __atomic_load_n(&Ev->Done->Value, __ATOMIC_ACQUIRE) <= 0)
    return hipSuccess;
  return done(R.submitBarrier(*S->Q, Ev->Done, nullptr));
}

hipError_t hipStreamAddCallback(hipStream_t Handle, hipStreamCallback_t F,
                                void *Data, unsigned) {
  if (!F)
    return done(hipErrorInvalidValue);
  const hipError_t E = hipStreamSynchronize(Handle);
  F(Handle, E, Data);
  return hipSuccess;
}

hipError_t hipLaunchHostFunc(hipStream_t Handle, hipHostFn_t F, void *Data) {
  HIP_READY(R);
  if (!F)
    return done(hipErrorInvalidValue);
  if (capture(R, Handle, hipGraphNodeTypeHost, [F, Data](hipStream_t On) {
        return hipLaunchHostFunc(On, F, Data);
      }))
    return hipSuccess;
  if (hipError_t E = hipStreamSynchronize(Handle))
    return E;
  F(Data);
  return hipSuccess;
}

hipError_t hipDeviceSynchronize() {
  HIP_READY(R);
  return done(R.waitAll(Runtime::current()));
}
hipError_t hipCtxSynchronize() { return hipDeviceSynchronize(); }

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

hipError_t hipEventCreateWithFlags(hipEvent_t *Out, unsigned Flags) {
  HIP_READY(R);
  if (!Out)
    return done(hipErrorInvalidValue);
  auto E = std::make_unique<Event>();
  E->Flags = Flags;
  E->Done = static_cast<Signal *>(
      R.Memory.allocate(sizeof(Signal), MemoryKind::Internal));
  if (!E->Done)
    return done(hipErrorOutOfMemory);
  E->Done->Kind = 1;
  *Out = reinterpret_cast<hipEvent_t>(E.release());
  return hipSuccess;
}
hipError_t hipEventCreate(hipEvent_t *Out) {
  return hipEventCreateWithFlags(Out, 0);
}

static hipError_t waitEvent(Runtime &R, Event &E) {
  if (!R.Device.waitFor([&] {
        return __atomic_load_n(&E.Done->Value, __ATOMIC_ACQUIRE) <= 0 ||
               (E.On && E.On->Failed);
      }))
    return R.sticky() ? R.sticky() : hipErrorLaunchFailure;
  return R.sticky();
}

hipError_t hipEventRecord(hipEvent_t Handle, hipStream_t To) {
  HIP_READY(R);
  Stream *S = R.resolve(To);
  auto *E = reinterpret_cast<Event *>(Handle);
  if (!S || !E)
    return done(hipErrorInvalidHandle);
  if (S->Capture) {
    std::lock_guard<std::recursive_mutex> Guard(R.StreamLock);
    E->Capture = S->Capture;
    E->Tail = S->Tail;
    return hipSuccess;
  }
  E->Capture.reset();
  if (E->Recorded)
    HIP_TRY(waitEvent(R, *E));
  HIP_TRY(R.before(*S));
  E->Recorded = true;
  notes::ordered(R, OrderNote::EventAfterStream, S->Q->Id,
                 reinterpret_cast<uint64_t>(E));
  if (S->Q->idle()) {
    E->Done->Value = 0;
    E->Done->End = nowNs();
    return hipSuccess;
  }
  E->Done->Value = 1;
  E->On = S->Q.get();
  HIP_TRY(R.submitBarrier(*S->Q, nullptr, E->Done));
  // The event's barrier isn't counted as pending; this one is, so that a wait
  // for the stream includes the event.
  return done(R.submitBarrier(*S->Q, nullptr, nullptr));
}

hipError_t hipEventSynchronize(hipEvent_t Handle) {
  HIP_READY(R);
  auto *E = reinterpret_cast<Event *>(Handle);
  if (!E)
    return done(hipErrorInvalidHandle);
  if (!E->Recorded)
    return hipSuccess;
  notes::ordered(R, OrderNote::HostAfterEvent, 0,
                 reinterpret_cast<uint64_t>(E));
  return done(waitEvent(R, *E));
}

hipError_t hipEventQuery(hipEvent_t Handle) {
  HIP_READY(R);
  auto *E = reinterpret_cast<Event *>(Handle);
  if (!E)
    return done(hipErrorInvalidHandle);
  const bool Done =
      !E->Recorded || __atomic_load_n(&E->Done->Value, __ATOMIC_ACQUIRE) <= 0;
  if (!Done)
    return done(hipErrorNotReady);
  notes::ordered(R, OrderNote::HostAfterEvent, 0,
                 reinterpret_cast<uint64_t>(E));
  return hipSuccess;
}

hipError_t hipEventElapsedTime(float *Ms, hipEvent_t Start, hipEvent_t Stop) {
  HIP_READY(R);
  auto *A = reinterpret_cast<Event *>(Start);
  auto *B = reinterpret_cast<Event *>(Stop);
  if (!Ms)
    return done(hipErrorInvalidValue);
  if (!A || !B || !A->Recorded || !B->Recorded ||
      ((A->Flags | B->Flags) & hipEventDisableTiming))
    return done(hipErrorInvalidHandle);
  if (hipEventQuery(Start) == hipErrorNotReady ||
      hipEventQuery(Stop) == hipErrorNotReady)
    return hipErrorNotReady;
  *Ms = float(double(int64_t(B->Done->End - A->Done->End)) / 1e6);
  return hipSuccess;
}

hipError_t hipEventDestroy(hipEvent_t Handle) {
  HIP_READY(R);
  auto *E = reinterpret_cast<Event *>(Handle);
  if (!E)
    return done(hipErrorInvalidHandle);
  if (E->Recorded)
    (void)waitEvent(R, *E);
  R.Memory.free(E->Done);
  delete E;
  return hipSuccess;
}

HIP_EXPORT hipError_t hipEventRecordWithFlags(hipEvent_t Handle, hipStream_t To,
                                              unsigned Flags) {
  // hipEventRecordExternal (1) makes a node of it in a captured stream.
  if (Flags)
    return done(Flags == 1 ? hipErrorNotSupported : hipErrorInvalidValue);
  return hipEventRecord(Handle, To);
}

} // extern "C"

// The default stream of a thread is that of all threads here (see
// Runtime::resolve).
HIP_SAME(hipLaunchKernel_spt, hipLaunchKernel);
HIP_SAME(hipStreamSynchronize_spt, hipStreamSynchronize);
HIP_SAME(hipStreamQuery_spt, hipStreamQuery);
HIP_SAME(hipStreamGetFlags_spt, hipStreamGetFlags);
HIP_SAME(hipStreamGetPriority_spt, hipStreamGetPriority);
HIP_SAME(hipStreamWaitEvent_spt, hipStreamWaitEvent);
HIP_SAME(hipStreamAddCallback_spt, hipStreamAddCallback);
HIP_SAME(hipLaunchHostFunc_spt, hipLaunchHostFunc);
HIP_SAME(hipEventRecord_spt, hipEventRecord);

// As C++ functions, which they are in HIP's headers until 6.
HIP_SAME(
    _Z24hipExtModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_tPPvS4_P11ihipEvent_tS6_j,
    hipExtModuleLaunchKernel);
HIP_SAME(
    _Z24hipHccModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_tPPvS4_P11ihipEvent_tS6_,
    hipHccModuleLaunchKernel);
