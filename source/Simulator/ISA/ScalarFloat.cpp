//===-- ScalarFloat.cpp - scalar floating point ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For gfx11.5 and gfx12. MODE applies as in lanes: the host rounds, and
// denormals are flushed when operands are read and results written.
//
//===----------------------------------------------------------------------===//

#include "LaneOperands.h"

#include <cmath>

namespace wavelane::isa {

using namespace generic;

namespace {

f32 readF32(Machine &M, const Operand &S) {
  u32 V = M.scalar32(S);
  if (M.E.FlushInF32 && !(V & 0x7f800000u))
    V &= 0x80000000u;
  return f32FromBits(V);
}
f32 readDstF32(Machine &M, const Inst &I) {
  Operand S;
  S.At = Operand::Where::Scalar;
  S.Reg = I.Dst;
  return readF32(M, S);
}
void writeF32(Machine &M, const Inst &I, f32 F) {
  u32 V = bitsOf(F);
  if (M.E.FlushOutF32 && !(V & 0x7f800000u))
    V &= 0x80000000u;
  M.W.Scalar[I.Dst] = V;
}
h16 readHalf(Machine &M, const Operand &S, bool High = false) {
  u16 H = u16(M.scalar32(S) >> (High ? 16 : 0));
  if (M.E.FlushInF64 && !(H & 0x7c00))
    H &= 0x8000;
  return {fromHalf(H)};
}
void writeHalf(Machine &M, const Inst &I, h16 H) {
  M.W.Scalar[I.Dst] =
      limitHalf(M.E, H.V, toHalf(H.V, M.E.RoundF64, M.E.FlushOutF64));
}

Op make(Handler Fn, FpClass Fp, std::initializer_list<Kind> Args) {
  Op O;
  O.Fn = Fn;
  O.Fp = Fp;
  for (Kind K : Args)
    O.Args[O.NumArgs++] = K;
  return O;
}

template <class F> Op unary(F, FpClass Fp = FpClass::F32) {
  return make(
      [](Machine &M, const Inst &I) {
        Meaning<F> X;
        writeF32(M, I, X.Fn(readF32(M, I.Src[0])));
      },
      Fp, {Kind::F32});
}
template <class F> Op binary(F) {
  return make(
      [](Machine &M, const Inst &I) {
        Meaning<F> X;
        writeF32(M, I, X.Fn(readF32(M, I.Src[0]), readF32(M, I.Src[1])));
      },
      FpClass::F32, {Kind::F32, Kind::F32});
}
template <class F> Op unaryHalf(F) {
  return make(
      [](Machine &M, const Inst &I) {
        Meaning<F> X;
        writeHalf(M, I, X.Fn(readHalf(M, I.Src[0])));
      },
      FpClass::Near, {Kind::F16});
}
template <class F> Op binaryHalf(F) {
  return make(
      [](Machine &M, const Inst &I) {
        Meaning<F> X;
        writeHalf(M, I, X.Fn(readHalf(M, I.Src[0]), readHalf(M, I.Src[1])));
      },
      FpClass::Near, {Kind::F16, Kind::F16});
}
template <class F> void compare(OpTable &T, const std::string &Name, F) {
  T.add(("s_cmp_" + Name + "_f32").c_str(),
        make(
            [](Machine &M, const Inst &I) {
              Meaning<F> X;
              M.setScc(
                  X.Fn(f64(readF32(M, I.Src[0])), f64(readF32(M, I.Src[1]))));
            },
            FpClass::None, {Kind::F32, Kind::F32}));
  T.add(("s_cmp_" + Name + "_f16").c_str(),
        make(
            [](Machine &M, const Inst &I) {
              Meaning<F> X;
              M.setScc(X.Fn(readHalf(M, I.Src[0]).V, readHalf(M, I.Src[1]).V));
            },
            FpClass::None, {Kind::F16, Kind::F16}));
}

template <class I> u32 toInteger(f32 V, double Lo, double Hi) {
  const double D = double(V);
  return isNaN(V) ? 0 : D <= Lo ? u32(I(Lo)) : D >= Hi ? u32(I(Hi)) : u32(I(D));
}
/// Converts a 32-bit integer, rounded according to MODE.
f32 fromInteger(i64 V) {
  asm("" : "+r"(V)); // also an unsigned one, since it is converted from 64 bits
  return f32(V);
}

} // namespace

// clang-format off
void addScalarFloatOps(OpTable &T) {
  T.add("s_add_f32", binary([](f32 A, f32 B) { return sum(A, B); }));
  T.add("s_sub_f32", binary([](f32 A, f32 B) { return difference(A, B); }));
  T.add("s_mul_f32", binary([](f32 A, f32 B) { return product(A, B); }));
  // gfx11.5's; gfx12's follow the later edition of the IEEE standard.
  T.add("s_min_f32", make([](Machine &M, const Inst &I) {
          writeF32(M, I, minF32(M.E, readF32(M, I.Src[0]), readF32(M, I.Src[1])));
        }, FpClass::F32, {Kind::F32, Kind::F32}));
  T.add("s_max_f32", make([](Machine &M, const Inst &I) {
          writeF32(M, I, maxF32(M.E, readF32(M, I.Src[0]), readF32(M, I.Src[1])));
        }, FpClass::F32, {Kind::F32, Kind::F32}));
  T.add("s_min_f16", make([](Machine &M, const Inst &I) {
          writeHalf(M, I, minHalf(M.E, readHalf(M, I.Src[0]), readHalf(M, I.Src[1])));
        }, FpClass::Near, {Kind::F16, Kind::F16}));
  T.add("s_max_f16", make([](Machine &M, const Inst &I) {
          writeHalf(M, I, maxHalf(M.E, readHalf(M, I.Src[0]), readHalf(M, I.Src[1])));
        }, FpClass::Near, {Kind::F16, Kind::F16}));
  T.add("s_min_num_f32", binary([](f32 A, f32 B) { return minNumF32(A, B); }));
  T.add("s_max_num_f32", binary([](f32 A, f32 B) { return maxNumF32(A, B); }));
  T.add("s_minimum_f32", binary([](f32 A, f32 B) { return minimumF32(A, B); }));
  T.add("s_maximum_f32", binary([](f32 A, f32 B) { return maximumF32(A, B); }));
  T.add("s_ceil_f32", unary([](f32 A) { return std::ceil(A); }));
  T.add("s_floor_f32", unary([](f32 A) { return std::floor(A); }));
  T.add("s_trunc_f32", unary([](f32 A) { return std::trunc(A); }));
  T.add("s_rndne_f32", unary([](f32 A) { return std::rint(A); }, FpClass::Near));
  T.add("s_fmac_f32", make([](Machine &M, const Inst &I) {
          writeF32(M, I, fused(readF32(M, I.Src[0]), readF32(M, I.Src[1]),
                               readDstF32(M, I)));
        }, FpClass::F32, {Kind::F32, Kind::F32}));
  // The literal follows the instruction.
  T.add("s_fmaak_f32", make([](Machine &M, const Inst &I) {
          writeF32(M, I, fused(readF32(M, I.Src[0]), readF32(M, I.Src[1]),
                               f32FromBits(I.Words[1])));
        }, FpClass::F32, {Kind::F32, Kind::F32}));
  T.add("s_fmamk_f32", make([](Machine &M, const Inst &I) {
          writeF32(M, I, fused(readF32(M, I.Src[0]), f32FromBits(I.Words[1]),
                               readF32(M, I.Src[1])));
        }, FpClass::F32, {Kind::F32, Kind::F32}));

  T.add("s_cvt_i32_f32", make([](Machine &M, const Inst &I) {
          M.W.Scalar[I.Dst] = toInteger<i32>(readF32(M, I.Src[0]), INT32_MIN, INT32_MAX);
        }, FpClass::None, {Kind::F32}));
  T.add("s_cvt_u32_f32", make([](Machine &M, const Inst &I) {
          M.W.Scalar[I.Dst] = toInteger<u32>(readF32(M, I.Src[0]), 0, UINT32_MAX);
        }, FpClass::None, {Kind::F32}));
  T.add("s_cvt_f32_i32", make([](Machine &M, const Inst &I) {
          writeF32(M, I, fromInteger(i32(M.scalar32(I.Src[0]))));
        }, FpClass::F32, {Kind::B32}));
  T.add("s_cvt_f32_u32", make([](Machine &M, const Inst &I) {
          writeF32(M, I, fromInteger(M.scalar32(I.Src[0])));
        }, FpClass::F32, {Kind::B32}));
  T.add("s_cvt_f16_f32", make([](Machine &M, const Inst &I) {
          writeHalf(M, I, {f64(readF32(M, I.Src[0]))});
        }, FpClass::Near, {Kind::F32}));
  T.add("s_cvt_f32_f16", make([](Machine &M, const Inst &I) {
          writeF32(M, I, f32(readHalf(M, I.Src[0]).V));
        }, FpClass::Near, {Kind::F16}));
  T.add("s_cvt_hi_f32_f16", make([](Machine &M, const Inst &I) {
          writeF32(M, I, f32(readHalf(M, I.Src[0], true).V));
        }, FpClass::Near, {Kind::B32}));

  T.add("s_cvt_pk_rtz_f16_f32", make([](Machine &M, const Inst &I) {
          M.W.Scalar[I.Dst] =
              u32(toHalf(readF32(M, I.Src[0]), 3, M.E.FlushOutF64)) |
              u32(toHalf(readF32(M, I.Src[1]), 3, M.E.FlushOutF64)) << 16;
        }, FpClass::Near, {Kind::F32, Kind::F32}));

  T.add("s_add_f16", binaryHalf([](h16 A, h16 B) { return h16{sum(A.V, B.V)}; }));
  T.add("s_sub_f16", binaryHalf([](h16 A, h16 B) { return h16{difference(A.V, B.V)}; }));
  T.add("s_mul_f16", binaryHalf([](h16 A, h16 B) { return h16{product(A.V, B.V)}; }));
  T.add("s_min_num_f16", binaryHalf([](h16 A, h16 B) { return minNumHalf(A, B); }));
  T.add("s_max_num_f16", binaryHalf([](h16 A, h16 B) { return maxNumHalf(A, B); }));
  T.add("s_minimum_f16", binaryHalf([](h16 A, h16 B) { return minimumHalf(A, B); }));
  T.add("s_maximum_f16", binaryHalf([](h16 A, h16 B) { return maximumHalf(A, B); }));
  T.add("s_ceil_f16", unaryHalf([](h16 A) { return h16{std::ceil(A.V)}; }));
  T.add("s_floor_f16", unaryHalf([](h16 A) { return h16{std::floor(A.V)}; }));
  T.add("s_trunc_f16", unaryHalf([](h16 A) { return h16{std::trunc(A.V)}; }));
  T.add("s_rndne_f16", unaryHalf([](h16 A) { return h16{std::rint(A.V)}; }));
  T.add("s_fmac_f16", make([](Machine &M, const Inst &I) {
          Operand D;
          D.At = Operand::Where::Scalar;
          D.Reg = I.Dst;
          writeHalf(M, I, fmaHalf(readHalf(M, I.Src[0]), readHalf(M, I.Src[1]),
                                  readHalf(M, D)));
        }, FpClass::Near, {Kind::F16, Kind::F16}));

#define COMPARE(NAME, EXPR) compare(T, NAME, [](f64 X, f64 Y) -> bool { return EXPR; })
  COMPARE("lt", X < Y);
  COMPARE("eq", X == Y);
  COMPARE("le", X <= Y);
  COMPARE("gt", X > Y);
  COMPARE("lg", (X < Y) || (X > Y));
  COMPARE("ge", X >= Y);
  COMPARE("o", X == X && Y == Y);
  COMPARE("u", X != X || Y != Y);
  COMPARE("nge", !(X >= Y));
  COMPARE("nlg", !(X < Y || X > Y));
  COMPARE("ngt", !(X > Y));
  COMPARE("nle", !(X <= Y));
  COMPARE("neq", !(X == Y));
  COMPARE("nlt", !(X < Y));
#undef COMPARE
}
// clang-format on

} // namespace wavelane::isa
