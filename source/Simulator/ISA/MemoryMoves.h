//===-- MemoryMoves.h - loads and stores of any addressing ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For flat, buffer and local memory; also converts values on the way.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_ISA_MEMORYMOVES_H
#define WAVELANE_SIMULATOR_ISA_MEMORYMOVES_H

#include "MemoryRows.h"

#include <string>
#include <type_traits>

namespace wavelane::isa {
namespace memory {

/// The conversion of a loaded or stored value.
enum class Format : u32 { Dwords, U8, I8, U16, I16, D16, D16Hi };
constexpr u32 SignedByte = 0x100; ///< With D16*: the byte is signed.

/// The size is a constant, so moving a lane's bytes takes an instruction or
/// two.
template <class Where, unsigned Size>
void loadSized(Machine &M, const Inst &I) {
  const u64 X = M.exec();
  if (!X)
    return;
  MemoryOp O(M, I);
  Where A(M, I, O);
  constexpr unsigned Count = (Size + 3) / 4;
  if constexpr (std::is_same<Where, BufferAddress>::value)
    A.ByDword = Count > 1;
  u32 *D = A.Ok ? dataRegisters(M, I, I.Dst, Count) : nullptr;
  if (!D)
    return;
  const Format F = Format(I.O->Data2);
  if (probed(O, A, Size, Access::Read, I.Dst, F == Format::D16Hi) ||
      mustWait(O, A, Size, Access::Read))
    return;
  if constexpr (std::is_same<Where, FlatAddress>::value && Size >= 4)
    if (moveRows<false, Size>(O, A, D, X))
      return;
  const unsigned Lanes = M.Lanes;
  for (unsigned L = 0; L < Lanes; ++L) {
    if (!(X >> L & 1))
      continue;
    u32 Data[Count] = {};
    if (!O.template quick<false, Size>(A(L, Size), Data) &&
        !O.template move<false>(L, A(L, Size), Size,
                                reinterpret_cast<u8 *>(Data)))
      continue;
    switch (F) {
    case Format::Dwords:
      for (unsigned N = 0; N < Count; ++N)
        D[N * Lanes + L] = Data[N];
      break;
    case Format::U8:
    case Format::U16:
      D[L] = Data[0];
      break;
    case Format::I8:
      D[L] = u32(i32(int8_t(Data[0])));
      break;
    case Format::I16:
      D[L] = u32(i32(int16_t(Data[0])));
      break;
    case Format::D16:
    case Format::D16Hi: {
      u32 V =
          I.O->Data & SignedByte ? u32(i32(int8_t(Data[0]))) & 0xffff : Data[0];
      const u32 Old = I.Out.KeepsHigh ? D[L] : 0;
      D[L] =
          F == Format::D16 ? (Old & 0xffff0000u) | V : (Old & 0xffff) | V << 16;
      break;
    }
    }
  }
  O.report();
}

template <class Where, unsigned Size>
void storeSized(Machine &M, const Inst &I) {
  const u64 X = M.exec();
  if (!X)
    return;
  MemoryOp O(M, I);
  Where A(M, I, O);
  constexpr unsigned Count = (Size + 3) / 4;
  if constexpr (std::is_same<Where, BufferAddress>::value)
    A.ByDword = Count > 1;
  u32 *D = A.Ok ? dataRegisters(M, I, I.Memory.VData, Count) : nullptr;
  const bool High = Format(I.O->Data2) == Format::D16Hi;
  if (!D || probed(O, A, Size, Access::Write, I.Memory.VData, High) ||
      mustWait(O, A, Size, Access::Write))
    return;
  if constexpr (std::is_same<Where, FlatAddress>::value && Size >= 4)
    if (moveRows<true, Size>(O, A, D, X))
      return;
  const unsigned Lanes = M.Lanes;
  for (unsigned Turn = 0; Turn < Lanes; ++Turn) {
    const unsigned L = M.LanesReversed ? Lanes - 1 - Turn : Turn;
    if (!(X >> L & 1))
      continue;
    u32 Data[Count];
    for (unsigned N = 0; N < Count; ++N)
      Data[N] = D[N * Lanes + L];
    if (High)
      Data[0] >>= 16;
    if (!O.template quick<true, Size>(A(L, Size), Data))
      O.template move<true>(L, A(L, Size), Size, reinterpret_cast<u8 *>(Data));
  }
  O.report();
}

/// Loads into local memory at M0, lane by lane, one or more dwords each.
template <class Where> void loadToLocal(Machine &M, const Inst &I) {
  const u64 X = M.exec();
  MemoryOp O(M, I);
  Where A(M, I, O);
  if (!A.Ok)
    return;
  const unsigned Size = I.O->Data & 0xff, Step = Size < 4 ? 4 : Size;
  // Some GPUs have more local memory than 16 bits can address.
  const u32 Reach =
                gpu::get(M.W.Processor).LocalBytes > 65536 ? 0x3ffff : 0xffff,
            First = (M.W.m0() & Reach) + u32(I.Imm);
  // An observer is notified of a whole access.
  if constexpr (std::is_same<Where, BufferAddress>::value)
    A.ByDword = Size > 4 && !M.Probe;
  if (!M.Probe && mustWait(O, A, Size, Access::Read))
    return;
  for (unsigned L = 0; L < M.Lanes; ++L) {
    if (!(X >> L & 1))
      continue;
    const Place To{Space::Local, First + L * Step};
    if (M.Probe) {
      O.note(L, A(L, Size), Size, Access::Read, LaneAccess::NoRegister);
      O.note(L, To, Step, Access::Write, LaneAccess::NoRegister);
      continue;
    }
    u32 Data[4] = {};
    u8 *Bytes = reinterpret_cast<u8 *>(Data);
    if (!O.template move<false>(L, A(L, Size), Size, Bytes))
      continue;
    if (Format(I.O->Data2) == Format::I8)
      Data[0] = u32(i32(int8_t(Data[0])));
    else if (Format(I.O->Data2) == Format::I16)
      Data[0] = u32(i32(int16_t(Data[0])));
    O.template move<true>(L, To, Step, Bytes);
  }
  O.report();
}

template <class Where> void load(Machine &M, const Inst &I) {
  if (I.Memory.Lds)
    return loadToLocal<Where>(M, I);
  switch (I.O->Data & 0xff) {
  case 1:
    return loadSized<Where, 1>(M, I);
  case 2:
    return loadSized<Where, 2>(M, I);
  case 4:
    return loadSized<Where, 4>(M, I);
  case 8:
    return loadSized<Where, 8>(M, I);
  case 12:
    return loadSized<Where, 12>(M, I);
  default:
    return loadSized<Where, 16>(M, I);
  }
}
template <class Where> void store(Machine &M, const Inst &I) {
  switch (I.O->Data & 0xff) {
  case 1:
    return storeSized<Where, 1>(M, I);
  case 2:
    return storeSized<Where, 2>(M, I);
  case 4:
    return storeSized<Where, 4>(M, I);
  case 8:
    return storeSized<Where, 8>(M, I);
  case 12:
    return storeSized<Where, 12>(M, I);
  default:
    return storeSized<Where, 16>(M, I);
  }
}

// The table's entries.

inline Op make(Handler Fn, u32 Data, u32 Data2 = 0) {
  Op O;
  O.Fn = Fn;
  O.Data = Data;
  O.Data2 = Data2;
  O.Flags = Op::Accesses;
  return O;
}
/// An operation that accesses no memory.
inline Op inert(Handler Fn, u32 Flags = 0) {
  Op O;
  O.Fn = Fn;
  O.Flags = Flags;
  return O;
}
/// Does nothing: caches aren't modeled.
inline void nothing(Machine &, const Inst &) {}
/// Like make(), with a result register.
inline Op makeLoad(Handler Fn, u32 Data, u32 Data2 = 0) {
  Op O = make(Fn, Data, Data2);
  O.Flags |= Op::HasDst;
  return O;
}

struct LoadKind {
  const char *Suffix;
  u32 Size;
  Format F;
};
inline const LoadKind VmemLoads[] = {
    {"dword", 4, Format::Dwords},
    {"dwordx2", 8, Format::Dwords},
    {"dwordx3", 12, Format::Dwords},
    {"dwordx4", 16, Format::Dwords},
    {"ubyte", 1, Format::U8},
    {"sbyte", 1, Format::I8},
    {"ushort", 2, Format::U16},
    {"sshort", 2, Format::I16},
    {"ubyte_d16", 1, Format::D16},
    {"ubyte_d16_hi", 1, Format::D16Hi},
    {"sbyte_d16", 1 | SignedByte, Format::D16},
    {"sbyte_d16_hi", 1 | SignedByte, Format::D16Hi},
    {"short_d16", 2, Format::D16},
    {"short_d16_hi", 2, Format::D16Hi},
};
inline const LoadKind VmemStores[] = {
    {"dword", 4, Format::Dwords},    {"dwordx2", 8, Format::Dwords},
    {"dwordx3", 12, Format::Dwords}, {"dwordx4", 16, Format::Dwords},
    {"byte", 1, Format::U8},         {"byte_d16_hi", 1, Format::D16Hi},
    {"short", 2, Format::U16},       {"short_d16_hi", 2, Format::D16Hi},
};

/// The loads and stores of a family ("flat").
template <class Where> void addMoves(OpTable &T, const std::string &Family) {
  for (const LoadKind &K : VmemLoads)
    T.add((Family + "_load_" + K.Suffix).c_str(),
          makeLoad(load<Where>, K.Size, u32(K.F)));
  for (const LoadKind &K : VmemStores)
    T.add((Family + "_store_" + K.Suffix).c_str(),
          make(store<Where>, K.Size, u32(K.F)));
}

} // namespace memory
} // namespace wavelane::isa

#endif // WAVELANE_SIMULATOR_ISA_MEMORYMOVES_H
