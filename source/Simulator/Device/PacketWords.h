//===-- PacketWords.h - what SDMA and PM4 packets share ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fields of packets, comparisons and atomic operations: SDMA and PM4 packets
// encode them alike.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_DEVICE_PACKETWORDS_H
#define WAVELANE_SIMULATOR_DEVICE_PACKETWORDS_H

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace wavelane::simulator {

/// The 64-bit number in two words, the low one first.
inline uint64_t pairAt(const uint32_t *W) {
  return W[0] | uint64_t(W[1]) << 32;
}

/// A field of \a Count bits from bit \a Low on.
inline uint32_t bits(uint32_t Value, unsigned Low, unsigned Count) {
  return Value >> Low & ((uint64_t(1) << Count) - 1);
}

/// Whether a comparison holds. \a Function is the packet's field of 3 bits.
inline bool isTrue(unsigned Function, uint32_t Value, uint32_t Reference) {
  switch (Function) {
  case 1:
    return Value < Reference;
  case 2:
    return Value <= Reference;
  case 3:
    return Value == Reference;
  case 4:
    return Value != Reference;
  case 5:
    return Value >= Reference;
  case 6:
    return Value > Reference;
  default: // Always.
    return true;
  }
}

enum class AtomicResult {
  Done,
  Again,   ///< The comparison failed, and the packet repeats until it holds.
  Unknown, ///< Not an operation on integers.
};

/// Does one atomic operation on the T at \a P. \a Operation is the TC
/// operation without its width.
template <typename T>
AtomicResult doAtomicOn(unsigned Operation, T *P, T Source, T Compare,
                        bool Loop) {
  using Signed = std::make_signed_t<T>;
  T Old = __atomic_load_n(P, __ATOMIC_SEQ_CST), New;
  do {
    switch (Operation) {
    case 0x07: // Swap.
      New = Source;
      break;
    case 0x08: // Compare and swap.
      if (Loop && Old != Compare)
        return AtomicResult::Again;
      New = Old == Compare ? Source : Old;
      break;
    case 0x0f:
      New = Old + Source;
      break;
    case 0x10:
      New = Old - Source;
      break;
    case 0x11:
      New = T(std::min(Signed(Old), Signed(Source)));
      break;
    case 0x12:
      New = std::min(Old, Source);
      break;
    case 0x13:
      New = T(std::max(Signed(Old), Signed(Source)));
      break;
    case 0x14:
      New = std::max(Old, Source);
      break;
    case 0x15:
      New = Old & Source;
      break;
    case 0x16:
      New = Old | Source;
      break;
    case 0x17:
      New = Old ^ Source;
      break;
    case 0x18:
      New = Old >= Source ? 0 : Old + 1;
      break;
    case 0x19:
      New = Old == 0 || Old > Source ? Source : Old - 1;
      break;
    default:
      return AtomicResult::Unknown;
    }
  } while (!__atomic_compare_exchange_n(P, &Old, New, false, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST));
  return AtomicResult::Done;
}

/// Does the atomic operation of a packet on the 4 or 8 bytes at \a P, which
/// are aligned. \a Operation is the field of 7 bits; bit 5 means 8 bytes.
/// \a Loop: a failed comparison is tried again.
inline AtomicResult doAtomic(unsigned Operation, uint8_t *P, uint64_t Source,
                             uint64_t Compare, bool Loop) {
  const unsigned Kind = Operation & ~0x20u;
  return Operation & 0x20
             ? doAtomicOn<uint64_t>(Kind, reinterpret_cast<uint64_t *>(P),
                                    Source, Compare, Loop)
             : doAtomicOn<uint32_t>(Kind, reinterpret_cast<uint32_t *>(P),
                                    uint32_t(Source), uint32_t(Compare), Loop);
}

} // namespace wavelane::simulator

#endif // WAVELANE_SIMULATOR_DEVICE_PACKETWORDS_H
