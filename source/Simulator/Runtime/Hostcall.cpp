//===-- Hostcall.cpp - printf and assert from kernels ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device library's hostcall buffer: waves take packets off a free stack,
// fill one slot of eight words for each lane, push them on a ready stack,
// signal the doorbell and spin until the packet's ready bit is cleared.
//
//===----------------------------------------------------------------------===//

#include "Hostcall.h"
#include "Complain.h"
#include "RuntimeConnection.h"
#include "Signal.h"

#include <cinttypes>
#include <cstdio>
#include <cstring>

using namespace wavelane::runtime;

namespace {
struct PacketHeader {
  uint64_t Next;
  uint64_t ActiveMask;
  uint32_t Service;
  uint32_t Control; ///< bit 0: ready
};
static_assert(sizeof(PacketHeader) == 24);
struct Payload {
  uint64_t Slots[64][8];
};
struct HostcallBuffer {
  PacketHeader *Headers;
  Payload *Payloads;
  Signal *Doorbell;
  uint64_t FreeStack;
  uint64_t ReadyStack;
  uint64_t IndexMask;
};

enum : uint32_t { ServiceFunctionCall = 1, ServicePrintf = 2 };
} // namespace

/// One for each wave that can exist at a time.
uint32_t Hostcalls::packets() const {
  uint32_t Waves = 0;
  for (unsigned I = 0; I < Device.deviceCount(); ++I)
    Waves += Device.device(I).max_waves;
  return Waves;
}

uint8_t *Hostcalls::buffer() {
  std::lock_guard<std::mutex> Guard(BufferLock);
  if (Buffer)
    return Buffer;
  const uint32_t Packets = packets();
  const uint64_t HeaderBytes = Packets * sizeof(PacketHeader);
  const uint64_t PayloadAt = 256 + (HeaderBytes + 63) / 64 * 64;
  uint8_t *Block = static_cast<uint8_t *>(Memory.allocate(
      PayloadAt + Packets * sizeof(Payload), MemoryKind::Internal));
  if (!Block)
    return nullptr;
  auto *B = reinterpret_cast<HostcallBuffer *>(Block);
  B->Doorbell = reinterpret_cast<Signal *>(Block + 64);
  B->Doorbell->Kind = 1;
  B->Doorbell->Mailbox = reinterpret_cast<uint64_t>(Block + 192);
  B->Headers = reinterpret_cast<PacketHeader *>(Block + 256);
  B->Payloads = reinterpret_cast<Payload *>(Block + PayloadAt);
  unsigned Bits = 1;
  while ((1u << Bits) < Packets)
    ++Bits;
  B->IndexMask = (uint64_t(1) << Bits) - 1;
  // Packet numbers have a tag above the index, so none of them is 0.
  const uint64_t Tag = uint64_t(1) << Bits;
  for (uint32_t I = 0; I < Packets; ++I)
    B->Headers[I].Next = I ? Tag | (I - 1) : 0;
  B->FreeStack = Tag | (Packets - 1);
  __atomic_store_n(&Buffer, Block, __ATOMIC_RELEASE);
  Device.wakeAll();
  return Block;
}

//===----------------------------------------------------------------------===//
// printf
//===----------------------------------------------------------------------===//

/// Formats one message: a word for the destination (1: stderr), the format
/// string, then arguments; strings are inline, padded to whole words.
static void printMessage(const std::vector<uint64_t> &Words) {
  if (Words.empty())
    return;
  FILE *To = Words[0] & 1 ? stderr : stdout;
  size_t At = 1;
  auto String = [&](std::string &Out) {
    if (At >= Words.size())
      return false;
    const char *P = reinterpret_cast<const char *>(&Words[At]);
    const size_t Room = (Words.size() - At) * 8;
    Out.assign(P, strnlen(P, Room));
    At += Out.size() / 8 + 1;
    return true;
  };
  auto Word = [&](uint64_t &Out) {
    if (At >= Words.size())
      return false;
    Out = Words[At++];
    return true;
  };
  std::string Format;
  if (!String(Format))
    return;
  std::string Text;
  auto Append = [&Text](const char *Spec, auto... Values) {
    char Small[256];
    const int N = snprintf(Small, sizeof(Small), Spec, Values...);
    if (N < 0)
      return;
    if (size_t(N) < sizeof(Small)) {
      Text.append(Small, size_t(N));
      return;
    }
    std::string Large(size_t(N) + 1, 0);
    snprintf(&Large[0], Large.size(), Spec, Values...);
    Text.append(Large, 0, size_t(N));
  };
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wformat-nonliteral"
#pragma clang diagnostic ignored "-Wformat-security"
  for (size_t I = 0; I < Format.size();) {
    if (Format[I] != '%') {
      Text += Format[I++];
      continue;
    }
    if (I + 1 < Format.size() && Format[I + 1] == '%') {
      Text += '%';
      I += 2;
      continue;
    }
    const size_t Begin = I++;
    std::vector<int> Stars;
    bool Good = true;
    while (I < Format.size() && strchr("-+ #0123456789.*hlLjzt", Format[I])) {
      if (Format[I] == '*') {
        uint64_t Star = 0;
        Good &= Word(Star);
        Stars.push_back(int(Star));
      }
      ++I;
    }
    if (I == Format.size() || !Good || Stars.size() > 2) {
      Text += Format.substr(Begin);
      break;
    }
    const char Conversion = Format[I++];
    // Replace the length modifier: every argument is a whole word.
    std::string Spec, Length;
    size_t Star = 0;
    for (char C : Format.substr(Begin, I - Begin - 1)) {
      if (C == '*')
        Spec += std::to_string(Stars[Star++]);
      else if (strchr("hlLjzt", C))
        Length += C;
      else
        Spec += C;
    }
    uint64_t V = 0;
    if (strchr("diouxXcp", Conversion)) {
      if (!Word(V))
        break;
      if (Conversion == 'c') {
        Append((Spec + "c").c_str(), int(V));
      } else if (Conversion == 'p') {
        Append((Spec + "p").c_str(), reinterpret_cast<void *>(V));
      } else {
        const bool Signed = Conversion == 'd' || Conversion == 'i';
        if (Length.empty())
          V = Signed ? uint64_t(int64_t(int32_t(V))) : uint32_t(V);
        else if (Length == "h")
          V = Signed ? uint64_t(int64_t(int16_t(V))) : uint16_t(V);
        else if (Length == "hh")
          V = Signed ? uint64_t(int64_t(int8_t(V))) : uint8_t(V);
        Append((Spec + "ll" + Conversion).c_str(),
               static_cast<unsigned long long>(V));
      }
    } else if (strchr("fFeEgGaA", Conversion)) {
      if (!Word(V))
        break;
      double D;
      memcpy(&D, &V, 8);
      Append((Spec + Conversion).c_str(), D);
    } else if (Conversion == 's') {
      std::string S;
      if (!String(S))
        break;
      Append((Spec + "s").c_str(), S.c_str());
    } else if (Conversion == 'n') {
      Word(V); // not supported on GPUs, but its argument exists
    } else {
      Text += Format.substr(Begin, I - Begin);
    }
  }
#pragma clang diagnostic pop
  fwrite(Text.data(), 1, Text.size(), To);
  fflush(To);
}

/// Handles one lane's slot, and writes the answer to it.
void Hostcalls::takeMessage(uint64_t *Slot) {
  // Bit 0: first packet, bit 1: last; bits 5-7: words; from 8: number.
  uint64_t Descriptor = Slot[0];
  if (Descriptor & 1) {
    uint64_t Number = 1;
    while (Open.count(Number))
      ++Number;
    Open[Number];
    Descriptor = (Descriptor & 0xfe) | Number << 8;
  }
  auto It = Open.find(Descriptor >> 8);
  if (It == Open.end()) {
    Slot[0] = uint64_t(-1);
    return;
  }
  const unsigned Count = Descriptor >> 5 & 7;
  It->second.insert(It->second.end(), Slot + 1, Slot + 1 + Count);
  if (Descriptor & 2) {
    printMessage(It->second);
    Open.erase(It);
    Slot[0] = 0;
    Slot[1] = 0;
  } else {
    Slot[0] = Descriptor & ~uint64_t(1);
  }
}

bool Hostcalls::takeWord(uint64_t &Word, uint64_t &Old) {
  const simulator::HostAccess A = {reinterpret_cast<uint64_t>(&Word), 0};
  simulator::Message Reply;
  return Device.request(simulator::MessageType::HostAccess, &A, sizeof(A),
                        &Reply) == 0 &&
         Reply.as(Old);
}

bool Hostcalls::write(void *Slots, const void *Answers, uint32_t &Control) {
  struct {
    simulator::HostAccess ToSlots;
    Payload Slots;
    simulator::HostAccess ToControl;
    uint32_t Control, Padding;
  } Both = {{reinterpret_cast<uint64_t>(Slots), sizeof(Payload)},
            *static_cast<const Payload *>(Answers),
            {reinterpret_cast<uint64_t>(&Control), sizeof(Control)},
            Control & ~1u,
            0};
  return Device.request(simulator::MessageType::HostAccess, &Both,
                        sizeof(Both)) == 0;
}

void Hostcalls::drain(bool CanAsk) {
  uint8_t *Block = __atomic_load_n(&Buffer, __ATOMIC_ACQUIRE);
  if (!Block)
    return;
  std::lock_guard<std::mutex> Guard(MessagesLock);
  auto *B = reinterpret_cast<HostcallBuffer *>(Block);
  // A recording has to know when waves see the answers.
  const bool ByDevice = CanAsk && Memory.isRecorded();
  uint64_t Ready = 0;
  if (!ByDevice || !takeWord(B->ReadyStack, Ready))
    Ready = __atomic_exchange_n(&B->ReadyStack, 0, __ATOMIC_ACQ_REL);
  // The stack returns the newest first, but serve the oldest first.
  std::vector<uint64_t> Order;
  while (Ready) {
    const uint64_t Index = Ready & B->IndexMask;
    if (Index >= packets() || Order.size() >= packets())
      break; // a kernel has overwritten the buffer
    Order.push_back(Index);
    Ready = B->Headers[Index].Next;
  }
  for (size_t I = Order.size(); I--;) {
    PacketHeader &H = B->Headers[Order[I]];
    Payload &P = B->Payloads[Order[I]];
    Payload Answer = P;
    for (unsigned Lane = 0; Lane < 64; ++Lane) {
      if (!(H.ActiveMask >> Lane & 1))
        continue;
      uint64_t *Slot = Answer.Slots[Lane];
      if (H.Service == ServicePrintf) {
        takeMessage(Slot);
      } else {
        if (Lane == unsigned(__builtin_ctzll(H.ActiveMask)))
          complain("a kernel asked for host service %u, which is not "
                   "supported",
                   H.Service);
        Slot[0] = Slot[1] = 0;
      }
    }
    if (ByDevice && write(&P, &Answer, H.Control))
      continue;
    P = Answer;
    __atomic_and_fetch(&H.Control, ~1u, __ATOMIC_RELEASE);
  }
}

void Hostcalls::serve() {
  int64_t Seen = 0;
  for (;;) {
    const bool Alive = Device.serveUntil([&] {
      uint8_t *Block = __atomic_load_n(&Buffer, __ATOMIC_ACQUIRE);
      if (!Block)
        return false;
      auto *B = reinterpret_cast<HostcallBuffer *>(Block);
      const int64_t Now =
          __atomic_load_n(&B->Doorbell->Value, __ATOMIC_ACQUIRE);
      return Now != Seen && ((Seen = Now), true);
    });
    if (!Alive)
      return;
    drain();
  }
}
