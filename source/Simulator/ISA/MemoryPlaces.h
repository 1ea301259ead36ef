//===-- MemoryPlaces.h - where the lanes' accesses go ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An instruction that accesses memory combines an addressing (which memory and
// where, lane by lane: this file) and an action (load, store, atomic:
// MemoryMoves.h, MemoryAtomics.h).
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_ISA_MEMORYPLACES_H
#define WAVELANE_SIMULATOR_ISA_MEMORYPLACES_H

#include "LaneVectors.h"
#include "wavelane/Simulator/ISA/Observer.h"

namespace wavelane::isa {
namespace memory {

enum class Space : u8 {
  Global,
  Local,        ///< ds_*: outside of the LDS, loads give 0 and stores do
                ///< nothing, unless that is configured as a violation.
  LocalChecked, ///< flat_*: an access outside of the LDS is a violation.
  Private,      ///< Swizzled by the flat-scratch rule.
  Buffer,       ///< By the descriptor's rule.
  BufferPart,   ///< Some of its dwords are in a buffer's records; the address
                ///< is that of Buffer.
  Nowhere,      ///< Beyond a buffer's records: loads give 0. The address is
                ///< that of Buffer.
};

/// The place of a lane's access.
struct Place {
  Space In = Space::Global;
  u64 Address = 0;
};

/// An unpacked buffer descriptor.
struct Buffer {
  u64 Base;
  u32 Stride, Records;
  bool Swizzle, AddTid;
  u32 IndexStride;
  u32 SOffset;

  /// OOB_SELECT of gfx10 and later: 0 checks index and offset, 1 the index, 2
  /// only whether there are any records, 3 follows gfx9, with the offset in raw
  /// buffers.
  u32 Check = 3;

  Buffer(const u32 *D, u32 SOffset, const gpu::Features &F) : SOffset(SOffset) {
    Base = D[0] | u64(D[1] & 0xffff) << 32;
    Stride = D[1] >> 16 & 0x3fff;
    Swizzle = D[1] >> 31;
    Records = D[2];
    AddTid = D[3] >> 23 & 1;
    if (F.Descriptor == gpu::Descriptors::GFX9) {
      // With add_tid, the bits of the data format are the stride's upper bits.
      if (AddTid)
        Stride |= (D[3] >> 15 & 15) << 14;
    } else {
      Check = D[3] >> 28 & 3;
    }
    IndexStride = 8u << (D[3] >> 21 & 3);
  }
  /// The address of the byte at \a Offset of record \a Index.
  u64 address(u32 Index, u32 Offset) const {
    if (!Swizzle)
      return Base + SOffset + u64(Index) * Stride + Offset;
    constexpr u32 ElementSize = 4;
    const u64 IndexMsb = Index / IndexStride, IndexLsb = Index % IndexStride;
    const u64 OffsetMsb = Offset / ElementSize,
              OffsetLsb = Offset % ElementSize;
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
  /// The place of dword \a N of a lane's access at \a First.
  Place dword(u64 First, unsigned N) const {
    const u64 Offset = u64(u32(First)) + 4 * N;
    const bool Is =
        Offset <= ~u32(0) && inRange(u32(First >> 32), u32(Offset), 4);
    return {Is ? Space::Buffer : Space::Nowhere, First + 4 * N};
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

  /// Host memory for an access to a single piece of memory; null if a fault was
  /// noted.
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

  /// An access that is in range.
  LaneAccess blank(unsigned Size, Access Kind, unsigned Register,
                   bool High) const {
    LaneAccess A;
    A.Size = u8(Size);
    A.Kind = Kind;
    A.Register = u16(Register);
    A.File = I.Memory.AccData ? RegisterRange::Acc : RegisterRange::Vector;
    A.High = High;
    A.IsFlat = I.Enc == Encoding::FLAT && I.Memory.Seg == 0;
    return A;
  }
  /// Adds a lane's access to the machine's probe. \a Register holds the data.
  void note(unsigned Lane, const Place &P, unsigned Size, Access Kind,
            unsigned Register, bool High = false);
  void notePieces(unsigned Lane, const Place &P, unsigned Size, Access Kind,
                  unsigned Register);

  /// The global address of byte \a A of a lane's private memory.
  u64 privateAddress(unsigned Lane, u64 A) const {
    return M.W.flatScratch() + A / 4 * (M.Lanes * 4) + Lane * 4 + A % 4;
  }

  /// move() for the usual case; returns false if nothing was done.
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

  /// Moves \a Size bytes between a place and \a Data. Returns false if a fault
  /// was noted.
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
      // The access may span two pieces of memory.
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
        fault(Lane, gpu::LocalAperture + P.Address, Kind);
        return false;
      }
      if (M.Watches)
        watch(Lane, gpu::LocalAperture + P.Address, Size, Kind);
      Copy(M.W.LDS + P.Address, 0, Size);
      return true;
    case Space::Local:
      if (M.Watches)
        watch(Lane, gpu::LocalAperture + P.Address, Size, Kind);
      if (P.Address + Size <= M.W.LDSSize) {
        Copy(M.W.LDS + P.Address, 0, Size);
      } else if (M.LocalRangeFaults) {
        fault(Lane, gpu::LocalAperture + P.Address, Kind);
        return false;
      } else if (!Write)
        std::memset(Data, 0, Size);
      return true;
    case Space::Private:
      if (P.Address + Size > M.W.ScratchLaneSize) {
        fault(Lane, gpu::PrivateAperture + P.Address, Kind);
        return false;
      }
      return pieces<Write>(Lane, P.Address, Size, Data,
                           [&](u64 A) { return privateAddress(Lane, A); });
    case Space::Buffer:
      if (!Buf->Swizzle) {
        Place Linear{Space::Global,
                     Buf->address(u32(P.Address >> 32), u32(P.Address))};
        return move<Write>(Lane, Linear, Size, Data);
      }
      return pieces<Write>(Lane, P.Address, Size, Data, [&](u64 A) {
        return Buf->address(u32(A >> 32), u32(A));
      });
    case Space::BufferPart:
      for (unsigned N = 0; N < Size / 4; ++N)
        if (!move<Write>(Lane, Buf->dword(P.Address, N), 4, Data + 4 * N))
          return false;
      return true;
    case Space::Nowhere:
      if (!Write)
        std::memset(Data, 0, Size);
      return true;
    }
    return false;
  }
  /// Dword by dword, since swizzling separates neighbors.
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

/// Whether an instruction must not be executed now: it is an atomic of global
/// memory where waves run unordered, or, where faults are tried again, there
/// are lanes that can't access global memory, which are noted before any lane
/// does.
template <class Where>
bool mustWait(MemoryOp &O, const Where &A, unsigned Size, Access Kind) {
  Machine &M = O.M;
  if (M.Unordered && Kind == Access::Atomic)
    for (u64 Left = M.exec(); Left; Left &= Left - 1) {
      const Space In = A(unsigned(__builtin_ctzll(Left)), Size).In;
      if (In == Space::Global || In == Space::Buffer) {
        M.waitForOrder();
        return true;
      }
    }
  if (!M.Retries)
    return false;
  for (u64 Left = M.exec(); Left; Left &= Left - 1) {
    const auto L = unsigned(__builtin_ctzll(Left));
    const auto Check = [&](const Place &P, unsigned Bytes) {
      if (P.In != Space::Global && P.In != Space::Buffer)
        return;
      const u64 First =
          P.In == Space::Global
              ? P.Address
              : O.Buf->address(u32(P.Address >> 32), u32(P.Address));
      for (u64 Address : {First, First + Bytes - 1})
        if (!M.global(Address, 1, Kind)) {
          O.fault(L, Address, Kind);
          break;
        }
    };
    const Place P = A(L, Size);
    if (P.In == Space::BufferPart)
      for (unsigned N = 0; N < Size / 4; ++N)
        Check(O.Buf->dword(P.Address, N), 4);
    else
      Check(P, Size);
  }
  return O.report();
}

/// Sets \a First and \a Last to the least and the most of the addresses of the
/// lanes \a Exec. \return false if it isn't known quickly, or they may be in
/// different memories.
template <class Where>
bool findBounds(const Where &, u64 /*Exec*/, u64 & /*First*/, u64 & /*Last*/) {
  return false;
}
struct FlatAddress;
inline bool findBounds(const FlatAddress &A, u64 Exec, u64 &First, u64 &Last);

/// Whether nobody needs to know the accesses of a probe, which are at \a
/// Offset from the places of \a A.
template <class Where>
bool isFiltered(MemoryOp &O, const Where &A, unsigned Size, Access Kind,
                u32 Offset = 0, u32 OtherOffset = 0) {
  Machine &M = O.M;
  const u64 Exec = M.exec();
  if (!M.Filter || !Exec)
    return false;
  const Space In = A(unsigned(__builtin_ctzll(Exec)), Size).In;
  u64 First = ~u64(0), Last = 0, Bits = 0;
  if (Kind == Access::Atomic || !findBounds(A, Exec, First, Last))
    for (u64 Left = Exec; Left; Left &= Left - 1) {
      const Place P = A(unsigned(__builtin_ctzll(Left)), Size);
      if (P.In != In)
        return false;
      First = std::min(First, P.Address);
      Last = std::max(Last, P.Address);
      Bits |= P.Address;
    }
  AccessBounds B;
  B.Kind = Kind;
  B.Size = u8(Size);
  B.First = First + std::min(Offset, OtherOffset);
  B.End = Last + std::max(Offset, OtherOffset) + Size;
  B.Bits = Bits | Offset | OtherOffset;
  switch (In) {
  case Space::Global: {
    const MemorySpan &S = M.Spans[unsigned(Kind)];
    if (B.First < S.Begin || B.End > S.End || B.End < B.First)
      return false;
    break;
  }
  case Space::Local:
    B.In = LaneAccess::Local;
    if (B.End > M.W.LDSSize)
      return false;
    break;
  case Space::Private:
    B.In = LaneAccess::Private;
    if (B.End > M.W.ScratchLaneSize)
      return false;
    break;
  default:
    return false;
  }
  M.IsFiltered = !M.Filter->needsAccesses(B);
  return M.IsFiltered;
}

/// If the machine probes, notes the access of each active lane instead of
/// doing it. \return Whether it did.
template <class Where>
bool probed(MemoryOp &O, const Where &A, unsigned Size, Access Kind,
            unsigned Register, bool High = false) {
  if (!O.M.Probe)
    return false;
  if (isFiltered(O, A, Size, Kind))
    return true;
  Machine &M = O.M;
  LaneAccess Usual = O.blank(Size, Kind, Register, High);
  const MemorySpan &S = M.Spans[unsigned(Kind)];
  const u64 Exec = M.exec();
  // Usual ones first, until there is another one.
  M.Probe->assign(size_t(__builtin_popcountll(Exec)), Usual);
  LaneAccess *To = M.Probe->data();
  u64 Left = Exec;
  for (; Left; Left &= Left - 1, ++To) {
    const auto L = unsigned(__builtin_ctzll(Left));
    const Place P = A(L, Size);
    To->Lane = u8(L);
    To->Address = P.Address;
    const u64 At = P.Address - S.Begin, Length = S.End - S.Begin;
    if (P.In == Space::Local && P.Address + Size <= M.W.LDSSize) {
      To->In = LaneAccess::Local;
      To->Host = M.W.LDS + P.Address;
    } else if (P.In == Space::Global && At < Length && Length - At >= Size) {
      To->Host = S.Host + At;
    } else {
      break;
    }
  }
  M.Probe->resize(size_t(To - M.Probe->data()));
  for (; Left; Left &= Left - 1) {
    const auto L = unsigned(__builtin_ctzll(Left));
    O.note(L, A(L, Size), Size, Kind, Register, High);
  }
  return true;
}

// Addressings. Each returns a lane's place.

struct FlatAddress {
  Machine &M;
  const Inst &I;
  const u32 *Lo = nullptr, *Hi = nullptr;
  u64 Base = 0;
  bool Ok = true;

  FlatAddress(Machine &M, const Inst &I, MemoryOp &) : M(M), I(I) {
    Base = u64(i64(I.Imm));
    const unsigned Need = I.Memory.AddrCount;
    if (I.Memory.HasSAddr) // scratch addresses are 32 bits
      Base += I.Memory.Seg == 1 ? M.W.Scalar[I.Memory.SAddr]
                                : M.W.pair(I.Memory.SAddr);
    if (I.Memory.VAddr + Need > M.W.AccumOffset && Need) {
      M.illegal(I, "address beyond the wave's vector registers");
      Ok = false;
      return;
    }
    if (Need)
      Lo = M.vgpr(I.Memory.VAddr);
    if (Need == 2)
      Hi = M.vgpr(I.Memory.VAddr + 1);
  }
  Place operator()(unsigned L, unsigned) const {
    if (I.Memory.Seg == 1) {
      // 32-bit arithmetic for the private offset.
      return {Space::Private, u32(Base + (Lo ? Lo[L] : 0))};
    }
    u64 A = Base;
    if (Lo)
      A += Lo[L];
    if (Hi)
      A += u64(Hi[L]) << 32;
    if (I.Memory.Seg == 0) {
      if (gpu::apertureSpace(A) == gpu::space::Local)
        return {Space::LocalChecked, u32(A)};
      if (gpu::apertureSpace(A) == gpu::space::PrivateLane)
        return {Space::Private, u32(A)};
    }
    return {Space::Global, A};
  }
};

#if defined(__x86_64__)
WAVELANE_AVX2 inline bool findBoundsAVX2(const FlatAddress &A, u64 Exec,
                                         u64 &First, u64 &Last) {
  const unsigned Lanes = A.M.Lanes;
  const LaneBounds Low = boundsOf(A.Lo, Exec, Lanes);
  u64 Base = A.Base;
  if (A.Hi) {
    const u32 High = A.Hi[__builtin_ctzll(Exec)];
    if (!areInSteps(A.Hi, High, 0, Exec, Lanes))
      return false;
    Base += u64(High) << 32;
  }
  First = Base + Low.Least;
  Last = Base + Low.Most;
  // So there is one memory, and nothing wraps around.
  return First >> 32 == Last >> 32;
}
#endif

inline bool findBounds(const FlatAddress &A, u64 Exec, u64 &First, u64 &Last) {
#if defined(__x86_64__)
  u64 Least, Most;
  if (A.I.Memory.Seg != 1 && A.Lo && hasRows() &&
      findBoundsAVX2(A, Exec, Least, Most)) {
    // Local and private memory have offsets.
    const u64 Upper = A(unsigned(__builtin_ctzll(Exec)), 4).In == Space::Global
                          ? ~u64(0)
                          : 0xffffffff;
    First = Least & Upper;
    Last = Most & Upper;
    return true;
  }
#endif
  return false;
}

struct BufferAddress {
  Machine &M;
  const Inst &I;
  Buffer B;
  const u32 *Index = nullptr, *Offset = nullptr;
  bool Ok = true;
  /// Each dword is checked by itself: plain loads and stores of several. A
  /// converted value and an atomic are in range as a whole, or not at all (ISA
  /// documents, "Range Checking").
  bool ByDword = false;

  BufferAddress(Machine &M, const Inst &I, MemoryOp &O)
      : M(M), I(I),
        B(&M.W.Scalar[I.Memory.SAddr], M.scalar32(I.Src[2]), M.features()) {
    O.Buf = &B;
    const unsigned Need = unsigned(I.Memory.IdxEn) + I.Memory.OffEn;
    if (Need && I.Memory.VAddr + Need > M.W.AccumOffset) {
      M.illegal(I, "address beyond the wave's vector registers");
      Ok = false;
      return;
    }
    if (I.Memory.IdxEn)
      Index = M.vgpr(I.Memory.VAddr);
    if (I.Memory.OffEn)
      Offset = M.vgpr(I.Memory.VAddr + I.Memory.IdxEn);
  }
  Place operator()(unsigned L, unsigned Size) const {
    const u32 Ix = (Index ? Index[L] : 0) + (B.AddTid ? L : 0);
    const u32 Off = u32(I.Imm) + (Offset ? Offset[L] : 0);
    const u64 At = u64(Ix) << 32 | Off;
    if (B.inRange(Ix, Off, Size))
      return {Space::Buffer, At};
    for (unsigned N = 0; ByDword && N < Size / 4; ++N)
      if (B.dword(At, N).In == Space::Buffer)
        return {Space::BufferPart, At};
    return {Space::Nowhere, At};
  }
};

struct LocalAddress {
  Machine &M;
  const u32 *A = nullptr;
  u32 Offset;
  bool Ok = true;

  LocalAddress(Machine &M, const Inst &I, MemoryOp &) : M(M), Offset(I.Imm) {
    if (I.Memory.VAddr + 1u > M.W.AccumOffset) {
      M.illegal(I, "address beyond the wave's vector registers");
      Ok = false;
      return;
    }
    A = M.vgpr(I.Memory.VAddr);
  }
  Place operator()(unsigned L, unsigned) const {
    // 32-bit arithmetic: compilers combine negative addresses with an offset.
    return {Space::Local, u32(A[L] + Offset)};
  }
};

/// A dword of local memory for each lane, from M0 on (ds_*_addtid_*).
struct LaneNumberAddress {
  u32 First;
  bool Ok = true;

  LaneNumberAddress(Machine &M, const Inst &I, MemoryOp &)
      : First((M.W.m0() & 0xffff) + u32(I.Imm)) {}
  Place operator()(unsigned L, unsigned) const {
    return {Space::Local, First + L * 4};
  }
};

/// The first of \a N data registers; if they don't exist, stops the wave and
/// returns null.
inline u32 *dataRegisters(Machine &M, const Inst &I, unsigned Reg, unsigned N) {
  const unsigned First = I.Memory.AccData ? M.W.AccumOffset + Reg : Reg;
  if (First + N > (I.Memory.AccData ? M.W.VGPRCount : M.W.AccumOffset)) {
    M.illegal(I, "data beyond the wave's vector registers");
    return nullptr;
  }
  return M.vgpr(First);
}

} // namespace memory
} // namespace wavelane::isa

#endif // WAVELANE_SIMULATOR_ISA_MEMORYPLACES_H
