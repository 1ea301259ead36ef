//===-- Gem.cpp - DRM's buffers -------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Gem.h"
#include "Sharing.h"
#include "UserMemory.h"

#include "Simulator/Common/Agent.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>

using namespace wavelane;
using namespace wavelane::driver;
using namespace wavelane::simulator;

namespace {

/// _IOC_NR of DRM's ioctls.
enum Number : unsigned {
  Close = 0x09,
  HandleToDescriptor = 0x2d,
  DescriptorToHandle = 0x2e,
  Create = 0x40,
  Map = 0x41,
  Metadata = 0x46,
  WaitIdle = 0x47,
  Va = 0x48,
  Operation = 0x50,
};

struct HandleArguments {
  uint32_t Handle, Flags;
};
struct DescriptorArguments {
  uint32_t Handle, Flags;
  int32_t Fd;
};
union CreateArguments {
  struct {
    uint64_t Size, Alignment, Domains, DomainFlags;
  } In;
  uint32_t OutHandle;
};
union MapArguments {
  uint32_t Handle;
  uint64_t OutOffset;
};
struct MetadataArguments {
  uint32_t Handle, Op; ///< 1: set, 2: get
  uint64_t Flags, Tiling;
  uint32_t Size;
  uint8_t Data[256];
};
union WaitArguments {
  struct {
    uint32_t Handle, Flags;
    uint64_t Timeout;
  } In;
  uint32_t OutStatus, OutDomain;
};
struct OperationArguments {
  uint32_t Handle, Op; ///< 0: what it was created with
  uint64_t Value;
};
struct VaArguments {
  uint32_t Handle, Pad;
  uint32_t Op; ///< 1: map, 2: unmap, 3: clear, 4: replace
  uint32_t Flags;
  uint64_t Address, Offset, Size;
};
enum VaFlags : uint32_t { VaRead = 2, VaWrite = 4, VaExecute = 8 };
enum Domain : uint64_t { DomainGtt = 2, DomainVram = 4 };

template <typename T> T &as(void *Argument) {
  return *static_cast<T *>(Argument);
}

} // namespace

Gem::Buffer *Gem::find(uint32_t Handle) {
  auto It = Buffers.find(Handle);
  return It == Buffers.end() ? nullptr : &It->second;
}

const Gem::Buffer *Gem::find(uint32_t Handle) const {
  return const_cast<Gem *>(this)->find(Handle);
}

std::optional<int> Gem::call(unsigned Gpu, unsigned Number, void *Argument) {
  std::lock_guard<std::mutex> Guard(Lock);
  switch (Number) {
  case Create:
    return create(Gpu, Argument);
  case Close:
    return close(Argument);
  case Map:
    return offset(Argument);
  case Metadata:
    return metadata(Argument);
  case WaitIdle:
    // No job of DRM's uses buffers.
    as<WaitArguments>(Argument).In = {};
    return 0;
  case Va:
    return map(Gpu, Argument);
  case Operation:
    return info(Argument);
  case HandleToDescriptor:
    return toDescriptor(Argument);
  case DescriptorToHandle:
    return fromDescriptor(Gpu, Argument);
  default:
    return std::nullopt;
  }
}

int Gem::create(unsigned Gpu, void *Argument) {
  auto &A = as<CreateArguments>(Argument);
  if (!(A.In.Domains & (DomainGtt | DomainVram)))
    return -EINVAL;
  kfd::AllocMemoryArguments Alloc = {};
  Alloc.size = (A.In.Size + PageSize - 1) / PageSize * PageSize;
  Alloc.gpu_id = AgentId + Gpu;
  Alloc.flags = kfd::AllocWritable | kfd::AllocExecutable |
                (A.In.Domains & DomainVram ? kfd::AllocVram : kfd::AllocGtt);
  if (const int Error =
          Ask(kfd::Call::AllocMemoryOfGpu, &Alloc, sizeof(Alloc), nullptr, 0))
    return Error;
  Buffer B;
  B.Handle = Alloc.handle;
  B.Offset = Alloc.mmap_offset;
  B.Size = Alloc.size;
  B.Domains = A.In.Domains;
  B.DomainFlags = A.In.DomainFlags;
  Buffers[NextHandle] = B;
  A.OutHandle = NextHandle++;
  return 0;
}

int Gem::close(void *Argument) {
  const uint32_t Handle = as<HandleArguments>(Argument).Handle;
  const Buffer *B = find(Handle);
  if (!B)
    return -EINVAL;
  for (auto It = Mappings.begin(); It != Mappings.end();) {
    auto &Gpus = It->second.Gpus;
    const size_t Before = Gpus.size();
    for (auto Use = Gpus.begin(); Use != Gpus.end();)
      Use = Use->second.Buffer == Handle ? Gpus.erase(Use) : std::next(Use);
    if (Gpus.size() != Before)
      setMapping(It->first, It->second);
    It = Gpus.empty() ? Mappings.erase(It) : std::next(It);
  }
  kfd::FreeMemoryArguments Free = {B->Handle};
  const int Result =
      Ask(kfd::Call::FreeMemoryOfGpu, &Free, sizeof(Free), nullptr, 0);
  if (Result == 0)
    Shares.freed(B->Handle);
  Buffers.erase(Handle);
  return Result;
}

int Gem::offset(void *Argument) const {
  auto &A = as<MapArguments>(Argument);
  const Buffer *B = find(A.Handle);
  if (!B)
    return -ENOENT;
  A.OutOffset = B->Offset;
  return 0;
}

int Gem::metadata(void *Argument) {
  auto &A = as<MetadataArguments>(Argument);
  Buffer *B = find(A.Handle);
  if (!B)
    return -ENOENT;
  if (A.Op == 1) {
    if (A.Size > sizeof(B->Metadata))
      return -EINVAL;
    B->Tiling = A.Tiling;
    B->MetadataSize = A.Size;
    memcpy(B->Metadata, A.Data, A.Size);
    return Shares.setMetadata(B->Handle, A.Tiling, A.Data, A.Size);
  }
  if (A.Op != 2)
    return -EINVAL;
  A.Flags = 0;
  A.Tiling = B->Tiling;
  A.Size = B->MetadataSize;
  memcpy(A.Data, B->Metadata, B->MetadataSize);
  return 0;
}

int Gem::info(void *Argument) const {
  const auto &A = as<OperationArguments>(Argument);
  const Buffer *B = find(A.Handle);
  if (!B)
    return -ENOENT;
  if (A.Op != 0 || !A.Value)
    return -EINVAL;
  CreateArguments Out = {};
  Out.In = {B->Size, PageSize, B->Domains, B->DomainFlags};
  return copyToUser(A.Value, &Out, sizeof(Out)) ? 0 : -EFAULT;
}

int Gem::setMapping(uint64_t Address, const Mapping &M) {
  struct {
    simulator::driver::SvmMapping Where;
    simulator::driver::Segment Part;
  } All = {{Address, M.Size, 0, 0, 0, 0}, {M.Offset, M.Size}};
  for (const auto &[Gpu, Use] : M.Gpus) {
    All.Where.gpus |= uint64_t(1) << Gpu;
    All.Where.access |= Use.Access;
    if (Use.Access & PageWrite)
      All.Where.writers |= uint64_t(1) << Gpu;
  }
  return Ask(kfd::Call::Svm, &All.Where, sizeof(All.Where), &All.Part,
             M.Gpus.empty() ? 0 : sizeof(All.Part));
}

int Gem::map(unsigned Gpu, void *Argument) {
  const auto &A = as<VaArguments>(Argument);
  const uint64_t Size = (A.Size + PageSize - 1) / PageSize * PageSize;
  auto It = Mappings.find(A.Address);
  if (A.Op == 2 || A.Op == 3) {
    if (It == Mappings.end() || !It->second.Gpus.erase(Gpu))
      return A.Op == 3 ? 0 : -ENOENT;
    const int Result = setMapping(A.Address, It->second);
    if (It->second.Gpus.empty())
      Mappings.erase(It);
    return Result;
  }
  const Buffer *B = find(A.Handle);
  if (!B)
    return -ENOENT;
  if ((A.Op != 1 && A.Op != 4) || !Size || A.Address % PageSize ||
      A.Offset % PageSize || A.Offset > B->Size || Size > B->Size - A.Offset)
    return -EINVAL;
  // Several GPUs can have the same part at the same address.
  Mapping M = {Size, B->Offset + A.Offset, {}};
  if (It != Mappings.end() && It->second.Offset == M.Offset &&
      It->second.Size == M.Size)
    M = It->second;
  M.Gpus[Gpu] = {A.Handle, (A.Flags & VaRead ? PageRead : 0u) |
                               (A.Flags & VaWrite ? PageWrite : 0u) |
                               (A.Flags & VaExecute ? PageExecute : 0u)};
  const int Result = setMapping(A.Address, M);
  if (Result == 0)
    Mappings[A.Address] = M;
  return Result;
}

int Gem::toDescriptor(void *Argument) {
  auto &A = as<DescriptorArguments>(Argument);
  const Buffer *B = find(A.Handle);
  if (!B)
    return -ENOENT;
  kfd::ExportDmabufArguments Export = {B->Handle, A.Flags, 0};
  const int Result = Shares.exportBuffer(Export);
  A.Fd = int32_t(Export.dmabuf_fd);
  return Result;
}

int Gem::fromDescriptor(unsigned Gpu, void *Argument) {
  auto &A = as<DescriptorArguments>(Argument);
  const std::optional<Exported> E = Sharing::find(A.Fd);
  if (!E)
    return -EINVAL;
  kfd::IpcImportArguments Import = {};
  Import.gpu_id = AgentId + Gpu;
  if (const int Error = Shares.import(*E, A.Fd, Import))
    return Error;
  Buffer B;
  B.Handle = Import.handle;
  B.Offset = Import.mmap_offset;
  B.Size = E->object.size;
  B.Domains = E->object.flags & kfd::AllocVram ? DomainVram : DomainGtt;
  B.Tiling = E->tiling;
  B.MetadataSize = std::min<uint32_t>(E->metadata_size, sizeof(B.Metadata));
  memcpy(B.Metadata, E->metadata, B.MetadataSize);
  Buffers[NextHandle] = B;
  A.Handle = NextHandle++;
  return 0;
}
