//===-- LaneOperands.h - one lane's meaning made into an instruction ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// lane(f) turns a function of one lane's operands into an Op: the types of its
// parameters determine how operands are fetched, and its result type how it is
// written.
//
//   T.add("v_add_u32", lane([](u32 A, u32 B) { return A + B; }));
//
// Parameter types: u32, i32, u16, i16, f32, u64, i64, f64, h16 (a half as a
// double: exact, and rounded once when it is written). An optional first
// parameter `const Env &` gives the mode. Result types: the same, or bool
// (VOPC: a bit of the scalar destination).
//
// These files are compiled more than once, for different host processors, so
// all inline code here is in a separate namespace per variant.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_ISA_LANEOPERANDS_H
#define WAVELANE_SIMULATOR_ISA_LANEOPERANDS_H

#include "Arithmetic.h"

#include <initializer_list>
#include <tuple>
#include <type_traits>
#include <utility>

namespace wavelane::isa {
namespace WAVELANE_ISA_VARIANT {

using u8 = uint8_t;
using u16 = uint16_t;
using i16 = int16_t;
using u32 = uint32_t;
using i32 = int32_t;
using u64 = uint64_t;
using i64 = int64_t;
using f32 = float;
using f64 = double;
/// A half-precision number, held exactly.
struct h16 { // NOLINT(readability-identifier-naming): as the types above.
  double V;
};

// Fetches operands. The pointer is to all lanes' values, possibly in the
// register itself.
const u32 *fetch32Slow(Machine &M, const Inst &I, unsigned N, Kind K);
const u64 *fetch64(Machine &M, const Inst &I, unsigned N, Kind K);
const double *fetchHalf(Machine &M, const Inst &I, unsigned N);

inline const u32 *fetch32(Machine &M, const Inst &I, unsigned N, Kind K) {
  const Operand &S = I.Src[N];
  if (S.Plain && !(K == Kind::F32 && (M.E.FlushInF32 || M.FpTraps)))
    return M.vgpr(S.Reg);
  return fetch32Slow(M, I, N, K);
}

/// A result after output modifiers, clamp and MODE.
u32 modified32(Machine &M, const Inst &I, u32 R);
u32 modifiedHalf(Machine &M, const Inst &I, double R);

// Writes results in M.Tmp[3] or M.Tmp64[3] for the lanes in \a Mask.
void finish32(Machine &M, const Inst &I, u32 *R, Kind K, const u32 *Mask);
void finish64(Machine &M, const Inst &I, u64 *R, Kind K, const u32 *Mask);
void finishHalf(Machine &M, const Inst &I, const double *R, const u32 *Mask);
/// The active lanes as full-width masks.
const u32 *laneMask(Machine &M, const Inst &I);
const u32 *dppMask(Machine &M, const Inst &I);
void expand(u64 Bits, u32 *Mask, unsigned Lanes);
/// Packs one bit of each lane's byte (0 or 1).
u64 pack(const u8 *Bytes, unsigned Lanes);

inline const u32 *execMask(Machine &M) {
  u64 X = M.exec();
  if (!M.MaskValid || X != M.MaskOf) {
    expand(X, M.Mask, M.Lanes);
    M.MaskOf = X;
    M.MaskValid = true;
  }
  return M.Mask;
}
inline const u32 *laneMask(Machine &M, const Inst &I) {
  return I.Dpp.IsOn ? dppMask(M, I) : execMask(M);
}

/// Converts a double to half, by rounding mode; \a Flush: denormal results
/// become zero.
u16 toHalf(double D, unsigned Round, bool Flush);
double fromHalf(u16 H);
/// MODE.FP16_OVFL: overflow from finite numbers gives the largest number.
inline u16 limitHalf(const Env &E, double D, u16 H) {
  return E.FP16Ovfl && (H & 0x7fff) == 0x7c00 && D - D == 0 ? u16(H - 1) : H;
}
h16 fmaHalf(h16 A, h16 B, h16 C);
f32 minF32(const Env &E, f32 A, f32 B);
f32 maxF32(const Env &E, f32 A, f32 B);
h16 minHalf(const Env &E, h16 A, h16 B);
h16 maxHalf(const Env &E, h16 A, h16 B);
/// gfx12's minimum and maximum: those that ignore NaN, and those that return
/// it.
f32 minNumF32(f32 A, f32 B);
f32 maxNumF32(f32 A, f32 B);
h16 minNumHalf(h16 A, h16 B);
h16 maxNumHalf(h16 A, h16 B);
f32 minimumF32(f32 A, f32 B);
f32 maximumF32(f32 A, f32 B);
h16 minimumHalf(h16 A, h16 B);
h16 maximumHalf(h16 A, h16 B);

template <class T> struct Type;
template <> struct Type<u32> {
  static constexpr Kind K = Kind::B32;
  using Carrier = u32;
  static u32 get(u32 V) { return V; }
};
template <> struct Type<i32> {
  static constexpr Kind K = Kind::B32;
  using Carrier = u32;
  static i32 get(u32 V) { return i32(V); }
};
template <> struct Type<u16> {
  static constexpr Kind K = Kind::B16;
  using Carrier = u32;
  static u16 get(u32 V) { return u16(V); }
};
template <> struct Type<i16> {
  static constexpr Kind K = Kind::B16;
  using Carrier = u32;
  static i16 get(u32 V) { return i16(V); }
};
template <> struct Type<f32> {
  static constexpr Kind K = Kind::F32;
  using Carrier = u32;
  static f32 get(u32 V) { return bitCast<f32>(V); }
};
template <> struct Type<u64> {
  static constexpr Kind K = Kind::B64;
  using Carrier = u64;
  static u64 get(u64 V) { return V; }
};
template <> struct Type<i64> {
  static constexpr Kind K = Kind::I64;
  using Carrier = u64;
  static i64 get(u64 V) { return i64(V); }
};
template <> struct Type<f64> {
  static constexpr Kind K = Kind::F64;
  using Carrier = u64;
  static f64 get(u64 V) { return bitCast<f64>(V); }
};
template <> struct Type<h16> {
  static constexpr Kind K = Kind::F16;
  using Carrier = double;
  static h16 get(double V) { return h16{V}; }
};

template <class T> struct IsHalf {
  static constexpr bool value = sizeof(T) == 2; // as type traits do
};
template <> struct IsHalf<h16> {
  static constexpr bool value = true;
};

template <class T>
inline const typename Type<T>::Carrier *fetch(Machine &M, const Inst &I,
                                              unsigned N) {
  if constexpr (Type<T>::K == Kind::F16)
    return fetchHalf(M, I, N);
  else if constexpr (sizeof(typename Type<T>::Carrier) == 8)
    return fetch64(M, I, N, Type<T>::K);
  else
    return fetch32(M, I, N, Type<T>::K);
}

template <class F> struct Signature : Signature<decltype(&F::operator())> {};
template <class C, class R, class... A> struct Signature<R (C::*)(A...) const> {
  using Result = R;
  static constexpr bool HasEnv = false;
  static constexpr unsigned N = sizeof...(A);
  template <template <class...> class X> using Apply = X<A...>;
};
template <class C, class R, class... A>
struct Signature<R (C::*)(const Env &, A...) const> {
  using Result = R;
  static constexpr bool HasEnv = true;
  static constexpr unsigned N = sizeof...(A);
  template <template <class...> class X> using Apply = X<A...>;
};

/// Calls a captureless lambda without a default constructor.
template <class F> union Meaning {
  char C;
  F Fn;
  Meaning() : C(0) {}
  ~Meaning() {}
};

template <class F> struct LaneOp {
  using Sig = Signature<F>;
  using R = typename Sig::Result;

  template <class... A> struct With {
    template <size_t N>
    using Arg = typename std::tuple_element<N, std::tuple<A...>>::type;

    template <class... P> static inline R call(const Env &E, P... Values) {
      Meaning<F> X;
      if constexpr (Sig::HasEnv)
        return X.Fn(E, Values...);
      else
        return ((void)E, X.Fn(Values...));
    }

    template <size_t... N>
    static void go(Machine &M, const Inst &I, bool Sparse,
                   std::index_sequence<N...>) {
      const u64 X = M.exec();
      if (!X) {
        if constexpr (std::is_same<R, bool>::value)
          M.writeMask(I.SDst, 0);
        return;
      }
      const std::tuple<const typename Type<A>::Carrier *...> P{
          fetch<A>(M, I, N)...};
      const u32 *Mask = laneMask(M, I);
      const unsigned Lanes = M.Lanes;
      __builtin_assume(Lanes % 32 == 0 && Lanes > 0);
      const Env E = M.E;
      auto At = [&](unsigned L) {
        return call(E, Type<A>::get(std::get<N>(P)[L])...);
      };
      if constexpr (std::is_same<R, bool>::value) {
        alignas(64) u8 Bits[MaxLanes];
#pragma clang loop vectorize(assume_safety)
        for (unsigned L = 0; L < Lanes; ++L)
          Bits[L] = At(L);
        M.writeMask(I.SDst, pack(Bits, Lanes) & X);
      } else if constexpr (Type<R>::K == Kind::F16) {
        double *D = reinterpret_cast<double *>(M.Tmp64[3]);
        for (unsigned L = 0; L < Lanes; ++L)
          if (!Sparse || (X >> L & 1))
            D[L] = At(L).V;
        finishHalf(M, I, D, Mask);
      } else if constexpr (sizeof(R) == 8) {
        u64 *D = M.Tmp64[3];
        if (Sparse) {
          for (unsigned L = 0; L < Lanes; ++L)
            if (X >> L & 1)
              D[L] = bitCast<u64>(At(L));
        } else {
#pragma clang loop vectorize(assume_safety)
          for (unsigned L = 0; L < Lanes; ++L)
            D[L] = bitCast<u64>(At(L));
        }
        finish64(M, I, D, Type<R>::K, Mask);
      } else {
        auto Bits = [&](unsigned L) -> u32 {
          if constexpr (sizeof(R) == 4)
            return bitCast<u32>(At(L));
          else
            return u16(At(L));
        };
        if (Sparse) {
          u32 *D = M.Tmp[3];
          for (unsigned L = 0; L < Lanes; ++L)
            if (X >> L & 1)
              D[L] = Bits(L);
          finish32(M, I, D, Type<R>::K, Mask);
        } else if (I.Out.IsPlain &&
                   !(Type<R>::K == Kind::F32 && M.E.FlushOutF32)) {
          u32 *D = M.vgpr(I.Dst);
          // Lane L only reads lane L, so source and destination may be the same
          // register.
#pragma clang loop vectorize(assume_safety)
          for (unsigned L = 0; L < Lanes; ++L)
            D[L] = (Bits(L) & Mask[L]) | (D[L] & ~Mask[L]);
        } else {
          u32 *D = M.Tmp[3];
#pragma clang loop vectorize(assume_safety)
          for (unsigned L = 0; L < Lanes; ++L)
            D[L] = Bits(L);
          finish32(M, I, D, Type<R>::K, Mask);
        }
      }
    }
    static void dense(Machine &M, const Inst &I) {
      go(M, I, false, std::index_sequence_for<A...>());
    }
    static void sparse(Machine &M, const Inst &I) {
      go(M, I, true, std::index_sequence_for<A...>());
    }
    // Halves need what only a whole instruction has.
    static constexpr bool HasEight =
        sizeof...(A) < 4 && ((Type<A>::K != Kind::F16) && ...) &&
        ((Type<A>::K != Kind::B16) && ...) && !IsHalf<R>::value;
    template <size_t... N>
    static u32 eightOf(const Env &E, char *Lanes, std::index_sequence<N...>) {
      const auto At = [&](unsigned L) {
        return call(
            E, Type<A>::get(reinterpret_cast<const typename Type<A>::Carrier *>(
                   Lanes + Op::EightStep * N)[L])...);
      };
      constexpr unsigned Count = 8;
      if constexpr (std::is_same<R, bool>::value) {
        u32 Bits = 0;
        for (unsigned L = 0; L < Count; ++L)
          Bits |= u32(At(L)) << L;
        return Bits;
      } else {
        using Word = typename Type<R>::Carrier;
        Word Out[Count];
#pragma clang loop vectorize(assume_safety)
        for (unsigned L = 0; L < Count; ++L)
          Out[L] = bitCast<Word>(At(L));
        std::memcpy(Lanes + Op::ResultAt, Out, sizeof(Out));
        return 0;
      }
    }
    static u32 eight(const Env &E, void *Lanes, u32) {
      return eightOf(E, static_cast<char *>(Lanes),
                     std::index_sequence_for<A...>());
    }
    static void describe(Op &O) {
      if constexpr (HasEight)
        O.Eight = eight;
      const Kind Kinds[] = {Kind::None, Type<A>::K...};
      O.NumArgs = sizeof...(A);
      for (unsigned N = 0; N < sizeof...(A); ++N)
        O.Args[N] = Kinds[N + 1];
    }
  };
  using Run = typename Sig::template Apply<With>;
};

template <class T> constexpr Kind resultKind() {
  if constexpr (std::is_same<T, bool>::value)
    return Kind::None;
  else
    return Type<T>::K;
}
constexpr FpClass fpClass(Kind A, Kind R) {
  return R == Kind::F32 || R == Kind::PF32    ? FpClass::F32
         : R == Kind::F64                     ? FpClass::F64
         : (R == Kind::F16 || A == Kind::F16) ? FpClass::Near
                                              : FpClass::None;
}

/// Computes the function in all lanes, and writes the active ones.
template <class F> Op lane(F, uint32_t Flags = 0) {
  Op O;
  using L = LaneOp<F>;
  O.Fn = &L::Run::dense;
  L::Run::describe(O);
  O.Result = resultKind<typename L::R>();
  O.Fp = fpClass(O.Args[0], O.Result);
  O.Flags = Flags;
  return O;
}

/// For functions that are too expensive to compute in inactive lanes.
template <class F> Op sparseLane(F Fn, uint32_t Flags = 0) {
  Op O = lane(Fn, Flags);
  O.Fn = &LaneOp<F>::Run::sparse;
  return O;
}

/// An operation with a different function if the clamp bit is set.
template <class F, class G, class = std::enable_if_t<std::is_class<G>::value>>
Op lane(F Fn, G, uint32_t Flags = 0) {
  Op O = lane(Fn, Flags);
  O.ClampFn = &LaneOp<G>::Run::dense;
  return O;
}

/// A custom handler, with the operand kinds that it fetches.
inline Op custom(Handler Fn, Kind Result, std::initializer_list<Kind> Args,
                 uint32_t Flags = 0, uint32_t Data = 0) {
  Op O;
  O.Fn = Fn;
  O.Result = Result;
  for (Kind K : Args)
    O.Args[O.NumArgs++] = K;
  O.Flags = Flags;
  O.Data = Data;
  O.Fp = fpClass(O.Args[0], Result);
  return O;
}

inline float f32FromBits(u32 B) { return bitCast<float>(B); }

void addIntegerOps(OpTable &T);
void addFloatOps(OpTable &T);
void addCompareOps(OpTable &T);
void addPackedOps(OpTable &T);
void addCrossLaneOps(OpTable &T);
void addConvertOps(OpTable &T);
void addWaveMatrixOps(OpTable &T);
/// All vector arithmetic of this variant.
void addVectorOps(OpTable &T);

} // namespace WAVELANE_ISA_VARIANT
} // namespace wavelane::isa

#endif // WAVELANE_SIMULATOR_ISA_LANEOPERANDS_H
