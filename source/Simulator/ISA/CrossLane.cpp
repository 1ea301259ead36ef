//===-- CrossLane.cpp - between lanes and SGPRs, arch and acc registers ----===//

#include "Lanes.h"

namespace wavelane {
namespace isa {
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

/// Acc register \a N, or null with the wave stopped.
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

} // namespace

void addCrossLaneOps(OpTable &T) {
  T.add("v_readlane_b32", custom(readLane, Kind::B32, {Kind::B32, Kind::B32},
                                 Op::ScalarDst));
  T.add("v_readfirstlane_b32", custom(readFirstLane, Kind::B32, {Kind::B32},
                                      Op::ScalarDst));
  T.add("v_writelane_b32", custom(writeLane, Kind::B32, {Kind::B32, Kind::B32}));
  T.add("v_accvgpr_read_b32", custom(accRead, Kind::B32, {Kind::B32}, Op::Acc));
  T.add("v_accvgpr_write_b32", custom(accWrite, Kind::B32, {Kind::B32}, Op::Acc));
  T.add("v_accvgpr_mov_b32", custom(accMove, Kind::B32, {Kind::B32}, Op::Acc));
}

} // namespace WAVELANE_ISA_VARIANT
} // namespace isa
} // namespace wavelane
