//===-- Scalar.cpp - scalar arithmetic, control flow, scalar memory -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Core.h"
#include "wavelane/Simulator/ISA/Observer.h"

#include <algorithm>
#include <tuple>
#include <type_traits>
#include <utility>

namespace wavelane::isa {
namespace {

using u32 = uint32_t;
using i32 = int32_t;
using u64 = uint64_t;
using i64 = int64_t;

template <class T> struct Source;
template <> struct Source<u32> {
  static constexpr Kind K = Kind::B32;
  static u32 get(Machine &M, const Operand &S) { return M.scalar32(S); }
};
template <> struct Source<i32> {
  static constexpr Kind K = Kind::B32;
  static i32 get(Machine &M, const Operand &S) { return i32(M.scalar32(S)); }
};
template <> struct Source<u64> {
  static constexpr Kind K = Kind::B64;
  static u64 get(Machine &M, const Operand &S) { return M.scalar64(S); }
};
template <> struct Source<i64> {
  static constexpr Kind K = Kind::I64;
  static i64 get(Machine &M, const Operand &S) { return i64(M.scalar64(S)); }
};

template <class F> struct Sig : Sig<decltype(&F::operator())> {};
template <class C, class R, class... A>
struct Sig<R (C::*)(Machine &, A...) const> {
  using Result = R;
  static constexpr bool Wants = true;
  template <template <class...> class X> using Apply = X<A...>;
};
template <class C, class R, class... A> struct Sig<R (C::*)(A...) const> {
  using Result = R;
  static constexpr bool Wants = false;
  template <template <class...> class X> using Apply = X<A...>;
};

template <class F> union Meaning {
  char C;
  F Fn;
  Meaning() : C(0) {}
  ~Meaning() {}
};

void write(Machine &M, unsigned Dst, u32 V) { M.W.Scalar[Dst] = V; }
void write(Machine &M, unsigned Dst, u64 V) { M.W.setPair(Dst, V); }

/// Boolean results go to SCC; others go to the scalar destination, and with
/// SetsScc, SCC says whether they aren't zero.
template <class F, bool SetsScc> struct ScalarOp {
  using R = typename Sig<F>::Result;
  template <class... A> struct With {
    template <size_t... N>
    static R call(Machine &M, const Inst &I, std::index_sequence<N...>) {
      Meaning<F> X;
      (void)I;
      if constexpr (Sig<F>::Wants)
        return X.Fn(M, Source<A>::get(M, I.Src[N])...);
      else
        return X.Fn(Source<A>::get(M, I.Src[N])...);
    }
    static void run(Machine &M, const Inst &I) {
      R V = call(M, I, std::index_sequence_for<A...>());
      if constexpr (std::is_same<R, bool>::value) {
        M.setScc(V);
      } else {
        if (SetsScc)
          M.setScc(V != 0);
        write(M, I.Dst, V);
      }
    }
    static void describe(Op &O) {
      const Kind Kinds[] = {Kind::None, Source<A>::K...};
      O.NumArgs = sizeof...(A);
      for (unsigned N = 0; N < sizeof...(A); ++N)
        O.Args[N] = Kinds[N + 1];
    }
  };
  using Run = typename Sig<F>::template Apply<With>;
};

template <bool SetsScc, class F> Op make() {
  Op O;
  O.Fn = &ScalarOp<F, SetsScc>::Run::run;
  ScalarOp<F, SetsScc>::Run::describe(O);
  return O;
}
/// Only writes the result (the function may set SCC itself).
template <class F> Op plain(F) { return make<false, F>(); }
/// SCC says whether the result isn't zero.
template <class F> Op logic(F) { return make<true, F>(); }

Op custom(Handler Fn, u32 Data = 0, Kind A = Kind::None, Kind B = Kind::None) {
  Op O;
  O.Fn = Fn;
  O.Data = Data;
  for (Kind K : {A, B})
    if (K != Kind::None)
      O.Args[O.NumArgs++] = K;
  return O;
}

u32 clz32(u32 V) { return V ? u32(__builtin_clz(V)) : 32; }
u64 lowMask(unsigned N) { return N >= 64 ? ~u64(0) : (u64(1) << N) - 1; }

u64 bfe(u64 V, u32 Ctl, bool Signed, unsigned Bits) {
  const unsigned Off = Ctl & (Bits - 1), Width = Ctl >> 16 & 0x7f;
  if (!Width)
    return 0;
  u64 R;
  if (Signed) {
    // Bits above the top are copies of the sign.
    i64 S = Bits == 32 ? i64(i32(V)) : i64(V);
    S >>= Off;
    R = u64(S);
    if (Width < 64 && Off + Width < Bits) {
      R &= lowMask(Width);
      if (R >> (Width - 1) & 1)
        R |= ~lowMask(Width);
    }
  } else {
    R = V >> Off & lowMask(Width);
  }
  return R;
}

u64 wqm(u64 V) {
  u64 Any = (V | V >> 1 | V >> 2 | V >> 3) & 0x1111111111111111ull;
  return Any * 15;
}
u64 quads(u64 V) {
  u64 Any = (V | V >> 1 | V >> 2 | V >> 3) & 0x1111111111111111ull, R = 0;
  for (unsigned N = 0; N < 16; ++N)
    R |= (Any >> (4 * N) & 1) << N;
  return R;
}
u32 reverse32(u32 V) { return __builtin_bitreverse32(V); }

void branchIf(Machine &M, const Inst &I, bool Taken) {
  if (Taken)
    M.NextPC = M.InstPC + 4 + i64(I.Imm) * 4;
}

/// The hardware registers of s_getreg and s_setreg.
struct HwReg {
  enum : unsigned {
    Mode = 1,
    Status,
    TrapSts,
    HwId,
    GprAlloc,
    LdsAlloc,
    IbSts,
    ShMemBases = 15,
    TbaLo,
    TbaHi,
    TmaLo,
    TmaHi,
    // gfx10 and later; on gfx9, 20 is the XCC's number, if there is one.
    ScratchLo = 20,
    ScratchHi,
    XnackMask,
    HwId1,
    HwId2,
    ShaderCycles = 29,
    ShaderCyclesHi,
  };
};
bool readHwReg(Machine &M, unsigned Id, u32 &V) {
  WaveState &W = M.W;
  const gpu::Features &F = M.features();
  if (Id >= HwReg::ScratchLo && !F.HasScratchSgprs) {
    switch (Id) {
    case HwReg::ScratchLo:
      V = u32(W.ScratchBase);
      return true;
    case HwReg::ScratchHi:
      V = u32(W.ScratchBase >> 32);
      return true;
    case HwReg::HwId1:
      V = W.HwId;
      return true;
    case HwReg::ShaderCycles:
      V = u32(M.Mem.clock(false)) & u32(lowMask(F.ShaderCycleBits));
      return true;
    case HwReg::ShaderCyclesHi:
      V = u32(M.Mem.clock(false) >> 32);
      return F.ShaderCycleBits == 32;
    default:
      return false;
    }
  }
  if (Id == HwReg::ScratchLo) { // the XCC's number
    V = 0;
    return M.family().HasXccId;
  }
  // The other registers have different numbers and layouts.
  if (M.family().HasStatePriv && Id != HwReg::Mode)
    return false;
  if (!F.HasTrapHwRegs && (Id == HwReg::HwId || Id >= HwReg::TbaLo))
    return false;
  switch (Id) {
  case HwReg::Mode:
    V = W.Mode;
    return true;
  case HwReg::Status:
    V = W.Status & ~u32(status::ExecZ | status::VccZ);
    V |= M.exec() ? 0 : status::ExecZ;
    V |= M.vcc() ? 0 : status::VccZ;
    return true;
  case HwReg::TrapSts:
    V = W.TrapSts;
    return true;
  case HwReg::HwId:
    V = W.HwId;
    return true;
  case HwReg::GprAlloc:
    V = W.GprAlloc;
    return true;
  case HwReg::LdsAlloc:
    V = W.LdsAlloc;
    return true;
  case HwReg::IbSts:
    V = W.IbSts;
    return true;
  case HwReg::ShMemBases:
    // The upper 16 address bits of the private and the local aperture.
    V = u32(gpu::PrivateAperture >> 48) | u32(gpu::LocalAperture >> 48) << 16;
    return true;
  case HwReg::TbaLo:
    V = u32(W.TBA);
    return true;
  case HwReg::TbaHi:
    V = u32(W.TBA >> 32);
    return true;
  case HwReg::TmaLo:
    V = u32(W.TMA);
    return true;
  case HwReg::TmaHi:
    V = u32(W.TMA >> 32);
    return true;
  default:
    return false;
  }
}
void getreg(Machine &M, const Inst &I) {
  const unsigned Imm = u32(I.Imm) & 0xffff, Off = Imm >> 6 & 31,
                 Width = (Imm >> 11) + 1;
  u32 V;
  if (!readHwReg(M, Imm & 63, V))
    return M.unmodeled(I, "this hardware register is not modeled");
  write(M, I.Dst, u32(V >> Off & lowMask(Width)));
}
void setreg(Machine &M, const Inst &I) {
  const unsigned Imm = u32(I.Imm) & 0xffff, Off = Imm >> 6 & 31,
                 Width = (Imm >> 11) + 1;
  const u32 From = I.O->Data ? I.Words[1] : M.W.Scalar[I.Dst];
  const u32 Field = u32(lowMask(Width) << Off);
  u32 *Reg;
  u32 Writable = ~0u;
  switch (Imm & 63) {
  case HwReg::Mode:
    Reg = &M.W.Mode;
    if (M.family().HasStatePriv) // the rest of MODE is in another register
      Writable = 0xff | mode::FP16Ovfl;
    break;
  case HwReg::TrapSts:
    Reg = &M.W.TrapSts;
    break;
  // Only SCC is writable, but not by this instruction: ignore it. A trap
  // handler restores all of it.
  case HwReg::Status:
    Reg = &M.W.Status;
    Writable = M.W.Status & status::Priv ? ~u32(status::Priv) : 0;
    break;
  case HwReg::IbSts:
    if (!(M.W.Status & status::Priv))
      return M.unmodeled(I, "writing this hardware register is not modeled");
    Reg = &M.W.IbSts;
    break;
  case HwReg::ScratchLo:
  case HwReg::ScratchHi: {
    if (!M.features().HasWritableScratch)
      return M.unmodeled(I, "writing this hardware register is not modeled");
    const unsigned Shift = (Imm & 63) == HwReg::ScratchHi ? 32 : 0;
    const u64 Bits = u64(Field) << Shift;
    M.W.ScratchBase =
        (M.W.ScratchBase & ~Bits) | (u64(From << Off & Field) << Shift);
    return;
  }
  default:
    return M.unmodeled(I, "writing this hardware register is not modeled");
  }
  const u32 Bits = Field & Writable;
  *Reg = (*Reg & ~Bits) | (From << Off & Bits);
}

template <class F> void saveExec(Machine &M, const Inst &I, F Fn) {
  const u64 S = M.scalar64(I.Src[0]), X = M.W.exec();
  M.W.setPair(I.Dst, X);
  M.W.setExec(Fn(S, X));
  M.setScc(M.W.exec() != 0);
}

template <class F> void saveExec32(Machine &M, const Inst &I, F Fn) {
  const u32 S = M.scalar32(I.Src[0]), X = M.W.Scalar[scalar::ExecLo];
  write(M, I.Dst, X);
  write(M, scalar::ExecLo, u32(Fn(S, X)));
  M.setScc(M.W.Scalar[scalar::ExecLo] != 0);
}

/// Notes a scalar access in the machine's probe.
/// \param Dropped  The bytes at its end that are beyond a buffer's records.
void note(Machine &M, const Inst &I, u64 Address, unsigned Size, Access Kind,
          unsigned Dropped = 0) {
  LaneAccess A;
  A.Address = Address;
  A.Size = uint8_t(Size - Dropped);
  A.Lane = LaneAccess::Scalar;
  A.Kind = Kind;
  A.Register = I.Memory.VData;
  A.File = RegisterRange::Scalar;
  if (Dropped) {
    LaneAccess Rest = A;
    Rest.Address += A.Size;
    Rest.Size = uint8_t(Dropped);
    Rest.Register = uint16_t(I.Memory.VData + A.Size / 4);
    Rest.InRange = false;
    Rest.IsDropped = true;
    M.Probe->push_back(Rest);
    if (!A.Size)
      return;
  }
  // Dword by dword.
  for (unsigned N = 0; N < A.Size && A.InRange; N += 4)
    A.InRange = M.global(Address + N, std::min(A.Size - N, 4u), Kind);
  A.Host = A.InRange ? M.global(Address, std::min<unsigned>(A.Size, 4), Kind)
                     : nullptr;
  if (M.Filter && A.InRange && !Dropped && Kind == Access::Read) {
    AccessBounds B;
    B.Kind = Kind;
    B.Size = A.Size;
    B.First = Address;
    B.End = Address + Size;
    B.Bits = Address;
    if ((M.IsFiltered = !M.Filter->needsAccesses(B)))
      return;
  }
  M.Probe->push_back(A);
}

void smemLoad(Machine &M, const Inst &I) {
  const unsigned N = I.O->Data;
  u64 Offset = u64(i64(I.Imm));
  if (I.Memory.HasSAddr)
    Offset += M.W.Scalar[I.Memory.SOffset];
  u64 Address;
  u64 Limit = ~u64(0);
  if (I.O->Data2) { // s_buffer_load uses a bounds-checked buffer descriptor.
    const u32 *D = &M.W.Scalar[I.Memory.SAddr];
    const u32 Stride = D[1] >> 16 & 0x3fff;
    Address = D[0] | u64(D[1] & 0xffff) << 32;
    Limit = Stride ? u64(Stride) * D[2] : D[2];
    Offset &= ~u64(3);
  } else {
    Address = M.W.pair(I.Memory.SAddr);
    // The instruction accesses dwords, so ignore the sum's low bits.
    Address = (Address + Offset) & ~u64(3);
    Offset = 0;
  }
  if (I.Memory.VData + N > scalar::Count)
    return M.illegal(I, "destination beyond the scalar registers");
  if (M.Probe)
    return note(M, I, Address + Offset, 4 * N, Access::Read,
                4 * (N - unsigned(std::min<u64>(
                             N, Limit > Offset ? (Limit - Offset) / 4 : 0))));
  u32 Data[16];
  for (unsigned K = 0; K < N; ++K) {
    if (Offset + 4 * K + 4 > Limit) {
      Data[K] = 0;
      continue;
    }
    const uint8_t *P = M.global(Address + Offset + 4 * K, 4, Access::Read);
    if (!P)
      return M.memoryViolation(Address + Offset + 4 * K, ~u64(0), Access::Read);
    std::memcpy(&Data[K], P, 4);
  }
  for (unsigned K = 0; K < N; ++K)
    M.W.Scalar[I.Memory.VData + K] = Data[K];
}

/// gfx12's loads of bytes and words: Data is the size, plus 16 if signed.
void smemLoadNarrow(Machine &M, const Inst &I) {
  const unsigned Size = I.O->Data & 15;
  u64 Address = M.W.pair(I.Memory.SAddr) + u64(i64(I.Imm));
  if (I.Memory.HasSAddr)
    Address += M.W.Scalar[I.Memory.SOffset];
  Address &= ~u64(Size - 1);
  if (M.Probe)
    return note(M, I, Address, Size, Access::Read);
  const uint8_t *P = M.global(Address, Size, Access::Read);
  if (!P)
    return M.memoryViolation(Address, ~u64(0), Access::Read);
  u32 V = 0;
  std::memcpy(&V, P, Size);
  if (I.O->Data & 16)
    V = Size == 1 ? u32(i32(int8_t(V))) : u32(i32(int16_t(V)));
  M.W.Scalar[I.Memory.VData] = V;
}

void smemStore(Machine &M, const Inst &I) {
  const unsigned N = I.O->Data;
  u64 Address = M.W.pair(I.Memory.SAddr) + u64(i64(I.Imm));
  if (I.Memory.HasSAddr)
    Address += M.W.Scalar[I.Memory.SOffset];
  Address &= ~u64(3);
  if (I.Memory.VData + N > 128)
    return M.illegal(I, "source beyond the scalar registers");
  if (M.Probe)
    return note(M, I, Address, 4 * N, Access::Write);
  for (unsigned K = 0; K < N; ++K) {
    uint8_t *P = M.global(Address + 4 * K, 4, Access::Write);
    if (!P)
      return M.memoryViolation(Address + 4 * K, ~u64(0), Access::Write);
    std::memcpy(P, &M.W.Scalar[I.Memory.VData + K], 4);
  }
}

/// s_atomic_add and s_atomic_add_x2: Data is the number of dwords.
void smemAdd(Machine &M, const Inst &I) {
  const bool Wide = I.O->Data == 2;
  const unsigned Size = Wide ? 8 : 4;
  u64 Address = M.W.pair(I.Memory.SAddr) + u64(i64(I.Imm));
  if (I.Memory.HasSAddr)
    Address += M.W.Scalar[I.Memory.SOffset];
  Address &= ~u64(Size - 1);
  if (I.Memory.VData + I.O->Data > 128)
    return M.illegal(I, "source beyond the scalar registers");
  if (M.Probe)
    return note(M, I, Address, Size, Access::Atomic);
  if (M.Unordered)
    return M.waitForOrder();
  uint8_t *P = M.global(Address, Size, Access::Atomic);
  if (!P)
    return M.memoryViolation(Address, ~u64(0), Access::Atomic);
  if (Wide) {
    const u64 Old = __atomic_fetch_add(
        reinterpret_cast<u64 *>(P), M.W.pair(I.Memory.VData), __ATOMIC_SEQ_CST);
    if (I.Memory.Glc)
      M.W.setPair(I.Memory.VData, Old);
    return;
  }
  const u32 Old = __atomic_fetch_add(
      reinterpret_cast<u32 *>(P), M.W.Scalar[I.Memory.VData], __ATOMIC_SEQ_CST);
  if (I.Memory.Glc)
    M.W.Scalar[I.Memory.VData] = Old;
}

void nothing(Machine &, const Inst &) {}

} // namespace

// clang-format off
// A table. NOLINTNEXTLINE(readability-function-size)
void addScalarOps(OpTable &T) {
  // SOP2.
  T.add("s_add_u32", plain([](Machine &M, u32 A, u32 B) {
          M.setScc((u64(A) + B) >> 32);
          return A + B;
        }));
  T.add("s_sub_u32", plain([](Machine &M, u32 A, u32 B) {
          M.setScc(B > A);
          return A - B;
        }));
  T.add("s_add_i32", plain([](Machine &M, i32 A, i32 B) {
          i32 R;
          M.setScc(__builtin_add_overflow(A, B, &R));
          return u32(R);
        }));
  T.add("s_sub_i32", plain([](Machine &M, i32 A, i32 B) {
          i32 R;
          M.setScc(__builtin_sub_overflow(A, B, &R));
          return u32(R);
        }));
  T.add("s_addc_u32", plain([](Machine &M, u32 A, u32 B) {
          u64 R = u64(A) + B + M.scc();
          M.setScc(R >> 32);
          return u32(R);
        }));
  T.add("s_subb_u32", plain([](Machine &M, u32 A, u32 B) {
          u64 R = u64(A) - B - M.scc();
          M.setScc(R >> 32 & 1);
          return u32(R);
        }));
  T.add("s_min_i32", plain([](Machine &M, i32 A, i32 B) {
          M.setScc(A < B);
          return u32(A < B ? A : B);
        }));
  T.add("s_min_u32", plain([](Machine &M, u32 A, u32 B) {
          M.setScc(A < B);
          return A < B ? A : B;
        }));
  T.add("s_max_i32", plain([](Machine &M, i32 A, i32 B) {
          M.setScc(A > B);
          return u32(A > B ? A : B);
        }));
  T.add("s_max_u32", plain([](Machine &M, u32 A, u32 B) {
          M.setScc(A > B);
          return A > B ? A : B;
        }));
  T.add("s_cselect_b32", plain([](Machine &M, u32 A, u32 B) {
          return M.scc() ? A : B;
        }));
  T.add("s_cselect_b64", plain([](Machine &M, u64 A, u64 B) {
          return M.scc() ? A : B;
        }));
#define LOGIC(NAME, EXPR)                                                      \
  T.add("s_" NAME "_b32", logic([](u32 A, u32 B) -> u32 { return EXPR; }));    \
  T.add("s_" NAME "_b64", logic([](u64 A, u64 B) -> u64 { return EXPR; }))
  LOGIC("and", A & B);
  LOGIC("or", A | B);
  LOGIC("xor", A ^ B);
  LOGIC("andn2", A & ~B);
  LOGIC("orn2", A | ~B);
  LOGIC("nand", ~(A & B));
  LOGIC("nor", ~(A | B));
  LOGIC("xnor", ~(A ^ B));
#undef LOGIC
  T.add("s_lshl_b32", logic([](u32 A, u32 B) { return A << (B & 31); }));
  T.add("s_lshl_b64", logic([](u64 A, u32 B) { return A << (B & 63); }));
  T.add("s_lshr_b32", logic([](u32 A, u32 B) { return A >> (B & 31); }));
  T.add("s_lshr_b64", logic([](u64 A, u32 B) { return A >> (B & 63); }));
  T.add("s_ashr_i32", logic([](i32 A, u32 B) { return u32(A >> (B & 31)); }));
  T.add("s_ashr_i64", logic([](i64 A, u32 B) { return u64(A >> (B & 63)); }));
  T.add("s_bfm_b32", plain([](u32 A, u32 B) {
          return ((1u << (A & 31)) - 1) << (B & 31);
        }));
  T.add("s_bfm_b64", plain([](u32 A, u32 B) {
          return ((u64(1) << (A & 63)) - 1) << (B & 63);
        }));
  T.add("s_mul_i32", plain([](u32 A, u32 B) { return A * B; }));
  T.add("s_mul_hi_u32", plain([](u32 A, u32 B) { return u32(u64(A) * B >> 32); }));
  T.add("s_mul_hi_i32", plain([](i32 A, i32 B) {
          return u32(i64(A) * B >> 32);
        }));
  T.add("s_bfe_u32", logic([](u32 A, u32 B) { return u32(bfe(A, B, false, 32)); }));
  T.add("s_bfe_i32", logic([](u32 A, u32 B) { return u32(bfe(A, B, true, 32)); }));
  T.add("s_bfe_u64", logic([](u64 A, u32 B) { return bfe(A, B, false, 64); }));
  T.add("s_bfe_i64", logic([](u64 A, u32 B) { return bfe(A, B, true, 64); }));
  T.add("s_absdiff_i32", logic([](u32 A, u32 B) {
          const u32 D = A - B;
          return i32(D) < 0 ? 0 - D : D;
        }));
  T.add("s_mul_u64", plain([](u64 A, u64 B) { return A * B; }));
  T.add("s_add_nc_u64", plain([](u64 A, u64 B) { return A + B; }));
  T.add("s_sub_nc_u64", plain([](u64 A, u64 B) { return A - B; }));
#define SHIFT_ADD(NAME, N)                                                     \
  T.add(NAME, plain([](Machine &M, u32 A, u32 B) {                             \
          const u64 R = (u64(A) << N) + B;                                     \
          M.setScc(R >> 32);                                                   \
          return u32(R);                                                       \
        }))
  SHIFT_ADD("s_lshl1_add_u32", 1);
  SHIFT_ADD("s_lshl2_add_u32", 2);
  SHIFT_ADD("s_lshl3_add_u32", 3);
  SHIFT_ADD("s_lshl4_add_u32", 4);
#undef SHIFT_ADD
  T.add("s_pack_ll_b32_b16", plain([](u32 A, u32 B) {
          return (A & 0xffff) | B << 16;
        }));
  T.add("s_pack_lh_b32_b16", plain([](u32 A, u32 B) {
          return (A & 0xffff) | (B & 0xffff0000u);
        }));
  T.add("s_pack_hh_b32_b16", plain([](u32 A, u32 B) {
          return A >> 16 | (B & 0xffff0000u);
        }));

  T.add("s_pack_hl_b32_b16", plain([](u32 A, u32 B) {
          return A >> 16 | B << 16;
        }));

  // SOP1.
  T.add("s_mov_b32", plain([](u32 A) { return A; }));
  T.add("s_mov_b64", plain([](u64 A) { return A; }));
  T.add("s_not_b32", logic([](u32 A) { return ~A; }));
  T.add("s_not_b64", logic([](u64 A) { return ~A; }));
  T.add("s_wqm_b32", logic([](u32 A) { return u32(wqm(A)); }));
  T.add("s_wqm_b64", logic([](u64 A) { return wqm(A); }));
  T.add("s_quadmask_b32", logic([](u32 A) { return u32(quads(A)); }));
  T.add("s_quadmask_b64", logic([](u64 A) { return quads(A); }));
  T.add("s_brev_b32", plain([](u32 A) { return reverse32(A); }));
  T.add("s_brev_b64", plain([](u64 A) { return u64(__builtin_bitreverse64(A)); }));
  T.add("s_bcnt0_i32_b32", logic([](u32 A) { return 32u - __builtin_popcount(A); }));
  T.add("s_bcnt0_i32_b64", logic([](u64 A) { return 64u - __builtin_popcountll(A); }));
  T.add("s_bcnt1_i32_b32", logic([](u32 A) { return u32(__builtin_popcount(A)); }));
  T.add("s_bcnt1_i32_b64", logic([](u64 A) { return u32(__builtin_popcountll(A)); }));
  T.add("s_ff0_i32_b32", plain([](u32 A) { return u32(__builtin_ffs(i32(~A)) - 1); }));
  T.add("s_ff0_i32_b64", plain([](u64 A) { return u32(__builtin_ffsll(i64(~A)) - 1); }));
  T.add("s_ff1_i32_b32", plain([](u32 A) { return u32(__builtin_ffs(i32(A)) - 1); }));
  T.add("s_ff1_i32_b64", plain([](u64 A) { return u32(__builtin_ffsll(i64(A)) - 1); }));
  T.add("s_flbit_i32_b32", plain([](u32 A) { return A ? clz32(A) : ~0u; }));
  T.add("s_flbit_i32_b64", plain([](u64 A) {
          return A ? u32(__builtin_clzll(A)) : ~0u;
        }));
  T.add("s_flbit_i32", plain([](i32 A) {
          const u32 X = u32(A ^ (A >> 31));
          return X ? clz32(X) : ~0u;
        }));
  T.add("s_flbit_i32_i64", plain([](i64 A) {
          const u64 X = u64(A ^ (A >> 63));
          return X ? u32(__builtin_clzll(X)) : ~0u;
        }));
  T.add("s_sext_i32_i8", plain([](u32 A) { return u32(i32(int8_t(A))); }));
  T.add("s_sext_i32_i16", plain([](u32 A) { return u32(i32(int16_t(A))); }));
  T.add("s_abs_i32", logic([](u32 A) { return i32(A) < 0 ? 0 - A : A; }));
  T.add("s_bitreplicate_b64_b32", plain([](u32 A) {
          u64 R = 0;
          for (unsigned N = 0; N < 32; ++N)
            R |= u64(A >> N & 1) * 3 << (2 * N);
          return R;
        }));
  T.add("s_cmov_b32", custom([](Machine &M, const Inst &I) {
          if (M.scc())
            write(M, I.Dst, M.scalar32(I.Src[0]));
        }, 0, Kind::B32));
  T.add("s_cmov_b64", custom([](Machine &M, const Inst &I) {
          if (M.scc())
            write(M, I.Dst, M.scalar64(I.Src[0]));
        }, 0, Kind::B64));
  T.add("s_bitset0_b32", custom([](Machine &M, const Inst &I) {
          M.W.Scalar[I.Dst] &= ~(1u << (M.scalar32(I.Src[0]) & 31));
        }, 0, Kind::B32));
  T.add("s_bitset1_b32", custom([](Machine &M, const Inst &I) {
          M.W.Scalar[I.Dst] |= 1u << (M.scalar32(I.Src[0]) & 31);
        }, 0, Kind::B32));
  T.add("s_bitset0_b64", custom([](Machine &M, const Inst &I) {
          const u64 Bit = u64(1) << (M.scalar32(I.Src[0]) & 63);
          M.W.setPair(I.Dst, M.W.pair(I.Dst) & ~Bit);
        }, 0, Kind::B32));
  T.add("s_bitset1_b64", custom([](Machine &M, const Inst &I) {
          const u64 Bit = u64(1) << (M.scalar32(I.Src[0]) & 63);
          M.W.setPair(I.Dst, M.W.pair(I.Dst) | Bit);
        }, 0, Kind::B32));
#define SAVEEXEC32(NAME, EXPR)                                                 \
  T.add("s_" NAME "_saveexec_b32", custom([](Machine &M, const Inst &I) {      \
          saveExec32(M, I, [](u32 S, u32 X) { return EXPR; });                 \
        }, 0, Kind::B32))
  SAVEEXEC32("and", S & X);
  SAVEEXEC32("or", S | X);
  SAVEEXEC32("xor", S ^ X);
  SAVEEXEC32("andn2", S & ~X);
  SAVEEXEC32("orn2", S | ~X);
  SAVEEXEC32("andn1", ~S & X);
  SAVEEXEC32("orn1", ~S | X);
  SAVEEXEC32("nand", ~(S & X));
  SAVEEXEC32("nor", ~(S | X));
  SAVEEXEC32("xnor", ~(S ^ X));
#undef SAVEEXEC32
  T.add("s_andn1_wrexec_b32", custom([](Machine &M, const Inst &I) {
          saveExec32(M, I, [](u32 S, u32 X) { return ~S & X; });
          write(M, I.Dst, M.W.Scalar[scalar::ExecLo]);
        }, 0, Kind::B32));
  T.add("s_andn2_wrexec_b32", custom([](Machine &M, const Inst &I) {
          saveExec32(M, I, [](u32 S, u32 X) { return S & ~X; });
          write(M, I.Dst, M.W.Scalar[scalar::ExecLo]);
        }, 0, Kind::B32));
  T.add("s_getpc_b64", custom([](Machine &M, const Inst &I) {
          M.W.setPair(I.Dst, M.InstPC + 4);
        }));
  T.add("s_setpc_b64", custom([](Machine &M, const Inst &I) {
          M.NextPC = M.scalar64(I.Src[0]);
        }, 0, Kind::B64));
  T.add("s_rfe_b64", custom([](Machine &M, const Inst &I) {
          if (!(M.W.Status & status::Priv))
            return M.illegal(I, "this is not a trap handler");
          M.NextPC = M.scalar64(I.Src[0]) & 0xffffffffffffull;
          M.W.Status &= ~u32(status::Priv);
        }, 0, Kind::B64));
  T.add("s_swappc_b64", custom([](Machine &M, const Inst &I) {
          const u64 To = M.scalar64(I.Src[0]);
          M.W.setPair(I.Dst, M.InstPC + 4);
          M.NextPC = To;
        }, 0, Kind::B64));
#define SAVEEXEC(NAME, EXPR)                                                   \
  T.add("s_" NAME "_saveexec_b64", custom([](Machine &M, const Inst &I) {      \
          saveExec(M, I, [](u64 S, u64 X) { return EXPR; });                   \
        }, 0, Kind::B64))
  SAVEEXEC("and", S & X);
  SAVEEXEC("or", S | X);
  SAVEEXEC("xor", S ^ X);
  SAVEEXEC("andn2", S & ~X);
  SAVEEXEC("orn2", S | ~X);
  SAVEEXEC("andn1", ~S & X);
  SAVEEXEC("orn1", ~S | X);
  SAVEEXEC("nand", ~(S & X));
  SAVEEXEC("nor", ~(S | X));
  SAVEEXEC("xnor", ~(S ^ X));
#undef SAVEEXEC
  T.add("s_andn1_wrexec_b64", custom([](Machine &M, const Inst &I) {
          saveExec(M, I, [](u64 S, u64 X) { return ~S & X; });
          M.W.setPair(I.Dst, M.W.exec());
        }, 0, Kind::B64));
  T.add("s_andn2_wrexec_b64", custom([](Machine &M, const Inst &I) {
          saveExec(M, I, [](u64 S, u64 X) { return S & ~X; });
          M.W.setPair(I.Dst, M.W.exec());
        }, 0, Kind::B64));
  // Relative moves add M0 to the register number.
  T.add("s_movrels_b32", custom([](Machine &M, const Inst &I) {
          const u64 R = u64(I.Src[0].Reg) + M.W.m0();
          if (I.Src[0].At != Operand::Where::Scalar || R > 101)
            return M.illegal(I, "register beyond the SGPRs");
          write(M, I.Dst, M.W.Scalar[R]);
        }, 0, Kind::B32));
  T.add("s_movrels_b64", custom([](Machine &M, const Inst &I) {
          const u64 R = u64(I.Src[0].Reg) + M.W.m0();
          if (I.Src[0].At != Operand::Where::Scalar || R > 100)
            return M.illegal(I, "register beyond the SGPRs");
          write(M, I.Dst, M.W.pair(unsigned(R)));
        }, 0, Kind::B64));
  T.add("s_movreld_b32", custom([](Machine &M, const Inst &I) {
          const u64 R = u64(I.Dst) + M.W.m0();
          if (R > 101)
            return M.illegal(I, "register beyond the SGPRs");
          write(M, unsigned(R), M.scalar32(I.Src[0]));
        }, 0, Kind::B32));
  T.add("s_movreld_b64", custom([](Machine &M, const Inst &I) {
          const u64 R = u64(I.Dst) + M.W.m0();
          if (R > 100)
            return M.illegal(I, "register beyond the SGPRs");
          write(M, unsigned(R), M.scalar64(I.Src[0]));
        }, 0, Kind::B64));
  T.add("s_set_gpr_idx_idx", custom([](Machine &M, const Inst &I) {
          u32 &M0 = M.W.Scalar[scalar::M0];
          M0 = (M0 & ~0xffu) | (M.scalar32(I.Src[0]) & 0xff);
        }, 0, Kind::B32));

  // SOPC.
#define COMPARE(NAME, OP)                                                      \
  T.add("s_cmp_" NAME "_i32", plain([](i32 A, i32 B) { return A OP B; }));     \
  T.add("s_cmp_" NAME "_u32", plain([](u32 A, u32 B) { return A OP B; }));     \
  T.add("s_cmpk_" NAME "_i32", custom([](Machine &M, const Inst &I) {          \
          M.setScc(i32(M.W.Scalar[I.Dst]) OP I.Imm);                           \
        }));                                                                   \
  T.add("s_cmpk_" NAME "_u32", custom([](Machine &M, const Inst &I) {          \
          M.setScc(M.W.Scalar[I.Dst] OP(u32(I.Imm) & 0xffff));                 \
        }))
  COMPARE("eq", ==);
  COMPARE("lg", !=);
  COMPARE("gt", >);
  COMPARE("ge", >=);
  COMPARE("lt", <);
  COMPARE("le", <=);
#undef COMPARE
  T.add("s_cmp_eq_u64", plain([](u64 A, u64 B) { return A == B; }));
  T.add("s_cmp_lg_u64", plain([](u64 A, u64 B) { return A != B; }));
  T.add("s_bitcmp0_b32", plain([](u32 A, u32 B) { return !(A >> (B & 31) & 1); }));
  T.add("s_bitcmp1_b32", plain([](u32 A, u32 B) { return bool(A >> (B & 31) & 1); }));
  T.add("s_bitcmp0_b64", plain([](u64 A, u32 B) { return !(A >> (B & 63) & 1); }));
  T.add("s_bitcmp1_b64", plain([](u64 A, u32 B) { return bool(A >> (B & 63) & 1); }));
  T.add("s_set_gpr_idx_on", custom([](Machine &M, const Inst &I) {
          u32 &M0 = M.W.Scalar[scalar::M0];
          const u32 Index = M.scalar32(I.Src[0]) & 0xff;
          M0 = (M0 & ~0xf0ffu) | Index | (u32(I.Imm) & 15) << 12;
          M.W.Mode |= mode::GprIdxEn;
        }, 0, Kind::B32, Kind::B32));

  // SOPK.
  T.add("s_movk_i32", custom([](Machine &M, const Inst &I) {
          write(M, I.Dst, u32(I.Imm));
        }));
  T.add("s_cmovk_i32", custom([](Machine &M, const Inst &I) {
          if (M.scc())
            write(M, I.Dst, u32(I.Imm));
        }));
  T.add("s_addk_i32", custom([](Machine &M, const Inst &I) {
          i32 R;
          M.setScc(__builtin_add_overflow(i32(M.W.Scalar[I.Dst]), I.Imm, &R));
          write(M, I.Dst, u32(R));
        }));
  T.add("s_mulk_i32", custom([](Machine &M, const Inst &I) {
          write(M, I.Dst, M.W.Scalar[I.Dst] * u32(I.Imm));
        }));
  T.add("s_getreg_b32", custom(getreg));
  T.add("s_setreg_b32", custom(setreg, 0));
  T.add("s_setreg_imm32_b32", custom(setreg, 1));
  T.add("s_call_b64", custom([](Machine &M, const Inst &I) {
          M.W.setPair(I.Dst, M.InstPC + 4);
          branchIf(M, I, true);
        }));

  // SOPP.
  for (const char *Name : {"s_nop", "s_waitcnt", "s_setprio", "s_icache_inv",
                           "s_incperflevel", "s_decperflevel", "s_ttracedata",
                           "s_ttracedata_imm", "s_wakeup", "s_clause",
                           "s_inst_prefetch", "s_set_inst_prefetch_distance",
                           "s_delay_alu", "s_version", "s_code_end",
                           "s_waitcnt_vscnt", "s_waitcnt_vmcnt",
                           "s_waitcnt_expcnt", "s_waitcnt_lgkmcnt",
                           "s_waitcnt_depctr", "s_wait_idle", "s_wait_event",
                           "s_wait_loadcnt", "s_wait_storecnt",
                           "s_wait_samplecnt", "s_wait_bvhcnt",
                           "s_wait_expcnt", "s_wait_dscnt", "s_wait_kmcnt",
                           "s_wait_loadcnt_dscnt", "s_wait_storecnt_dscnt",
                           "s_wait_alu", "s_singleuse_vdst",
                           "s_prefetch_inst", "s_prefetch_inst_pc_rel",
                           "s_prefetch_data", "s_prefetch_data_pc_rel"})
    T.add(Name, custom(nothing));
  T.add("s_branch", custom([](Machine &M, const Inst &I) { branchIf(M, I, true); }));
  T.add("s_cbranch_scc0", custom([](Machine &M, const Inst &I) {
          branchIf(M, I, !M.scc());
        }));
  T.add("s_cbranch_scc1", custom([](Machine &M, const Inst &I) {
          branchIf(M, I, M.scc());
        }));
  T.add("s_cbranch_vccz", custom([](Machine &M, const Inst &I) {
          branchIf(M, I, !M.vcc());
        }));
  T.add("s_cbranch_vccnz", custom([](Machine &M, const Inst &I) {
          branchIf(M, I, M.vcc());
        }));
  T.add("s_cbranch_execz", custom([](Machine &M, const Inst &I) {
          branchIf(M, I, !M.exec());
        }));
  T.add("s_cbranch_execnz", custom([](Machine &M, const Inst &I) {
          branchIf(M, I, M.exec());
        }));
  // Conditional debugging is never on, so these never branch.
  for (const char *Name : {"s_cbranch_cdbgsys", "s_cbranch_cdbguser",
                           "s_cbranch_cdbgsys_or_user",
                           "s_cbranch_cdbgsys_and_user"})
    T.add(Name, custom(nothing));
  T.add("s_endpgm", custom([](Machine &M, const Inst &) {
          M.stop(StepResult::EndPgm);
        }));
  T.add("s_endpgm_saved", custom([](Machine &M, const Inst &) {
          M.stop(StepResult::EndPgm);
        }));
  T.add("s_barrier", custom([](Machine &M, const Inst &) {
          M.stop(StepResult::Barrier);
        }));
  T.add("s_barrier_signal", custom([](Machine &M, const Inst &I) {
          if (i32(M.scalar32(I.Src[0])) != -1)
            return M.unmodeled(I, "a barrier other than the workgroup's is not "
                                "modeled");
          M.stop(StepResult::BarrierSignal);
        }, 0, Kind::B32));
  T.add("s_barrier_wait", custom([](Machine &M, const Inst &I) {
          if (I.Imm != -1)
            return M.unmodeled(I, "a barrier other than the workgroup's is not "
                                "modeled");
          M.stop(StepResult::BarrierWait);
        }));
  T.add("s_sleep", custom([](Machine &M, const Inst &I) {
          M.stop(StepResult::Sleep, u32(I.Imm) & 0x7f);
        }));
  T.add("s_sleep_var", custom([](Machine &M, const Inst &I) {
          M.stop(StepResult::Sleep, M.scalar32(I.Src[0]) & 0x7f);
        }, 0, Kind::B32));
  T.add("s_sendmsg", custom([](Machine &M, const Inst &I) {
          // MSG_GET_DOORBELL: bit 31 says to a trap handler that it is there.
          if ((I.Imm & 15) == 10 && M.features().HasGetDoorbellMessage &&
              M.W.Status & status::Priv) {
            M.W.Scalar[scalar::ExecLo] = M.W.Doorbell & 0x3ff;
            return;
          }
          M.stop(StepResult::SendMsg, u32(I.Imm) & 0xffff);
        }));
  T.add("s_sendmsghalt", custom([](Machine &M, const Inst &I) {
          M.W.Status |= status::Halt;
          M.stop(StepResult::SendMsg, u32(I.Imm) & 0xffff);
        }));
  T.add("s_sethalt", custom([](Machine &M, const Inst &I) {
          if (I.Imm & 1) {
            M.W.Status |= status::Halt;
            M.stop(StepResult::Halt);
          } else {
            M.W.Status &= ~u32(status::Halt);
          }
        }));
  T.add("s_trap", custom([](Machine &M, const Inst &I) {
          M.stop(StepResult::Trap, u32(I.Imm) & 0xff);
        }));
  T.add("s_set_gpr_idx_off", custom([](Machine &M, const Inst &) {
          M.W.Mode &= ~u32(mode::GprIdxEn);
        }));
  T.add("s_set_gpr_idx_mode", custom([](Machine &M, const Inst &I) {
          u32 &M0 = M.W.Scalar[scalar::M0];
          M0 = (M0 & ~0xf000u) | (u32(I.Imm) & 15) << 12;
        }));

  T.add("s_round_mode", custom([](Machine &M, const Inst &I) {
          M.W.Mode = (M.W.Mode & ~0xfu) | (u32(I.Imm) & 15);
        }));
  T.add("s_denorm_mode", custom([](Machine &M, const Inst &I) {
          M.W.Mode = (M.W.Mode & ~0xf0u) | (u32(I.Imm) & 15) << 4;
        }));
  // Messages with an answer: the time, and some that only trap handlers use.
  T.add("s_sendmsg_rtn_b32", custom([](Machine &M, const Inst &I) {
          if (I.Imm == 128) // MSG_RTN_GET_DOORBELL
            return write(M, I.Dst, M.W.Doorbell & 0x3ff);
          M.unmodeled(I, "this message is not modeled");
        }));
  T.add("s_sendmsg_rtn_b64", custom([](Machine &M, const Inst &I) {
          if (I.Imm != 131) // MSG_RTN_GET_REALTIME
            return M.unmodeled(I, "this message is not modeled");
          M.W.setPair(I.Dst, M.Mem.clock(true));
        }));

  // SMEM.
  static const struct {
    const char *Suffix;
    unsigned N;
  } Sizes[] = {{"dword", 1}, {"dwordx2", 2}, {"dwordx4", 4}, {"dwordx8", 8},
               {"dwordx16", 16}, {"dwordx3", 3}};
  for (const auto &S : Sizes) {
    Op O = custom(smemLoad, S.N);
    O.Flags = Op::Accesses;
    T.add((std::string("s_load_") + S.Suffix).c_str(), O);
    O.Data2 = 1;
    T.add((std::string("s_buffer_load_") + S.Suffix).c_str(), O);
    if (S.N <= 4) {
      O = custom(smemStore, S.N);
      O.Flags = Op::Accesses;
      T.add((std::string("s_store_") + S.Suffix).c_str(), O);
    }
  }
  for (unsigned N : {1, 2}) {
    Op O = custom(smemAdd, N);
    O.Flags = Op::Accesses;
    T.add(N == 1 ? "s_atomic_add" : "s_atomic_add_x2", O);
  }
  static const struct {
    const char *Suffix;
    unsigned Size;
  } Narrow[] = {{"ubyte", 1}, {"sbyte", 1 | 16}, {"ushort", 2}, {"sshort", 2 | 16}};
  for (const auto &S : Narrow) {
    Op O = custom(smemLoadNarrow, S.Size);
    O.Flags = Op::Accesses;
    T.add((std::string("s_load_") + S.Suffix).c_str(), O);
  }
  for (const char *Name : {"s_dcache_inv", "s_dcache_wb", "s_dcache_inv_vol",
                           "s_dcache_wb_vol", "s_gl1_inv"})
    T.add(Name, custom(nothing));
  for (bool RealTime : {false, true})
    T.add(RealTime ? "s_memrealtime" : "s_memtime",
          custom([](Machine &M, const Inst &I) {
            M.W.setPair(I.Memory.VData, M.Mem.clock(I.O->Data));
          }, RealTime));
}
// clang-format on

} // namespace wavelane::isa
