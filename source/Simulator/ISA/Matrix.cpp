//===-- Matrix.cpp - matrix instructions ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For gfx90a, gfx942 and gfx950. Matrix instructions ignore EXEC. Sums of
// integers wrap. Sums of f32 and f64 products are a chain of fused
// multiply-adds in the order of depth. The products of smaller numbers are
// exact; they are added as doubles, C last, and rounded once, because AMD
// doesn't specify the order and precision of the hardware's additions.
//
//===----------------------------------------------------------------------===//

#include "Arithmetic.h"
#include "SmallFloat.h"

#include <vector>

namespace wavelane::isa {
namespace {

enum class Number : uint8_t {
  F64,
  F32,
  F16,
  BF16,
  FP8,
  BF8,
  I8,
  ByModifier, ///< given by cbsz for A, and by blgp for B: FP8, BF8, FP6, BF6,
              ///< FP4
};

/// D = A * B + C for each of Blocks pairs of matrices, Rows x Depth and Depth x
/// Rows. A sparse A has two of each four neighbors in depth.
struct Shape {
  const char *Name, *Later; ///< gfx90a's and gfx942's names; either may be null
  uint8_t Rows, Depth, Blocks;
  Number A, B;
  bool Sparse;
};

using N = Number;
// clang-format off
constexpr Shape Shapes[] = {
    {"v_mfma_f32_32x32x1f32", "v_mfma_f32_32x32x1_2b_f32", 32, 1, 2, N::F32, N::F32, false},
    {"v_mfma_f32_16x16x1f32", "v_mfma_f32_16x16x1_4b_f32", 16, 1, 4, N::F32, N::F32, false},
    {"v_mfma_f32_4x4x1f32", "v_mfma_f32_4x4x1_16b_f32", 4, 1, 16, N::F32, N::F32, false},
    {"v_mfma_f32_32x32x2f32", "v_mfma_f32_32x32x2_f32", 32, 2, 1, N::F32, N::F32, false},
    {"v_mfma_f32_16x16x4f32", "v_mfma_f32_16x16x4_f32", 16, 4, 1, N::F32, N::F32, false},
    {"v_mfma_f32_32x32x4f16", "v_mfma_f32_32x32x4_2b_f16", 32, 4, 2, N::F16, N::F16, false},
    {"v_mfma_f32_16x16x4f16", "v_mfma_f32_16x16x4_4b_f16", 16, 4, 4, N::F16, N::F16, false},
    {"v_mfma_f32_4x4x4f16", "v_mfma_f32_4x4x4_16b_f16", 4, 4, 16, N::F16, N::F16, false},
    {"v_mfma_f32_32x32x8f16", "v_mfma_f32_32x32x8_f16", 32, 8, 1, N::F16, N::F16, false},
    {"v_mfma_f32_16x16x16f16", "v_mfma_f32_16x16x16_f16", 16, 16, 1, N::F16, N::F16, false},
    {"v_mfma_f32_32x32x2bf16", nullptr, 32, 2, 2, N::BF16, N::BF16, false},
    {"v_mfma_f32_16x16x2bf16", nullptr, 16, 2, 4, N::BF16, N::BF16, false},
    {"v_mfma_f32_4x4x2bf16", nullptr, 4, 2, 16, N::BF16, N::BF16, false},
    {"v_mfma_f32_32x32x4bf16", nullptr, 32, 4, 1, N::BF16, N::BF16, false},
    {"v_mfma_f32_16x16x8bf16", nullptr, 16, 8, 1, N::BF16, N::BF16, false},
    {"v_mfma_f32_32x32x4bf16_1k", "v_mfma_f32_32x32x4_2b_bf16", 32, 4, 2, N::BF16, N::BF16, false},
    {"v_mfma_f32_16x16x4bf16_1k", "v_mfma_f32_16x16x4_4b_bf16", 16, 4, 4, N::BF16, N::BF16, false},
    {"v_mfma_f32_4x4x4bf16_1k", "v_mfma_f32_4x4x4_16b_bf16", 4, 4, 16, N::BF16, N::BF16, false},
    {"v_mfma_f32_32x32x8bf16_1k", "v_mfma_f32_32x32x8_bf16", 32, 8, 1, N::BF16, N::BF16, false},
    {"v_mfma_f32_16x16x16bf16_1k", "v_mfma_f32_16x16x16_bf16", 16, 16, 1, N::BF16, N::BF16, false},
    {"v_mfma_f64_16x16x4f64", "v_mfma_f64_16x16x4_f64", 16, 4, 1, N::F64, N::F64, false},
    {"v_mfma_f64_4x4x4f64", "v_mfma_f64_4x4x4_4b_f64", 4, 4, 4, N::F64, N::F64, false},
    {"v_mfma_i32_32x32x4i8", "v_mfma_i32_32x32x4_2b_i8", 32, 4, 2, N::I8, N::I8, false},
    {"v_mfma_i32_16x16x4i8", "v_mfma_i32_16x16x4_4b_i8", 16, 4, 4, N::I8, N::I8, false},
    {"v_mfma_i32_4x4x4i8", "v_mfma_i32_4x4x4_16b_i8", 4, 4, 16, N::I8, N::I8, false},
    {"v_mfma_i32_32x32x8i8", nullptr, 32, 8, 1, N::I8, N::I8, false},
    {"v_mfma_i32_16x16x16i8", nullptr, 16, 16, 1, N::I8, N::I8, false},
    // gfx942.
    {nullptr, "v_mfma_i32_32x32x16_i8", 32, 16, 1, N::I8, N::I8, false},
    {nullptr, "v_mfma_i32_16x16x32_i8", 16, 32, 1, N::I8, N::I8, false},
    {nullptr, "v_mfma_f32_16x16x32_bf8_bf8", 16, 32, 1, N::BF8, N::BF8, false},
    {nullptr, "v_mfma_f32_16x16x32_bf8_fp8", 16, 32, 1, N::BF8, N::FP8, false},
    {nullptr, "v_mfma_f32_16x16x32_fp8_bf8", 16, 32, 1, N::FP8, N::BF8, false},
    {nullptr, "v_mfma_f32_16x16x32_fp8_fp8", 16, 32, 1, N::FP8, N::FP8, false},
    {nullptr, "v_mfma_f32_32x32x16_bf8_bf8", 32, 16, 1, N::BF8, N::BF8, false},
    {nullptr, "v_mfma_f32_32x32x16_bf8_fp8", 32, 16, 1, N::BF8, N::FP8, false},
    {nullptr, "v_mfma_f32_32x32x16_fp8_bf8", 32, 16, 1, N::FP8, N::BF8, false},
    {nullptr, "v_mfma_f32_32x32x16_fp8_fp8", 32, 16, 1, N::FP8, N::FP8, false},
    {nullptr, "v_smfmac_f32_16x16x32_f16", 16, 32, 1, N::F16, N::F16, true},
    {nullptr, "v_smfmac_f32_32x32x16_f16", 32, 16, 1, N::F16, N::F16, true},
    {nullptr, "v_smfmac_f32_16x16x32_bf16", 16, 32, 1, N::BF16, N::BF16, true},
    {nullptr, "v_smfmac_f32_32x32x16_bf16", 32, 16, 1, N::BF16, N::BF16, true},
    {nullptr, "v_smfmac_i32_16x16x64_i8", 16, 64, 1, N::I8, N::I8, true},
    {nullptr, "v_smfmac_i32_32x32x32_i8", 32, 32, 1, N::I8, N::I8, true},
    {nullptr, "v_smfmac_f32_16x16x64_bf8_bf8", 16, 64, 1, N::BF8, N::BF8, true},
    {nullptr, "v_smfmac_f32_16x16x64_bf8_fp8", 16, 64, 1, N::BF8, N::FP8, true},
    {nullptr, "v_smfmac_f32_16x16x64_fp8_bf8", 16, 64, 1, N::FP8, N::BF8, true},
    {nullptr, "v_smfmac_f32_16x16x64_fp8_fp8", 16, 64, 1, N::FP8, N::FP8, true},
    {nullptr, "v_smfmac_f32_32x32x32_bf8_bf8", 32, 32, 1, N::BF8, N::BF8, true},
    {nullptr, "v_smfmac_f32_32x32x32_bf8_fp8", 32, 32, 1, N::BF8, N::FP8, true},
    {nullptr, "v_smfmac_f32_32x32x32_fp8_bf8", 32, 32, 1, N::FP8, N::BF8, true},
    {nullptr, "v_smfmac_f32_32x32x32_fp8_fp8", 32, 32, 1, N::FP8, N::FP8, true},
    // gfx950.
    {nullptr, "v_mfma_f32_16x16x32_f16", 16, 32, 1, N::F16, N::F16, false},
    {nullptr, "v_mfma_f32_32x32x16_f16", 32, 16, 1, N::F16, N::F16, false},
    {nullptr, "v_mfma_f32_16x16x32_bf16", 16, 32, 1, N::BF16, N::BF16, false},
    {nullptr, "v_mfma_f32_32x32x16_bf16", 32, 16, 1, N::BF16, N::BF16, false},
    {nullptr, "v_mfma_i32_16x16x64_i8", 16, 64, 1, N::I8, N::I8, false},
    {nullptr, "v_mfma_i32_32x32x32_i8", 32, 32, 1, N::I8, N::I8, false},
    {nullptr, "v_mfma_f32_16x16x128_f8f6f4", 16, 128, 1, N::ByModifier, N::ByModifier, false},
    {nullptr, "v_mfma_f32_32x32x64_f8f6f4", 32, 64, 1, N::ByModifier, N::ByModifier, false},
    {nullptr, "v_mfma_scale_f32_16x16x128_f8f6f4", 16, 128, 1, N::ByModifier, N::ByModifier, false},
    {nullptr, "v_mfma_scale_f32_32x32x64_f8f6f4", 32, 64, 1, N::ByModifier, N::ByModifier, false},
    {nullptr, "v_smfmac_f32_16x16x64_f16", 16, 64, 1, N::F16, N::F16, true},
    {nullptr, "v_smfmac_f32_32x32x32_f16", 32, 32, 1, N::F16, N::F16, true},
    {nullptr, "v_smfmac_f32_16x16x64_bf16", 16, 64, 1, N::BF16, N::BF16, true},
    {nullptr, "v_smfmac_f32_32x32x32_bf16", 32, 32, 1, N::BF16, N::BF16, true},
    {nullptr, "v_smfmac_i32_16x16x128_i8", 16, 128, 1, N::I8, N::I8, true},
    {nullptr, "v_smfmac_i32_32x32x64_i8", 32, 64, 1, N::I8, N::I8, true},
    {nullptr, "v_smfmac_f32_16x16x128_bf8_bf8", 16, 128, 1, N::BF8, N::BF8, true},
    {nullptr, "v_smfmac_f32_16x16x128_bf8_fp8", 16, 128, 1, N::BF8, N::FP8, true},
    {nullptr, "v_smfmac_f32_16x16x128_fp8_bf8", 16, 128, 1, N::FP8, N::BF8, true},
    {nullptr, "v_smfmac_f32_16x16x128_fp8_fp8", 16, 128, 1, N::FP8, N::FP8, true},
    {nullptr, "v_smfmac_f32_32x32x64_bf8_bf8", 32, 64, 1, N::BF8, N::BF8, true},
    {nullptr, "v_smfmac_f32_32x32x64_bf8_fp8", 32, 64, 1, N::BF8, N::FP8, true},
    {nullptr, "v_smfmac_f32_32x32x64_fp8_bf8", 32, 64, 1, N::FP8, N::BF8, true},
    {nullptr, "v_smfmac_f32_32x32x64_fp8_fp8", 32, 64, 1, N::FP8, N::FP8, true},
};
// clang-format on

constexpr unsigned Lanes = 64;

bool isRegister(const Operand &S) {
  return S.At == Operand::Where::VGPR || S.At == Operand::Where::AccVGPR;
}

/// The first of \a Count registers of an operand; if they don't exist, stops
/// the wave and returns null.
uint32_t *run(Machine &M, const Inst &I, bool Acc, unsigned Reg,
              unsigned Count) {
  const unsigned First = Acc ? M.W.AccumOffset + Reg : Reg;
  if (First + Count > (Acc ? M.W.VGPRCount : M.W.AccumOffset)) {
    M.illegal(I, "vector registers beyond those the wave has");
    return nullptr;
  }
  return M.vgpr(First);
}
uint32_t *run(Machine &M, const Inst &I, const Operand &S, unsigned Count) {
  return run(M, I, S.At == Operand::Where::AccVGPR, S.Reg, Count);
}

/// The number format of a source's elements.
struct Format {
  unsigned Bits = 0;
  const SmallFloat *Small = nullptr; ///< Null for F64, F32, I8.
};
/// Zero bits if the modifier is invalid.
Format formatOf(Number K, const gpu::Family &GPU, unsigned Modifier) {
  const bool Old = GPU.HasOldFloat8;
  switch (K) {
  case Number::F64:
    return {64, nullptr};
  case Number::F32:
    return {32, nullptr};
  case Number::I8:
    return {8, nullptr};
  case Number::F16:
    return {16, &small::F16};
  case Number::BF16:
    return {16, &small::BF16};
  case Number::FP8:
    return {8, Old ? &small::OldFP8 : &small::FP8};
  case Number::BF8:
    return {8, Old ? &small::OldBF8 : &small::BF8};
  case Number::ByModifier:
    switch (Modifier) {
    case 0:
      return {8, &small::FP8};
    case 1:
      return {8, &small::BF8};
    case 2:
      return {6, &small::FP6};
    case 3:
      return {6, &small::BF6};
    case 4:
      return {4, &small::FP4};
    }
    break;
  }
  return {};
}

/// Bits [At, At + Bits) of a lane's registers; these are in at most two
/// registers.
uint64_t bitsOf(const uint32_t *From, unsigned Lane, unsigned At,
                unsigned Bits) {
  const unsigned Word = At / 32;
  uint64_t V = From[Word * Lanes + Lane];
  if (At % 32 + Bits > 32)
    V |= uint64_t(From[(Word + 1) * Lanes + Lane]) << 32;
  return V >> At % 32 & (Bits == 64 ? ~uint64_t(0) : (uint64_t(1) << Bits) - 1);
}

template <class T> T element(const Format &F, uint64_t Bits, bool Flush) {
  if (F.Bits == 64)
    return T(bitCast<double>(Bits));
  if (F.Bits == 32)
    return T(bitCast<float>(uint32_t(Bits)));
  if (!F.Small)
    return T(int8_t(Bits));
  const double D = F.Small->decode(uint32_t(Bits));
  return T(Flush && std::fabs(D) < std::ldexp(1.0, 1 - F.Small->Bias) ? D * 0
                                                                      : D);
}

/// The lane whose value lane \a L gets, by blgp.
unsigned broadcast(unsigned L, unsigned Blgp) {
  switch (Blgp) {
  case 1:
    return L % 32;
  case 2:
    return L % 32 + 32;
  case 3:
    return (L + 16) % 64;
  case 4:
  case 5:
  case 6:
  case 7:
    return L % 16 + 16 * (Blgp - 4);
  default:
    return L;
  }
}

/// The layout of A or B.
struct Source {
  const uint32_t *From;
  Format F;
  unsigned Rows, Blocks, PerLane; ///< Elements per lane.
  unsigned Chunk;                 ///< Elements that are neighbors in depth.
  unsigned Cbsz = 0, Abid = 0, Blgp = 0;
  bool Flush = false;

  /// Lanes are ordered by row, then block, then the remaining depth.
  void place(unsigned Block, unsigned Row, unsigned K, unsigned &Lane,
             unsigned &Item) const {
    const unsigned Groups = Lanes / (Rows * Blocks);
    if (Cbsz)
      Block = (Block & ~((1u << Cbsz) - 1)) + Abid;
    Lane = Row + Rows * (Block % Blocks + Blocks * (K / Chunk % Groups));
    Item = K / (Chunk * Groups) * Chunk + K % Chunk;
  }
  template <class T> T at(unsigned Block, unsigned Row, unsigned K) const {
    unsigned Lane, Item;
    place(Block, Row, K, Lane, Item);
    return element<T>(
        F, bitsOf(From, broadcast(Lane, Blgp), Item * F.Bits, F.Bits), Flush);
  }
};

/// The element of D and C that a lane's result \a R is.
struct Place {
  unsigned Block, Row, Column;
};
Place placeOf(const Shape &S, unsigned Lane, unsigned R) {
  // Four neighboring registers of a lane are four rows (one for doubles).
  const unsigned Run = S.A == Number::F64 ? 1 : 4, Strips = S.Rows / Run,
                 AtOnce = Lanes / S.Rows; // strips per register
  const unsigned InRegister = AtOnce > Strips ? AtOnce / Strips : 1; // blocks
  const unsigned Across = AtOnce / InRegister, Down = Strips / Across;
  const unsigned Group = Lane / S.Rows;
  return {R / (Run * Down) * InRegister + Group % InRegister,
          R % Run + Run * (Group / InRegister + Across * (R / Run % Down)),
          Lane % S.Rows};
}

/// The sums' arithmetic: T is the type of elements, Acc that of results.
template <class T, class Acc>
void multiply(Machine &M, const Inst &I, const Shape &S, const Source &A,
              const Source &B, const uint32_t *Index, const uint32_t *C,
              uint32_t *D, unsigned PerLane, bool Scaled) {
  const unsigned Rows = S.Rows, Depth = S.Depth,
                 Total = S.Blocks * Rows * Depth;
  constexpr unsigned Words = sizeof(Acc) / 4;
  std::vector<T> Left(Total), Right(Total);
  for (unsigned Block = 0; Block < S.Blocks; ++Block)
    for (unsigned Row = 0; Row < Rows; ++Row)
      for (unsigned K = 0; K < Depth; ++K) {
        const unsigned To = (Block * Rows + Row) * Depth + K;
        Right[To] = B.at<T>(Block, Row, K);
        if (!S.Sparse)
          Left[To] = A.at<T>(Block, Row, K);
      }
  if (S.Sparse) {
    // Four bits select a pair of four elements. The sets of a lane are
    // consecutive if they don't fill a register.
    const unsigned Set = I.Matrix.Cbsz ? 0 : I.Matrix.Abid * A.PerLane * 2;
    for (unsigned Row = 0; Row < Rows; ++Row)
      for (unsigned K = 0; K < Depth / 2; ++K) {
        unsigned Lane, Item;
        A.place(0, Row, K, Lane, Item);
        const unsigned At = Index[Lane] >> (Set + Item * 2) % 32 & 3;
        Left[Row * Depth + K / 2 * 4 + At] = A.at<T>(0, Row, K);
      }
  }
  if (Scaled)
    for (unsigned N = 0; N < 2; ++N) {
      // A byte of a lane scales 32 neighbors in depth.
      const unsigned Shift =
          8 * ((I.Packed.OpSel >> N & 1) | (I.Packed.OpSelHi >> N & 1) << 1);
      const Operand &From = I.Src[3 + N];
      for (unsigned Row = 0; Row < Rows; ++Row)
        for (unsigned K = 0; K < Depth; ++K) {
          const uint32_t Word = From.At == Operand::Where::VGPR
                                    ? M.vgpr(From.Reg)[Row + Rows * (K / 32)]
                                    : M.scalar32(From);
          T &V = (N ? Right : Left)[Row * Depth + K];
          V = T(generic::product(double(V), scaleOf(Word >> Shift & 0xff)));
        }
    }

  std::vector<uint32_t> Result(PerLane * Words * Lanes);
  for (unsigned R = 0; R < PerLane; ++R)
    for (unsigned L = 0; L < Lanes; ++L) {
      const Place P = placeOf(S, L, R);
      const T *X = &Left[(P.Block * Rows + P.Row) * Depth],
              *Y = &Right[(P.Block * Rows + P.Column) * Depth];
      Acc Sum;
      if (!C) {
        const uint64_t Bits = M.scalar64(I.Src[2]);
        std::memcpy(&Sum, &Bits, sizeof(Sum));
      } else {
        uint32_t Bits[Words];
        for (unsigned W = 0; W < Words; ++W)
          Bits[W] = C[(R * Words + W) * Lanes + L];
        std::memcpy(&Sum, Bits, sizeof(Sum));
      }
      if constexpr (std::is_same<T, int32_t>::value) {
        for (unsigned K = 0; K < Depth; ++K)
          Sum += Acc(X[K] * Y[K]);
      } else if constexpr (std::is_same<T, Acc>::value) {
        // Negation of A, B and C, in the bits of blgp for f64.
        if (I.Packed.NegLo & 4 && sizeof(Acc) == 8)
          Sum = -Sum;
        const bool Negative = sizeof(Acc) == 8 && ((I.Packed.NegLo & 1) ^
                                                   (I.Packed.NegLo >> 1 & 1));
        for (unsigned K = 0; K < Depth; ++K)
          Sum = generic::fused(Negative ? -X[K] : X[K], Y[K], Sum);
      } else {
        double Products = 0;
        for (unsigned K = 0; K < Depth; ++K)
          Products = generic::sum(Products,
                                  generic::product(double(X[K]), double(Y[K])));
        Sum = Acc(generic::sum(Products, double(Sum)));
        if (A.Flush && std::fabs(double(Sum)) < 0x1p-126)
          Sum *= 0;
      }
      uint32_t Bits[Words];
      std::memcpy(Bits, &Sum, sizeof(Sum));
      for (unsigned W = 0; W < Words; ++W)
        Result[(R * Words + W) * Lanes + L] = Bits[W];
    }
  std::memcpy(D, Result.data(), Result.size() * 4);
}

void matrix(Machine &M, const Inst &I) {
  const Shape &S = Shapes[I.O->Data];
  const bool Scaled = I.NumSrc == 5, Wide = S.A == Number::F64,
             ByModifier = S.A == Number::ByModifier;
  const unsigned PerLane = S.Rows * S.Rows * S.Blocks / Lanes,
                 Registers = PerLane * (Wide ? 2 : 1);
  if (M.Lanes != Lanes || I.Out.Clamp || !isRegister(I.Src[0]) ||
      !isRegister(I.Src[1]) || (S.Sparse && !isRegister(I.Src[2])))
    return M.unmodeled(I, "this form is not modeled");

  Source Sides[2];
  for (unsigned N = 0; N < 2; ++N) {
    Source &From = Sides[N];
    From.F =
        formatOf(N ? S.B : S.A, M.family(), N ? I.Matrix.Blgp : I.Matrix.Cbsz);
    if (!From.F.Bits)
      return M.unmodeled(I, "this format of the elements is not modeled");
    From.Rows = S.Rows;
    From.Blocks = S.Blocks;
    const unsigned Depth = S.Sparse && !N ? S.Depth / 2 : S.Depth;
    From.PerLane = Depth * S.Rows * S.Blocks / Lanes;
    // The halves of 32 bytes are apart in depth.
    From.Chunk = ByModifier && From.F.Bits == 8 ? 16 : From.PerLane;
    From.Flush = M.family().MatricesFlush && From.F.Small;
    From.From = run(M, I, I.Src[N], (From.PerLane * From.F.Bits + 31) / 32);
    if (!From.From)
      return;
  }
  if (!ByModifier && !S.Sparse) {
    if ((1u << I.Matrix.Cbsz) > S.Blocks ||
        I.Matrix.Abid >= 1u << I.Matrix.Cbsz)
      return M.unmodeled(I, "this broadcast between blocks is not modeled");
    Sides[0].Cbsz = I.Matrix.Cbsz;
    Sides[0].Abid = I.Matrix.Abid;
    Sides[1].Blgp = Wide ? 0 : I.Matrix.Blgp;
  }
  uint32_t *D = run(M, I, I.Matrix.AccDst, I.Dst, Registers);
  if (!D)
    return;
  const uint32_t *Index = nullptr, *C = nullptr;
  if (S.Sparse) {
    C = D;
    if (!(Index = run(M, I, I.Src[2], 1)))
      return;
  } else if (isRegister(I.Src[2]) && !(C = run(M, I, I.Src[2], Registers))) {
    return;
  }
  if (Scaled)
    for (unsigned N = 3; N < 5; ++N)
      if (I.Src[N].At == Operand::Where::AccVGPR)
        return M.unmodeled(
            I, "a scale in an accumulation register is not modeled");

  const generic::OwnRounding Rounding;
  const auto Go = [&](auto Fn) {
    Fn(M, I, S, Sides[0], Sides[1], Index, C, D, PerLane, Scaled);
  };
  switch (S.A) {
  case Number::F64:
    return Go(multiply<double, double>);
  case Number::F32:
    return Go(multiply<float, float>);
  case Number::I8:
    return Go(multiply<int32_t, uint32_t>);
  default:
    return Go(multiply<double, float>);
  }
}

} // namespace

void addMatrixOps(OpTable &T) {
  for (unsigned N = 0; N < sizeof(Shapes) / sizeof(*Shapes); ++N) {
    const Shape &S = Shapes[N];
    const Kind K = S.A == Number::F64 ? Kind::F64 : Kind::B32;
    Op O;
    O.Fn = matrix;
    O.Data = N;
    O.Flags = Op::Acc | Op::Packed;
    O.Result = K;
    for (const char *Name : {S.Name, S.Later})
      if (Name) {
        O.NumArgs = std::strncmp(Name, "v_mfma_scale_", 13) ? 3 : 5;
        for (unsigned A = 0; A < O.NumArgs; ++A)
          O.Args[A] = K;
        T.add(Name, O);
      }
  }
}

} // namespace wavelane::isa
