//===-- HsaCalls.cpp - HSA's functions, for checks ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program's own allocations are reported; those of HIP belong to a call of
// HIP. With checks, memory is kept for a while after it is freed, so that its
// addresses aren't used again at once.
//
//===----------------------------------------------------------------------===//

#include "Notes.h"

#include <deque>
#include <map>
#include <mutex>
#include <utility>

using namespace wavelane::driver;
using notes::Call;
using notes::MemoryNote;

#define FACE extern "C" __attribute__((visibility("default")))

// <hsa.h>; a program may be built with another version.
using Status = int;
static constexpr Status Success = 0, Error = 0x1000, InvalidArgument = 0x1001,
                        OutOfResources = 0x1008;
struct Handle {
  uint64_t Value;
};

#define NEXT(NAME, ...)                                                        \
  static auto *const Next = reinterpret_cast<Status (*)(__VA_ARGS__)>(         \
      notes::find("libhsa-runtime64.so", #NAME));                              \
  if (!Next)                                                                   \
  return Error

namespace {

/// Memory that was freed, and isn't yet.
class DelayedFrees {
public:
  using Free = Status(void *);

  void allocated(void *Address, uint64_t Size) {
    std::lock_guard<std::mutex> Guard(Lock);
    Sizes[Address] = Size;
  }
  /// \return false if it is for the caller to free.
  bool take(void *Address, Free *By, bool &IsDouble) {
    std::vector<Block> Old;
    {
      std::lock_guard<std::mutex> Guard(Lock);
      for (const Block &B : Blocks)
        if (B.Address == Address) {
          IsDouble = true;
          return true;
        }
      auto It = Sizes.find(Address);
      if (It == Sizes.end())
        return false;
      Blocks.push_back({Address, It->second, By});
      Bytes += It->second;
      Sizes.erase(It);
      Old = takeOldest(MaxBytes);
    }
    for (const Block &B : Old)
      B.By(B.Address);
    return true;
  }
  /// \return false if there was none.
  bool freeAll() {
    std::vector<Block> Old;
    {
      std::lock_guard<std::mutex> Guard(Lock);
      Old = takeOldest(0);
    }
    for (const Block &B : Old)
      B.By(B.Address);
    return !Old.empty();
  }

private:
  struct Block {
    void *Address;
    uint64_t Size;
    Free *By;
  };
  static constexpr uint64_t MaxBytes = uint64_t(128) << 20;
  std::vector<Block> takeOldest(uint64_t Limit) {
    std::vector<Block> Out;
    while (Bytes > Limit || (Limit == 0 && !Blocks.empty())) {
      Bytes -= Blocks.front().Size;
      Out.push_back(Blocks.front());
      Blocks.pop_front();
    }
    return Out;
  }

  std::mutex Lock;
  std::map<void *, uint64_t> Sizes; ///< of live memory
  std::deque<Block> Blocks;
  uint64_t Bytes = 0;
};

DelayedFrees &resting() {
  // Never destroyed: other libraries' destructors free memory.
  static auto *const Of = new DelayedFrees;
  return *Of;
}

} // namespace

static bool isHip(const void *Caller) {
  return Call::isInside() || notes::isIn("libamdhip64.so", Caller) ||
         notes::isIn("libhsa-runtime64.so", Caller);
}

template <typename Function>
static Status allocate(void **Pointer, size_t Size, const void *Caller,
                       Function Do) {
  Status S = Do();
  if (S == OutOfResources && notes::areWanted() && resting().freeAll())
    S = Do();
  if (S != Success || !notes::areWanted())
    return S;
  resting().allocated(*Pointer, Size);
  if (isHip(Caller))
    return S;
  MemoryNote N = notes::make(MemoryNote::Allocated, *Pointer, Size);
  N.kind = MemoryNote::AsPages;
  notes::send(N, notes::callers());
  return S;
}

static Status release(void *Pointer, const void *Caller,
                      DelayedFrees::Free *Next) {
  if (!Pointer || !notes::areWanted())
    return Next(Pointer);
  bool IsDouble = false;
  Status S = resting().take(Pointer, Next, IsDouble) ? Success : Next(Pointer);
  if (IsDouble)
    S = InvalidArgument;
  if (isHip(Caller))
    return S;
  MemoryNote N =
      notes::make(S ? MemoryNote::NotFreed : MemoryNote::Freed, Pointer);
  N.kind = MemoryNote::AsPages;
  notes::send(N, notes::callers());
  return S;
}

FACE Status hsa_amd_memory_pool_allocate(Handle Pool, size_t Size,
                                         uint32_t Flags, void **Pointer) {
  NEXT(hsa_amd_memory_pool_allocate, Handle, size_t, uint32_t, void **);
  return allocate(Pointer, Size, __builtin_return_address(0),
                  [&] { return Next(Pool, Size, Flags, Pointer); });
}

FACE Status hsa_memory_allocate(Handle Region, size_t Size, void **Pointer) {
  NEXT(hsa_memory_allocate, Handle, size_t, void **);
  return allocate(Pointer, Size, __builtin_return_address(0),
                  [&] { return Next(Region, Size, Pointer); });
}

FACE Status hsa_amd_memory_pool_free(void *Pointer) {
  NEXT(hsa_amd_memory_pool_free, void *);
  return release(Pointer, __builtin_return_address(0), Next);
}

FACE Status hsa_memory_free(void *Pointer) {
  NEXT(hsa_memory_free, void *);
  return release(Pointer, __builtin_return_address(0), Next);
}

static void copies(MemoryNote::What What, void *To, const void *From,
                   size_t Size) {
  MemoryNote N = notes::make(What, To, Size);
  N.from = reinterpret_cast<uint64_t>(From);
  notes::send(N, notes::callers());
}

FACE Status hsa_memory_copy(void *To, const void *From, size_t Size) {
  NEXT(hsa_memory_copy, void *, const void *, size_t);
  const bool IsNoted =
      Size && notes::areWanted() && !isHip(__builtin_return_address(0));
  if (IsNoted)
    copies(MemoryNote::Copies, To, From, Size);
  const Status S = Next(To, From, Size);
  if (IsNoted && S == Success && notes::followValues())
    copies(MemoryNote::Copied, To, From, Size);
  return S;
}

FACE Status hsa_amd_memory_fill(void *To, uint32_t Value, size_t Count) {
  NEXT(hsa_amd_memory_fill, void *, uint32_t, size_t);
  const bool IsNoted =
      Count && notes::areWanted() && !isHip(__builtin_return_address(0));
  if (IsNoted)
    copies(MemoryNote::Copies, To, nullptr, Count * 4);
  const Status S = Next(To, Value, Count);
  if (IsNoted && S == Success && notes::followValues())
    copies(MemoryNote::Copied, To, nullptr, Count * 4);
  return S;
}
