//===-- MemoryAtomics.h - atomics of any addressing -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Other waves and threads of the host may access global memory at the same
// time.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_ISA_MEMORYATOMICS_H
#define WAVELANE_SIMULATOR_ISA_MEMORYATOMICS_H

#include "Arithmetic.h"
#include "MemoryMoves.h"

#include <cmath>

namespace wavelane::isa {
namespace memory {

enum class Atomic : u32 {
  Swap,
  CmpSwap,
  Add,
  Sub,
  RSub,
  SMin,
  UMin,
  SMax,
  UMax,
  And,
  Or,
  Xor,
  Inc,
  Dec,
  FAdd,
  FMin,
  FMax,
  PkAddF16,
  PkAddBF16,
  MaskOr,
  Wrap,
  CmpStore, ///< For the LDS of gfx11 and later: CmpSwap with the operands
            ///< swapped.
};

inline u32 flushed(u32 V) { return V & 0x7f800000u ? V : V & 0x80000000u; }

/// A memory unit's IEEE minimum and maximum: a number takes precedence over
/// NaN.
template <class F> F fmin2(F A, F B) {
  if (std::isnan(A))
    return B;
  if (std::isnan(B))
    return A;
  if (A == B)
    return std::signbit(A) ? A : B;
  return A < B ? A : B;
}
template <class F> F fmax2(F A, F B) {
  if (std::isnan(A))
    return B;
  if (std::isnan(B))
    return A;
  if (A == B)
    return std::signbit(A) ? B : A;
  return A > B ? A : B;
}

/// Two sums of halves, computed like the memory's adder.
u32 packedAddF16(u32 A, u32 B);
u32 packedAddBF16(u32 A, u32 B);

/// The new value in memory. \a D is the first data operand, \a C the second
/// (the comparand or the mask).
template <class T> T apply(Atomic Op, T Old, T D, T C, bool Flush) {
  using S = typename std::make_signed<T>::type;
  switch (Op) {
  case Atomic::Swap:
    return D;
  case Atomic::CmpSwap:
  case Atomic::CmpStore:
    return Old == C ? D : Old;
  case Atomic::Add:
    return Old + D;
  case Atomic::Sub:
    return Old - D;
  case Atomic::RSub:
    return D - Old;
  case Atomic::SMin:
    return S(D) < S(Old) ? D : Old;
  case Atomic::UMin:
    return D < Old ? D : Old;
  case Atomic::SMax:
    return S(D) > S(Old) ? D : Old;
  case Atomic::UMax:
    return D > Old ? D : Old;
  case Atomic::And:
    return Old & D;
  case Atomic::Or:
    return Old | D;
  case Atomic::Xor:
    return Old ^ D;
  case Atomic::Inc:
    return Old >= D ? 0 : Old + 1;
  case Atomic::Dec:
    return Old == 0 || Old > D ? D : Old - 1;
  case Atomic::MaskOr:
    return (Old & ~D) | C;
  case Atomic::Wrap:
    return Old >= D ? Old - D : Old + C;
  case Atomic::PkAddF16:
    return T(packedAddF16(u32(Old), u32(D)));
  case Atomic::PkAddBF16:
    return T(packedAddBF16(u32(Old), u32(D)));
  case Atomic::FAdd:
  case Atomic::FMin:
  case Atomic::FMax:
    if constexpr (sizeof(T) == 4) {
      if (Flush) {
        Old = flushed(Old);
        D = flushed(D);
      }
      const float A = bitCast<float>(Old), B = bitCast<float>(D);
      const u32 R = bitCast<u32>(Op == Atomic::FAdd   ? generic::sum(A, B)
                                 : Op == Atomic::FMin ? fmin2(A, B)
                                                      : fmax2(A, B));
      return Flush ? flushed(R) : R;
    } else {
      const double A = bitCast<double>(Old), B = bitCast<double>(D);
      return bitCast<T>(Op == Atomic::FAdd   ? generic::sum(A, B)
                        : Op == Atomic::FMin ? fmin2(A, B)
                                             : fmax2(A, B));
    }
  }
  return Old;
}

/// Operates on memory that host threads and other waves may change
/// concurrently.
template <class T> T atomicallyAt(u8 *P, Atomic Op, T D, T C, bool Flush) {
  T *Memory = reinterpret_cast<T *>(P);
  T Old = __atomic_load_n(Memory, __ATOMIC_SEQ_CST);
  T New;
  do
    New = apply<T>(Op, Old, D, C, Flush);
  while (!__atomic_compare_exchange_n(Memory, &Old, New, false,
                                      __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
  return Old;
}

/// Atomics of aligned places of local memory, lane by lane. One thread at a
/// time executes the waves of a workgroup.
/// \param Data1, D  Of two operands, and for results; or null.
/// \return false, without any access, if a lane's place isn't aligned.
template <class T>
bool localAtomics(Machine &M, Atomic Op, const u32 *A, u32 Offset,
                  const u32 *Data, const u32 *Data1, u32 *D) {
  constexpr unsigned Words = sizeof(T) / 4;
  const unsigned Lanes = M.Lanes;
  const u64 X = M.exec();
  const bool Flush = M.E.FlushInF32 || M.E.FlushOutF32;
  u32 Low = 0;
  for (u64 Left = X; Left; Left &= Left - 1)
    Low |= A[__builtin_ctzll(Left)] + Offset;
  if (Low % sizeof(T))
    return false;
  const auto Get = [&](const u32 *R, unsigned L) {
    T V = R[L];
    if constexpr (Words == 2)
      V |= T(R[Lanes + L]) << 32;
    return V;
  };
  const auto Each = [&](auto New) {
    for (u64 Left = X; Left; Left &= Left - 1) {
      const auto L = unsigned(__builtin_ctzll(Left));
      const u32 Address = A[L] + Offset;
      T Old = 0;
      if (u64(Address) + sizeof(T) <= M.W.LDSSize) {
        u8 *At = M.W.LDS + Address;
        std::memcpy(&Old, At, sizeof(T));
        const T Value = New(L, Old);
        std::memcpy(At, &Value, sizeof(T));
      }
      if (D) {
        D[L] = u32(Old);
        if constexpr (Words == 2)
          D[Lanes + L] = u32(Old >> 32);
      }
    }
  };
  if (Op == Atomic::Add) {
    Each([&](unsigned L, T Old) { return T(Old + Get(Data, L)); });
    return true;
  }
  Each([&](unsigned L, T Old) {
    T V = Get(Data, L), C = Data1 ? Get(Data1, L) : V;
    if (Op == Atomic::CmpSwap)
      std::swap(V, C);
    return apply<T>(Op, Old, V, C, Flush);
  });
  return true;
}

template <class T, class Where> void atomicOp(Machine &M, const Inst &I) {
  const u64 X = M.exec();
  if (!X)
    return;
  constexpr unsigned Words = sizeof(T) / 4;
  constexpr bool IsDS = std::is_same<Where, LocalAddress>::value;
  const Atomic Op = Atomic(I.O->Data);
  const bool Two = Op == Atomic::CmpSwap || Op == Atomic::CmpStore ||
                   Op == Atomic::MaskOr || Op == Atomic::Wrap;
  MemoryOp O(M, I);
  Where A(M, I, O);
  if (!A.Ok)
    return;
  const bool Returns = IsDS ? I.O->Data2 & 1 : I.Memory.Glc;
  const u32 *Data =
      dataRegisters(M, I, I.Memory.VData, IsDS || !Two ? Words : 2 * Words);
  if (!Data)
    return;
  // Memory units take both values from one run of registers, the LDS from two.
  const u32 *Data1 = Two ? IsDS ? dataRegisters(M, I, I.Memory.VData1, Words)
                                : Data + Words * M.Lanes
                         : Data;
  u32 *D = Returns ? dataRegisters(M, I, I.Dst, Words) : nullptr;
  if (!Data1 || (Returns && !D) ||
      probed(O, A, sizeof(T), Access::Atomic, I.Memory.VData) ||
      mustWait(O, A, sizeof(T), Access::Atomic))
    return;
  if constexpr (IsDS)
    if (!M.Watches && !M.LanesReversed && !M.LocalRangeFaults &&
        localAtomics<T>(M, Op, A.A, A.Offset, Data, Two ? Data1 : nullptr, D))
      return;
  const unsigned Lanes = M.Lanes;
  auto Get = [&](const u32 *R, unsigned L) {
    return Words == 1 ? T(R[L])
                      : T(R[L] | u64(R[Lanes + L]) << 32 % (8 * sizeof(T)));
  };
  for (unsigned Turn = 0; Turn < Lanes; ++Turn) {
    const unsigned L = M.LanesReversed ? Lanes - 1 - Turn : Turn;
    if (!(X >> L & 1))
      continue;
    T V = Get(Data, L), C = Get(Data1, L);
    // ds_cmpst: the first operand is the comparand, the second the new value.
    // ds_mskor: mask, then bits.
    if (IsDS && Op == Atomic::CmpSwap)
      std::swap(V, C);
    const Place P = A(L, sizeof(T));
    T Old = 0;
    // The memory's own adder flushes f32 denormals on most GPUs; the LDS
    // follows MODE.
    bool Flush = !M.family().AtomicsKeepDenormals;
    u8 *Memory = nullptr;
    bool Plain = false;
    switch (P.In) {
    case Space::Local:
    case Space::LocalChecked:
      Flush = M.E.FlushInF32 || M.E.FlushOutF32;
      if (M.Watches)
        O.watch(L, gpu::LocalAperture + P.Address, sizeof(T), Access::Atomic);
      if (P.Address + sizeof(T) <= M.W.LDSSize && P.Address % sizeof(T) == 0)
        Memory = M.W.LDS + P.Address;
      else if (P.In == Space::LocalChecked || M.LocalRangeFaults ||
               P.Address % sizeof(T)) {
        O.fault(L, gpu::LocalAperture + P.Address, Access::Atomic);
        continue;
      }
      break;
    case Space::Private:
      Plain = true;
      break;
    case Space::Buffer:
    case Space::Global: {
      const u64 Address =
          P.In == Space::Global
              ? P.Address
              : O.Buf->address(u32(P.Address >> 32), u32(P.Address));
      if (Address % sizeof(T)) {
        O.fault(L, Address, Access::Atomic);
        continue;
      }
      Memory = O.at(L, Address, sizeof(T), Access::Atomic);
      if (!Memory)
        continue;
      break;
    }
    case Space::BufferPart:
    case Space::Nowhere:
      break;
    }
    if (Memory && reinterpret_cast<uintptr_t>(Memory) % sizeof(T) == 0) {
      Old = atomicallyAt<T>(Memory, Op, V, C, Flush);
    } else if (Memory || Plain) {
      // No other thread can see a lane's private memory.
      if (!O.template move<false>(L, P, sizeof(T),
                                  reinterpret_cast<u8 *>(&Old)))
        continue;
      T New = apply<T>(Op, Old, V, C, Flush);
      if (!O.template move<true>(L, P, sizeof(T), reinterpret_cast<u8 *>(&New)))
        continue;
    }
    if (D) {
      D[L] = u32(Old);
      if constexpr (Words == 2)
        D[Lanes + L] = u32(Old >> 32);
    }
  }
  O.report();
}

struct IntAtomic {
  const char *Name;
  Atomic Op;
};
inline const IntAtomic IntAtomics[] = {
    {"swap", Atomic::Swap}, {"cmpswap", Atomic::CmpSwap},
    {"add", Atomic::Add},   {"sub", Atomic::Sub},
    {"smin", Atomic::SMin}, {"umin", Atomic::UMin},
    {"smax", Atomic::SMax}, {"umax", Atomic::UMax},
    {"and", Atomic::And},   {"or", Atomic::Or},
    {"xor", Atomic::Xor},   {"inc", Atomic::Inc},
    {"dec", Atomic::Dec},
};

/// The memory's own adders round to nearest, regardless of MODE.
inline Op makeAtomic(Handler Fn, Atomic What, u32 Data2 = 0) {
  Op O = make(Fn, u32(What), Data2);
  O.Flags |= Op::IsAtomic;
  if (What == Atomic::FAdd || What == Atomic::PkAddF16)
    O.Fp = FpClass::Near;
  return O;
}

inline Op returning(Op O) {
  O.Flags |= Op::HasDst;
  return O;
}

/// The atomics of a family ("flat").
template <class Where> void addAtomics(OpTable &T, const std::string &Family) {
  for (const auto &A : IntAtomics) {
    const std::string Name = Family + "_atomic_" + A.Name;
    T.add(Name.c_str(), makeAtomic(atomicOp<u32, Where>, A.Op));
    T.add((Name + "_x2").c_str(), makeAtomic(atomicOp<u64, Where>, A.Op));
  }
  const std::string Name = Family + "_atomic_";
  T.add((Name + "add_f32").c_str(),
        makeAtomic(atomicOp<u32, Where>, Atomic::FAdd));
  T.add((Name + "pk_add_f16").c_str(),
        make(atomicOp<u32, Where>, u32(Atomic::PkAddF16)));
  T.add((Name + "pk_add_bf16").c_str(),
        make(atomicOp<u32, Where>, u32(Atomic::PkAddBF16)));
  T.add((Name + "min_f32").c_str(),
        makeAtomic(atomicOp<u32, Where>, Atomic::FMin));
  T.add((Name + "max_f32").c_str(),
        makeAtomic(atomicOp<u32, Where>, Atomic::FMax));
  T.add((Name + "add_f64").c_str(),
        makeAtomic(atomicOp<u64, Where>, Atomic::FAdd));
  T.add((Name + "min_f64").c_str(),
        makeAtomic(atomicOp<u64, Where>, Atomic::FMin));
  T.add((Name + "max_f64").c_str(),
        makeAtomic(atomicOp<u64, Where>, Atomic::FMax));
}

} // namespace memory
} // namespace wavelane::isa

#endif // WAVELANE_SIMULATOR_ISA_MEMORYATOMICS_H
