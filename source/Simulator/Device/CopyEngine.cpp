//===-- CopyEngine.cpp - SDMA queues --------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CopyEngine.h"
#include "PacketWords.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

using namespace wavelane;
using namespace wavelane::simulator;
using isa::Access;

namespace {
enum Operation : uint8_t {
  Nop = 0,
  Copy = 1,
  Write = 2,
  IndirectBuffer = 4,
  Fence = 5,
  Trap = 6,
  PollMemory = 8,
  ConditionalExecution = 9,
  Atomic = 10,
  ConstantFill = 11,
  PollPage = 12,
  Timestamp = 13,
  WriteRegister = 14,
  CacheRequest = 17,
};
} // namespace

// How many bytes of packets a queue processes before other queues, and
// messages, get their turn.
static constexpr uint64_t Portion = 4096;

CopyEngine::Outcome CopyEngine::refuse(Queue &Q, const std::string &Why) {
  QueueErrorEvent E = {};
  E.queue_id = Q.Id;
  E.exception = kfd::QueuePacketUnsupported;
  snprintf(E.instruction, sizeof(E.instruction), "%s", Why.c_str());
  fprintf(stderr, "wavelane-gpu: SDMA queue %u has stopped: %s\n", Q.Id,
          Why.c_str());
  Waves.failQueue(Q, E);
  return Outcome::Error;
}

CopyEngine::Outcome CopyEngine::fault(Queue &Q, uint64_t Address, bool Write) {
  // The whole packet is executed again.
  if (Retry.shouldWait(Q.Agent->Index, Address,
                       Write ? Access::Write : Access::Read))
    return Outcome::Wait;
  QueueErrorEvent E = {};
  E.queue_id = Q.Id;
  E.exception = kfd::QueueWaveMemoryViolation;
  E.address = Address;
  E.write = Write;
  Waves.failQueue(Q, E);
  OnViolation(Q, Address, Write);
  return Outcome::Error;
}

/// Where page faults are retried, finds all pages before anything is done:
/// packets are executed again from their beginning.
CopyEngine::Outcome CopyEngine::findPages(Queue &Q, uint64_t Begin,
                                          uint64_t Size, Access Kind) {
  if (!Retry.isEnabled())
    return Outcome::Done;
  isa::MemoryAccess &Seen = Memory.of(Q.Agent->Index);
  for (uint64_t At = Begin; At - Begin < Size;) {
    const isa::MemorySpan S = Seen.resolve(At, Kind);
    if (!S.Host)
      return fault(Q, At, Kind == Access::Write);
    At = S.End;
  }
  return Outcome::Done;
}

CopyEngine::Outcome CopyEngine::copy(Queue &Q, uint64_t From, uint64_t To,
                                     uint64_t Size) {
  for (const Access Kind : {Access::Read, Access::Write})
    if (const Outcome R =
            findPages(Q, Kind == Access::Read ? From : To, Size, Kind);
        R != Outcome::Done)
      return R;
  isa::MemoryAccess &Seen = Memory.of(Q.Agent->Index);
  while (Size) {
    const isa::MemorySpan In = Seen.resolve(From, Access::Read);
    const isa::MemorySpan Out = Seen.resolve(To, Access::Write);
    if (!In.Host || !Out.Host)
      return In.Host ? fault(Q, To, true) : fault(Q, From, false);
    const uint64_t Part = std::min({Size, In.End - From, Out.End - To});
    memmove(Out.Host + (To - Out.Begin), In.Host + (From - In.Begin), Part);
    OnCopy(To, From, Part);
    From += Part;
    To += Part;
    Size -= Part;
  }
  return Outcome::Done;
}

CopyEngine::Outcome CopyEngine::store(Queue &Q, uint64_t Address,
                                      const void *Data, uint64_t Size) {
  isa::MemoryAccess &Seen = Memory.of(Q.Agent->Index);
  const auto *From = static_cast<const uint8_t *>(Data);
  if (Size <= 8 && Address % Size == 0) {
    const isa::MemorySpan Out = Seen.resolve(Address, Access::Write);
    if (!Out.Host)
      return fault(Q, Address, true);
    uint8_t *To = Out.Host + (Address - Out.Begin);
    if (Size == 8) {
      uint64_t V;
      memcpy(&V, From, 8);
      __atomic_store_n(reinterpret_cast<uint64_t *>(To), V, __ATOMIC_SEQ_CST);
    } else {
      uint32_t V;
      memcpy(&V, From, 4);
      __atomic_store_n(reinterpret_cast<uint32_t *>(To), V, __ATOMIC_SEQ_CST);
    }
    return Outcome::Done;
  }
  while (Size) {
    const isa::MemorySpan Out = Seen.resolve(Address, Access::Write);
    if (!Out.Host)
      return fault(Q, Address, true);
    const uint64_t Part = std::min(Size, Out.End - Address);
    memcpy(Out.Host + (Address - Out.Begin), From, Part);
    From += Part;
    Address += Part;
    Size -= Part;
  }
  return Outcome::Done;
}

/// Copies a part of one box of elements to a part of another.
CopyEngine::Outcome CopyEngine::copyRectangle(Queue &Q, const uint32_t *W) {
  const unsigned Element = bits(W[0], 29, 3); // log2 of its size in bytes
  struct Box {
    uint64_t Address, X, Y, Z, Pitch, Slice;
  };
  auto Read = [](const uint32_t *P) {
    return Box{pairAt(P),
               bits(P[2], 0, 14),
               bits(P[2], 16, 14),
               bits(P[3], 0, 11),
               uint64_t(bits(P[3], 13, 19)) + 1,
               uint64_t(bits(P[4], 0, 28)) + 1};
  };
  const Box From = Read(W + 1), To = Read(W + 6);
  const uint64_t Columns = uint64_t(bits(W[11], 0, 14)) + 1,
                 Rows = uint64_t(bits(W[11], 16, 14)) + 1,
                 Slices = uint64_t(bits(W[12], 0, 11)) + 1;
  auto At = [Element](const Box &B, uint64_t Y, uint64_t Z) {
    return B.Address +
           ((B.X + (B.Y + Y) * B.Pitch + (B.Z + Z) * B.Slice) << Element);
  };
  for (uint64_t Z = 0; Z < Slices; ++Z)
    for (uint64_t Y = 0; Y < Rows; ++Y)
      if (const Outcome R =
              copy(Q, At(From, Y, Z), At(To, Y, Z), Columns << Element);
          R != Outcome::Done)
        return R;
  return Outcome::Done;
}

CopyEngine::Outcome CopyEngine::fill(Queue &Q, const uint32_t *W) {
  const unsigned Unit = 1u << bits(W[0], 30, 2); // size of the value: 1, 2 or 4
                                                 // bytes
  if (Unit > 4)
    return refuse(Q, "a fill with units of 8 bytes");
  uint64_t To = pairAt(W + 1);
  uint64_t Left = (uint64_t(bits(W[4], 0, 30)) | (Unit - 1)) + 1;
  if (const Outcome R = findPages(Q, To, Left, Access::Write);
      R != Outcome::Done)
    return R;
  isa::MemoryAccess &Seen = Memory.of(Q.Agent->Index);
  uint64_t Done = 0;
  while (Left) {
    const isa::MemorySpan Out = Seen.resolve(To, Access::Write);
    if (!Out.Host)
      return fault(Q, To, true);
    const uint64_t Part = std::min(Left, Out.End - To);
    uint8_t *P = Out.Host + (To - Out.Begin);
    const auto *Value = reinterpret_cast<const uint8_t *>(W + 3);
    uint8_t Pattern[8]; // from Done on
    for (unsigned I = 0; I < sizeof(Pattern); ++I)
      Pattern[I] = Value[(Done + I) % Unit];
    uint64_t I = 0;
    for (; I + sizeof(Pattern) <= Part; I += sizeof(Pattern))
      memcpy(P + I, Pattern, sizeof(Pattern));
    memcpy(P + I, Pattern, Part - I);
    OnCopy(To, 0, Part);
    To += Part;
    Left -= Part;
    Done += Part;
  }
  return Outcome::Done;
}

CopyEngine::Outcome CopyEngine::poll(Queue &Q, const uint32_t *W) {
  if (!bits(W[0], 31, 1))
    return Outcome::Done; // on a register, such as a flush of the host's path
  const uint64_t Address = pairAt(W + 1);
  const isa::MemorySpan S =
      Memory.of(Q.Agent->Index).resolve(Address & ~uint64_t(3), Access::Read);
  if (!S.Host)
    return fault(Q, Address, false);
  const uint32_t Value =
      __atomic_load_n(reinterpret_cast<uint32_t *>(
                          S.Host + ((Address & ~uint64_t(3)) - S.Begin)),
                      __ATOMIC_ACQUIRE) &
      W[4];
  return isTrue(bits(W[0], 28, 3), Value, W[3]) ? Outcome::Done : Outcome::Wait;
}

CopyEngine::Outcome CopyEngine::atomic(Queue &Q, const uint32_t *W) {
  const unsigned Operation = bits(W[0], 25, 7);
  const bool Loop = bits(W[0], 16, 1);
  const bool Wide = Operation & 0x20;
  const uint64_t Address = pairAt(W + 1);
  if (Address % (Wide ? 8 : 4))
    return refuse(Q, "an atomic operation at an unaligned address");
  const isa::MemorySpan S =
      Memory.of(Q.Agent->Index).resolve(Address, Access::Atomic);
  if (!S.Host)
    return fault(Q, Address, true);
  uint8_t *P = S.Host + (Address - S.Begin);
  switch (doAtomic(Operation, P, pairAt(W + 3), pairAt(W + 5), Loop)) {
  case AtomicResult::Done:
    return Outcome::Done;
  case AtomicResult::Again:
    return Outcome::Wait;
  case AtomicResult::Unknown:
    break;
  }
  return refuse(Q, "atomic operation " + std::to_string(Operation));
}

bool CopyEngine::word(Queue &Q, const Source &S, uint64_t At, uint32_t &Out) {
  const uint64_t Address = S.Base + At % S.Size;
  const auto *P = Memory.object<uint32_t>(Address, Access::Read);
  if (!P) {
    fault(Q, Address, false);
    return false;
  }
  Out = *P;
  return true;
}

/// The length of the packet with this header, without the data of a write.
/// \return 0 for an unknown operation.
static uint64_t countWords(uint32_t Header) {
  switch (Header & 0xff) {
  case Nop:
    return 1 + bits(Header, 16, 14);
  case Copy: {
    const bool IsRectangle = (Header >> 8 & 0xff) == 4;
    const bool IsBroadcast = bits(Header, 27, 1);
    return IsRectangle ? 13 : IsBroadcast ? 9 : 7;
  }
  case Trap:
    return 2;
  case Timestamp:
  case WriteRegister:
    return 3;
  case Write:
  case Fence:
    return 4;
  case ConstantFill:
  case ConditionalExecution:
  case CacheRequest:
    return 5;
  case IndirectBuffer:
  case PollMemory:
  case PollPage:
    return 6;
  case Atomic:
    return 8;
  default:
    return 0;
  }
}

CopyEngine::Outcome CopyEngine::packet(Queue &Q, const Source &S, uint64_t &At,
                                       unsigned Depth) {
  uint32_t W[16] = {};
  if (!word(Q, S, At, W[0]))
    return Outcome::Error;
  const unsigned Op = W[0] & 0xff, Sub = W[0] >> 8 & 0xff;
  uint64_t Words = countWords(W[0]);
  if (!Words)
    return refuse(Q, "packet with operation " + std::to_string(Op) + "." +
                         std::to_string(Sub));
  if (At + Words * 4 > S.Limit) {
    // The rest isn't written yet, but an indirect buffer is always complete.
    return Depth
               ? refuse(Q, "a packet goes past the end of its indirect buffer")
               : Outcome::Wait;
  }
  for (uint64_t I = 1; I < Words && I < 16; ++I)
    if (!word(Q, S, At + 4 * I, W[I]))
      return Outcome::Error;
  Outcome R = Outcome::Done;
  uint64_t Skip = 0;
  switch (Op) {
  case Copy:
    if (Sub == 4) {
      R = copyRectangle(Q, W);
    } else if (Sub == 0) {
      const uint64_t Size = uint64_t(bits(W[1], 0, 30)) + 1;
      R = copy(Q, pairAt(W + 3), pairAt(W + 5), Size);
      if (R == Outcome::Done && Words == 9)
        R = copy(Q, pairAt(W + 3), pairAt(W + 7), Size);
    } else {
      R = refuse(Q, "a copy of kind " + std::to_string(Sub) +
                        " (of tiled images)");
    }
    break;
  case Write: {
    Words += uint64_t(bits(W[3], 0, 20)) + 1;
    if (At + Words * 4 > S.Limit)
      return Depth ? refuse(Q,
                            "a packet goes past the end of its indirect buffer")
                   : Outcome::Wait;
    for (uint64_t I = 4; I < Words && R == Outcome::Done; ++I) {
      uint32_t Value;
      if (!word(Q, S, At + 4 * I, Value))
        return Outcome::Error;
      R = store(Q, pairAt(W + 1) + 4 * (I - 4), &Value, 4);
    }
    break;
  }
  case IndirectBuffer: {
    if (Depth)
      return refuse(Q, "an indirect buffer in an indirect buffer");
    const uint64_t Bytes = uint64_t(bits(W[3], 0, 20)) * 4;
    const Source Inner = {pairAt(W + 1), ~uint64_t(0), Bytes};
    // Continue at the packet that had to wait, if any.
    for (uint64_t &In = Q.InIndirect; In < Bytes;) {
      R = packet(Q, Inner, In, Depth + 1);
      if (R != Outcome::Done)
        return R;
    }
    Q.InIndirect = 0;
    break;
  }
  case Fence:
    R = store(Q, pairAt(W + 1), W + 3, 4);
    break;
  case Trap:
    Memory.interrupt(bits(W[1], 0, 28));
    break;
  case PollMemory:
    R = poll(Q, W);
    break;
  case ConditionalExecution: {
    const auto *P = Memory.object<uint32_t>(pairAt(W + 1), Access::Read);
    if (!P)
      return fault(Q, pairAt(W + 1), false);
    if (*P != W[3])
      Skip = bits(W[4], 0, 14);
    break;
  }
  case Atomic:
    R = atomic(Q, W);
    break;
  case ConstantFill:
    R = fill(Q, W);
    break;
  case Timestamp:
    if (Sub) {
      const uint64_t Now = Memory.timestamp();
      R = store(Q, pairAt(W + 1), &Now, 8);
    }
    break;
  }
  if (R == Outcome::Done)
    At += (Words + Skip) * 4;
  return R;
}

bool CopyEngine::runBuffer(Queue &Q, uint64_t Address, uint64_t Bytes) {
  const Source Buffer = {Address, ~uint64_t(0), Bytes};
  for (uint64_t &At = Q.InIndirect; At < Bytes;) {
    const Outcome R = packet(Q, Buffer, At, 1);
    if (R == Outcome::Wait)
      return false;
    if (R == Outcome::Error)
      break;
  }
  Q.InIndirect = 0;
  return true;
}

Scheduler::Round CopyEngine::run(Queue &Q) {
  Scheduler::Round R;
  if (Q.Failed || Q.Paused || Q.Suspended)
    return R;
  const auto *Write = Memory.object<uint64_t>(Q.WriteIndex, Access::Read);
  auto *Read = Memory.object<uint64_t>(Q.ReadIndex, Access::Atomic);
  if (!Write || !Read)
    return R;
  const uint64_t Limit = __atomic_load_n(Write, __ATOMIC_ACQUIRE);
  const uint64_t Start = *Read;
  uint64_t At = Start;
  if (Limit < At)
    return R; // the program is setting both indices
  if (Limit - At > Q.RingSize || At % 4 || Limit % 4) {
    refuse(Q, "its indices " + std::to_string(At) + " and " +
                  std::to_string(Limit) + " don't fit a ring of " +
                  std::to_string(Q.RingSize) + " bytes");
    return R;
  }
  const Source Ring = {Q.Ring, Q.RingSize, Limit};
  while (At < Limit && At - Start < Portion) {
    const Outcome O = packet(Q, Ring, At, 0);
    if (O == Outcome::Error)
      return R;
    if (O == Outcome::Wait) {
      R.Waiting = true;
      break;
    }
    R.Worked = true;
    __atomic_store_n(Read, At, __ATOMIC_RELEASE);
  }
  return R;
}
