//===-- CrossLane.cpp - between lanes and SGPRs, arch and acc registers ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LaneOperands.h"

namespace wavelane::isa {
namespace WAVELANE_ISA_VARIANT {
namespace {

void readLane(Machine &M, const Inst &I) {
  if (I.Src[0].At != Operand::Where::VGPR)
    return M.illegal(I, "source is not a vector register");
  const unsigned L = M.scalar32(I.Src[1]) % M.Lanes;
  M.W.Scalar[I.Dst] = M.vgpr(I.Src[0].Reg)[L];
}

void readFirstLane(Machine &M, const Inst &I) {
  if (I.Src[0].At != Operand::Where::VGPR)
    return M.illegal(I, "source is not a vector register");
  const u64 X = M.exec();
  const unsigned L = X ? unsigned(__builtin_ctzll(X)) : 0;
  M.W.Scalar[I.Dst] = M.vgpr(I.Src[0].Reg)[L];
}

void writeLane(Machine &M, const Inst &I) {
  const unsigned L = M.scalar32(I.Src[1]) % M.Lanes;
  M.vgpr(I.Dst)[L] = M.scalar32(I.Src[0]);
}

/// Acc register \a N; if it doesn't exist, stops the wave and returns null.
u32 *acc(Machine &M, const Inst &I, unsigned N) {
  if (M.W.AccumOffset + N >= M.W.VGPRCount) {
    M.illegal(I, "accumulation register beyond those the wave has");
    return nullptr;
  }
  return M.vgpr(M.W.AccumOffset + N);
}

void copyLanes(Machine &M, u32 *D, const u32 *S) {
  const u32 *Mask = execMask(M);
  for (unsigned L = 0; L < M.Lanes; ++L)
    D[L] = (S[L] & Mask[L]) | (D[L] & ~Mask[L]);
}

void accRead(Machine &M, const Inst &I) {
  if (const u32 *S = acc(M, I, I.Src[0].Reg))
    copyLanes(M, M.vgpr(I.Dst), S);
}
void accWrite(Machine &M, const Inst &I) {
  if (u32 *D = acc(M, I, I.Dst))
    copyLanes(M, D, fetch32(M, I, 0, Kind::B32));
}
void accMove(Machine &M, const Inst &I) {
  const u32 *S = acc(M, I, I.Src[0].Reg);
  u32 *D = S ? acc(M, I, I.Dst) : nullptr;
  if (D)
    copyLanes(M, D, S);
}

/// Each row of 16 lanes gathers from itself, or (Across) from its neighbor.
/// The lanes are nibbles of two scalars. With op_sel, inactive lanes can be
/// read, and lanes without a source become 0 instead of being unchanged.
template <bool Across> void permuteRow(Machine &M, const Inst &I) {
  if (I.Src[0].At != Operand::Where::VGPR)
    return M.illegal(I, "source is not a vector register");
  const u64 X = M.exec();
  const u64 Select = M.scalar32(I.Src[1]) | u64(M.scalar32(I.Src[2])) << 32;
  const bool Inactive = I.Packed.OpSel & 1, Zero = I.Packed.OpSel & 2;
  u32 S[MaxLanes];
  std::memcpy(S, M.vgpr(I.Src[0].Reg), M.Lanes * 4);
  u32 *D = M.vgpr(I.Dst);
  for (unsigned L = 0; L < M.Lanes; ++L) {
    if (!(X >> L & 1))
      continue;
    const unsigned Row = (L & ~15u) ^ (Across ? 16 : 0);
    const unsigned From = Row + unsigned(Select >> (4 * (L & 15)) & 15);
    if (Inactive || (X >> From & 1))
      D[L] = S[From];
    else if (Zero)
      D[L] = 0;
  }
}

/// Pairs of rows of Row lanes: the lower one of the source is swapped with the
/// upper one of the destination. With fetch-inactive, inactive lanes are read;
/// otherwise their values are replaced by 0 with bound_ctrl, and lanes are
/// unchanged without it.
template <unsigned Row> void swapRows(Machine &M, const Inst &I) {
  if (I.Src[0].At != Operand::Where::VGPR)
    return M.illegal(I, "source is not a vector register");
  const u64 X = M.exec();
  u32 *S = M.vgpr(I.Src[0].Reg), *D = M.vgpr(I.Dst);
  for (unsigned Low = 0; Low < M.Lanes; ++Low) {
    if (Low & Row)
      continue;
    const unsigned High = Low + Row;
    const u32 Up = S[Low], Down = D[High];
    const auto Move = [&](u32 &To, unsigned Lane, u32 V, unsigned From) {
      if (!(X >> Lane & 1))
        return;
      if (I.Dpp.FetchInactive || (X >> From & 1))
        To = V;
      else if (I.Dpp.BoundCtrl)
        To = 0;
    };
    Move(S[Low], Low, Down, High);
    Move(D[High], High, Up, Low);
  }
}

/// Moves between registers selected by M0.
template <bool Source> void moveRelative(Machine &M, const Inst &I) {
  const u64 Src = u64(I.Src[0].Reg) + (Source ? M.W.m0() : 0),
            Dst = u64(I.Dst) + (Source ? 0 : M.W.m0());
  if ((Source &&
       (I.Src[0].At != Operand::Where::VGPR || Src >= M.W.AccumOffset)) ||
      Dst >= M.W.AccumOffset)
    return M.illegal(I, "vector register beyond those the wave has");
  if (!M.exec())
    return;
  copyLanes(M, M.vgpr(unsigned(Dst)),
            Source ? M.vgpr(unsigned(Src)) : fetch32(M, I, 0, Kind::B32));
}

} // namespace

void addCrossLaneOps(OpTable &T) {
  T.add("v_readlane_b32",
        custom(readLane, Kind::B32, {Kind::B32, Kind::B32}, Op::ScalarDst));
  T.add("v_readfirstlane_b32",
        custom(readFirstLane, Kind::B32, {Kind::B32}, Op::ScalarDst));
  T.add("v_writelane_b32",
        custom(writeLane, Kind::B32, {Kind::B32, Kind::B32}));
  const auto Row = {Kind::B32, Kind::B32, Kind::B32};
  T.add("v_permlane16_b32", custom(permuteRow<false>, Kind::B32, Row,
                                   Op::OwnOpSel | Op::MovesLanes));
  T.add("v_permlanex16_b32", custom(permuteRow<true>, Kind::B32, Row,
                                    Op::OwnOpSel | Op::MovesLanes));
  T.add("v_permlane16_swap_b32", custom(swapRows<16>, Kind::B32, {Kind::B32}));
  T.add("v_permlane32_swap_b32", custom(swapRows<32>, Kind::B32, {Kind::B32}));
  T.add("v_movrels_b32", custom(moveRelative<true>, Kind::B32, {Kind::B32}));
  T.add("v_movreld_b32", custom(moveRelative<false>, Kind::B32, {Kind::B32}));
  T.add("v_accvgpr_read_b32", custom(accRead, Kind::B32, {Kind::B32}, Op::Acc));
  T.add("v_accvgpr_write_b32",
        custom(accWrite, Kind::B32, {Kind::B32}, Op::Acc));
  T.add("v_accvgpr_mov_b32", custom(accMove, Kind::B32, {Kind::B32}, Op::Acc));
}

} // namespace WAVELANE_ISA_VARIANT
} // namespace wavelane::isa
