//===-- ProgramMemory.cpp -------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ProgramMemory.h"

#include <algorithm>
#include <cstring>
#include <utility>

using namespace wavelane::check;
using wavelane::simulator::MemoryNote;

static Allocation::Kind allocationKind(uint32_t Kind, bool IsVideo) {
  switch (Kind) {
  case MemoryNote::Device:
    return Allocation::Device;
  case MemoryNote::Host:
    return Allocation::Host;
  case MemoryNote::Managed:
    return Allocation::Managed;
  case MemoryNote::Registered:
    return Allocation::Registered;
  case MemoryNote::AsPages:
    return IsVideo ? Allocation::Device : Allocation::Host;
  default:
    return Allocation::Internal;
  }
}

/// Whether the bytes of \a N don't go beyond the last address.
static bool isRange(const MemoryNote &N) {
  return N.size && N.address + N.size >= N.address;
}

bool ProgramMemory::note(llvm::ArrayRef<uint8_t> Message) {
  MemoryNote N;
  if (Message.size() < sizeof(N))
    return false;
  memcpy(&N, Message.data(), sizeof(N));
  Stack From = readStack(Message.drop_front(sizeof(N)));
  Names.seeHost(From);
  switch (N.what) {
  case MemoryNote::Allocated:
    return allocated(N, std::move(From));
  case MemoryNote::Freed:
    freed(N, std::move(From));
    return true;
  case MemoryNote::Variable:
    if (!isRange(N))
      return false;
    if (Checks.Memory)
      Checks.Memory->variable(N.address, N.size,
                              N.kind == MemoryNote::Constant);
    return true;
  case MemoryNote::Ends:
    OnEnd();
    return true;
  case MemoryNote::NotFreed:
    if (Checks.Memory)
      Checks.Memory->mistake({HostMistake::NotFreed, N.address, 0, 0,
                              N.kind == MemoryNote::Host, std::move(From)});
    return true;
  case MemoryNote::NotCopied:
    notCopied(N, std::move(From));
    return true;
  case MemoryNote::AllocatedInStream:
  case MemoryNote::FreedInStream:
    if (Checks.Races) {
      const AllocationRef Block = Memory.findLive(N.address);
      CopyInfo Info;
      Info.Does = N.what == MemoryNote::FreedInStream ? CopyInfo::Frees
                                                      : CopyInfo::Allocates;
      Info.To = N.address;
      Info.Size = Block && Block->Address == N.address ? Block->Size : 0;
      Info.Queue = N.queue;
      Info.HostStack = std::move(From);
      if (Info.Size)
        Checks.Races->copied(Info);
    }
    return true;
  case MemoryNote::Copied:
  case MemoryNote::Copies:
    return copied(N, std::move(From));
  default:
    return false;
  }
}

bool ProgramMemory::allocated(const MemoryNote &N, Stack From) {
  if (!isRange(N))
    return false;
  const AllocationRef Block = Memory.add(
      N.address, N.size, allocationKind(N.kind, InVideo.count(N.address)),
      std::move(From));
  for (const auto &C : Checks.All)
    C->allocated(Block);
  if (Checks.Races)
    followHost(*Block);
  return true;
}

void ProgramMemory::freed(const MemoryNote &N, Stack From) {
  if (Checks.Memory)
    Checks.Memory->frees(N.address,
                         N.kind == MemoryNote::AsPages
                             ? std::optional<bool>()
                             : N.kind == MemoryNote::Host,
                         From);
  // AMD's runtime also frees by an address inside.
  uint64_t Address = N.address;
  if (const AllocationRef Block = Memory.findLive(Address);
      Block && Block->What != Allocation::Internal)
    Address = Block->Address;
  if (const AllocationRef Block = Memory.remove(Address, std::move(From)))
    for (const auto &C : Checks.All)
      C->freed(Block);
}

void ProgramMemory::notCopied(const MemoryNote &N, Stack From) {
  if (!Checks.Memory)
    return;
  const uint64_t Size =
      N.rows > 1 ? (N.rows - 1) * std::max(N.pitch, N.from_pitch) + N.size
                 : N.size;
  Checks.Memory->mistake({HostMistake::NotCopied, N.address, N.from, Size,
                          false, std::move(From)});
}

bool ProgramMemory::copied(const MemoryNote &N, Stack From) {
  // Checks look at each byte: no program copies as much at once.
  constexpr uint64_t MostCopied = uint64_t(16) << 30, MostRows = 1 << 24;
  if (N.rows > MostRows || N.size > MostCopied / std::max<uint64_t>(N.rows, 1))
    return false;
  CopyInfo Copy;
  Copy.To = N.address;
  Copy.From = N.from;
  Copy.Size = N.size;
  Copy.Rows = N.rows;
  Copy.ToPitch = N.pitch;
  Copy.FromPitch = N.from_pitch;
  Copy.Queue = N.queue;
  Copy.HostStack = std::move(From);
  if (N.what == MemoryNote::Copies) {
    if (Checks.Memory)
      Checks.Memory->willCopy(Copy);
    if (Checks.Races && N.queue)
      Checks.Races->copied(Copy);
    return true;
  }
  for (const auto &C : Checks.All)
    if (!N.no_order || C.get() != Checks.Races)
      C->copied(Copy);
  return true;
}

bool ProgramMemory::noteOrder(const simulator::OrderNote &N) {
  return !Checks.Races || Checks.Races->ordered(N);
}

void ProgramMemory::pagesMapped(uint64_t Address, uint64_t Size, bool IsVideo) {
  if (IsVideo)
    InVideo.insert(Address);
  // Pages of what the program has reported can be mapped again.
  if (const AllocationRef Known = Memory.findLive(Address);
      Known && Known->What != Allocation::Internal)
    return;
  const AllocationRef Block =
      Memory.add(Address, Size, Allocation::Internal, {});
  for (const auto &C : Checks.All)
    C->allocated(Block);
}

void ProgramMemory::pagesUnmapped(uint64_t Address) {
  InVideo.erase(Address);
  const AllocationRef Block = Memory.findLive(Address);
  if (!Block || Block->Address != Address ||
      Block->What != Allocation::Internal)
    return;
  Memory.remove(Address, {});
  for (const auto &C : Checks.All)
    C->freed(Block);
}

void ProgramMemory::moved(uint64_t To, uint64_t From, uint64_t Size) {
  for (const auto &C : Checks.All)
    C->moved(To, From, Size);
}

/// The host may access memory that kernels access, too.
void ProgramMemory::followHost(const Allocation &Block) {
  const bool IsWatched =
      Block.What == Allocation::Host || Block.What == Allocation::Managed;
  if (IsWatched && SeesHost.value_or(false)) {
    Checks.Races->followHost();
    if (OnHostMemory)
      OnHostMemory(Block.Address, Block.Size);
  } else if (IsWatched || Block.What == Allocation::Registered) {
    Reports.notChecked(
        "races with what the host itself does in " +
        std::string(IsWatched ? "managed and pinned" : "registered") +
        " memory" +
        (!IsWatched ? ""
         : SeesHost ? ", since the system doesn't allow userfaultfd to "
                      "this user (vm.unprivileged_userfaultfd)"
                    : ", with AMD's runtime"));
  }
}

void ProgramMemory::hostAccessed(uint64_t Address, bool Writes, uint64_t PC,
                                 uint64_t SP) {
  if (!Checks.Races || !Checks.Races->concernsHost(Address))
    return;
  Stack From = Names.hostStack(PC, SP);
  if (!From.empty())
    Checks.Races->hostAccessed(Address, Writes, std::move(From));
}
