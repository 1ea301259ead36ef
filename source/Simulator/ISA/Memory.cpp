//===-- Memory.cpp - flat, global, scratch, buffer and LDS instructions ----===//
//
// An instruction of these families is an addressing (which memory and where,
// lane by lane) and an action (load, store, atomic). Both are written once.
//
//===----------------------------------------------------------------------===//

#include "Core.h"

#include <cmath>

namespace wavelane {
namespace isa {
namespace {

using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using i32 = int32_t;
using u64 = uint64_t;
using i64 = int64_t;

enum class Space : u8 {
  Global,
  Local,        ///< ds_*: outside of the LDS, loads give 0, stores do nothing,
                ///< unless that is to be a violation.
  LocalChecked, ///< flat_*: outside of the LDS is a violation.
  Private,      ///< Swizzled by the flat-scratch rule.
  Buffer,       ///< By the descriptor's rule.
  Nowhere,      ///< Beyond a buffer's records: loads give 0.
};

/// Where a lane's access goes.
struct Place {
  Space In = Space::Global;
  u64 Address = 0;
};

/// A buffer descriptor taken apart.
struct Buffer {
  u64 Base;
  u32 Stride, Records;
  bool Swizzle, AddTid;
  u32 IndexStride;
  u32 SOffset;

  /// OOB_SELECT of gfx10 and later: 0 index and offset, 1 index, 2 only whether
  /// there are records at all, 3 as gfx9 does with the offset in raw buffers.
  u32 Check = 3;

  Buffer(const u32 *D, u32 SOffset, unsigned Generation) : SOffset(SOffset) {
    Base = D[0] | u64(D[1] & 0xffff) << 32;
    Stride = D[1] >> 16 & 0x3fff;
    Swizzle = D[1] >> 31;
    Records = D[2];
    AddTid = D[3] >> 23 & 1;
    if (Generation == 9) {
      // With add_tid the data format's bits are the stride's upper ones.
      if (AddTid)
        Stride |= (D[3] >> 15 & 15) << 14;
    } else {
      Check = D[3] >> 28 & 3;
    }
    IndexStride = 8u << (D[3] >> 21 & 3);
  }
  /// Address of the byte at \a Offset of record \a Index.
  u64 address(u32 Index, u32 Offset) const {
    if (!Swizzle)
      return Base + SOffset + u64(Index) * Stride + Offset;
    constexpr u32 ElementSize = 4;
    const u64 IndexMsb = Index / IndexStride, IndexLsb = Index % IndexStride;
    const u64 OffsetMsb = Offset / ElementSize, OffsetLsb = Offset % ElementSize;
    return Base + SOffset +
           (IndexMsb * Stride + OffsetMsb * ElementSize) * IndexStride +
           IndexLsb * ElementSize + OffsetLsb;
  }
  bool inRange(u32 Index, u32 Offset, u32 Size) const {
    if (Check == 2)
      return Records != 0;
    if (Check == 1)
      return Index < Records;
    if (Check == 0)
      return Index < Records && Offset + u64(Size) <= Stride;
    if (Stride && (Swizzle || AddTid))
      return Index < Records;
    const u64 End = u64(Index) * Stride + Offset + Size;
    return End + SOffset <= Records;
  }
};

struct MemoryOp {
  Machine &M;
  const Inst &I;
  u64 Faults = 0;
  u64 FaultAddress = 0;
  Access FaultKind = Access::Read;
  const Buffer *Buf = nullptr;

  MemoryOp(Machine &M, const Inst &I) : M(M), I(I) {}

  /// Host memory of an access that lies in one piece; null: fault noted.
  u8 *at(unsigned Lane, u64 Address, unsigned Size, Access Kind) {
    if (M.Watches)
      watch(Lane, Address, Size, Kind);
    u8 *P = M.global(Address, Size, Kind);
    if (!P)
      fault(Lane, Address, Kind);
    return P;
  }
  void fault(unsigned Lane, u64 Address, Access Kind) {
    if (!Faults) {
      FaultAddress = Address;
      FaultKind = Kind;
    }
    Faults |= u64(1) << Lane;
  }
  void watch(unsigned Lane, u64 Address, unsigned Size, Access Kind) {
    for (unsigned N = 0; N < M.Watches->size() && N < 4; ++N) {
      const AddressWatch &A = (*M.Watches)[N];
      if (!A.Enabled ||
          (A.Kind == AddressWatch::Read && Kind != Access::Read) ||
          (A.Kind == AddressWatch::NonRead && Kind == Access::Read) ||
          (A.Kind == AddressWatch::Atomic && Kind != Access::Atomic))
        continue;
      for (unsigned B = 0; B < Size; ++B)
        if (((Address + B) & A.Mask) == (A.Address & A.Mask)) {
          M.WatchHits |= 1u << N;
          M.WatchLanes |= u64(1) << Lane;
        }
    }
  }
  bool report() {
    if (Faults)
      M.memoryViolation(FaultAddress, Faults, FaultKind);
    return Faults;
  }

  /// Global address of byte \a A of a lane's private memory.
  u64 privateAddress(unsigned Lane, u64 A) const {
    return M.W.flatScratch() + A / 4 * (M.Lanes * 4) + Lane * 4 + A % 4;
  }

  /// move() for the usual case; false: nothing was done.
  template <bool Write, unsigned Size> bool quick(const Place &P, u32 *Data) {
    u8 *Memory;
    switch (P.In) {
    case Space::Global: {
      if (M.Watches)
        return false;
      const MemorySpan &S =
          M.Spans[unsigned(Write ? Access::Write : Access::Read)];
      const u64 At = P.Address - S.Begin, Length = S.End - S.Begin;
      if (At >= Length || Length - At < Size)
        return false;
      Memory = S.Host + At;
      break;
    }
    case Space::Local:
    case Space::LocalChecked:
      if (M.Watches || P.Address + Size > M.W.LDSSize)
        return false;
      Memory = M.W.LDS + P.Address;
      break;
    default:
      return false;
    }
    if (Write)
      std::memcpy(Memory, Data, Size);
    else
      std::memcpy(Data, Memory, Size);
    return true;
  }

  /// Moves \a Size bytes between a place and \a Data. False: fault noted.
  template <bool Write>
  bool move(unsigned Lane, const Place &P, unsigned Size, u8 *Data) {
    constexpr Access Kind = Write ? Access::Write : Access::Read;
    auto Copy = [&](u8 *Memory, unsigned At, unsigned N) {
      if (Write)
        std::memcpy(Memory, Data + At, N);
      else
        std::memcpy(Data + At, Memory, N);
    };
    switch (P.In) {
    case Space::Global: {
      if (u8 *Memory = M.Watches ? nullptr : M.global(P.Address, Size, Kind)) {
        Copy(Memory, 0, Size);
        return true;
      }
      // Perhaps it spans two pieces of memory.
      for (unsigned N = 0; N < Size; ++N) {
        u8 *Byte = at(Lane, P.Address + N, 1, Kind);
        if (!Byte)
          return false;
        Copy(Byte, N, 1);
      }
      return true;
    }
    case Space::LocalChecked:
      if (P.Address + Size > M.W.LDSSize) {
        fault(Lane, LocalApertureBase + P.Address, Kind);
        return false;
      }
      if (M.Watches)
        watch(Lane, LocalApertureBase + P.Address, Size, Kind);
      Copy(M.W.LDS + P.Address, 0, Size);
      return true;
    case Space::Local:
      if (M.Watches)
        watch(Lane, LocalApertureBase + P.Address, Size, Kind);
      if (P.Address + Size <= M.W.LDSSize) {
        Copy(M.W.LDS + P.Address, 0, Size);
      } else if (M.LocalRangeFaults) {
        fault(Lane, LocalApertureBase + P.Address, Kind);
        return false;
      } else if (!Write)
        std::memset(Data, 0, Size);
      return true;
    case Space::Private:
      if (P.Address + Size > M.W.ScratchLaneSize) {
        fault(Lane, PrivateApertureBase + P.Address, Kind);
        return false;
      }
      return pieces<Write>(Lane, P.Address, Size, Data, [&](u64 A) {
        return privateAddress(Lane, A);
      });
    case Space::Buffer:
      if (!Buf->Swizzle) {
        Place Linear{Space::Global,
                     Buf->address(u32(P.Address >> 32), u32(P.Address))};
        return move<Write>(Lane, Linear, Size, Data);
      }
      return pieces<Write>(Lane, P.Address, Size, Data, [&](u64 A) {
        return Buf->address(u32(A >> 32), u32(A));
      });
    case Space::Nowhere:
      if (!Write)
        std::memset(Data, 0, Size);
      return true;
    }
    return false;
  }
  /// Dword by dword, as swizzling tears neighbours apart.
  template <bool Write, class F>
  bool pieces(unsigned Lane, u64 A, unsigned Size, u8 *Data, F Address) {
    constexpr Access Kind = Write ? Access::Write : Access::Read;
    for (unsigned Done = 0; Done < Size;) {
      unsigned N = 4 - unsigned((A + Done) & 3);
      if (N > Size - Done)
        N = Size - Done;
      u8 *Memory = at(Lane, Address(A + Done), N, Kind);
      if (!Memory)
        return false;
      if (Write)
        std::memcpy(Memory, Data + Done, N);
      else
        std::memcpy(Data + Done, Memory, N);
      Done += N;
    }
    return true;
  }
};

// Addressings. Each gives a lane's place.

struct FlatAddress {
  Machine &M;
  const Inst &I;
  const u32 *Lo = nullptr, *Hi = nullptr;
  u64 Base = 0;
  bool Ok = true;

  FlatAddress(Machine &M, const Inst &I, MemoryOp &) : M(M), I(I) {
    Base = u64(i64(I.Imm));
    const unsigned Need = I.AddrCount;
    if (I.HasSAddr) // scratch has 32 bits.
      Base += I.Seg == 1 ? M.W.Scalar[I.SAddr] : M.W.pair(I.SAddr);
    if (I.VAddr + Need > M.W.AccumOffset && Need) {
      M.illegal(I, "address beyond the wave's vector registers");
      Ok = false;
      return;
    }
    if (Need)
      Lo = M.vgpr(I.VAddr);
    if (Need == 2)
      Hi = M.vgpr(I.VAddr + 1);
  }
  Place operator()(unsigned L, unsigned) const {
    if (I.Seg == 1) {
      // 32-bit arithmetic on the private offset.
      return {Space::Private, u32(Base + (Lo ? Lo[L] : 0))};
    }
    u64 A = Base;
    if (Lo)
      A += Lo[L];
    if (Hi)
      A += u64(Hi[L]) << 32;
    if (I.Seg == 0) {
      if (A >> 32 == LocalApertureBase >> 32)
        return {Space::LocalChecked, u32(A)};
      if (A >> 32 == PrivateApertureBase >> 32)
        return {Space::Private, u32(A)};
    }
    return {Space::Global, A};
  }
};

struct BufferAddress {
  Machine &M;
  const Inst &I;
  Buffer B;
  const u32 *Index = nullptr, *Offset = nullptr;
  bool Ok = true;

  BufferAddress(Machine &M, const Inst &I, MemoryOp &O)
      : M(M), I(I), B(&M.W.Scalar[I.SAddr], M.scalar32(I.Src[2]), M.generation()) {
    O.Buf = &B;
    const unsigned Need = unsigned(I.IdxEn) + I.OffEn;
    if (Need && I.VAddr + Need > M.W.AccumOffset) {
      M.illegal(I, "address beyond the wave's vector registers");
      Ok = false;
      return;
    }
    if (I.IdxEn)
      Index = M.vgpr(I.VAddr);
    if (I.OffEn)
      Offset = M.vgpr(I.VAddr + I.IdxEn);
  }
  Place operator()(unsigned L, unsigned Size) const {
    const u32 Ix = (Index ? Index[L] : 0) + (B.AddTid ? L : 0);
    const u32 Off = u32(I.Imm) + (Offset ? Offset[L] : 0);
    if (!B.inRange(Ix, Off, Size))
      return {Space::Nowhere, 0};
    return {Space::Buffer, u64(Ix) << 32 | Off};
  }
};

struct LocalAddress {
  Machine &M;
  const u32 *A = nullptr;
  u32 Offset;
  bool Ok = true;

  LocalAddress(Machine &M, const Inst &I, MemoryOp &) : M(M), Offset(I.Imm) {
    if (I.VAddr + 1u > M.W.AccumOffset) {
      M.illegal(I, "address beyond the wave's vector registers");
      Ok = false;
      return;
    }
    A = M.vgpr(I.VAddr);
  }
  Place operator()(unsigned L, unsigned) const {
    // 32-bit arithmetic: compilers have negative addresses with an offset.
    return {Space::Local, u32(A[L] + Offset)};
  }
};

/// First of \a N data registers, or null with the wave stopped.
u32 *dataRegisters(Machine &M, const Inst &I, unsigned Reg, unsigned N) {
  const unsigned First = I.AccData ? M.W.AccumOffset + Reg : Reg;
  if (First + N > (I.AccData ? M.W.VGPRCount : M.W.AccumOffset)) {
    M.illegal(I, "data beyond the wave's vector registers");
    return nullptr;
  }
  return M.vgpr(First);
}

/// What becomes of a loaded value in its register, or is stored of one.
enum class Format : u32 { Dwords, U8, I8, U16, I16, D16, D16Hi };
constexpr u32 SignedByte = 0x100; ///< With D16*: a signed byte.

/// What a full wave does nearly always: neighbouring lanes access neighbouring
/// memory, or all lanes the same place (in private memory, that is a row of
/// dwords). False: another pattern, or not all of it can be accessed; nothing
/// was done.
template <bool Write, unsigned Size>
bool wholeWave(MemoryOp &O, const FlatAddress &A, u32 *D) {
  Machine &M = O.M;
  const unsigned Lanes = M.Lanes;
  if (!A.Lo || M.Watches)
    return false;
  const u32 Lo0 = A.Lo[0];
  u32 Differs = 0, Strides = 0;
  for (unsigned L = 0; L < Lanes; ++L) {
    Differs |= A.Lo[L] ^ Lo0;
    Strides |= A.Lo[L] ^ (Lo0 + L * Size);
  }
  if ((Differs && Strides) || (Strides == 0 && Lo0 + Lanes * Size < Lo0))
    return false;
  if (A.Hi) {
    u32 HiDiffers = 0;
    for (unsigned L = 0; L < Lanes; ++L)
      HiDiffers |= A.Hi[L] ^ A.Hi[0];
    if (HiDiffers)
      return false;
  }
  const Place P = A(0, Size);
  constexpr Access Kind = Write ? Access::Write : Access::Read;
  constexpr unsigned Words = Size / 4;
  if (P.In == Space::Private) {
    if (Differs || (P.Address & 3) || P.Address + Size > M.W.ScratchLaneSize)
      return false;
    u8 *Rows[Words];
    for (unsigned N = 0; N < Words; ++N)
      if (!(Rows[N] = M.global(O.privateAddress(0, P.Address + 4 * N), Lanes * 4,
                               Kind)))
        return false;
    for (unsigned N = 0; N < Words; ++N) {
      if (Write)
        std::memcpy(Rows[N], D + N * Lanes, Lanes * 4);
      else
        std::memcpy(D + N * Lanes, Rows[N], Lanes * 4);
    }
    return true;
  }
  // Of stores to one place the last lane's counts: left to the general way.
  if (P.In != Space::Global || (Write && !Differs))
    return false;
  u8 *Memory = M.global(P.Address, Differs ? Size * Lanes : Size, Kind);
  if (!Memory)
    return false;
  if (Words == 1 && Differs) {
    if (Write)
      std::memcpy(Memory, D, Lanes * 4);
    else
      std::memcpy(D, Memory, Lanes * 4);
    return true;
  }
  const unsigned Step = Differs ? Words : 0;
  for (unsigned N = 0; N < Words; ++N)
    for (unsigned L = 0; L < Lanes; ++L) {
      u8 *At = Memory + 4 * (L * Step + N);
      if (Write)
        std::memcpy(At, &D[N * Lanes + L], 4);
      else
        std::memcpy(&D[N * Lanes + L], At, 4);
    }
  return true;
}

/// The size is a constant so that moving a lane's bytes is an instruction or two.
template <class Where, unsigned Size> void loadSized(Machine &M, const Inst &I) {
  const u64 X = M.exec();
  if (!X)
    return;
  MemoryOp O(M, I);
  Where A(M, I, O);
  constexpr unsigned Count = (Size + 3) / 4;
  u32 *D = A.Ok ? dataRegisters(M, I, I.Dst, Count) : nullptr;
  if (!D)
    return;
  const Format F = Format(I.O->Data2);
  if constexpr (std::is_same<Where, FlatAddress>::value && Size >= 4)
    if (X == M.LaneMask && wholeWave<false, Size>(O, A, D))
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
      u32 V = I.O->Data & SignedByte ? u32(i32(int8_t(Data[0]))) & 0xffff
                                     : Data[0];
      D[L] = F == Format::D16 ? (D[L] & 0xffff0000u) | V
                              : (D[L] & 0xffff) | V << 16;
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
  u32 *D = A.Ok ? dataRegisters(M, I, I.VData, Count) : nullptr;
  if (!D)
    return;
  if constexpr (std::is_same<Where, FlatAddress>::value && Size >= 4)
    if (X == M.LaneMask && wholeWave<true, Size>(O, A, D))
      return;
  const bool High = Format(I.O->Data2) == Format::D16Hi;
  const unsigned Lanes = M.Lanes;
  for (unsigned L = 0; L < Lanes; ++L) {
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

template <class Where> void load(Machine &M, const Inst &I) {
  switch (I.O->Data & 0xff) {
  case 1: return loadSized<Where, 1>(M, I);
  case 2: return loadSized<Where, 2>(M, I);
  case 4: return loadSized<Where, 4>(M, I);
  case 8: return loadSized<Where, 8>(M, I);
  case 12: return loadSized<Where, 12>(M, I);
  default: return loadSized<Where, 16>(M, I);
  }
}
template <class Where> void store(Machine &M, const Inst &I) {
  switch (I.O->Data & 0xff) {
  case 1: return storeSized<Where, 1>(M, I);
  case 2: return storeSized<Where, 2>(M, I);
  case 4: return storeSized<Where, 4>(M, I);
  case 8: return storeSized<Where, 8>(M, I);
  case 12: return storeSized<Where, 12>(M, I);
  default: return storeSized<Where, 16>(M, I);
  }
}

/// Private memory at an offset that is the same in all lanes is a row of dwords:
/// what compilers spill to. Null: not that case.
u8 *scratchRow(Machine &M, const Inst &I, unsigned Row, Access Kind) {
  if (I.OffEn || I.IdxEn || (I.Imm & 3) || M.Watches)
    return nullptr;
  const Buffer B(&M.W.Scalar[I.SAddr], M.scalar32(I.Src[2]), M.generation());
  if (!B.Swizzle || !B.AddTid || B.IndexStride != M.Lanes ||
      !B.inRange(M.Lanes - 1, u32(I.Imm) + 4 * Row, 4))
    return nullptr;
  return M.global(B.address(0, u32(I.Imm) + 4 * Row), M.Lanes * 4, Kind);
}
void bufferLoadDwords(Machine &M, const Inst &I) {
  const unsigned Count = I.O->Data / 4;
  const u64 X = M.exec();
  const u8 *Rows[4];
  for (unsigned N = 0; N < Count; ++N)
    if (!(Rows[N] = scratchRow(M, I, N, Access::Read)))
      return load<BufferAddress>(M, I);
  u32 *D = dataRegisters(M, I, I.Dst, Count);
  if (!D)
    return;
  for (unsigned N = 0; N < Count; ++N, D += M.Lanes) {
    if (X == M.LaneMask) {
      std::memcpy(D, Rows[N], M.Lanes * 4);
      continue;
    }
    for (unsigned L = 0; L < M.Lanes; ++L)
      if (X >> L & 1)
        std::memcpy(&D[L], Rows[N] + 4 * L, 4);
  }
}
void bufferStoreDwords(Machine &M, const Inst &I) {
  const unsigned Count = I.O->Data / 4;
  const u64 X = M.exec();
  u8 *Rows[4];
  for (unsigned N = 0; N < Count; ++N)
    if (!(Rows[N] = scratchRow(M, I, N, Access::Write)))
      return store<BufferAddress>(M, I);
  const u32 *D = dataRegisters(M, I, I.VData, Count);
  if (!D)
    return;
  for (unsigned N = 0; N < Count; ++N, D += M.Lanes) {
    if (X == M.LaneMask) {
      std::memcpy(Rows[N], D, M.Lanes * 4);
      continue;
    }
    for (unsigned L = 0; L < M.Lanes; ++L)
      if (X >> L & 1)
        std::memcpy(Rows[N] + 4 * L, &D[L], 4);
  }
}

// Atomics.

enum class Atomic : u32 {
  Swap, CmpSwap, Add, Sub, RSub, SMin, UMin, SMax, UMax, And, Or, Xor, Inc, Dec,
  FAdd, FMin, FMax, PkAddF16, MaskOr, Wrap,
  CmpStore, ///< The LDS's of gfx11 and later: CmpSwap with the operands swapped.
};

u32 flushed(u32 V) { return V & 0x7f800000u ? V : V & 0x80000000u; }

/// IEEE minimum and maximum of a memory unit: a NaN loses against a number.
template <class F> F fmin2(F A, F B) {
  if (std::isnan(A)) return B;
  if (std::isnan(B)) return A;
  if (A == B) return std::signbit(A) ? A : B;
  return A < B ? A : B;
}
template <class F> F fmax2(F A, F B) {
  if (std::isnan(A)) return B;
  if (std::isnan(B)) return A;
  if (A == B) return std::signbit(A) ? B : A;
  return A > B ? A : B;
}

u32 packedAddF16(u32 A, u32 B);

/// The new value of memory. \a D is the first data operand, \a C the second
/// (what to compare with, the mask).
template <class T>
T apply(Atomic Op, T Old, T D, T C, bool Flush) {
  using S = typename std::make_signed<T>::type;
  switch (Op) {
  case Atomic::Swap: return D;
  case Atomic::CmpSwap:
  case Atomic::CmpStore: return Old == C ? D : Old;
  case Atomic::Add: return Old + D;
  case Atomic::Sub: return Old - D;
  case Atomic::RSub: return D - Old;
  case Atomic::SMin: return S(D) < S(Old) ? D : Old;
  case Atomic::UMin: return D < Old ? D : Old;
  case Atomic::SMax: return S(D) > S(Old) ? D : Old;
  case Atomic::UMax: return D > Old ? D : Old;
  case Atomic::And: return Old & D;
  case Atomic::Or: return Old | D;
  case Atomic::Xor: return Old ^ D;
  case Atomic::Inc: return Old >= D ? 0 : Old + 1;
  case Atomic::Dec: return Old == 0 || Old > D ? D : Old - 1;
  case Atomic::MaskOr: return (Old & ~D) | C;
  case Atomic::Wrap: return Old >= D ? Old - D : Old + C;
  case Atomic::PkAddF16: return T(packedAddF16(u32(Old), u32(D)));
  case Atomic::FAdd:
  case Atomic::FMin:
  case Atomic::FMax:
    if constexpr (sizeof(T) == 4) {
      if (Flush) {
        Old = flushed(Old);
        D = flushed(D);
      }
      const float A = bitCast<float>(Old), B = bitCast<float>(D);
      const u32 R = bitCast<u32>(Op == Atomic::FAdd   ? A + B
                                 : Op == Atomic::FMin ? fmin2(A, B)
                                                      : fmax2(A, B));
      return Flush ? flushed(R) : R;
    } else {
      const double A = bitCast<double>(Old), B = bitCast<double>(D);
      return bitCast<T>(Op == Atomic::FAdd   ? A + B
                        : Op == Atomic::FMin ? fmin2(A, B)
                                             : fmax2(A, B));
    }
  }
  return Old;
}

/// On memory that host threads and other waves may change at the same time.
template <class T>
T atomicallyAt(u8 *P, Atomic Op, T D, T C, bool Flush) {
  T *Memory = reinterpret_cast<T *>(P);
  T Old = __atomic_load_n(Memory, __ATOMIC_SEQ_CST);
  T New;
  do
    New = apply<T>(Op, Old, D, C, Flush);
  while (!__atomic_compare_exchange_n(Memory, &Old, New, false,
                                      __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
  return Old;
}

template <class T, class Where> void atomicOp(Machine &M, const Inst &I) {
  const u64 X = M.exec();
  if (!X)
    return;
  constexpr unsigned Words = sizeof(T) / 4;
  constexpr bool IsDS = std::is_same<Where, LocalAddress>::value;
  const Atomic Op = Atomic(I.O->Data);
  const bool Two =
      Op == Atomic::CmpSwap || Op == Atomic::CmpStore || Op == Atomic::MaskOr ||
      Op == Atomic::Wrap;
  MemoryOp O(M, I);
  Where A(M, I, O);
  if (!A.Ok)
    return;
  const bool Returns = IsDS ? I.O->Data2 & 1 : I.Glc;
  const u32 *Data = dataRegisters(M, I, I.VData, IsDS || !Two ? Words : 2 * Words);
  if (!Data)
    return;
  // Memory units take both values from one run of registers, the LDS from two.
  const u32 *Data1 = Two ? IsDS ? dataRegisters(M, I, I.VData1, Words)
                                : Data + Words * M.Lanes
                         : Data;
  u32 *D = Returns ? dataRegisters(M, I, I.Dst, Words) : nullptr;
  if (!Data1 || (Returns && !D))
    return;
  const unsigned Lanes = M.Lanes;
  auto Get = [&](const u32 *R, unsigned L) {
    return Words == 1 ? T(R[L]) : T(R[L] | u64(R[Lanes + L]) << 32 % (8 * sizeof(T)));
  };
  for (unsigned L = 0; L < Lanes; ++L) {
    if (!(X >> L & 1))
      continue;
    T V = Get(Data, L), C = Get(Data1, L);
    // ds_cmpst: first operand compare, second new value. ds_mskor: mask, bits.
    if (IsDS && Op == Atomic::CmpSwap)
      std::swap(V, C);
    const Place P = A(L, sizeof(T));
    T Old = 0;
    // The memory's own adder flushes f32 denormals, but for gfx942's and
    // gfx12's; the LDS obeys MODE.
    bool Flush = M.W.Processor != Target::GFX942 && M.generation() < 12;
    u8 *Memory = nullptr;
    bool Plain = false;
    switch (P.In) {
    case Space::Local:
    case Space::LocalChecked:
      Flush = M.E.FlushInF32 || M.E.FlushOutF32;
      if (M.Watches)
        O.watch(L, LocalApertureBase + P.Address, sizeof(T), Access::Atomic);
      if (P.Address + sizeof(T) <= M.W.LDSSize && P.Address % sizeof(T) == 0)
        Memory = M.W.LDS + P.Address;
      else if (P.In == Space::LocalChecked || M.LocalRangeFaults ||
               P.Address % sizeof(T)) {
        O.fault(L, LocalApertureBase + P.Address, Access::Atomic);
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
    case Space::Nowhere:
      break;
    }
    if (Memory && reinterpret_cast<uintptr_t>(Memory) % sizeof(T) == 0) {
      Old = atomicallyAt<T>(Memory, Op, V, C, Flush);
    } else if (Memory || Plain) {
      // Nobody else can see a lane's private memory.
      if (!O.template move<false>(L, P, sizeof(T), reinterpret_cast<u8 *>(&Old)))
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

// LDS pairs.

template <bool Write> void dsPair(Machine &M, const Inst &I) {
  const u64 X = M.exec();
  if (!X)
    return;
  MemoryOp O(M, I);
  LocalAddress A(M, I, O);
  if (!A.Ok)
    return;
  A.Offset = 0;
  const unsigned Size = I.O->Data, Words = Size / 4;
  const unsigned Scale = Size * (I.O->Data2 ? 64 : 1);
  const unsigned Off[2] = {(u32(I.Imm) & 0xff) * Scale,
                           (u32(I.Imm) >> 8 & 0xff) * Scale};
  u32 *R[2];
  if (Write) {
    R[0] = dataRegisters(M, I, I.VData, Words);
    R[1] = R[0] ? dataRegisters(M, I, I.VData1, Words) : nullptr;
  } else {
    R[0] = dataRegisters(M, I, I.Dst, 2 * Words);
    R[1] = R[0] ? R[0] + Words * M.Lanes : nullptr;
  }
  if (!R[0] || !R[1])
    return;
  for (unsigned L = 0; L < M.Lanes; ++L) {
    if (!(X >> L & 1))
      continue;
    const u64 Base = A(L, Size).Address;
    u32 Data[2][2];
    for (unsigned K = 0; K < 2; ++K) {
      const Place P{Space::Local, u32(Base + Off[K])};
      if (Write) {
        for (unsigned N = 0; N < Words; ++N)
          Data[K][N] = R[K][N * M.Lanes + L];
        O.move<true>(L, P, Size, reinterpret_cast<u8 *>(Data[K]));
      } else {
        O.move<false>(L, P, Size, reinterpret_cast<u8 *>(Data[K]));
      }
    }
    if (!Write)
      for (unsigned K = 0; K < 2; ++K)
        for (unsigned N = 0; N < Words; ++N)
          R[K][N * M.Lanes + L] = Data[K][N];
  }
}

// Lane exchanges that go through the LDS hardware, without its memory.

template <bool Forward> void permute(Machine &M, const Inst &I) {
  const u64 X = M.exec();
  const u32 *S = dataRegisters(M, I, I.VData, 1);
  u32 *D = S ? dataRegisters(M, I, I.Dst, 1) : nullptr;
  if (!D)
    return;
  if (I.VAddr >= M.W.AccumOffset)
    return M.illegal(I, "address beyond the wave's vector registers");
  const u32 *A = M.vgpr(I.VAddr);
  u32 Out[MaxLanes] = {};
  for (unsigned L = 0; L < M.Lanes; ++L) {
    // gfx10 and gfx11 permute each half of a wave of 64 lanes by itself.
    const unsigned Reach =
        M.generation() == 10 || M.generation() == 11 ? 32 : M.Lanes;
    const unsigned Other =
        L / Reach * Reach + (A[L] + u32(I.Imm)) / 4 % Reach;
    if (Forward) {
      if (X >> L & 1)
        Out[Other] = S[L];
    } else {
      Out[L] = X >> Other & 1 ? S[Other] : 0;
    }
  }
  for (unsigned L = 0; L < M.Lanes; ++L)
    if (X >> L & 1)
      D[L] = Out[L];
}

/// The global wave sync's barrier. Its first active lane gives the count.
void gridBarrier(Machine &M, const Inst &I) {
  if ((u32(I.Imm) + (M.W.m0() >> 16)) & 63)
    return M.illegal(I, "a resource other than 0 is not modelled");
  if (I.VAddr >= M.W.AccumOffset)
    return M.illegal(I, "a count beyond the wave's vector registers");
  const u64 X = M.exec();
  M.stop(StepResult::GridBarrier,
         M.vgpr(I.VAddr)[X ? unsigned(__builtin_ctzll(X)) : 0]);
}

void swizzle(Machine &M, const Inst &I) {
  const u64 X = M.exec();
  const u32 *S = M.vgpr(I.VAddr);
  u32 *D = dataRegisters(M, I, I.Dst, 1);
  if (!D)
    return;
  if (I.VAddr >= M.W.AccumOffset)
    return M.illegal(I, "data beyond the wave's vector registers");
  const u32 Off = u32(I.Imm);
  if (Off >= 0xc000)
    return M.illegal(I, "FFT and rotate modes are not modelled");
  u32 Out[MaxLanes];
  for (unsigned L = 0; L < M.Lanes; ++L) {
    unsigned From;
    if (Off & 0x8000)
      From = (L & ~3u) + (Off >> (2 * (L & 3)) & 3);
    else
      From = (L & ~31u) +
             ((((L & 31) & (Off & 31)) | (Off >> 5 & 31)) ^ (Off >> 10 & 31));
    Out[L] = X >> From & 1 ? S[From] : 0;
  }
  for (unsigned L = 0; L < M.Lanes; ++L)
    if (X >> L & 1)
      D[L] = Out[L];
}

void nothing(Machine &, const Inst &) {}

Op make(Handler Fn, u32 Data, u32 Data2 = 0) {
  Op O;
  O.Fn = Fn;
  O.Data = Data;
  O.Data2 = Data2;
  return O;
}
/// The same with a result register.
Op makeLoad(Handler Fn, u32 Data, u32 Data2 = 0) {
  Op O = make(Fn, Data, Data2);
  O.Flags = Op::HasDst;
  return O;
}

struct LoadKind {
  const char *Suffix;
  u32 Size;
  Format F;
};
const LoadKind VmemLoads[] = {
    {"dword", 4, Format::Dwords},      {"dwordx2", 8, Format::Dwords},
    {"dwordx3", 12, Format::Dwords},   {"dwordx4", 16, Format::Dwords},
    {"ubyte", 1, Format::U8},          {"sbyte", 1, Format::I8},
    {"ushort", 2, Format::U16},        {"sshort", 2, Format::I16},
    {"ubyte_d16", 1, Format::D16},     {"ubyte_d16_hi", 1, Format::D16Hi},
    {"sbyte_d16", 1 | SignedByte, Format::D16},
    {"sbyte_d16_hi", 1 | SignedByte, Format::D16Hi},
    {"short_d16", 2, Format::D16},     {"short_d16_hi", 2, Format::D16Hi},
};
const LoadKind VmemStores[] = {
    {"dword", 4, Format::Dwords},    {"dwordx2", 8, Format::Dwords},
    {"dwordx3", 12, Format::Dwords}, {"dwordx4", 16, Format::Dwords},
    {"byte", 1, Format::U8},         {"byte_d16_hi", 1, Format::D16Hi},
    {"short", 2, Format::U16},       {"short_d16_hi", 2, Format::D16Hi},
};
const LoadKind LdsLoads[] = {
    {"b32", 4, Format::Dwords},      {"b64", 8, Format::Dwords},
    {"b96", 12, Format::Dwords},     {"b128", 16, Format::Dwords},
    {"u8", 1, Format::U8},           {"i8", 1, Format::I8},
    {"u16", 2, Format::U16},         {"i16", 2, Format::I16},
    {"u8_d16", 1, Format::D16},      {"u8_d16_hi", 1, Format::D16Hi},
    {"i8_d16", 1 | SignedByte, Format::D16},
    {"i8_d16_hi", 1 | SignedByte, Format::D16Hi},
    {"u16_d16", 2, Format::D16},     {"u16_d16_hi", 2, Format::D16Hi},
};
const LoadKind LdsStores[] = {
    {"b32", 4, Format::Dwords},  {"b64", 8, Format::Dwords},
    {"b96", 12, Format::Dwords}, {"b128", 16, Format::Dwords},
    {"b8", 1, Format::U8},       {"b8_d16_hi", 1, Format::D16Hi},
    {"b16", 2, Format::U16},     {"b16_d16_hi", 2, Format::D16Hi},
};
const struct {
  const char *Name;
  Atomic Op;
} IntAtomics[] = {
    {"swap", Atomic::Swap}, {"cmpswap", Atomic::CmpSwap},
    {"add", Atomic::Add},   {"sub", Atomic::Sub},
    {"smin", Atomic::SMin}, {"umin", Atomic::UMin},
    {"smax", Atomic::SMax}, {"umax", Atomic::UMax},
    {"and", Atomic::And},   {"or", Atomic::Or},
    {"xor", Atomic::Xor},   {"inc", Atomic::Inc},
    {"dec", Atomic::Dec},
};

/// Memory's own adders round to nearest, whatever MODE says.
Op makeAtomic(Handler Fn, Atomic What, u32 Data2 = 0) {
  Op O = make(Fn, u32(What), Data2);
  if (What == Atomic::FAdd || What == Atomic::PkAddF16)
    O.Fp = FpClass::Near;
  return O;
}

Op returning(Op O) {
  O.Flags |= Op::HasDst;
  return O;
}

template <class Where>
void addVmem(OpTable &T, const std::string &Family) {
  for (const LoadKind &K : VmemLoads)
    T.add((Family + "_load_" + K.Suffix).c_str(),
          makeLoad(load<Where>, K.Size, u32(K.F)));
  for (const LoadKind &K : VmemStores)
    T.add((Family + "_store_" + K.Suffix).c_str(),
          make(store<Where>, K.Size, u32(K.F)));
  if (Family == "scratch")
    return;
  for (const auto &A : IntAtomics) {
    const std::string Name = Family + "_atomic_" + A.Name;
    T.add(Name.c_str(), makeAtomic(atomicOp<u32, Where>, A.Op));
    T.add((Name + "_x2").c_str(), makeAtomic(atomicOp<u64, Where>, A.Op));
  }
  const std::string Name = Family + "_atomic_";
  T.add((Name + "add_f32").c_str(), makeAtomic(atomicOp<u32, Where>, Atomic::FAdd));
  T.add((Name + "pk_add_f16").c_str(),
        make(atomicOp<u32, Where>, u32(Atomic::PkAddF16)));
  T.add((Name + "min_f32").c_str(), makeAtomic(atomicOp<u32, Where>, Atomic::FMin));
  T.add((Name + "max_f32").c_str(), makeAtomic(atomicOp<u32, Where>, Atomic::FMax));
  T.add((Name + "add_f64").c_str(), makeAtomic(atomicOp<u64, Where>, Atomic::FAdd));
  T.add((Name + "min_f64").c_str(), makeAtomic(atomicOp<u64, Where>, Atomic::FMin));
  T.add((Name + "max_f64").c_str(), makeAtomic(atomicOp<u64, Where>, Atomic::FMax));
}

double halfToDouble(u16 H) {
  const unsigned Exp = H >> 10 & 31, Man = H & 0x3ff;
  double D = Exp == 31 ? (Man ? NAN : INFINITY)
             : Exp     ? std::ldexp(double(Man | 0x400), int(Exp) - 25)
                       : std::ldexp(double(Man), -24);
  return H & 0x8000 ? -D : D;
}
/// Nearest even, denormals flushed, as the memory's adder does.
u16 doubleToHalf(double D) {
  const u16 Sign = std::signbit(D) ? 0x8000 : 0;
  D = std::fabs(D);
  if (std::isnan(D))
    return 0x7e00 | Sign;
  if (D >= 65520)
    return 0x7c00 | Sign;
  if (D < 0x1p-14)
    return Sign;
  int Exp;
  const double Man = std::frexp(D, &Exp); // [0.5, 1)
  const u32 Rounded = u32(std::nearbyint(std::ldexp(Man, 11)));
  return u16(Sign | (u32(Exp + 14) << 10) + (Rounded - 0x400));
}
u32 packedAddF16(u32 A, u32 B) {
  const auto Flush = [](u16 H) { return u16(H & 0x7c00 ? H : H & 0x8000); };
  const auto Add = [&](u16 X, u16 Y) {
    return doubleToHalf(halfToDouble(Flush(X)) + halfToDouble(Flush(Y)));
  };
  return u32(Add(u16(A), u16(B))) | u32(Add(u16(A >> 16), u16(B >> 16))) << 16;
}

} // namespace

void addMemoryOps(OpTable &T) {
  addVmem<FlatAddress>(T, "flat");
  addVmem<FlatAddress>(T, "global");
  addVmem<FlatAddress>(T, "scratch");
  addVmem<BufferAddress>(T, "buffer");
  for (unsigned N = 0; N < 4; ++N) {
    T.add((std::string("buffer_load_") + VmemLoads[N].Suffix).c_str(),
          makeLoad(bufferLoadDwords, VmemLoads[N].Size));
    T.add((std::string("buffer_store_") + VmemStores[N].Suffix).c_str(),
          make(bufferStoreDwords, VmemStores[N].Size));
  }
  for (const char *Name : {"buffer_wbinvl1", "buffer_wbinvl1_vol", "buffer_wbl2",
                           "buffer_invl2", "buffer_gl0_inv", "buffer_gl1_inv",
                           "buffer_inv", "global_inv", "global_wb",
                           "global_wbinv"})
    T.add(Name, make(nothing, 0));

  for (const LoadKind &K : LdsLoads)
    T.add((std::string("ds_read_") + K.Suffix).c_str(),
          makeLoad(load<LocalAddress>, K.Size, u32(K.F)));
  for (const LoadKind &K : LdsStores)
    T.add((std::string("ds_write_") + K.Suffix).c_str(),
          make(store<LocalAddress>, K.Size, u32(K.F)));
  T.add("ds_read2_b32", makeLoad(dsPair<false>, 4, 0));
  T.add("ds_read2_b64", makeLoad(dsPair<false>, 8, 0));
  T.add("ds_read2st64_b32", makeLoad(dsPair<false>, 4, 1));
  T.add("ds_read2st64_b64", makeLoad(dsPair<false>, 8, 1));
  T.add("ds_write2_b32", make(dsPair<true>, 4, 0));
  T.add("ds_write2_b64", make(dsPair<true>, 8, 0));
  T.add("ds_write2st64_b32", make(dsPair<true>, 4, 1));
  T.add("ds_write2st64_b64", make(dsPair<true>, 8, 1));

  static const struct {
    const char *Name;   ///< Without result.
    const char *Rtn;    ///< With one; either may be null.
    Atomic Op;
    bool Wide;
  } Lds[] = {
      {"ds_add_u32", "ds_add_rtn_u32", Atomic::Add, false},
      {"ds_sub_u32", "ds_sub_rtn_u32", Atomic::Sub, false},
      {"ds_rsub_u32", "ds_rsub_rtn_u32", Atomic::RSub, false},
      {"ds_inc_u32", "ds_inc_rtn_u32", Atomic::Inc, false},
      {"ds_dec_u32", "ds_dec_rtn_u32", Atomic::Dec, false},
      {"ds_min_i32", "ds_min_rtn_i32", Atomic::SMin, false},
      {"ds_max_i32", "ds_max_rtn_i32", Atomic::SMax, false},
      {"ds_min_u32", "ds_min_rtn_u32", Atomic::UMin, false},
      {"ds_max_u32", "ds_max_rtn_u32", Atomic::UMax, false},
      {"ds_and_b32", "ds_and_rtn_b32", Atomic::And, false},
      {"ds_or_b32", "ds_or_rtn_b32", Atomic::Or, false},
      {"ds_xor_b32", "ds_xor_rtn_b32", Atomic::Xor, false},
      {"ds_mskor_b32", "ds_mskor_rtn_b32", Atomic::MaskOr, false},
      {"ds_cmpst_b32", "ds_cmpst_rtn_b32", Atomic::CmpSwap, false},
      {"ds_cmpstore_b32", "ds_cmpstore_rtn_b32", Atomic::CmpStore, false},
      {nullptr, "ds_wrxchg_rtn_b32", Atomic::Swap, false},
      {nullptr, "ds_wrap_rtn_b32", Atomic::Wrap, false},
      {"ds_add_f32", "ds_add_rtn_f32", Atomic::FAdd, false},
      {"ds_min_f32", "ds_min_rtn_f32", Atomic::FMin, false},
      {"ds_max_f32", "ds_max_rtn_f32", Atomic::FMax, false},
      {"ds_add_u64", "ds_add_rtn_u64", Atomic::Add, true},
      {"ds_sub_u64", "ds_sub_rtn_u64", Atomic::Sub, true},
      {"ds_rsub_u64", "ds_rsub_rtn_u64", Atomic::RSub, true},
      {"ds_inc_u64", "ds_inc_rtn_u64", Atomic::Inc, true},
      {"ds_dec_u64", "ds_dec_rtn_u64", Atomic::Dec, true},
      {"ds_min_i64", "ds_min_rtn_i64", Atomic::SMin, true},
      {"ds_max_i64", "ds_max_rtn_i64", Atomic::SMax, true},
      {"ds_min_u64", "ds_min_rtn_u64", Atomic::UMin, true},
      {"ds_max_u64", "ds_max_rtn_u64", Atomic::UMax, true},
      {"ds_and_b64", "ds_and_rtn_b64", Atomic::And, true},
      {"ds_or_b64", "ds_or_rtn_b64", Atomic::Or, true},
      {"ds_xor_b64", "ds_xor_rtn_b64", Atomic::Xor, true},
      {"ds_mskor_b64", "ds_mskor_rtn_b64", Atomic::MaskOr, true},
      {"ds_cmpst_b64", "ds_cmpst_rtn_b64", Atomic::CmpSwap, true},
      {"ds_cmpstore_b64", "ds_cmpstore_rtn_b64", Atomic::CmpStore, true},
      {nullptr, "ds_wrxchg_rtn_b64", Atomic::Swap, true},
      {"ds_add_f64", "ds_add_rtn_f64", Atomic::FAdd, true},
      {"ds_min_f64", "ds_min_rtn_f64", Atomic::FMin, true},
      {"ds_max_f64", "ds_max_rtn_f64", Atomic::FMax, true},
  };
  for (const auto &A : Lds) {
    const Handler Fn =
        A.Wide ? atomicOp<u64, LocalAddress> : atomicOp<u32, LocalAddress>;
    if (A.Name)
      T.add(A.Name, makeAtomic(Fn, A.Op, 0));
    if (A.Rtn)
      T.add(A.Rtn, returning(makeAtomic(Fn, A.Op, 1)));
  }
  T.add("ds_permute_b32", makeLoad(permute<true>, 0));
  T.add("ds_bpermute_b32", makeLoad(permute<false>, 0));
  T.add("ds_swizzle_b32", makeLoad(swizzle, 0));
  T.add("ds_nop", make(nothing, 0));
  T.add("ds_gws_barrier", make(gridBarrier, 0));
}

} // namespace isa
} // namespace wavelane
