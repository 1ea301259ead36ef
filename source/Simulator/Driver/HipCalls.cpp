//===-- HipCalls.cpp - HIP's functions, for checks ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each calls AMD's function of the same name. With checks, it reports to the
// device what the program allocates, frees, copies and fills.
//
//===----------------------------------------------------------------------===//

#include "HipFunction.h"
#include "HipStreams.h"
#include "HipVariables.h"
#include "Notes.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <set>

using namespace wavelane::driver;
using notes::Call;
using notes::MemoryNote;

#define NEXT_NOTED(...)                                                        \
  NEXT(__VA_ARGS__);                                                           \
  const Call Now

//===----------------------------------------------------------------------===//
// Notes at a stream's place
//===----------------------------------------------------------------------===//

namespace {
struct DelayedNote {
  MemoryNote Note;
  notes::Stack From;
};
} // namespace

/// Sends a note when the stream has done all so far.
static void sendLater(hipStream_t Stream, const MemoryNote &Note) {
  using Capturing = hipError_t(hipStream_t, hipStreamCaptureStatus *);
  using AddCallback =
      hipError_t(hipStream_t, hipStreamCallback_t, void *, unsigned);
  static auto *const IsCapturing =
      reinterpret_cast<Capturing *>(findHip("hipStreamIsCapturing"));
  static auto *const Add =
      reinterpret_cast<AddCallback *>(findHip("hipStreamAddCallback"));
  hipStreamCaptureStatus Status = hipStreamCaptureStatusNone;
  if (!Add || (IsCapturing && (IsCapturing(Stream, &Status) != hipSuccess ||
                               Status != hipStreamCaptureStatusNone)))
    return;
  auto What =
      std::make_unique<DelayedNote>(DelayedNote{Note, notes::callers()});
  const auto Send = [](hipStream_t, hipError_t E, void *Data) {
    const std::unique_ptr<DelayedNote> L(static_cast<DelayedNote *>(Data));
    if (E == hipSuccess)
      notes::send(L->Note, L->From);
  };
  if (Add(Stream, Send, What.get(), 0) == hipSuccess)
    (void)What.release();
}

//===----------------------------------------------------------------------===//
// Allocations
//===----------------------------------------------------------------------===//

static void allocated(const Call &Now, hipError_t E, const void *Address,
                      uint64_t Size, MemoryNote::Kind Kind) {
  if (E != hipSuccess || !Address || !Size || !Now.isNoted())
    return;
  MemoryNote N = notes::make(MemoryNote::Allocated, Address, Size);
  N.kind = Kind;
  notes::send(N, notes::callers());
}

#define ALLOCATE(NAME, KIND)                                                   \
  FACE hipError_t NAME(void **Pointer, size_t Size) {                          \
    NEXT_NOTED(void **, size_t);                                               \
    const hipError_t E = Next(Pointer, Size);                                  \
    allocated(Now, E, E ? nullptr : *Pointer, Size, MemoryNote::KIND);         \
    return E;                                                                  \
  }
ALLOCATE(hipMalloc, Device)
ALLOCATE(hipMallocHost, Host)
ALLOCATE(hipMemAllocHost, Host)
#undef ALLOCATE

#define ALLOCATE(NAME, KIND)                                                   \
  FACE hipError_t NAME(void **Pointer, size_t Size, unsigned Flags) {          \
    NEXT_NOTED(void **, size_t, unsigned);                                     \
    const hipError_t E = Next(Pointer, Size, Flags);                           \
    allocated(Now, E, E ? nullptr : *Pointer, Size, MemoryNote::KIND);         \
    return E;                                                                  \
  }
ALLOCATE(hipExtMallocWithFlags, Device)
ALLOCATE(hipMallocManaged, Managed)
ALLOCATE(hipHostMalloc, Host)
ALLOCATE(hipHostAlloc, Host)
#undef ALLOCATE

FACE hipError_t hipMallocPitch(void **Pointer, size_t *Pitch, size_t Width,
                               size_t Height) {
  NEXT_NOTED(void **, size_t *, size_t, size_t);
  const hipError_t E = Next(Pointer, Pitch, Width, Height);
  if (!E)
    allocated(Now, E, *Pointer, *Pitch * Height, MemoryNote::Device);
  return E;
}

FACE hipError_t hipMemAllocPitch(hipDeviceptr_t *Pointer, size_t *Pitch,
                                 size_t Width, size_t Height,
                                 unsigned Element) {
  NEXT_NOTED(hipDeviceptr_t *, size_t *, size_t, size_t, unsigned);
  const hipError_t E = Next(Pointer, Pitch, Width, Height, Element);
  if (!E)
    allocated(Now, E, *Pointer, *Pitch * Height, MemoryNote::Device);
  return E;
}

FACE hipError_t hipMalloc3D(hipPitchedPtr *Pointer, hipExtent Extent) {
  NEXT_NOTED(hipPitchedPtr *, hipExtent);
  const hipError_t E = Next(Pointer, Extent);
  if (!E)
    allocated(Now, E, Pointer->ptr,
              Pointer->pitch * Extent.height * Extent.depth,
              MemoryNote::Device);
  return E;
}

FACE hipError_t hipMallocAsync(void **Pointer, size_t Size,
                               hipStream_t Stream) {
  NEXT_NOTED(void **, size_t, hipStream_t);
  const hipError_t E = Next(Pointer, Size, Stream);
  allocated(Now, E, E ? nullptr : *Pointer, Size, MemoryNote::Device);
  return E;
}

FACE hipError_t hipMallocFromPoolAsync(void **Pointer, size_t Size,
                                       hipMemPool_t Pool, hipStream_t Stream) {
  NEXT_NOTED(void **, size_t, hipMemPool_t, hipStream_t);
  const hipError_t E = Next(Pointer, Size, Pool, Stream);
  allocated(Now, E, E ? nullptr : *Pointer, Size, MemoryNote::Device);
  return E;
}

/// The device's address of registered memory.
static void *onDevice(void *Pointer) {
  using Get = hipError_t(void **, void *, unsigned);
  static auto *const Find =
      reinterpret_cast<Get *>(findHip("hipHostGetDevicePointer"));
  void *Out = nullptr;
  return Find && Find(&Out, Pointer, 0) == hipSuccess && Out ? Out : Pointer;
}

FACE hipError_t hipHostRegister(void *Pointer, size_t Size, unsigned Flags) {
  NEXT_NOTED(void *, size_t, unsigned);
  const hipError_t E = Next(Pointer, Size, Flags);
  if (!E && Now.isNoted())
    allocated(Now, E, onDevice(Pointer), Size, MemoryNote::Registered);
  return E;
}

//===----------------------------------------------------------------------===//
// Frees
//===----------------------------------------------------------------------===//

static void freed(const Call &Now, hipError_t E, const void *Address,
                  MemoryNote::Kind Kind) {
  if (!Address || !Now.isNoted() ||
      (E != hipSuccess && E != hipErrorInvalidValue &&
       E != hipErrorInvalidDevicePointer))
    return;
  if (!E)
    streams::hostWaitedForAll();
  MemoryNote N =
      notes::make(E ? MemoryNote::NotFreed : MemoryNote::Freed, Address);
  N.kind = Kind;
  notes::send(N, notes::callers());
}

#define FREE(NAME, KIND)                                                       \
  FACE hipError_t NAME(void *Pointer) {                                        \
    NEXT_NOTED(void *);                                                        \
    const hipError_t E = Next(Pointer);                                        \
    freed(Now, E, Pointer, MemoryNote::KIND);                                  \
    return E;                                                                  \
  }
FREE(hipFree, Device)
FREE(hipHostFree, Host)
FREE(hipFreeHost, Host)
#undef FREE

FACE hipError_t hipFreeAsync(void *Pointer, hipStream_t Stream) {
  NEXT_NOTED(void *, hipStream_t);
  // Kernels of the stream may still use it.
  if (Pointer && Now.isNoted())
    sendLater(Stream, notes::make(MemoryNote::Freed, Pointer));
  return Next(Pointer, Stream);
}

FACE hipError_t hipHostUnregister(void *Pointer) {
  NEXT_NOTED(void *);
  void *const There = Now.isNoted() ? onDevice(Pointer) : Pointer;
  const hipError_t E = Next(Pointer);
  if (!E)
    freed(Now, E, There, MemoryNote::Registered);
  return E;
}

//===----------------------------------------------------------------------===//
// Copies and fills
//===----------------------------------------------------------------------===//

namespace {
/// Rows of bytes.
struct Area {
  uint64_t Width = 0, Rows = 1, ToPitch = 0, FromPitch = 0;
};
} // namespace

/// Makes a copy, or a fill if \a From is null.
/// \param Do Calls AMD's function.
template <typename Function>
static hipError_t copy(const Call &Now, const void *To, const void *From,
                       const Area &A, Function Do, bool IsAsync = false,
                       hipStream_t Stream = nullptr) {
  if (!Now.isNoted() || !A.Width || !A.Rows)
    return Do();
  MemoryNote N = notes::make(MemoryNote::Copies, To, A.Width);
  N.from = reinterpret_cast<uint64_t>(From);
  N.rows = A.Rows;
  N.pitch = A.ToPitch;
  N.from_pitch = A.FromPitch;
  N.queue = streams::numberOfCopy(Stream);
  notes::send(N, notes::callers());
  const hipError_t E = Do();
  if (E == hipSuccess && From && !IsAsync)
    streams::hostWaited(Stream);
  if (E != hipSuccess || !notes::followValues())
    return E;
  N.what = MemoryNote::Copied;
  N.no_order = 1;
  if (IsAsync)
    sendLater(Stream, N);
  else
    notes::send(N, notes::callers());
  return E;
}

#define COPY(NAME)                                                             \
  FACE hipError_t NAME(void *To, const void *From, size_t Size,                \
                       hipMemcpyKind Kind) {                                   \
    NEXT_NOTED(void *, const void *, size_t, hipMemcpyKind);                   \
    return copy(Now, To, From, {Size},                                         \
                [&] { return Next(To, From, Size, Kind); });                   \
  }
COPY(hipMemcpy)
COPY(hipMemcpy_spt)
#undef COPY

FACE hipError_t hipMemcpyWithStream(void *To, const void *From, size_t Size,
                                    hipMemcpyKind Kind, hipStream_t Stream) {
  NEXT_NOTED(void *, const void *, size_t, hipMemcpyKind, hipStream_t);
  return copy(
      Now, To, From, {Size}, [&] { return Next(To, From, Size, Kind, Stream); },
      /*IsAsync=*/false, Stream);
}

#define COPY(NAME)                                                             \
  FACE hipError_t NAME(void *To, const void *From, size_t Size,                \
                       hipMemcpyKind Kind, hipStream_t Stream) {               \
    NEXT_NOTED(void *, const void *, size_t, hipMemcpyKind, hipStream_t);      \
    return copy(                                                               \
        Now, To, From, {Size},                                                 \
        [&] { return Next(To, From, Size, Kind, Stream); }, /*IsAsync=*/true,  \
        Stream);                                                               \
  }
COPY(hipMemcpyAsync)
COPY(hipMemcpyAsync_spt)
#undef COPY

#define COPY(NAME)                                                             \
  FACE hipError_t NAME(void *To, void *From, size_t Size) {                    \
    NEXT_NOTED(void *, void *, size_t);                                        \
    return copy(Now, To, From, {Size}, [&] { return Next(To, From, Size); });  \
  }
COPY(hipMemcpyHtoD)
COPY(hipMemcpyDtoH)
COPY(hipMemcpyDtoD)
#undef COPY

#define COPY(NAME)                                                             \
  FACE hipError_t NAME(void *To, void *From, size_t Size,                      \
                       hipStream_t Stream) {                                   \
    NEXT_NOTED(void *, void *, size_t, hipStream_t);                           \
    return copy(                                                               \
        Now, To, From, {Size}, [&] { return Next(To, From, Size, Stream); },   \
        /*IsAsync=*/true, Stream);                                             \
  }
COPY(hipMemcpyHtoDAsync)
COPY(hipMemcpyDtoHAsync)
COPY(hipMemcpyDtoDAsync)
#undef COPY

FACE hipError_t hipMemcpyPeer(void *To, int ToDevice, const void *From,
                              int FromDevice, size_t Size) {
  NEXT_NOTED(void *, int, const void *, int, size_t);
  return copy(Now, To, From, {Size},
              [&] { return Next(To, ToDevice, From, FromDevice, Size); });
}

FACE hipError_t hipMemcpyPeerAsync(void *To, int ToDevice, const void *From,
                                   int FromDevice, size_t Size,
                                   hipStream_t Stream) {
  NEXT_NOTED(void *, int, const void *, int, size_t, hipStream_t);
  return copy(
      Now, To, From, {Size},
      [&] { return Next(To, ToDevice, From, FromDevice, Size, Stream); },
      /*IsAsync=*/true, Stream);
}

#define COPY(NAME)                                                             \
  FACE hipError_t NAME(void *To, size_t ToPitch, const void *From,             \
                       size_t FromPitch, size_t Width, size_t Height,          \
                       hipMemcpyKind Kind) {                                   \
    NEXT_NOTED(void *, size_t, const void *, size_t, size_t, size_t,           \
               hipMemcpyKind);                                                 \
    return copy(Now, To, From, {Width, Height, ToPitch, FromPitch}, [&] {      \
      return Next(To, ToPitch, From, FromPitch, Width, Height, Kind);          \
    });                                                                        \
  }
COPY(hipMemcpy2D)
COPY(hipMemcpy2D_spt)
#undef COPY

#define COPY(NAME)                                                             \
  FACE hipError_t NAME(void *To, size_t ToPitch, const void *From,             \
                       size_t FromPitch, size_t Width, size_t Height,          \
                       hipMemcpyKind Kind, hipStream_t Stream) {               \
    NEXT_NOTED(void *, size_t, const void *, size_t, size_t, size_t,           \
               hipMemcpyKind, hipStream_t);                                    \
    return copy(                                                               \
        Now, To, From, {Width, Height, ToPitch, FromPitch},                    \
        [&] {                                                                  \
          return Next(To, ToPitch, From, FromPitch, Width, Height, Kind,       \
                      Stream);                                                 \
        },                                                                     \
        /*IsAsync=*/true, Stream);                                             \
  }
COPY(hipMemcpy2DAsync)
COPY(hipMemcpy2DAsync_spt)
#undef COPY

#define FILL(NAME, VALUE, BYTES)                                               \
  FACE hipError_t NAME(void *To, VALUE Value, size_t Count) {                  \
    NEXT_NOTED(void *, VALUE, size_t);                                         \
    return copy(Now, To, nullptr, {Count * (BYTES)},                           \
                [&] { return Next(To, Value, Count); });                       \
  }
FILL(hipMemset, int, 1)
FILL(hipMemset_spt, int, 1)
FILL(hipMemsetD8, unsigned char, 1)
FILL(hipMemsetD16, unsigned short, 2)
FILL(hipMemsetD32, int, 4)
#undef FILL

#define FILL(NAME, VALUE, BYTES)                                               \
  FACE hipError_t NAME(void *To, VALUE Value, size_t Count,                    \
                       hipStream_t Stream) {                                   \
    NEXT_NOTED(void *, VALUE, size_t, hipStream_t);                            \
    return copy(                                                               \
        Now, To, nullptr, {Count * (BYTES)},                                   \
        [&] { return Next(To, Value, Count, Stream); }, /*IsAsync=*/true,      \
        Stream);                                                               \
  }
FILL(hipMemsetAsync, int, 1)
FILL(hipMemsetAsync_spt, int, 1)
FILL(hipMemsetD8Async, unsigned char, 1)
FILL(hipMemsetD16Async, unsigned short, 2)
FILL(hipMemsetD32Async, int, 4)
#undef FILL

#define FILL(NAME)                                                             \
  FACE hipError_t NAME(void *To, size_t Pitch, int Value, size_t Width,        \
                       size_t Height) {                                        \
    NEXT_NOTED(void *, size_t, int, size_t, size_t);                           \
    return copy(Now, To, nullptr, {Width, Height, Pitch},                      \
                [&] { return Next(To, Pitch, Value, Width, Height); });        \
  }
FILL(hipMemset2D)
FILL(hipMemset2D_spt)
#undef FILL

#define FILL(NAME)                                                             \
  FACE hipError_t NAME(void *To, size_t Pitch, int Value, size_t Width,        \
                       size_t Height, hipStream_t Stream) {                    \
    NEXT_NOTED(void *, size_t, int, size_t, size_t, hipStream_t);              \
    return copy(                                                               \
        Now, To, nullptr, {Width, Height, Pitch},                              \
        [&] { return Next(To, Pitch, Value, Width, Height, Stream); },         \
        /*IsAsync=*/true, Stream);                                             \
  }
FILL(hipMemset2DAsync)
FILL(hipMemset2DAsync_spt)
#undef FILL

/// The slices of a box are as rows if they follow each other.
static Area areaOf(const hipPitchedPtr &To, const hipExtent &Extent) {
  if (Extent.depth > 1 && To.ysize && To.ysize != Extent.height)
    return {}; // not reported
  return {Extent.width, Extent.height * Extent.depth, To.pitch};
}

FACE hipError_t hipMemset3D(hipPitchedPtr To, int Value, hipExtent Extent) {
  NEXT_NOTED(hipPitchedPtr, int, hipExtent);
  return copy(Now, To.ptr, nullptr, areaOf(To, Extent),
              [&] { return Next(To, Value, Extent); });
}

FACE hipError_t hipMemset3DAsync(hipPitchedPtr To, int Value, hipExtent Extent,
                                 hipStream_t Stream) {
  NEXT_NOTED(hipPitchedPtr, int, hipExtent, hipStream_t);
  return copy(
      Now, To.ptr, nullptr, areaOf(To, Extent),
      [&] { return Next(To, Value, Extent, Stream); }, /*IsAsync=*/true,
      Stream);
}

/// A copy of a box between pitched memory that follows in one piece.
static Area areaOf(const hipMemcpy3DParms &P, const void *&To,
                   const void *&From) {
  if (P.srcArray || P.dstArray || !P.srcPtr.ptr || !P.dstPtr.ptr)
    return {};
  const auto Follows = [&](const hipPitchedPtr &Side) {
    return P.extent.depth <= 1 || Side.ysize == P.extent.height;
  };
  if (!Follows(P.srcPtr) || !Follows(P.dstPtr))
    return {};
  const auto Begin = [](const hipPitchedPtr &Side, const hipPos &At) {
    return static_cast<const char *>(Side.ptr) + At.x +
           Side.pitch * (At.y + Side.ysize * At.z);
  };
  To = Begin(P.dstPtr, P.dstPos);
  From = Begin(P.srcPtr, P.srcPos);
  return {P.extent.width, P.extent.height * P.extent.depth, P.dstPtr.pitch,
          P.srcPtr.pitch};
}

FACE hipError_t hipMemcpy3D(const hipMemcpy3DParms *P) {
  NEXT_NOTED(const hipMemcpy3DParms *);
  const void *To = nullptr, *From = nullptr;
  const Area A = P ? areaOf(*P, To, From) : Area();
  return copy(Now, To, From, A, [&] { return Next(P); });
}

FACE hipError_t hipMemcpy3DAsync(const hipMemcpy3DParms *P,
                                 hipStream_t Stream) {
  NEXT_NOTED(const hipMemcpy3DParms *, hipStream_t);
  const void *To = nullptr, *From = nullptr;
  const Area A = P ? areaOf(*P, To, From) : Area();
  return copy(
      Now, To, From, A, [&] { return Next(P, Stream); }, /*IsAsync=*/true,
      Stream);
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

/// Where a variable is on the thread's device.
static char *addressOf(const void *Symbol, uint64_t &Size) {
  using GetAddress = hipError_t(void **, const void *);
  using GetSize = hipError_t(size_t *, const void *);
  static auto *const Address =
      reinterpret_cast<GetAddress *>(findHip("hipGetSymbolAddress"));
  static auto *const SizeOf =
      reinterpret_cast<GetSize *>(findHip("hipGetSymbolSize"));
  void *At = nullptr;
  return Address && SizeOf && Address(&At, Symbol) == hipSuccess &&
                 SizeOf(&Size, Symbol) == hipSuccess
             ? static_cast<char *>(At)
             : nullptr;
}

/// Makes a copy between a part of a variable and \a Other.
template <typename Function>
static hipError_t copySymbol(const Call &Now, const void *Symbol,
                             const void *Other, uint64_t Size, uint64_t Offset,
                             bool IsWritten, Function Do, bool IsAsync = false,
                             hipStream_t Stream = nullptr) {
  uint64_t Whole = 0;
  char *const There = Now.isNoted() ? addressOf(Symbol, Whole) : nullptr;
  if (!There)
    return Do();
  MemoryNote N = notes::make(MemoryNote::Variable, There, Whole);
  N.kind =
      variables::isConstant(Symbol) ? MemoryNote::Constant : MemoryNote::Device;
  notes::send(N, {});
  const void *const Part = There + Offset;
  return copy(Now, IsWritten ? Part : Other, IsWritten ? Other : Part, {Size},
              Do, IsAsync, Stream);
}

FACE hipError_t hipMemcpyToSymbol(const void *Symbol, const void *From,
                                  size_t Size, size_t Offset,
                                  hipMemcpyKind Kind) {
  NEXT_NOTED(const void *, const void *, size_t, size_t, hipMemcpyKind);
  return copySymbol(Now, Symbol, From, Size, Offset, /*IsWritten=*/true,
                    [&] { return Next(Symbol, From, Size, Offset, Kind); });
}

FACE hipError_t hipMemcpyToSymbolAsync(const void *Symbol, const void *From,
                                       size_t Size, size_t Offset,
                                       hipMemcpyKind Kind, hipStream_t Stream) {
  NEXT_NOTED(const void *, const void *, size_t, size_t, hipMemcpyKind,
             hipStream_t);
  return copySymbol(
      Now, Symbol, From, Size, Offset, /*IsWritten=*/true,
      [&] { return Next(Symbol, From, Size, Offset, Kind, Stream); },
      /*IsAsync=*/true, Stream);
}

FACE hipError_t hipMemcpyFromSymbol(void *To, const void *Symbol, size_t Size,
                                    size_t Offset, hipMemcpyKind Kind) {
  NEXT_NOTED(void *, const void *, size_t, size_t, hipMemcpyKind);
  return copySymbol(Now, Symbol, To, Size, Offset, /*IsWritten=*/false,
                    [&] { return Next(To, Symbol, Size, Offset, Kind); });
}

FACE hipError_t hipMemcpyFromSymbolAsync(void *To, const void *Symbol,
                                         size_t Size, size_t Offset,
                                         hipMemcpyKind Kind,
                                         hipStream_t Stream) {
  NEXT_NOTED(void *, const void *, size_t, size_t, hipMemcpyKind, hipStream_t);
  return copySymbol(
      Now, Symbol, To, Size, Offset, /*IsWritten=*/false,
      [&] { return Next(To, Symbol, Size, Offset, Kind, Stream); },
      /*IsAsync=*/true, Stream);
}

namespace {
struct Constants {
  std::mutex Lock;
  std::vector<const void *> All;
  std::set<std::pair<int, const void *>> Noted; ///< by device
};
} // namespace

static Constants &constants() {
  // Never destroyed: other libraries' destructors launch kernels.
  static auto *const Of = new Constants;
  return *Of;
}

bool variables::isConstant(const void *Symbol) {
  Constants &C = constants();
  std::lock_guard<std::mutex> Guard(C.Lock);
  return std::find(C.All.begin(), C.All.end(), Symbol) != C.All.end();
}

void variables::noteConstants() {
  using GetDevice = hipError_t(int *);
  static auto *const Get =
      reinterpret_cast<GetDevice *>(findHip("hipGetDevice"));
  int Device = 0;
  Constants &C = constants();
  std::vector<const void *> New;
  {
    std::lock_guard<std::mutex> Guard(C.Lock);
    if (C.All.empty() || !Get || Get(&Device) != hipSuccess)
      return;
    for (const void *Symbol : C.All)
      if (C.Noted.insert({Device, Symbol}).second)
        New.push_back(Symbol);
  }
  for (const void *Symbol : New) {
    uint64_t Size = 0;
    const void *const There = addressOf(Symbol, Size);
    if (!There)
      continue;
    MemoryNote N = notes::make(MemoryNote::Variable, There, Size);
    N.kind = MemoryNote::Constant;
    notes::send(N, {});
  }
}

/// What clang has programs call for each variable.
FACE void __hipRegisterVar(void **Modules, void *Var, char *Host, char *Device,
                           int IsExternal, size_t Size, int IsConstant,
                           int IsGlobal) {
  using Register = void(void **, void *, char *, char *, int, size_t, int, int);
  static auto *const Next = reinterpret_cast<Register *>(findHip(__func__));
  if (Next)
    Next(Modules, Var, Host, Device, IsExternal, Size, IsConstant, IsGlobal);
  if (!IsConstant)
    return;
  Constants &C = constants();
  std::lock_guard<std::mutex> Guard(C.Lock);
  C.All.push_back(Var);
}
