//===-- Pm4.cpp - PM4 packets ---------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Pm4.h"
#include "PacketWords.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

using namespace wavelane;
using namespace wavelane::simulator;
using isa::Access;

namespace {
enum Opcode : uint8_t {
  NopPacket = 0x10,
  ClearState = 0x12,
  DispatchDirect = 0x15,
  AtomicMemory = 0x1e,
  ContextControl = 0x28,
  WriteData = 0x37,
  WaitRegisterMemory = 0x3c,
  IndirectBufferPacket = 0x3f,
  CopyData = 0x40,
  EventWrite = 0x46,
  ReleaseMemory = 0x49,
  AcquireMemory = 0x58,
  SetContextRegister = 0x69,
  SetShaderRegister = 0x76,
  SetShaderRegisterIndex = 0x9b,
  SetConfigRegister = 0x79,
  SetConfigRegisterIndex = 0x7a,
};
} // namespace

/// In Queue::InIndirect: an indirect buffer is being processed.
static constexpr uint64_t InnerFlag = uint64_t(1) << 63;

bool Pm4::store(uint64_t Address, uint64_t Value, bool Wide, std::string &Why) {
  if (Wide) {
    if (auto *P = Memory.object<uint64_t>(Address, Access::Write)) {
      __atomic_store_n(P, Value, __ATOMIC_SEQ_CST);
      return true;
    }
  } else if (auto *P = Memory.object<uint32_t>(Address, Access::Write)) {
    __atomic_store_n(P, uint32_t(Value), __ATOMIC_SEQ_CST);
    return true;
  }
  char Text[64];
  snprintf(Text, sizeof(Text), "memory at 0x%llx can't be written",
           static_cast<unsigned long long>(Address));
  Why = Text;
  return false;
}

Pm4::Outcome Pm4::releaseMemory(const uint32_t *W, std::string &Why) {
  const unsigned Interrupt = bits(W[1], 24, 3), Data = bits(W[1], 29, 3);
  const uint64_t Address = pairAt(W + 2);
  bool Good = true;
  switch (Data) {
  case 0:
    break;
  case 1:
    Good = store(Address, W[4], false, Why);
    break;
  case 2:
    Good = store(Address, pairAt(W + 4), true, Why);
    break;
  default:
    Good = store(Address, Memory.timestamp(), true, Why);
    break;
  }
  if (Good && (Interrupt == 1 || Interrupt == 2))
    Memory.interrupt(W[6] & 0xffffff);
  return Good ? Outcome::Done : Outcome::Error;
}

Pm4::Outcome Pm4::writeData(const uint32_t *W, unsigned Count,
                            std::string &Why) {
  const unsigned To = bits(W[0], 8, 4);
  if (To != 5 && To != 2 && To != 1)
    return Outcome::Done; // registers don't exist
  const bool SameAddress = bits(W[0], 16, 1);
  const uint64_t Address = pairAt(W + 1);
  for (unsigned I = 3; I < Count; ++I)
    if (!store(Address + (SameAddress ? 0 : 4 * (I - 3)), W[I], false, Why))
      return Outcome::Error;
  return Outcome::Done;
}

Pm4::Outcome Pm4::copyData(const uint32_t *W, std::string &Why) {
  const unsigned From = bits(W[0], 0, 4), To = bits(W[0], 8, 4);
  const bool Wide = bits(W[0], 16, 1);
  uint64_t Value = 0;
  switch (From) {
  case 1: // memory
  case 2: {
    const uint8_t *P = Memory.get(pairAt(W + 1), Wide ? 8 : 4, Access::Read);
    if (!P) {
      Why = "COPY_DATA reads memory that isn't mapped";
      return Outcome::Error;
    }
    memcpy(&Value, P, Wide ? 8 : 4);
    break;
  }
  case 5:
    Value = pairAt(W + 1);
    break;
  case 9:
    Value = Memory.timestamp();
    break;
  default:
    break; // a register reads as 0
  }
  if (To != 1 && To != 2 && To != 5)
    return Outcome::Done;
  return store(pairAt(W + 3), Value, Wide, Why) ? Outcome::Done
                                                : Outcome::Error;
}

Pm4::Outcome Pm4::waitMemory(const uint32_t *W, std::string &Why) {
  if (!bits(W[0], 4, 1))
    return Outcome::Done; // for a register
  const auto *P =
      Memory.object<uint32_t>(pairAt(W + 1) & ~uint64_t(3), Access::Read);
  if (!P) {
    Why = "WAIT_REG_MEM reads memory that isn't mapped";
    return Outcome::Error;
  }
  const uint32_t Value = __atomic_load_n(P, __ATOMIC_ACQUIRE) & W[4];
  return isTrue(bits(W[0], 0, 3), Value, W[3]) ? Outcome::Done : Outcome::Wait;
}

Pm4::Outcome Pm4::atomicMemory(const uint32_t *W, std::string &Why) {
  const unsigned Operation = bits(W[0], 0, 7);
  const bool Loop = bits(W[0], 8, 4) == 1;
  const bool Wide = Operation & 0x20;
  const uint64_t Address = pairAt(W + 1);
  if (Address % (Wide ? 8 : 4)) {
    Why = "an atomic operation at an unaligned address";
    return Outcome::Error;
  }
  uint8_t *P = Memory.get(Address, Wide ? 8 : 4, Access::Atomic);
  if (!P) {
    Why = "ATOMIC_MEM names memory that isn't mapped";
    return Outcome::Error;
  }
  switch (doAtomic(Operation, P, pairAt(W + 3), pairAt(W + 5), Loop)) {
  case AtomicResult::Done:
    return Outcome::Done;
  case AtomicResult::Again:
    return Outcome::Wait;
  case AtomicResult::Unknown:
    break;
  }
  Why = "atomic operation " + std::to_string(Operation);
  return Outcome::Error;
}

Pm4::Outcome Pm4::packet(Queue &Q, unsigned Opcode, const uint32_t *W,
                         unsigned Count, std::string &Why) {
  // The minimum number of words of the packet.
  auto Has = [&](unsigned Words) {
    if (Count < Words)
      Why =
          "PM4 packet of operation " + std::to_string(Opcode) + " is too short";
    return Count >= Words;
  };
  switch (Opcode) {
  case NopPacket:
  case ClearState:
  case ContextControl:
  case EventWrite:
  case AcquireMemory: // memory is coherent
  case SetContextRegister:
  case SetConfigRegister:
  case SetConfigRegisterIndex:
    return Outcome::Done;
  case ReleaseMemory:
    return Has(6) ? releaseMemory(W, Why) : Outcome::Error;
  case WriteData:
    return Has(3) ? writeData(W, Count, Why) : Outcome::Error;
  case CopyData:
    return Has(5) ? copyData(W, Why) : Outcome::Error;
  case WaitRegisterMemory:
    return Has(6) ? waitMemory(W, Why) : Outcome::Error;
  case AtomicMemory:
    return Has(8) ? atomicMemory(W, Why) : Outcome::Error;
  case SetShaderRegister:
  case SetShaderRegisterIndex:
    if (!Has(1))
      return Outcome::Error;
    for (unsigned I = 1; I < Count; ++I)
      Q.ShaderRegisters[(W[0] & 0xffff) + I - 1] = W[I];
    return Outcome::Done;
  case DispatchDirect:
    if (!Has(4))
      return Outcome::Error;
    std::copy(W, W + 4, Q.Pm4Dispatch);
    return Outcome::Dispatch;
  default: {
    char Text[32];
    snprintf(Text, sizeof(Text), "PM4 packet 0x%x", Opcode);
    Why = Text;
    return Outcome::Error;
  }
  }
}

Pm4::Outcome Pm4::run(Queue &Q, uint64_t Base, uint64_t Words, uint64_t &At,
                      uint64_t End, std::string &Why, uint32_t *Read) {
  auto Word = [&](uint64_t Index, uint32_t &Out) {
    const auto *P =
        Memory.object<uint32_t>(Base + Index % Words * 4, Access::Read);
    if (P)
      Out = *P;
    else
      Why = "PM4 packets are in memory that isn't mapped";
    return P != nullptr;
  };
  while (At < End) {
    uint32_t Header;
    if (!Word(At, Header))
      return Outcome::Error;
    const unsigned Type = Header >> 30;
    auto Fetched = [&](uint64_t Next) {
      if (Read)
        __atomic_store_n(Read, uint32_t(Next % Words), __ATOMIC_RELEASE);
    };
    if (Type == 2) {
      Fetched(++At);
      continue;
    }
    if (Type != 3) {
      Why = "PM4 packet of type " + std::to_string(Type);
      return Outcome::Error;
    }
    const unsigned Opcode = Header >> 8 & 0xff;
    // A NOP packet may consist of only its header.
    const unsigned Count =
        Opcode == NopPacket && (Header >> 16 & 0x3fff) == 0x3fff
            ? 0
            : (Header >> 16 & 0x3fff) + 1;
    if (At + 1 + Count > End) {
      Why = "a PM4 packet goes past the end of its buffer";
      return Outcome::Error;
    }
    std::vector<uint32_t> Body(Count + 8);
    for (unsigned I = 0; I < Count; ++I)
      if (!Word(At + 1 + I, Body[I]))
        return Outcome::Error;
    Fetched(At + 1 + Count);
    Outcome R;
    if (Opcode == IndirectBufferPacket) {
      if (Q.InIndirect & InnerFlag || Count < 3) {
        Why = "an indirect buffer in an indirect buffer";
        return Outcome::Error;
      }
      // Continue at the packet that had to wait, if any.
      uint64_t In = Q.InIndirect;
      const uint64_t Size = Body[2] & 0xfffff;
      Q.InIndirect = InnerFlag;
      R = Size ? run(Q, pairAt(Body.data()) & ~uint64_t(3), Size, In, Size, Why)
               : Outcome::Done;
      Q.InIndirect = R == Outcome::Done || In >= Size ? 0 : In;
      if (R == Outcome::Dispatch && In < Size)
        return R;
    } else {
      R = packet(Q, Opcode, Body.data(), Count, Why);
    }
    if (R == Outcome::Done || R == Outcome::Dispatch)
      At += 1 + Count;
    if (R != Outcome::Done)
      return R;
  }
  return Outcome::Done;
}
