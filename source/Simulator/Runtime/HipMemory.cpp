//===-- HipMemory.cpp - memory, copies, symbols, arrays -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device memory has the same address in program and device, so the host does
// copies once the stream's earlier work is done.
//
//===----------------------------------------------------------------------===//

#include "Graph.h"
#include "HipApi.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sys/mman.h>
#include <sys/stat.h>
#include <vector>

using namespace wavelane::runtime;

static bool inArena(const void *P) {
  return reinterpret_cast<uint64_t>(P) - ArenaBase < ArenaSize;
}

/// Whether memory can be accessed: device memory must be allocated completely;
/// host memory isn't checked.
static bool accessible(Runtime &R, const void *P, size_t Size) {
  if (!inArena(P))
    return P != nullptr;
  uint64_t Base;
  Allocation A;
  return R.Memory.find(P, Base, A) &&
         Size <= A.Size - (reinterpret_cast<uint64_t>(P) - Base);
}

/// Waits for everything that must precede work on \a Handle, including its own
/// work.
static hipError_t settle(Runtime &R, hipStream_t Handle, uint32_t &Queue) {
  Stream *S = R.resolve(Handle);
  if (!S)
    return hipErrorInvalidHandle;
  if (hipError_t E = R.before(*S))
    return E;
  Queue = S->Q->Id;
  return R.wait(*S->Q);
}

/// The host also waits for copies in the null stream, and for those to its own
/// memory.
static void noteDone(Runtime &R, const void *To, hipStream_t Handle,
                     uint32_t Queue) {
  if (!Handle || !inArena(To))
    notes::ordered(R, OrderNote::HostAfterStream, Queue);
  else
    notes::hostGoesOn();
}

/// Memory is allocated or freed in the order of a stream.
static hipError_t noteInStream(MemoryNote::What What, const void *Address,
                               hipStream_t Handle) {
  Runtime &R = Runtime::get();
  if (!R.Device.isChecked())
    return hipSuccess;
  Stream *S = R.resolve(Handle);
  if (!S)
    return hipErrorInvalidHandle;
  if (S->Capture)
    return hipSuccess;
  if (hipError_t E = R.before(*S))
    return E;
  notes::inStream(R, What, Address, S->Q->Id);
  return hipSuccess;
}

static hipError_t copy(Runtime &R, void *To, const void *From, size_t Size,
                       hipMemcpyKind Kind, hipStream_t Handle) {
  if (!Size)
    return hipSuccess;
  if (!To || !From || unsigned(Kind) > hipMemcpyDefault)
    return hipErrorInvalidValue;
  if (!accessible(R, To, Size) || !accessible(R, From, Size)) {
    notes::copied(R, To, From, Size, 0, /*IsDone=*/false);
    return hipErrorInvalidValue;
  }
  if (capture(R, Handle, hipGraphNodeTypeMemcpy1D, [=, &R](hipStream_t On) {
        return copy(R, To, From, Size, Kind, On);
      }))
    return hipSuccess;
  uint32_t Queue = 0;
  if (hipError_t E = settle(R, Handle, Queue))
    return E;
  notes::copied(R, To, From, Size, Queue, /*IsDone=*/true);
  noteDone(R, To, Handle, Queue);
  memmove(notes::unseen(To), notes::unseen(From), Size);
  return hipSuccess;
}

static hipError_t fill(Runtime &R, void *To, uint32_t Value, unsigned Width,
                       size_t Count, hipStream_t Handle) {
  if (!Count)
    return hipSuccess;
  if (!To)
    return hipErrorInvalidValue;
  if (!accessible(R, To, Count * Width)) {
    notes::copied(R, To, nullptr, Count * Width, 0, /*IsDone=*/false);
    return hipErrorInvalidValue;
  }
  if (capture(R, Handle, hipGraphNodeTypeMemset, [=, &R](hipStream_t On) {
        return fill(R, To, Value, Width, Count, On);
      }))
    return hipSuccess;
  uint32_t Queue = 0;
  if (hipError_t E = settle(R, Handle, Queue))
    return E;
  notes::copied(R, To, nullptr, Count * Width, Queue, /*IsDone=*/true);
  noteDone(R, To, Handle, Queue);
  To = notes::unseen(To);
  if (Width == 1) {
    memset(To, int(Value), Count);
  } else {
    for (size_t I = 0; I < Count; ++I)
      memcpy(static_cast<char *>(To) + I * Width, &Value, Width);
  }
  return hipSuccess;
}

static hipError_t copyRows(Runtime &R, void *To, size_t ToPitch,
                           const void *From, size_t FromPitch, size_t Width,
                           size_t Height, hipStream_t Handle) {
  if (!Width || !Height)
    return hipSuccess;
  if (!To || !From || Width > ToPitch || Width > FromPitch)
    return hipErrorInvalidPitchValue;
  if (!accessible(R, To, ToPitch * (Height - 1) + Width) ||
      !accessible(R, From, FromPitch * (Height - 1) + Width)) {
    notes::copied(R, To, From, Width, 0, /*IsDone=*/false, Height, ToPitch,
                  FromPitch);
    return hipErrorInvalidValue;
  }
  if (capture(R, Handle, hipGraphNodeTypeMemcpy, [=, &R](hipStream_t On) {
        return copyRows(R, To, ToPitch, From, FromPitch, Width, Height, On);
      }))
    return hipSuccess;
  uint32_t Queue = 0;
  if (hipError_t E = settle(R, Handle, Queue))
    return E;
  notes::copied(R, To, From, Width, Queue, /*IsDone=*/true, Height, ToPitch,
                FromPitch);
  noteDone(R, To, Handle, Queue);
  To = notes::unseen(To);
  From = notes::unseen(From);
  for (size_t Y = 0; Y < Height; ++Y)
    memmove(static_cast<char *>(To) + Y * ToPitch,
            static_cast<const char *>(From) + Y * FromPitch, Width);
  return hipSuccess;
}

//===----------------------------------------------------------------------===//
// Host memory that the program registers
//===----------------------------------------------------------------------===//

namespace {
/// Whole pages of host memory, replaced by pages of the arena with the same
/// contents, so that program and device share them.
struct HostRun {
  uint64_t Size;
  void *Backing;
  unsigned Users;
};
std::mutex HostLock;
std::map<uint64_t, HostRun> HostRuns;    ///< by address
std::map<uint64_t, uint64_t> Registered; ///< size by pointer
} // namespace

namespace {
/// What the program has at [Begin, End).
struct Mapping {
  uint64_t Begin, End;
  int Protection;
  bool IsShared;
  uint64_t Offset; ///< in the file
  uint64_t Inode;  ///< 0 without a file
};
} // namespace

static std::vector<Mapping> mappingsOf(uint64_t Begin, uint64_t End) {
  std::vector<Mapping> Found;
  std::ifstream Maps("/proc/self/maps");
  for (std::string Line; std::getline(Maps, Line);) {
    Mapping M = {};
    char Access[5] = {};
    if (sscanf(Line.c_str(),
               "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %" SCNu64, &M.Begin,
               &M.End, Access, &M.Offset, &M.Inode) != 5 ||
        M.Begin >= End || M.End <= Begin)
      continue;
    if (M.Begin < Begin) {
      M.Offset += Begin - M.Begin;
      M.Begin = Begin;
    }
    M.End = std::min(M.End, End);
    M.Protection = (Access[0] == 'r' ? PROT_READ : 0) |
                   (Access[1] == 'w' ? PROT_WRITE : 0) |
                   (Access[2] == 'x' ? PROT_EXEC : 0);
    M.IsShared = Access[3] == 's';
    Found.push_back(M);
  }
  return Found;
}

/// Whether other processes may have a part of this memory.
static bool isShared(uint64_t Begin, uint64_t End) {
  const std::vector<Mapping> All = mappingsOf(Begin, End);
  return std::any_of(All.begin(), All.end(),
                     [](const Mapping &M) { return M.IsShared; });
}

static hipError_t backRun(Runtime &R, uint64_t Address, uint64_t Size) {
  // The arena's pages would take its place.
  if (isShared(Address, Address + Size)) {
    complain("hipHostRegister: memory that is shared with other processes; "
             "AMD's runtime can have it (wavelane-run --runtime amd)");
    return hipErrorNotSupported;
  }
  void *Backing = R.Memory.allocate(Size, MemoryKind::Registered);
  if (!Backing)
    return hipErrorOutOfMemory;
  void *Host = reinterpret_cast<void *>(Address);
  memcpy(Backing, Host, Size);
  if (mmap(Host, Size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
           R.Memory.fd(),
           off_t(reinterpret_cast<uint64_t>(Backing) - ArenaBase)) != Host) {
    R.Memory.free(Backing);
    return hipErrorOutOfMemory;
  }
  // mremap(2) must not let it grow into what follows in the arena: the kernel
  // refuses it for two mappings, which differ in what they expect.
  madvise(Host, PageSize, MADV_RANDOM);
  MapHostRequest Request = {Address, Size, reinterpret_cast<uint64_t>(Backing)};
  R.Device.request(MessageType::MapHost, &Request, sizeof(Request));
  HostRuns[Address] = {Size, Backing, 1};
  return hipSuccess;
}

static void releaseRuns(Runtime &R, uint64_t Begin, uint64_t End) {
  for (auto It = HostRuns.begin(); It != HostRuns.end();) {
    const uint64_t Address = It->first;
    if (Address >= End || Address + It->second.Size <= Begin ||
        --It->second.Users) {
      ++It;
      continue;
    }
    // A copy: the map may itself be in these pages.
    const HostRun Run = It->second;
    MapHostRequest Request = {Address, Run.Size, 0};
    R.Device.request(MessageType::UnmapHost, &Request, sizeof(Request));
    const uint64_t Place =
        reinterpret_cast<uint64_t>(Run.Backing) - ArenaBase - Address;
    struct stat Arena = {};
    fstat(R.Memory.fd(), &Arena);
    for (const Mapping &M : mappingsOf(Address, Address + Run.Size)) {
      // Others are the program's own, which it has put there meanwhile.
      if (M.Inode != Arena.st_ino || !M.IsShared || M.Offset != M.Begin + Place)
        continue;
      // The pages are made elsewhere and take their place at once: other
      // threads use them, and what this function itself has allocated may be
      // there. If that fails, the pages stay those of the arena.
      const uint64_t Size = M.End - M.Begin;
      void *Made = mmap(nullptr, Size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (Made == MAP_FAILED)
        continue;
      memcpy(Made, static_cast<char *>(Run.Backing) + (M.Begin - Address),
             Size);
      mprotect(Made, Size, M.Protection);
      if (mremap(Made, Size, Size, MREMAP_MAYMOVE | MREMAP_FIXED,
                 reinterpret_cast<void *>(M.Begin)) == MAP_FAILED)
        munmap(Made, Size);
    }
    R.Memory.free(Run.Backing);
    It = HostRuns.erase(It);
  }
}

extern "C" {

hipError_t hipHostRegister(void *Pointer, size_t Size, unsigned) {
  HIP_READY(R);
  if (!Pointer || !Size)
    return done(hipErrorInvalidValue);
  if (inArena(Pointer))
    return done(hipErrorHostMemoryAlreadyRegistered);
  std::lock_guard<std::mutex> Guard(HostLock);
  const uint64_t P = reinterpret_cast<uint64_t>(Pointer);
  auto Next = Registered.lower_bound(P);
  if ((Next != Registered.end() && Next->first < P + Size) ||
      (Next != Registered.begin() &&
       std::prev(Next)->first + std::prev(Next)->second > P))
    return done(hipErrorHostMemoryAlreadyRegistered);
  const uint64_t Begin = P / PageSize * PageSize;
  const uint64_t End = (P + Size + PageSize - 1) / PageSize * PageSize;
  uint64_t At = Begin;
  while (At < End) {
    auto It = HostRuns.upper_bound(At);
    if (It != HostRuns.begin()) {
      auto Before = std::prev(It);
      if (Before->first + Before->second.Size > At) {
        ++Before->second.Users; // an edge page shared with another range
        At = Before->first + Before->second.Size;
        continue;
      }
    }
    const uint64_t Stop = It == HostRuns.end() ? End : std::min(End, It->first);
    if (const hipError_t E = backRun(R, At, Stop - At)) {
      releaseRuns(R, Begin, At);
      return done(E);
    }
    At = Stop;
  }
  Registered[P] = Size;
  notes::registered(R, Pointer, Size);
  return hipSuccess;
}

hipError_t hipHostUnregister(void *Pointer) {
  HIP_READY(R);
  HIP_TRY(R.waitAll());
  std::lock_guard<std::mutex> Guard(HostLock);
  auto It = Registered.find(reinterpret_cast<uint64_t>(Pointer));
  if (It == Registered.end())
    return done(hipErrorHostMemoryNotRegistered);
  const uint64_t Begin = It->first / PageSize * PageSize;
  const uint64_t End =
      (It->first + It->second + PageSize - 1) / PageSize * PageSize;
  Registered.erase(It);
  notes::unregistered(R, Pointer);
  releaseRuns(R, Begin, End);
  return hipSuccess;
}

//===----------------------------------------------------------------------===//
// Allocation
//===----------------------------------------------------------------------===//

static hipError_t allocate(void **Out, size_t Size, MemoryKind Kind,
                           unsigned Flags) {
  HIP_READY(R);
  if (!Out)
    return done(hipErrorInvalidValue);
  *Out = nullptr;
  if (!Size)
    return hipSuccess;
  *Out = R.Memory.allocate(Size, Kind, Flags);
  return done(*Out ? hipSuccess : hipErrorOutOfMemory);
}

hipError_t hipMalloc(void **Out, size_t Size) {
  return allocate(Out, Size, MemoryKind::Device, 0);
}
hipError_t hipExtMallocWithFlags(void **Out, size_t Size, unsigned Flags) {
  return allocate(Out, Size, MemoryKind::Device, Flags);
}
hipError_t hipHostMalloc(void **Out, size_t Size, unsigned Flags) {
  return allocate(Out, Size, MemoryKind::Host, Flags);
}
hipError_t hipMallocHost(void **Out, size_t Size) {
  return allocate(Out, Size, MemoryKind::Host, 0);
}
hipError_t hipMemAllocHost(void **Out, size_t Size) {
  return allocate(Out, Size, MemoryKind::Host, 0);
}
hipError_t hipHostAlloc(void **Out, size_t Size, unsigned Flags) {
  return allocate(Out, Size, MemoryKind::Host, Flags);
}
hipError_t hipMallocManaged(void **Out, size_t Size, unsigned Flags) {
  if (Flags != hipMemAttachGlobal && Flags != hipMemAttachHost)
    return done(hipErrorInvalidValue);
  return allocate(Out, Size, MemoryKind::Managed, Flags);
}
hipError_t hipMallocAsync(void **Out, size_t Size, hipStream_t S) {
  if (hipError_t E = hipMalloc(Out, Size))
    return E;
  return Size ? done(noteInStream(MemoryNote::AllocatedInStream, *Out, S))
              : hipSuccess;
}
hipError_t hipMallocFromPoolAsync(void **Out, size_t Size, hipMemPool_t,
                                  hipStream_t S) {
  return hipMallocAsync(Out, Size, S);
}

hipError_t hipMallocPitch(void **Out, size_t *Pitch, size_t Width,
                          size_t Height) {
  if (!Pitch)
    return done(hipErrorInvalidValue);
  *Pitch = (Width + 255) / 256 * 256;
  if (Height && *Pitch > ArenaSize / Height)
    return done(hipErrorOutOfMemory);
  return hipMalloc(Out, *Pitch * Height);
}
hipError_t hipMemAllocPitch(hipDeviceptr_t *Out, size_t *Pitch, size_t Width,
                            size_t Height, unsigned) {
  return hipMallocPitch(Out, Pitch, Width, Height);
}
hipError_t hipMalloc3D(hipPitchedPtr *Out, hipExtent Extent) {
  if (!Out)
    return done(hipErrorInvalidValue);
  Out->xsize = Extent.width;
  Out->ysize = Extent.height;
  return hipMallocPitch(&Out->ptr, &Out->pitch, Extent.width,
                        Extent.height * Extent.depth);
}

static hipError_t release(void *Pointer, bool Host) {
  if (!Pointer) {
    // Like HIP: freeing null starts the runtime and succeeds.
    HIP_READY(R);
    return hipSuccess;
  }
  HIP_READY(R);
  uint64_t Base;
  Allocation A;
  if (!R.Memory.find(Pointer, Base, A) ||
      Base != reinterpret_cast<uint64_t>(Pointer) ||
      (Host ? A.Kind != MemoryKind::Host
            : A.Kind != MemoryKind::Device && A.Kind != MemoryKind::Managed)) {
    notes::notFreed(R, Pointer, Host);
    return done(hipErrorInvalidValue);
  }
  HIP_TRY(R.waitAll());
  R.Memory.free(Pointer);
  return hipSuccess;
}
hipError_t hipFree(void *Pointer) { return release(Pointer, false); }
hipError_t hipFreeAsync(void *Pointer, hipStream_t S) {
  if (hipError_t E = Pointer
                         ? noteInStream(MemoryNote::FreedInStream, Pointer, S)
                         : hipSuccess)
    return done(E);
  return release(Pointer, false);
}
hipError_t hipHostFree(void *Pointer) { return release(Pointer, true); }
hipError_t hipFreeHost(void *Pointer) { return release(Pointer, true); }

hipError_t hipHostGetDevicePointer(void **Out, void *Host, unsigned) {
  HIP_READY(R);
  if (!Out || !Host)
    return done(hipErrorInvalidValue);
  *Out = nullptr;
  uint64_t Base;
  Allocation A;
  bool Known = R.Memory.find(Host, Base, A);
  if (!Known) {
    std::lock_guard<std::mutex> Guard(HostLock);
    const uint64_t P = reinterpret_cast<uint64_t>(Host);
    auto It = Registered.upper_bound(P);
    Known = It != Registered.begin() &&
            P - std::prev(It)->first < std::prev(It)->second;
  }
  if (!Known)
    return done(hipErrorInvalidValue);
  *Out = Host; // the same address for host and device
  return hipSuccess;
}

hipError_t hipHostGetFlags(unsigned *Flags, void *Host) {
  HIP_READY(R);
  uint64_t Base;
  Allocation A;
  if (!Flags || !R.Memory.find(Host, Base, A) || A.Kind != MemoryKind::Host)
    return done(hipErrorInvalidValue);
  *Flags = A.Flags;
  return hipSuccess;
}

hipError_t hipMemGetInfo(size_t *Free, size_t *Total) {
  HIP_READY(R);
  if (!Free || !Total)
    return done(hipErrorInvalidValue);
  *Total = R.Memory.total();
  *Free = R.Memory.total() - R.Memory.used();
  return hipSuccess;
}

hipError_t hipMemGetAddressRange(hipDeviceptr_t *Out, size_t *Size,
                                 hipDeviceptr_t Pointer) {
  HIP_READY(R);
  uint64_t Base;
  Allocation A;
  if (!R.Memory.find(Pointer, Base, A))
    return done(hipErrorNotFound);
  if (Out)
    *Out = reinterpret_cast<hipDeviceptr_t>(Base);
  if (Size)
    *Size = A.Size;
  return hipSuccess;
}

hipError_t hipMemPtrGetInfo(void *Pointer, size_t *Size) {
  return hipMemGetAddressRange(nullptr, Size, Pointer);
}

hipError_t hipPointerGetAttributes(hipPointerAttribute_t *Out,
                                   const void *Pointer) {
  HIP_READY(R);
  uint64_t Base;
  Allocation A;
  if (!Out || !R.Memory.find(Pointer, Base, A))
    return done(hipErrorInvalidValue);
  *Out = {};
  Out->memoryType =
      A.Kind == MemoryKind::Host ? hipMemoryTypeHost : hipMemoryTypeDevice;
  Out->devicePointer = const_cast<void *>(Pointer);
  if (A.Kind == MemoryKind::Host || A.Kind == MemoryKind::Managed)
    Out->hostPointer = const_cast<void *>(Pointer);
  Out->isManaged = A.Kind == MemoryKind::Managed;
  Out->allocationFlags = A.Flags;
  return hipSuccess;
}

hipError_t hipMemAdvise(const void *, size_t, hipMemoryAdvise, int) {
  return hipSuccess;
}
hipError_t hipMemPrefetchAsync(const void *, size_t, int, hipStream_t) {
  return hipSuccess;
}
/// hipMemLocation of HIP 6.5.
struct MemLocation {
  int Type, Id;
};
HIP_EXPORT hipError_t hipMemAdvise_v2(const void *, size_t, hipMemoryAdvise,
                                      MemLocation) {
  return hipSuccess;
}
HIP_EXPORT hipError_t hipMemPrefetchAsync_v2(const void *, size_t, MemLocation,
                                             unsigned, hipStream_t) {
  return hipSuccess;
}

//===----------------------------------------------------------------------===//
// Copies and fills
//===----------------------------------------------------------------------===//

hipError_t hipMemcpyAsync(void *To, const void *From, size_t Size,
                          hipMemcpyKind Kind, hipStream_t S) {
  HIP_READY(R);
  return done(copy(R, To, From, Size, Kind, S));
}
hipError_t hipMemcpy(void *To, const void *From, size_t Size,
                     hipMemcpyKind Kind) {
  return hipMemcpyAsync(To, From, Size, Kind, nullptr);
}
hipError_t hipMemcpyWithStream(void *To, const void *From, size_t Size,
                               hipMemcpyKind Kind, hipStream_t S) {
  return hipMemcpyAsync(To, From, Size, Kind, S);
}
hipError_t hipMemcpyHtoD(hipDeviceptr_t To, void *From, size_t Size) {
  return hipMemcpy(To, From, Size, hipMemcpyHostToDevice);
}
hipError_t hipMemcpyDtoH(void *To, hipDeviceptr_t From, size_t Size) {
  return hipMemcpy(To, From, Size, hipMemcpyDeviceToHost);
}
hipError_t hipMemcpyDtoD(hipDeviceptr_t To, hipDeviceptr_t From, size_t Size) {
  return hipMemcpy(To, From, Size, hipMemcpyDeviceToDevice);
}
hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t To, void *From, size_t Size,
                              hipStream_t S) {
  return hipMemcpyAsync(To, From, Size, hipMemcpyHostToDevice, S);
}
hipError_t hipMemcpyDtoHAsync(void *To, hipDeviceptr_t From, size_t Size,
                              hipStream_t S) {
  return hipMemcpyAsync(To, From, Size, hipMemcpyDeviceToHost, S);
}
hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t To, hipDeviceptr_t From,
                              size_t Size, hipStream_t S) {
  return hipMemcpyAsync(To, From, Size, hipMemcpyDeviceToDevice, S);
}
hipError_t hipMemcpyPeer(void *To, int, const void *From, int, size_t Size) {
  return hipMemcpy(To, From, Size, hipMemcpyDeviceToDevice);
}
hipError_t hipMemcpyPeerAsync(void *To, int, const void *From, int, size_t Size,
                              hipStream_t S) {
  return hipMemcpyAsync(To, From, Size, hipMemcpyDeviceToDevice, S);
}

hipError_t hipMemcpy2DAsync(void *To, size_t ToPitch, const void *From,
                            size_t FromPitch, size_t Width, size_t Height,
                            hipMemcpyKind, hipStream_t S) {
  HIP_READY(R);
  return done(copyRows(R, To, ToPitch, From, FromPitch, Width, Height, S));
}
hipError_t hipMemcpy2D(void *To, size_t ToPitch, const void *From,
                       size_t FromPitch, size_t Width, size_t Height,
                       hipMemcpyKind Kind) {
  return hipMemcpy2DAsync(To, ToPitch, From, FromPitch, Width, Height, Kind,
                          nullptr);
}

hipError_t hipMemsetAsync(void *To, int Value, size_t Size, hipStream_t S) {
  HIP_READY(R);
  return done(fill(R, To, uint32_t(Value), 1, Size, S));
}
hipError_t hipMemset(void *To, int Value, size_t Size) {
  return hipMemsetAsync(To, Value, Size, nullptr);
}
hipError_t hipMemsetD8(hipDeviceptr_t To, unsigned char Value, size_t Count) {
  return hipMemset(To, Value, Count);
}
hipError_t hipMemsetD8Async(hipDeviceptr_t To, unsigned char Value,
                            size_t Count, hipStream_t S) {
  return hipMemsetAsync(To, Value, Count, S);
}
hipError_t hipMemsetD16(hipDeviceptr_t To, unsigned short Value, size_t Count) {
  HIP_READY(R);
  return done(fill(R, To, Value, 2, Count, nullptr));
}
hipError_t hipMemsetD16Async(hipDeviceptr_t To, unsigned short Value,
                             size_t Count, hipStream_t S) {
  HIP_READY(R);
  return done(fill(R, To, Value, 2, Count, S));
}
hipError_t hipMemsetD32(hipDeviceptr_t To, int Value, size_t Count) {
  HIP_READY(R);
  return done(fill(R, To, uint32_t(Value), 4, Count, nullptr));
}
hipError_t hipMemsetD32Async(hipDeviceptr_t To, int Value, size_t Count,
                             hipStream_t S) {
  HIP_READY(R);
  return done(fill(R, To, uint32_t(Value), 4, Count, S));
}
/// Fills \a Height rows of \a Count elements of \a Width bytes.
static hipError_t fillRows(void *To, size_t Pitch, uint32_t Value,
                           unsigned Width, size_t Count, size_t Height,
                           hipStream_t S) {
  HIP_READY(R);
  if (Count > Pitch / Width)
    return done(hipErrorInvalidPitchValue);
  for (size_t Y = 0; Y < Height; ++Y)
    HIP_TRY(
        fill(R, static_cast<char *>(To) + Y * Pitch, Value, Width, Count, S));
  return hipSuccess;
}

hipError_t hipMemset2DAsync(void *To, size_t Pitch, int Value, size_t Width,
                            size_t Height, hipStream_t S) {
  return fillRows(To, Pitch, uint32_t(Value), 1, Width, Height, S);
}
hipError_t hipMemset2D(void *To, size_t Pitch, int Value, size_t Width,
                       size_t Height) {
  return hipMemset2DAsync(To, Pitch, Value, Width, Height, nullptr);
}
hipError_t hipMemset3DAsync(hipPitchedPtr To, int Value, hipExtent E,
                            hipStream_t S) {
  for (size_t Z = 0; Z < E.depth; ++Z)
    if (hipError_t Error = hipMemset2DAsync(
            static_cast<char *>(To.ptr) + Z * To.ysize * To.pitch, To.pitch,
            Value, E.width, E.height, S))
      return Error;
  return hipSuccess;
}
hipError_t hipMemset3D(hipPitchedPtr To, int Value, hipExtent E) {
  return hipMemset3DAsync(To, Value, E, nullptr);
}

#define MEMSET_ROWS(Bits, Type)                                                \
  HIP_EXPORT hipError_t hipMemsetD2D##Bits##Async(                             \
      hipDeviceptr_t To, size_t Pitch, Type Value, size_t Width,               \
      size_t Height, hipStream_t S) {                                          \
    return fillRows(To, Pitch, Value, Bits / 8, Width, Height, S);             \
  }                                                                            \
  HIP_EXPORT hipError_t hipMemsetD2D##Bits(hipDeviceptr_t To, size_t Pitch,    \
                                           Type Value, size_t Width,           \
                                           size_t Height) {                    \
    return fillRows(To, Pitch, Value, Bits / 8, Width, Height, nullptr);       \
  }
MEMSET_ROWS(8, unsigned char)
MEMSET_ROWS(16, unsigned short)
MEMSET_ROWS(32, unsigned)

hipError_t hipMemcpy3DAsync(const hipMemcpy3DParms *P, hipStream_t S) {
  HIP_READY(R);
  if (!P || P->srcArray || P->dstArray)
    return done(P ? hipErrorNotSupported : hipErrorInvalidValue);
  for (size_t Z = 0; Z < P->extent.depth; ++Z) {
    auto Plane = [Z](const hipPitchedPtr &At, const hipPos &Pos) {
      return static_cast<char *>(At.ptr) +
             ((Z + Pos.z) * At.ysize + Pos.y) * At.pitch + Pos.x;
    };
    HIP_TRY(copyRows(R, Plane(P->dstPtr, P->dstPos), P->dstPtr.pitch,
                     Plane(P->srcPtr, P->srcPos), P->srcPtr.pitch,
                     P->extent.width, P->extent.height, S));
  }
  return hipSuccess;
}
hipError_t hipMemcpy3D(const hipMemcpy3DParms *P) {
  return hipMemcpy3DAsync(P, nullptr);
}

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

hipError_t hipGetSymbolAddress(void **Out, const void *Symbol) {
  HIP_READY(R);
  CodeObject::Symbol S;
  if (!Out)
    return done(hipErrorInvalidValue);
  HIP_TRY(R.findVariable(Symbol, S));
  *Out = reinterpret_cast<void *>(S.Address);
  return hipSuccess;
}

hipError_t hipGetSymbolSize(size_t *Out, const void *Symbol) {
  HIP_READY(R);
  CodeObject::Symbol S;
  if (!Out)
    return done(hipErrorInvalidValue);
  HIP_TRY(R.findVariable(Symbol, S));
  *Out = S.Size;
  return hipSuccess;
}

/// Copies between a part of a variable and \a Other.
static hipError_t copySymbol(const void *Symbol, const void *Other, size_t Size,
                             size_t Offset, bool IsWritten, hipMemcpyKind Kind,
                             hipStream_t Stream) {
  HIP_READY(R);
  CodeObject::Symbol S;
  HIP_TRY(R.findVariable(Symbol, S));
  char *const There = reinterpret_cast<char *>(S.Address) + Offset;
  const void *const To = IsWritten ? There : Other;
  const void *const From = IsWritten ? Other : There;
  if (Offset > S.Size || Size > S.Size - Offset) {
    notes::copied(R, To, From, Size, 0, /*IsDone=*/false);
    return done(hipErrorInvalidValue);
  }
  return done(copy(R, const_cast<void *>(To), From, Size, Kind, Stream));
}

hipError_t hipMemcpyToSymbolAsync(const void *Symbol, const void *From,
                                  size_t Size, size_t Offset,
                                  hipMemcpyKind Kind, hipStream_t S) {
  return copySymbol(Symbol, From, Size, Offset, /*IsWritten=*/true, Kind, S);
}
hipError_t hipMemcpyToSymbol(const void *Symbol, const void *From, size_t Size,
                             size_t Offset, hipMemcpyKind Kind) {
  return hipMemcpyToSymbolAsync(Symbol, From, Size, Offset, Kind, nullptr);
}
hipError_t hipMemcpyFromSymbolAsync(void *To, const void *Symbol, size_t Size,
                                    size_t Offset, hipMemcpyKind Kind,
                                    hipStream_t S) {
  return copySymbol(Symbol, To, Size, Offset, /*IsWritten=*/false, Kind, S);
}
hipError_t hipMemcpyFromSymbol(void *To, const void *Symbol, size_t Size,
                               size_t Offset, hipMemcpyKind Kind) {
  return hipMemcpyFromSymbolAsync(To, Symbol, Size, Offset, Kind, nullptr);
}

//===----------------------------------------------------------------------===//
// Memory pools: one, which is all of the device's memory
//===----------------------------------------------------------------------===//

static char ThePool;

hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t *Out, int Device) {
  HIP_READY(R);
  if (!Out)
    return done(hipErrorInvalidValue);
  if (Device < 0 || unsigned(Device) >= R.Device.deviceCount())
    return done(hipErrorInvalidDevice);
  *Out = reinterpret_cast<hipMemPool_t>(&ThePool);
  return hipSuccess;
}
hipError_t hipDeviceGetMemPool(hipMemPool_t *Out, int Device) {
  return hipDeviceGetDefaultMemPool(Out, Device);
}
hipError_t hipMemPoolSetAttribute(hipMemPool_t Pool, hipMemPoolAttr, void *) {
  return done(Pool ? hipSuccess : hipErrorInvalidValue);
}
hipError_t hipMemPoolTrimTo(hipMemPool_t Pool, size_t) {
  return done(Pool ? hipSuccess : hipErrorInvalidValue);
}

} // extern "C"

// The default stream of a thread is that of all threads here (see
// Runtime::resolve).
HIP_SAME(hipMemcpy_spt, hipMemcpy);
HIP_SAME(hipMemcpyAsync_spt, hipMemcpyAsync);
HIP_SAME(hipMemcpy2D_spt, hipMemcpy2D);
HIP_SAME(hipMemcpy2DAsync_spt, hipMemcpy2DAsync);
HIP_SAME(hipMemcpy3D_spt, hipMemcpy3D);
HIP_SAME(hipMemcpy3DAsync_spt, hipMemcpy3DAsync);
HIP_SAME(hipMemset_spt, hipMemset);
HIP_SAME(hipMemsetAsync_spt, hipMemsetAsync);
HIP_SAME(hipMemset2D_spt, hipMemset2D);
HIP_SAME(hipMemset2DAsync_spt, hipMemset2DAsync);
HIP_SAME(hipMemset3D_spt, hipMemset3D);
HIP_SAME(hipMemset3DAsync_spt, hipMemset3DAsync);
extern "C" HIP_EXPORT hipError_t hipMemcpyToSymbol_spt(const void *Symbol,
                                                       const void *From,
                                                       size_t Size,
                                                       size_t Offset,
                                                       hipMemcpyKind Kind) {
  return hipMemcpyToSymbol(Symbol, From, Size, Offset, Kind);
}
extern "C" HIP_EXPORT hipError_t
hipMemcpyToSymbolAsync_spt(const void *Symbol, const void *From, size_t Size,
                           size_t Offset, hipMemcpyKind Kind, hipStream_t S) {
  return hipMemcpyToSymbolAsync(Symbol, From, Size, Offset, Kind, S);
}
extern "C" HIP_EXPORT hipError_t hipMemcpyFromSymbol_spt(void *To,
                                                         const void *Symbol,
                                                         size_t Size,
                                                         size_t Offset,
                                                         hipMemcpyKind Kind) {
  return hipMemcpyFromSymbol(To, Symbol, Size, Offset, Kind);
}
extern "C" HIP_EXPORT hipError_t
hipMemcpyFromSymbolAsync_spt(void *To, const void *Symbol, size_t Size,
                             size_t Offset, hipMemcpyKind Kind, hipStream_t S) {
  return hipMemcpyFromSymbolAsync(To, Symbol, Size, Offset, Kind, S);
}
