//===-- MatrixTest.cpp - matrix instructions against their definition -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// D = A * B + C is computed from matrices, which are then distributed to lanes
// according to AMD's documents: a lane has a row of A (a column of B), followed
// by the blocks, and then the parts of depth.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

using namespace isatest;
using wavelane::isa::Target;

namespace {

struct Kind {
  unsigned Bits, Exponent, Mantissa;
  int Bias;
};
constexpr Kind F64{64, 11, 52, 1023}, F32{32, 8, 23, 127}, F16{16, 5, 10, 15},
    BF16{16, 8, 7, 127}, FP8{8, 4, 3, 7}, BF8{8, 5, 2, 15}, Old8{8, 4, 3, 8},
    OldB8{8, 5, 2, 16}, FP6{6, 2, 3, 1}, BF6{6, 3, 2, 3}, FP4{4, 2, 1, 1},
    I8{8, 0, 7, 0};

/// A number of the kind, as bits: within a few powers of two of 1, so sums of
/// products are never rounded in a double.
uint64_t someBits(const Kind &K, unsigned Seed) {
  const uint64_t R = (Seed + 1) * 0x9e3779b97f4a7c15ull;
  if (!K.Exponent)
    return R >> 40 & 0xff;
  const uint64_t Sign = R >> 63,
                 M = R >> 20 & ((1ull << std::min(K.Mantissa, 4u)) - 1);
  const unsigned Low = K.Exponent < 4 ? 0 : unsigned(K.Bias) - 3,
                 Span = K.Exponent < 4 ? 1u << K.Exponent : 6;
  const uint64_t E = Low + (R >> 30) % Span;
  return Sign << (K.Bits - 1) | E << K.Mantissa |
         M << (K.Mantissa > 4 ? K.Mantissa - 4 : 0);
}
double valueOf(const Kind &K, uint64_t Bits) {
  if (!K.Exponent)
    return double(int(Bits ^ 0x80) - 128);
  const uint64_t E = Bits >> K.Mantissa & ((1ull << K.Exponent) - 1);
  const double F =
      double(Bits & ((1ull << K.Mantissa) - 1)) / double(1ull << K.Mantissa);
  const double V = E ? std::pow(2.0, int(E) - K.Bias) * (1 + F)
                     : std::pow(2.0, 1 - K.Bias) * F;
  return Bits >> (K.Bits - 1) & 1 ? -V : V;
}

struct Case {
  Target T;
  const char *Name;
  unsigned Rows, Depth, Blocks;
  Kind A, B;
  bool Sparse = false;
  const char *Modifiers = "";
  unsigned Cbsz = 0, Abid = 0, Blgp = 0; ///< broadcasts
  int ByteA = -1, ByteB = -1;            ///< of the scales
};

void setBits(Wave &W, unsigned First, unsigned Lane, unsigned At, unsigned Bits,
             uint64_t V) {
  for (unsigned N = 0; N < Bits; ++N)
    W.S.vgpr(First + (At + N) / 32, Lane) |= uint32_t(V >> N & 1)
                                             << (At + N) % 32;
}
std::string registers(char File, unsigned First, unsigned Count) {
  return Count == 1 ? File + std::to_string(First)
                    : std::string(1, File) + "[" + std::to_string(First) + ":" +
                          std::to_string(First + Count - 1) + "]";
}

constexpr unsigned IndexReg = 100, ScaleA = 101, ScaleB = 102;

/// The operands of one instruction, in a wave's registers and as matrices.
class Operands {
public:
  Operands(const Case &C, Wave &W);

  // With the effect of broadcasts: whole blocks of A, lanes of B.
  double a(unsigned Block, unsigned Row, unsigned K) const {
    return A[at((Block >> C.Cbsz << C.Cbsz) + (C.Sparse ? 0 : C.Abid), Row, K)];
  }
  double b(unsigned Block, unsigned Column, unsigned K) const;
  /// The registers of A (0) or B (1).
  std::string source(unsigned Side) const {
    const Kind &K = Side ? C.B : C.A;
    return registers('v', Side * 16, (perLane(Side) * K.Bits + 31) / 32);
  }

private:
  unsigned at(unsigned Block, unsigned Row, unsigned K) const {
    return (Block * C.Rows + Row) * C.Depth + K;
  }
  /// Items per lane.
  unsigned perLane(unsigned Side) const {
    return (C.Sparse && !Side ? C.Depth / 2 : C.Depth) / Groups;
  }
  void place(Wave &W, unsigned Side, unsigned L, unsigned Item);

  const Case &C;
  const unsigned Groups;
  std::vector<double> A, B;
};

Operands::Operands(const Case &C, Wave &W)
    : C(C), Groups(64 / (C.Rows * C.Blocks)), A(C.Blocks * C.Rows * C.Depth),
      B(A.size()) {
  for (unsigned Side = 0; Side < 2; ++Side)
    for (unsigned L = 0; L < 64; ++L)
      for (unsigned Item = 0; Item < perLane(Side); ++Item)
        place(W, Side, L, Item);
}

/// Gives a lane one item, and the matrix its value.
void Operands::place(Wave &W, unsigned Side, unsigned L, unsigned Item) {
  const Kind &K = Side ? C.B : C.A;
  const bool IsChunked =
      std::string(C.Name).find("f8f6f4") != std::string::npos && K.Bits == 8;
  const unsigned Chunk = IsChunked ? 16 : perLane(Side);
  const uint64_t Bits = someBits(K, L * 131 + Item * 7 + Side * 100003);
  const unsigned Row = L % C.Rows, Block = L / C.Rows % C.Blocks,
                 Group = L / C.Rows / C.Blocks;
  const unsigned Depth =
      Item / Chunk * Chunk * Groups + Group * Chunk + Item % Chunk;
  double V = valueOf(K, Bits);
  if (C.ByteA >= 0) {
    const uint32_t Exponents = Side ? 0x7e818083 : 0x80827d7f;
    const int Byte = Side ? C.ByteB : C.ByteA;
    const unsigned Lane = Row + C.Rows * (Depth / 32);
    const unsigned E = (Exponents >> (8 * Byte) & 0xff) + Lane % 3;
    V *= std::pow(2.0, int(E) - 127);
    uint32_t Word = 0x11223344;
    Word &= ~(0xffu << (8 * Byte));
    W.S.vgpr(Side ? ScaleB : ScaleA, Lane) = Word | E << (8 * Byte);
  }
  setBits(W, Side * 16, L, Item * K.Bits, K.Bits, Bits);
  if (!C.Sparse || Side) {
    (Side ? B : A)[at(Block, Row, Depth)] = V;
    return;
  }
  // Two of each four; the choice depends on lane and pair.
  static const unsigned Pairs[6][2] = {{0, 1}, {0, 2}, {0, 3},
                                       {1, 2}, {1, 3}, {2, 3}};
  const unsigned Where = Pairs[(L + Item / 2) % 6][Item % 2];
  W.S.vgpr(IndexReg, L) |= Where << (C.Abid * perLane(Side) * 2 + Item * 2);
  A[at(Block, Row, Depth / 2 * 4 + Where)] = V;
}

double Operands::b(unsigned Block, unsigned Column, unsigned K) const {
  const unsigned PerLane = C.Depth / Groups;
  unsigned L = Column + C.Rows * (Block + C.Blocks * (K / PerLane));
  if (C.Blgp == 1 || C.Blgp == 2)
    L = L % 32 + 32 * (C.Blgp - 1);
  else if (C.Blgp == 3)
    L = (L + 16) % 64;
  else if (C.Blgp)
    L = L % 16 + 16 * (C.Blgp - 4);
  if (!C.Blgp)
    return B[at(Block, Column, K)];
  return B[at(L / C.Rows % C.Blocks, L % C.Rows,
              L / C.Rows / C.Blocks * PerLane + K % PerLane)];
}

/// The place of an element of the result: its register (64-bit if items are)
/// and lane.
std::pair<unsigned, unsigned> placeOfResult(const Case &C, unsigned Block,
                                            unsigned Row, unsigned Column) {
  if (C.A.Bits == 64 && C.Rows == 4)
    return {0, 16 * Row + 4 * Block + Column};
  if (C.A.Bits == 64)
    return {Row / 4, Row % 4 * 16 + Column};
  if (C.Rows == 4)
    return {Row, Block * 4 + Column};
  if (C.Rows == 16)
    return {Block * 4 + Row % 4, Row / 4 * 16 + Column};
  return {Block * 16 + Row / 8 * 4 + Row % 4, Row / 4 % 2 * 32 + Column};
}

void check(const Case &C, bool ToAcc) {
  SCOPED_TRACE(std::string(C.Name) + " " + C.Modifiers);
  Wave W(C.T);
  W.S.allocateVGPRs(128, 64);
  const bool Wide = C.A.Bits == 64, Integer = !C.A.Exponent;
  const Operands In(C, W);

  const unsigned PerLane = C.Rows * C.Rows * C.Blocks / 64,
                 Words = PerLane * (Wide ? 2 : 1), First = ToAcc ? 0 : 40;
  const auto Result = [&](unsigned R, unsigned L) -> uint32_t & {
    return ToAcc ? W.S.acc(First + R, L) : W.S.vgpr(First + R, L);
  };
  const auto Before = [&](unsigned R, unsigned L) {
    return double(int(R * 3) - int(L));
  };
  for (unsigned R = 0; R < PerLane; ++R)
    for (unsigned L = 0; L < 64; ++L) {
      const double V = Before(R, L);
      if (Wide) {
        Result(2 * R, L) = uint32_t(bits(V));
        Result(2 * R + 1, L) = uint32_t(bits(V) >> 32);
      } else {
        Result(R, L) = Integer ? uint32_t(int32_t(V)) : bits(float(V));
      }
    }
  const std::string D = registers(ToAcc ? 'a' : 'v', First, Words);
  W.S.setExec(1); // which is ignored
  W.run(std::string(C.Name) + " " + D + ", " + In.source(0) + ", " +
        In.source(1) + ", " + (C.Sparse ? "v" + std::to_string(IndexReg) : D) +
        (C.ByteA >= 0 ? ", v101, v102" : "") + " " + C.Modifiers);

  for (unsigned Block = 0; Block < C.Blocks; ++Block)
    for (unsigned Row = 0; Row < C.Rows; ++Row)
      for (unsigned Column = 0; Column < C.Rows; ++Column) {
        const auto [R, L] = placeOfResult(C, Block, Row, Column);
        double Want = Before(R, L);
        for (unsigned K = 0; K < C.Depth; ++K)
          Want += In.a(Block, Row, K) * In.b(Block, Column, K);
        const double Got = Wide ? asDouble(Result(2 * R, L) |
                                           uint64_t(Result(2 * R + 1, L)) << 32)
                           : Integer ? double(int32_t(Result(R, L)))
                                     : double(asFloat(Result(R, L)));
        ASSERT_EQ(Got, Wide || Integer ? Want : double(float(Want)))
            << "block " << Block << " " << Row << "," << Column;
      }
}
void check(const std::vector<Case> &Cases) {
  for (const Case &C : Cases)
    for (bool ToAcc : {false, true})
      check(C, ToAcc);
}

constexpr Target G90 = Target::GFX90A, G94 = Target::GFX942,
                 G95 = Target::GFX950;

} // namespace

TEST(ISAMatrix, OfEveryShapeOnGfx90a) {
  check({{G90, "v_mfma_f32_32x32x1f32", 32, 1, 2, F32, F32},
         {G90, "v_mfma_f32_16x16x1f32", 16, 1, 4, F32, F32},
         {G90, "v_mfma_f32_4x4x1f32", 4, 1, 16, F32, F32},
         {G90, "v_mfma_f32_32x32x2f32", 32, 2, 1, F32, F32},
         {G90, "v_mfma_f32_16x16x4f32", 16, 4, 1, F32, F32},
         {G90, "v_mfma_f32_32x32x4f16", 32, 4, 2, F16, F16},
         {G90, "v_mfma_f32_16x16x4f16", 16, 4, 4, F16, F16},
         {G90, "v_mfma_f32_4x4x4f16", 4, 4, 16, F16, F16},
         {G90, "v_mfma_f32_32x32x8f16", 32, 8, 1, F16, F16},
         {G90, "v_mfma_f32_16x16x16f16", 16, 16, 1, F16, F16},
         {G90, "v_mfma_f32_32x32x2bf16", 32, 2, 2, BF16, BF16},
         {G90, "v_mfma_f32_16x16x2bf16", 16, 2, 4, BF16, BF16},
         {G90, "v_mfma_f32_4x4x2bf16", 4, 2, 16, BF16, BF16},
         {G90, "v_mfma_f32_32x32x4bf16", 32, 4, 1, BF16, BF16},
         {G90, "v_mfma_f32_16x16x8bf16", 16, 8, 1, BF16, BF16},
         {G90, "v_mfma_f32_32x32x4bf16_1k", 32, 4, 2, BF16, BF16},
         {G90, "v_mfma_f32_16x16x4bf16_1k", 16, 4, 4, BF16, BF16},
         {G90, "v_mfma_f32_4x4x4bf16_1k", 4, 4, 16, BF16, BF16},
         {G90, "v_mfma_f32_32x32x8bf16_1k", 32, 8, 1, BF16, BF16},
         {G90, "v_mfma_f32_16x16x16bf16_1k", 16, 16, 1, BF16, BF16},
         {G90, "v_mfma_f64_16x16x4f64", 16, 4, 1, F64, F64},
         {G90, "v_mfma_f64_4x4x4f64", 4, 4, 4, F64, F64}});
}

TEST(ISAMatrix, OfEveryShapeOnGfx942) {
  check({{G94, "v_mfma_f32_32x32x1_2b_f32", 32, 1, 2, F32, F32},
         {G94, "v_mfma_f32_16x16x16_f16", 16, 16, 1, F16, F16},
         {G94, "v_mfma_f32_32x32x8_bf16", 32, 8, 1, BF16, BF16},
         {G94, "v_mfma_f64_16x16x4_f64", 16, 4, 1, F64, F64},
         {G94, "v_mfma_i32_16x16x32_i8", 16, 32, 1, I8, I8},
         {G94, "v_mfma_f32_16x16x32_bf8_bf8", 16, 32, 1, OldB8, OldB8},
         {G94, "v_mfma_f32_16x16x32_bf8_fp8", 16, 32, 1, OldB8, Old8},
         {G94, "v_mfma_f32_16x16x32_fp8_bf8", 16, 32, 1, Old8, OldB8},
         {G94, "v_mfma_f32_16x16x32_fp8_fp8", 16, 32, 1, Old8, Old8},
         {G94, "v_mfma_f32_32x32x16_bf8_bf8", 32, 16, 1, OldB8, OldB8},
         {G94, "v_mfma_f32_32x32x16_fp8_fp8", 32, 16, 1, Old8, Old8}});
}

TEST(ISAMatrix, OfEveryShapeOnGfx950) {
  check({{G95, "v_mfma_f32_16x16x32_f16", 16, 32, 1, F16, F16},
         {G95, "v_mfma_f32_32x32x16_f16", 32, 16, 1, F16, F16},
         {G95, "v_mfma_f32_16x16x32_bf16", 16, 32, 1, BF16, BF16},
         {G95, "v_mfma_f32_32x32x16_bf16", 32, 16, 1, BF16, BF16},
         {G95, "v_mfma_i32_16x16x64_i8", 16, 64, 1, I8, I8},
         {G95, "v_mfma_i32_32x32x32_i8", 32, 32, 1, I8, I8},
         {G95, "v_mfma_f32_16x16x32_fp8_bf8", 16, 32, 1, FP8, BF8},
         {G95, "v_mfma_f32_32x32x16_bf8_fp8", 32, 16, 1, BF8, FP8},
         {G95, "v_mfma_f32_16x16x16_f16", 16, 16, 1, F16, F16},
         {G95, "v_mfma_f64_4x4x4_4b_f64", 4, 4, 4, F64, F64}});
}

TEST(ISAMatrix, Sparse) {
  check({{G94, "v_smfmac_f32_16x16x32_f16", 16, 32, 1, F16, F16, true},
         {G94, "v_smfmac_f32_32x32x16_f16", 32, 16, 1, F16, F16, true, "abid:3",
          0, 3},
         {G94, "v_smfmac_f32_16x16x32_bf16", 16, 32, 1, BF16, BF16, true,
          "abid:2", 0, 2},
         {G94, "v_smfmac_f32_32x32x16_bf16", 32, 16, 1, BF16, BF16, true},
         {G94, "v_smfmac_i32_16x16x64_i8", 16, 64, 1, I8, I8, true, "abid:1", 0,
          1},
         {G94, "v_smfmac_i32_32x32x32_i8", 32, 32, 1, I8, I8, true},
         {G94, "v_smfmac_f32_16x16x64_bf8_fp8", 16, 64, 1, OldB8, Old8, true},
         {G94, "v_smfmac_f32_32x32x32_fp8_bf8", 32, 32, 1, Old8, OldB8, true,
          "abid:1", 0, 1},
         {G95, "v_smfmac_f32_16x16x64_f16", 16, 64, 1, F16, F16, true, "abid:1",
          0, 1},
         {G95, "v_smfmac_f32_32x32x32_f16", 32, 32, 1, F16, F16, true},
         {G95, "v_smfmac_f32_16x16x64_bf16", 16, 64, 1, BF16, BF16, true},
         {G95, "v_smfmac_f32_32x32x32_bf16", 32, 32, 1, BF16, BF16, true,
          "abid:1", 0, 1},
         {G95, "v_smfmac_i32_16x16x128_i8", 16, 128, 1, I8, I8, true},
         {G95, "v_smfmac_i32_32x32x64_i8", 32, 64, 1, I8, I8, true},
         {G95, "v_smfmac_f32_16x16x128_bf8_bf8", 16, 128, 1, BF8, BF8, true},
         {G95, "v_smfmac_f32_16x16x128_bf8_fp8", 16, 128, 1, BF8, FP8, true},
         {G95, "v_smfmac_f32_16x16x128_fp8_bf8", 16, 128, 1, FP8, BF8, true},
         {G95, "v_smfmac_f32_16x16x128_fp8_fp8", 16, 128, 1, FP8, FP8, true},
         {G95, "v_smfmac_f32_32x32x64_bf8_bf8", 32, 64, 1, BF8, BF8, true},
         {G95, "v_smfmac_f32_32x32x64_bf8_fp8", 32, 64, 1, BF8, FP8, true},
         {G95, "v_smfmac_f32_32x32x64_fp8_bf8", 32, 64, 1, FP8, BF8, true},
         {G95, "v_smfmac_f32_32x32x64_fp8_fp8", 32, 64, 1, FP8, FP8, true}});
}

TEST(ISAMatrix, BroadcastsBetweenBlocksAndLanes) {
  check({{G90, "v_mfma_f32_32x32x4f16", 32, 4, 2, F16, F16, false,
          "cbsz:1 abid:1", 1, 1},
         {G90, "v_mfma_f32_16x16x1f32", 16, 1, 4, F32, F32, false,
          "cbsz:1 abid:1", 1, 1},
         {G90, "v_mfma_f32_4x4x1f32", 4, 1, 16, F32, F32, false,
          "cbsz:2 abid:3", 2, 3},
         {G90, "v_mfma_i32_4x4x4i8", 4, 4, 16, I8, I8, false, "cbsz:4 abid:9",
          4, 9},
         {G90, "v_mfma_f32_16x16x4f32", 16, 4, 1, F32, F32, false, "blgp:1", 0,
          0, 1},
         {G90, "v_mfma_f32_16x16x4f32", 16, 4, 1, F32, F32, false, "blgp:2", 0,
          0, 2},
         {G90, "v_mfma_f32_32x32x4f16", 32, 4, 2, F16, F16, false, "blgp:3", 0,
          0, 3},
         {G90, "v_mfma_f32_16x16x1f32", 16, 1, 4, F32, F32, false, "blgp:5", 0,
          0, 5},
         {G90, "v_mfma_f32_4x4x1f32", 4, 1, 16, F32, F32, false, "blgp:7", 0, 0,
          7}});
}

TEST(ISAMatrix, FormatsByModifier) {
  const Kind Kinds[] = {FP8, BF8, FP6, BF6, FP4};
  for (unsigned A = 0; A < 5; ++A)
    for (unsigned B = 0; B < 5; ++B) {
      const std::string Formats =
          "cbsz:" + std::to_string(A) + " blgp:" + std::to_string(B);
      const auto With = [&](const char *Name, unsigned Rows, unsigned Depth) {
        Case C{G95, Name, Rows, Depth, 1, Kinds[A], Kinds[B]};
        C.Modifiers = Formats.c_str();
        return C;
      };
      check({With("v_mfma_f32_16x16x128_f8f6f4", 16, 128),
             With("v_mfma_f32_32x32x64_f8f6f4", 32, 64)});
      const auto Scaled = [&](const char *Name, unsigned Rows, unsigned Depth,
                              int ByteA, int ByteB) {
        Case C = With(Name, Rows, Depth);
        C.ByteA = ByteA;
        C.ByteB = ByteB;
        const std::string Text = "op_sel:[" + std::to_string(ByteA & 1) + "," +
                                 std::to_string(ByteB & 1) + ",0] op_sel_hi:[" +
                                 std::to_string(ByteA >> 1) + "," +
                                 std::to_string(ByteB >> 1) + ",0] " + Formats;
        C.Modifiers = Text.c_str();
        for (bool ToAcc : {false, true})
          check(C, ToAcc);
      };
      Scaled("v_mfma_scale_f32_16x16x128_f8f6f4", 16, 128, int(A % 4),
             int(B % 4));
      Scaled("v_mfma_scale_f32_32x32x64_f8f6f4", 32, 64, int(B % 4),
             3 - int(A % 4));
    }
}

TEST(ISAMatrix, NotANumberAndConstants) {
  Wave W(G95);
  W.S.allocateVGPRs(64, 32);
  for (unsigned L = 0; L < 64; ++L) {
    W.S.vgpr(0, L) = W.S.vgpr(8, L) = 0x38383838; // 1.0 in FP8
    W.S.vgpr(20, L) = L == 5 ? 0xff : 0x80;       // NaN scales row 5
    W.S.vgpr(21, L) = 0x7f;
    W.S.vgpr(22, L) = 64;
  }
  W.run("v_mfma_scale_f32_16x16x128_f8f6f4 v[40:43], v[0:7], v[8:15], 1.0, "
        "v20, v21 op_sel_hi:[0,0,0]\n"
        "v_mfma_scale_f32_16x16x128_f8f6f4 v[44:47], v[0:7], v[8:15], 0, v22, "
        "v22 op_sel_hi:[0,0,0]\n"
        "v_mfma_f64_16x16x4_f64 v[48:55], v[2:3], v[4:5], 4.0\n"
        "v_mfma_f64_16x16x4_f64 v[56:63], v[2:3], v[4:5], 4.0 neg:[0,0,1]");
  for (unsigned L = 0; L < 64; ++L) {
    // Rows 4 to 7 are lanes 16 to 31: row 5 is their second register.
    const float V = asFloat(W.v(41, L));
    if (L / 16 == 1)
      EXPECT_NE(V, V);
    else
      EXPECT_EQ(V, 16 * 2.0f + 1);
    EXPECT_EQ(asFloat(W.v(44, L)), 16 * 0x1p-126f);
    EXPECT_EQ(W.v64(50, L), bits(4.0));
    EXPECT_EQ(W.v64(58, L), bits(-4.0));
  }
}
