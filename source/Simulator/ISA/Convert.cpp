//===-- Convert.cpp - conversions of small floating-point numbers ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each instruction is a row: the kind of its elements, how many a lane has,
// whether they are rounded stochastically, whether there is a scale. The rows'
// names are composed from these.
//
//===----------------------------------------------------------------------===//

#include "LaneOperands.h"
#include "SmallFloat.h"

#include <string>

namespace wavelane::isa {
namespace WAVELANE_ISA_VARIANT {
namespace {

constexpr SmallFloat F32 = {8, 23, 127, SmallFloat::IEEE};

struct Conversion {
  enum : u8 {
    Scaled = 1,     ///< The last source's exponent is a scale.
    Stochastic = 2, ///< The second source is a random number.
    TwoSources = 4, ///< Elements come from two sources alternately.
  };
  SmallFloat From, To;
  u8 Count; ///< The number of elements per lane.
  u8 Has = 0;
  Op make() const;
};

/// The next random number.
u32 nextRandom(u32 V) { return V << 1 ^ (V >> 31 ? 197 : 0); }

/// The target's variant of an 8-bit number format.
const SmallFloat &ofTarget(const Machine &M, const SmallFloat &F) {
  static const SmallFloat OldFP8 = small::OldFP8, OldBF8 = small::OldBF8;
  if (!M.family().HasOldFloat8 || F.bits() != 8)
    return F; // NOLINT(bugprone-return-const-ref-from-parameter): of a table.
  return F.Mantissa == small::FP8.Mantissa ? OldFP8 : OldBF8;
}

void convert(Machine &M, const Inst &I) {
  const Conversion &C = *static_cast<const Conversion *>(I.O->Table);
  if (!M.features().HasModeledNarrowFloats || I.Out.Clamp || I.Out.Omod)
    return M.unmodeled(I, "this form is not modeled");
  if (!M.exec())
    return;
  const SmallFloat &From = ofTarget(M, C.From), &To = ofTarget(M, C.To);
  const unsigned Sources = C.Has & Conversion::TwoSources ? 2 : 1,
                 FromBits = From.bits() * C.Count / Sources,
                 ToBits = To.bits() * C.Count;
  const u32 *Source[2] = {nullptr, nullptr};
  for (unsigned N = 0; N < Sources; ++N) {
    const Operand &S = I.Src[N];
    if (FromBits <= 32) {
      Source[N] = fetch32(M, I, N, Kind::B32);
    } else {
      if (S.At != Operand::Where::VGPR || I.Dpp.IsOn ||
          S.Reg + FromBits / 32 > M.W.AccumOffset)
        return M.illegal(I, "source beyond the wave's vector registers");
      Source[N] = M.vgpr(S.Reg);
    }
  }
  if (I.Dst + (ToBits + 31) / 32 > M.W.AccumOffset)
    return M.illegal(I, "result beyond the wave's vector registers");
  const u32 *Random =
      C.Has & Conversion::Stochastic ? fetch32(M, I, 1, Kind::B32) : nullptr;
  const u32 *Scale = C.Has & Conversion::Scaled
                         ? fetch32(M, I, I.NumSrc - 1, Kind::B32)
                         : nullptr;
  const unsigned FromAt = FromBits == 8    ? (I.Packed.OpSel & 3) * 8u
                          : FromBits == 16 ? (I.Packed.OpSel & 1) * 16u
                                           : 0,
                 ToAt = ToBits == 8    ? (I.Packed.OpSel >> 2 & 3) * 8u
                        : ToBits == 16 ? (I.Packed.OpSel >> 3 & 1) * 16u
                                       : 0;
  const u32 *Mask = laneMask(M, I);
  const unsigned Lanes = M.Lanes;
  u32 *D = M.vgpr(I.Dst);
  // Read all of a lane's elements before writing any.
  for (unsigned L = 0; L < Lanes; ++L) {
    if (!Mask[L])
      continue;
    u32 Out[32] = {}, Field[32] = {};
    u32 Chance = Random ? Random[L] : 0;
    const double Factor = Scale ? scaleOf(Scale[L] >> 23 & 0xff) : 1;
    for (unsigned N = 0; N < C.Count; ++N) {
      const Operand &S = I.Src[N % Sources];
      const unsigned At = FromAt + N / Sources * From.bits();
      const u32 *Words = Source[N % Sources] + At / 32 * Lanes + L;
      u64 Bits = Words[0];
      if (At % 32 + From.bits() > 32)
        Bits |= u64(Words[Lanes]) << 32;
      double V =
          From.decode(u32(Bits >> At % 32 & ((u64(1) << From.bits()) - 1)));
      V = S.Abs ? std::fabs(V) : V;
      V = S.Neg ? -V : V;
      V = To.bits() < From.bits() ? quotient(V, Factor) : product(V, Factor);
      const bool Limit =
          M.E.FP16Ovfl && To.Exponent < 8 && (To.bits() < 16 || !std::isinf(V));
      const u64 R =
          Random ? To.encodeStochastic(V, Limit, Chance) : To.encode(V, Limit);
      Chance = nextRandom(Chance);
      const unsigned Where = ToAt + N * To.bits();
      const u64 Ones = (u64(1) << To.bits()) - 1;
      Out[Where / 32] |= u32(R << Where % 32);
      Field[Where / 32] |= u32(Ones << Where % 32);
      if (Where % 32 + To.bits() > 32) {
        Out[Where / 32 + 1] |= u32(R << Where % 32 >> 32);
        Field[Where / 32 + 1] |= u32(Ones << Where % 32 >> 32);
      }
    }
    for (unsigned N = 0; N < (ToAt + ToBits + 31) / 32; ++N)
      D[N * Lanes + L] = (D[N * Lanes + L] & ~Field[N]) | Out[N];
  }
}

Op Conversion::make() const {
  // The value of an inline constant depends on the source's kind.
  const auto KindOf = [](const SmallFloat &F) {
    return F.Exponent == 8 && F.bits() == 16 ? Kind::BF16
           : F.bits() == 16                  ? Kind::F16
                                             : Kind::B32;
  };
  Op O;
  O.Fn = convert;
  O.Result = Kind::B32;
  O.Flags = Op::Packed | Op::OwnOpSel;
  O.Table = new Conversion(*this); // lives as long as the table of operations
  O.Args[O.NumArgs++] = KindOf(From);
  if (Has & TwoSources)
    O.Args[O.NumArgs++] = KindOf(From);
  if (Has & Stochastic)
    O.Args[O.NumArgs++] = Kind::B32;
  if (Has & Scaled)
    O.Args[O.NumArgs++] = Kind::B32;
  return O;
}

void bf16ToF32(Machine &M, const Inst &I) {
  if (!M.exec())
    return;
  const u32 *A = fetch32(M, I, 0, Kind::BF16);
  const u32 *Mask = laneMask(M, I);
  const u32 And = I.Src[0].Abs ? 0x7fff0000u : 0xffff0000u,
            Xor = I.Src[0].Neg ? 0x80000000u : 0;
  u32 *R = M.Tmp[3];
  for (unsigned L = 0; L < M.Lanes; ++L)
    R[L] = (A[L] << 16 & And) ^ Xor;
  finish32(M, I, R, Kind::F32, Mask);
}

} // namespace

void addConvertOps(OpTable &T) {
  using C = Conversion;
  struct Named {
    const char *Name;
    SmallFloat F;
  };
  const Named Wide[] = {{"f32", F32},
                        {"f16", small::F16},
                        {"bf16", small::BF16}},
              Eight[] = {{"fp8", small::FP8}, {"bf8", small::BF8}},
              Six[] = {{"fp6", small::FP6}, {"bf6", small::BF6}},
              Four = {"fp4", small::FP4};
  const auto Add = [&](const std::string &What, const Named &To,
                       const Named &From, u8 Count, u8 Has) {
    T.add(("v_cvt_" + What + To.Name + "_" + From.Name).c_str(),
          Conversion{From.F, To.F, Count, Has}.make());
  };
  for (const Named &W : Wide) {
    const bool Single = W.F.bits() == 32;
    // Two 32-bit numbers are two sources, two 16-bit numbers one.
    const u8 Pair = Single ? C::Scaled | C::TwoSources : C::Scaled;
    for (const Named &E : Eight) {
      Add("scalef32_pk_", W, E, 2, C::Scaled);
      Add("scalef32_pk_", E, W, 2, Pair);
      Add("scalef32_sr_", E, W, 1, C::Scaled | C::Stochastic);
      if (W.F.Exponent != 8 || Single) // none of these convert to bf16
        Add("scalef32_", W, E, 1, C::Scaled);
    }
    for (const Named &S : Six) {
      Add("scalef32_pk32_", W, S, 32, C::Scaled);
      Add("scalef32_sr_pk32_", S, W, 32, C::Scaled | C::Stochastic);
      if (Single)
        Add("scalef32_2xpk16_", S, W, 32, C::Scaled | C::TwoSources);
      else
        Add("scalef32_pk32_", S, W, 32, C::Scaled);
    }
    Add("scalef32_pk_", W, Four, 2, C::Scaled);
    Add("scalef32_pk_", Four, W, 2, Pair);
    Add("scalef32_sr_pk_", Four, W, 2, C::Scaled | C::Stochastic);
  }
  for (const Named &E : Eight) {
    Add("", Wide[0], E, 1, 0);
    Add("pk_", Wide[0], E, 2, 0);
    Add("pk_", E, Wide[0], 2, C::TwoSources);
    Add("sr_", E, Wide[0], 1, C::Stochastic);
  }
  for (unsigned N = 1; N < 3; ++N) {
    Add("pk_", Wide[N], Wide[0], 2, C::TwoSources);
    Add("sr_", Wide[N], Wide[0], 1, C::Stochastic);
  }
  T.add("v_cvt_f32_bf16", custom(bf16ToF32, Kind::F32, {Kind::BF16}));
  T.add("v_prng_b32", lane([](u32 A) { return nextRandom(A); }));
}

} // namespace WAVELANE_ISA_VARIANT
} // namespace wavelane::isa
