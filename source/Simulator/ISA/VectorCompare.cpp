//===-- VectorCompare.cpp - v_cmp_* and v_cmpx_* --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LaneOperands.h"

#include <string>

namespace wavelane::isa {
namespace WAVELANE_ISA_VARIANT {
namespace {

/// A compare whose result is also written to EXEC.
template <Handler Compare> void compareExec(Machine &M, const Inst &I) {
  Compare(M, I);
  if (I.SDst != scalar::ExecLo) // On gfx10 and later, EXEC is the only result.
    M.W.setExec(M.W.pair(I.SDst));
}

template <class F>
void add(OpTable &T, const char *Name, const char *Type, F Fn) {
  const Op O = lane(Fn);
  T.add((std::string("v_cmp_") + Name + "_" + Type).c_str(), O);
  Op X = O;
  X.Fn = &compareExec<&LaneOp<F>::Run::dense>;
  T.add((std::string("v_cmpx_") + Name + "_" + Type).c_str(), X);
}

inline double valueOf(h16 V) { return V.V; }
inline float valueOf(float V) { return V; }
inline double valueOf(double V) { return V; }

template <class A> void integers(OpTable &T, const char *Type) {
  add(T, "f", Type, [](A, A) { return false; });
  add(T, "lt", Type, [](A X, A Y) { return X < Y; });
  add(T, "eq", Type, [](A X, A Y) { return X == Y; });
  add(T, "le", Type, [](A X, A Y) { return X <= Y; });
  add(T, "gt", Type, [](A X, A Y) { return X > Y; });
  add(T, "ne", Type, [](A X, A Y) { return X != Y; });
  add(T, "ge", Type, [](A X, A Y) { return X >= Y; });
  add(T, "t", Type, [](A, A) { return true; });
}

template <class A> void floats(OpTable &T, const char *Type) {
#define CMP(NAME, EXPR)                                                        \
  add(T, NAME, Type, [](A P, A Q) -> bool {                                    \
    const auto X = valueOf(P), Y = valueOf(Q);                                 \
    (void)X, (void)Y;                                                          \
    return EXPR;                                                               \
  })
  CMP("f", false);
  CMP("lt", X < Y);
  CMP("eq", X == Y);
  CMP("le", X <= Y);
  CMP("gt", X > Y);
  CMP("lg", (X < Y) | (X > Y));
  CMP("ge", X >= Y);
  CMP("o", (X == X) & (Y == Y));
  CMP("u", (X != X) | (Y != Y));
  CMP("nge", !(X >= Y));
  CMP("nlg", !((X < Y) | (X > Y)));
  CMP("ngt", !(X > Y));
  CMP("nle", !(X <= Y));
  CMP("neq", !(X == Y));
  CMP("nlt", !(X < Y));
  CMP("tru", true);
#undef CMP
}

/// Bits: sNaN, qNaN, -inf, -normal, -denormal, -0, +0, +denormal, +normal,
/// +inf.
template <unsigned Exp, unsigned Man> u32 classOf(u64 B) {
  const u64 Fraction = B & ((u64(1) << Man) - 1);
  const u64 E = B >> Man & ((u64(1) << Exp) - 1);
  const bool Neg = B >> (Exp + Man) & 1;
  if (E == (u64(1) << Exp) - 1) {
    if (Fraction)
      return Fraction >> (Man - 1) ? 2 : 1;
    return Neg ? 1u << 2 : 1u << 9;
  }
  if (E)
    return Neg ? 1u << 3 : 1u << 8;
  if (Fraction)
    return Neg ? 1u << 4 : 1u << 7;
  return Neg ? 1u << 5 : 1u << 6;
}

/// Not a computation: the bits are examined unchanged, so an sNaN stays one.
void classify(Machine &M, const Inst &I) {
  const u64 X = M.exec();
  const unsigned Width = I.O->Data;
  const Operand &S = I.Src[0];
  const u32 *Mask = fetch32(M, I, 1, Kind::B32);
  u64 R = 0;
  if (Width == 64) {
    const u64 *A = fetch64(M, I, 0, Kind::B64);
    for (unsigned L = 0; L < M.Lanes; ++L) {
      u64 B = A[L];
      B = S.Abs ? B & ~(u64(1) << 63) : B;
      B = S.Neg ? B ^ u64(1) << 63 : B;
      R |= u64((classOf<11, 52>(B) & Mask[L]) != 0) << L;
    }
  } else {
    const u32 *A = fetch32(M, I, 0, Kind::B32);
    const u32 Sign = 1u << (Width - 1);
    for (unsigned L = 0; L < M.Lanes; ++L) {
      u32 B = A[L];
      B = S.Abs ? B & ~Sign : B;
      B = S.Neg ? B ^ Sign : B;
      const u32 C =
          Width == 32 ? classOf<8, 23>(B) : classOf<5, 10>(B & 0xffff);
      R |= u64((C & Mask[L]) != 0) << L;
    }
  }
  M.writeMask(I.SDst, R & X);
}

} // namespace

void addCompareOps(OpTable &T) {
  integers<i16>(T, "i16");
  integers<u16>(T, "u16");
  integers<i32>(T, "i32");
  integers<u32>(T, "u32");
  integers<i64>(T, "i64");
  integers<u64>(T, "u64");
  floats<h16>(T, "f16");
  floats<f32>(T, "f32");
  floats<f64>(T, "f64");
  static const struct {
    const char *Type;
    Kind K;
    unsigned Width;
  } Classes[] = {
      {"f16", Kind::F16, 16}, {"f32", Kind::F32, 32}, {"f64", Kind::F64, 64}};
  for (const auto &C : Classes) {
    Op O = custom(classify, Kind::None, {C.K, Kind::B32}, 0, C.Width);
    T.add((std::string("v_cmp_class_") + C.Type).c_str(), O);
    O.Fn = &compareExec<classify>;
    T.add((std::string("v_cmpx_class_") + C.Type).c_str(), O);
  }
}

} // namespace WAVELANE_ISA_VARIANT
} // namespace wavelane::isa
