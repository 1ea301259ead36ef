//===-- Matrix.cpp - matrix instructions ----------------------------------===//
//
// Of gfx90a and gfx942, those on bytes: their sums are exact, so that nothing
// depends on the order of additions. EXEC does not count for them.
//
//===----------------------------------------------------------------------===//

#include "Core.h"

namespace wavelane {
namespace isa {
namespace {

/// First of \a Count registers of an operand, or null with the wave stopped.
uint32_t *run(Machine &M, const Inst &I, bool Acc, unsigned Reg, unsigned Count) {
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

/// D = A * B + C for each of Blocks pairs of matrices, Rows x Depth and
/// Depth x Rows. A lane has Bytes neighbours in depth of A and of B.
template <unsigned Rows, unsigned Depth, unsigned Blocks, unsigned Bytes>
void multiplyBytes(Machine &M, const Inst &I) {
  constexpr unsigned Lanes = 64, N = Rows, PerLane = Rows * N * Blocks / Lanes;
  const auto IsRegister = [](const Operand &S) {
    return S.At == Operand::Where::VGPR || S.At == Operand::Where::AccVGPR;
  };
  if (M.Lanes != Lanes || I.Clamp || !IsRegister(I.Src[0]) ||
      !IsRegister(I.Src[1]) ||
      (!IsRegister(I.Src[2]) && I.Src[2].At != Operand::Where::Const))
    return M.illegal(I, "this form is not modelled");
  const uint32_t *A = run(M, I, I.Src[0], Bytes / 4);
  const uint32_t *B = A ? run(M, I, I.Src[1], Bytes / 4) : nullptr;
  uint32_t *D = B ? run(M, I, I.AccDst, I.Dst, PerLane) : nullptr;
  if (!D)
    return;
  const uint32_t *C = nullptr;
  if (IsRegister(I.Src[2]) && !(C = run(M, I, I.Src[2], PerLane)))
    return;

  // Lane l has row (column) l % Rows; what is left of l is the block, or which
  // part of the depth it has.
  const auto Element = [](const uint32_t *From, unsigned Block, unsigned Row,
                          unsigned K) {
    const unsigned Lane = Row + Rows * (Blocks > 1 ? Block : K / Bytes);
    const unsigned Byte = K % Bytes;
    return int32_t(int8_t(From[Byte / 4 * Lanes + Lane] >> (8 * (Byte % 4))));
  };
  uint32_t Result[PerLane * Lanes];
  for (unsigned R = 0; R < PerLane; ++R)
    for (unsigned L = 0; L < Lanes; ++L) {
      // Four registers have four rows; then come the other lanes' rows.
      constexpr unsigned LaneGroups = Lanes / Rows;
      unsigned Block, Row;
      if (Rows == 4) {
        Block = L / Rows;
        Row = R;
      } else {
        constexpr unsigned PerBlock = Rows * N / Lanes;
        Block = R / PerBlock;
        Row = R % PerBlock / 4 * (4 * LaneGroups) + 4 * (L / Rows) + R % 4;
      }
      const unsigned Column = L % Rows;
      uint32_t Sum = C ? C[R * Lanes + L] : uint32_t(I.Src[2].Const);
      for (unsigned K = 0; K < Depth; ++K)
        Sum += uint32_t(Element(A, Block, Row, K) * Element(B, Block, Column, K));
      Result[R * Lanes + L] = Sum;
    }
  std::memcpy(D, Result, sizeof(Result));
}

Op make(Handler Fn) {
  Op O;
  O.Fn = Fn;
  O.Args[0] = O.Args[1] = O.Args[2] = Kind::B32;
  O.NumArgs = 3;
  O.Result = Kind::B32;
  O.Flags = Op::Acc | Op::Packed;
  return O;
}

} // namespace

void addMatrixOps(OpTable &T) {
  const struct {
    const char *Name, *Later; ///< gfx90a's, gfx942's; either may be null
    Handler Fn;
  } Table[] = {
      {"v_mfma_i32_32x32x4i8", "v_mfma_i32_32x32x4_2b_i8", multiplyBytes<32, 4, 2, 4>},
      {"v_mfma_i32_16x16x4i8", "v_mfma_i32_16x16x4_4b_i8", multiplyBytes<16, 4, 4, 4>},
      {"v_mfma_i32_4x4x4i8", "v_mfma_i32_4x4x4_16b_i8", multiplyBytes<4, 4, 16, 4>},
      {"v_mfma_i32_32x32x8i8", nullptr, multiplyBytes<32, 8, 1, 4>},
      {"v_mfma_i32_16x16x16i8", nullptr, multiplyBytes<16, 16, 1, 4>},
      {nullptr, "v_mfma_i32_32x32x16_i8", multiplyBytes<32, 16, 1, 8>},
      {nullptr, "v_mfma_i32_16x16x32_i8", multiplyBytes<16, 32, 1, 8>},
  };
  for (const auto &Entry : Table)
    for (const char *Name : {Entry.Name, Entry.Later})
      if (Name)
        T.add(Name, make(Entry.Fn));
}

} // namespace isa
} // namespace wavelane
