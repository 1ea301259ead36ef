//===-- LdsMemory.cpp - instructions of the local memory ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MemoryAtomics.h"

namespace wavelane::isa {

using namespace memory;

namespace {

// Pairs.

template <bool Write> void dsPair(Machine &M, const Inst &I) {
  const u64 X = M.exec();
  if (!X)
    return;
  MemoryOp O(M, I);
  LocalAddress A(M, I, O);
  if (!A.Ok)
    return;
  A.Offset = 0;
  const unsigned Size = I.O->Data, Words = Size / 4;
  const unsigned Scale = Size * (I.O->Data2 ? 64 : 1);
  const unsigned Off[2] = {(u32(I.Imm) & 0xff) * Scale,
                           (u32(I.Imm) >> 8 & 0xff) * Scale};
  u32 *R[2];
  if (Write) {
    R[0] = dataRegisters(M, I, I.Memory.VData, Words);
    R[1] = R[0] ? dataRegisters(M, I, I.Memory.VData1, Words) : nullptr;
  } else {
    R[0] = dataRegisters(M, I, I.Dst, 2 * Words);
    R[1] = R[0] ? R[0] + Words * M.Lanes : nullptr;
  }
  if (!R[0] || !R[1])
    return;
  if (M.Probe && isFiltered(O, A, Size, Write ? Access::Write : Access::Read,
                            Off[0], Off[1]))
    return;
  for (unsigned L = 0; L < M.Lanes; ++L) {
    if (!(X >> L & 1))
      continue;
    const u64 Base = A(L, Size).Address;
    u32 Data[2][2];
    for (unsigned K = 0; K < 2; ++K) {
      const Place P{Space::Local, u32(Base + Off[K])};
      if (M.Probe) {
        O.note(L, P, Size, Write ? Access::Write : Access::Read,
               !Write ? I.Dst + K * Words
               : K    ? I.Memory.VData1
                      : I.Memory.VData);
      } else if (Write) {
        for (unsigned N = 0; N < Words; ++N)
          Data[K][N] = R[K][N * M.Lanes + L];
        O.move<true>(L, P, Size, reinterpret_cast<u8 *>(Data[K]));
      } else {
        O.move<false>(L, P, Size, reinterpret_cast<u8 *>(Data[K]));
      }
    }
    if (!Write && !M.Probe)
      for (unsigned K = 0; K < 2; ++K)
        for (unsigned N = 0; N < Words; ++N)
          R[K][N * M.Lanes + L] = Data[K][N];
  }
}

// Lane exchanges that use the LDS hardware, but not its memory.

template <bool Forward> void permute(Machine &M, const Inst &I) {
  const u64 X = M.exec();
  const u32 *S = dataRegisters(M, I, I.Memory.VData, 1);
  u32 *D = S ? dataRegisters(M, I, I.Dst, 1) : nullptr;
  if (!D)
    return;
  if (I.Memory.VAddr >= M.W.AccumOffset)
    return M.illegal(I, "address beyond the wave's vector registers");
  const u32 *A = M.vgpr(I.Memory.VAddr);
  u32 Out[MaxLanes] = {};
  // 32 or 64.
  const unsigned Reach = M.features().PermutesHalves ? 32 : M.Lanes;
  for (unsigned L = 0; L < M.Lanes; ++L) {
    const unsigned Other =
        (L & ~(Reach - 1)) + ((A[L] + u32(I.Imm)) / 4 & (Reach - 1));
    if (Forward) {
      if (X >> L & 1)
        Out[Other] = S[L];
    } else {
      Out[L] = X >> Other & 1 ? S[Other] : 0;
    }
  }
  for (unsigned L = 0; L < M.Lanes; ++L)
    if (X >> L & 1)
      D[L] = Out[L];
}

/// An operation of global wave sync. The first active lane gives a count.
template <StepResult::Kind Kind> void gridSync(Machine &M, const Inst &I) {
  if ((u32(I.Imm) + (M.W.m0() >> 16)) & 63)
    return M.unmodeled(I, "a resource other than 0 is not modeled");
  M.Result.Text = I.Text;
  if (Kind == StepResult::GridAcquire || Kind == StepResult::GridRelease)
    return M.stop(Kind, 0);
  if (I.Memory.VAddr >= M.W.AccumOffset)
    return M.illegal(I, "a count beyond the wave's vector registers");
  const u64 X = M.exec();
  M.stop(Kind, M.vgpr(I.Memory.VAddr)[X ? unsigned(__builtin_ctzll(X)) : 0]);
}

void swizzle(Machine &M, const Inst &I) {
  const u64 X = M.exec();
  const u32 *S = M.vgpr(I.Memory.VAddr);
  u32 *D = dataRegisters(M, I, I.Dst, 1);
  if (!D)
    return;
  if (I.Memory.VAddr >= M.W.AccumOffset)
    return M.illegal(I, "data beyond the wave's vector registers");
  const u32 Off = u32(I.Imm);
  if (Off >= 0xc000)
    return M.unmodeled(I, "FFT and rotate modes are not modeled");
  u32 Out[MaxLanes];
  for (unsigned L = 0; L < M.Lanes; ++L) {
    unsigned From;
    if (Off & 0x8000)
      From = (L & ~3u) + (Off >> (2 * (L & 3)) & 3);
    else
      From = (L & ~31u) +
             ((((L & 31) & (Off & 31)) | (Off >> 5 & 31)) ^ (Off >> 10 & 31));
    Out[L] = X >> From & 1 ? S[From] : 0;
  }
  for (unsigned L = 0; L < M.Lanes; ++L)
    if (X >> L & 1)
      D[L] = Out[L];
}

/// Rows of 16 lanes read a matrix in column order: lane l of a row gets the
/// l-th element of each column. 16 neighboring elements form a column,
/// regardless of how many lanes have read them.
template <unsigned Bits, unsigned Bytes>
void readTransposed(Machine &M, const Inst &I) {
  const u64 X = M.exec();
  if (!X)
    return;
  MemoryOp O(M, I);
  LocalAddress A(M, I, O);
  constexpr unsigned Words = Bytes / 4, PerLane = Bytes * 8 / Bits,
                     Readers = 16 / PerLane; // of a column
  u32 *D = A.Ok ? dataRegisters(M, I, I.Dst, Words) : nullptr;
  if (!D)
    return;
  if (probed(O, A, Bytes, Access::Read, LaneAccess::NoRegister))
    return;
  u8 Raw[MaxLanes][Bytes + 1] = {};
  for (unsigned L = 0; L < M.Lanes; ++L)
    if (X >> L & 1)
      O.move<false>(L, A(L, Bytes), Bytes, Raw[L]);
  if (O.report())
    return;
  for (unsigned L = 0; L < M.Lanes; ++L) {
    if (!(X >> L & 1))
      continue;
    u32 Out[Words] = {};
    for (unsigned N = 0; N < PerLane; ++N) {
      const unsigned Row = L % 16, From = L - Row + N * Readers + Row / PerLane,
                     At = Row % PerLane * Bits, To = N * Bits;
      const u32 V =
          (Raw[From][At / 8] | u32(Raw[From][At / 8 + 1]) << 8) >> At % 8 &
          ((1u << Bits) - 1);
      Out[To / 32] |= V << To % 32;
      if (To % 32 + Bits > 32)
        Out[To / 32 + 1] |= V >> (32 - To % 32);
    }
    for (unsigned N = 0; N < Words; ++N)
      D[N * M.Lanes + L] = Out[N];
  }
}

const LoadKind LdsLoads[] = {
    {"b32", 4, Format::Dwords},
    {"b64", 8, Format::Dwords},
    {"b96", 12, Format::Dwords},
    {"b128", 16, Format::Dwords},
    {"u8", 1, Format::U8},
    {"i8", 1, Format::I8},
    {"u16", 2, Format::U16},
    {"i16", 2, Format::I16},
    {"u8_d16", 1, Format::D16},
    {"u8_d16_hi", 1, Format::D16Hi},
    {"i8_d16", 1 | SignedByte, Format::D16},
    {"i8_d16_hi", 1 | SignedByte, Format::D16Hi},
    {"u16_d16", 2, Format::D16},
    {"u16_d16_hi", 2, Format::D16Hi},
};
const LoadKind LdsStores[] = {
    {"b32", 4, Format::Dwords},  {"b64", 8, Format::Dwords},
    {"b96", 12, Format::Dwords}, {"b128", 16, Format::Dwords},
    {"b8", 1, Format::U8},       {"b8_d16_hi", 1, Format::D16Hi},
    {"b16", 2, Format::U16},     {"b16_d16_hi", 2, Format::D16Hi},
};

} // namespace

void addLocalMemoryOps(OpTable &T) {
  for (const LoadKind &K : LdsLoads)
    T.add((std::string("ds_read_") + K.Suffix).c_str(),
          makeLoad(load<LocalAddress>, K.Size, u32(K.F)));
  for (const LoadKind &K : LdsStores)
    T.add((std::string("ds_write_") + K.Suffix).c_str(),
          make(store<LocalAddress>, K.Size, u32(K.F)));
  T.add("ds_read_addtid_b32", makeLoad(loadSized<LaneNumberAddress, 4>, 4));
  T.add("ds_write_addtid_b32", make(storeSized<LaneNumberAddress, 4>, 4));
  T.add("ds_read_b64_tr_b16", makeLoad(readTransposed<16, 8>, 0));
  T.add("ds_read_b64_tr_b8", makeLoad(readTransposed<8, 8>, 0));
  T.add("ds_read_b64_tr_b4", makeLoad(readTransposed<4, 8>, 0));
  T.add("ds_read_b96_tr_b6", makeLoad(readTransposed<6, 12>, 0));
  T.add("ds_read2_b32", makeLoad(dsPair<false>, 4, 0));
  T.add("ds_read2_b64", makeLoad(dsPair<false>, 8, 0));
  T.add("ds_read2st64_b32", makeLoad(dsPair<false>, 4, 1));
  T.add("ds_read2st64_b64", makeLoad(dsPair<false>, 8, 1));
  T.add("ds_write2_b32", make(dsPair<true>, 4, 0));
  T.add("ds_write2_b64", make(dsPair<true>, 8, 0));
  T.add("ds_write2st64_b32", make(dsPair<true>, 4, 1));
  T.add("ds_write2st64_b64", make(dsPair<true>, 8, 1));

  static const struct {
    const char *Name; ///< Without a result.
    const char *Rtn;  ///< With a result; either may be null.
    Atomic Op;
    bool Wide;
  } Lds[] = {
      {"ds_add_u32", "ds_add_rtn_u32", Atomic::Add, false},
      {"ds_sub_u32", "ds_sub_rtn_u32", Atomic::Sub, false},
      {"ds_rsub_u32", "ds_rsub_rtn_u32", Atomic::RSub, false},
      {"ds_inc_u32", "ds_inc_rtn_u32", Atomic::Inc, false},
      {"ds_dec_u32", "ds_dec_rtn_u32", Atomic::Dec, false},
      {"ds_min_i32", "ds_min_rtn_i32", Atomic::SMin, false},
      {"ds_max_i32", "ds_max_rtn_i32", Atomic::SMax, false},
      {"ds_min_u32", "ds_min_rtn_u32", Atomic::UMin, false},
      {"ds_max_u32", "ds_max_rtn_u32", Atomic::UMax, false},
      {"ds_and_b32", "ds_and_rtn_b32", Atomic::And, false},
      {"ds_or_b32", "ds_or_rtn_b32", Atomic::Or, false},
      {"ds_xor_b32", "ds_xor_rtn_b32", Atomic::Xor, false},
      {"ds_mskor_b32", "ds_mskor_rtn_b32", Atomic::MaskOr, false},
      {"ds_cmpst_b32", "ds_cmpst_rtn_b32", Atomic::CmpSwap, false},
      {"ds_cmpstore_b32", "ds_cmpstore_rtn_b32", Atomic::CmpStore, false},
      {nullptr, "ds_wrxchg_rtn_b32", Atomic::Swap, false},
      {nullptr, "ds_wrap_rtn_b32", Atomic::Wrap, false},
      {"ds_add_f32", "ds_add_rtn_f32", Atomic::FAdd, false},
      {"ds_min_f32", "ds_min_rtn_f32", Atomic::FMin, false},
      {"ds_max_f32", "ds_max_rtn_f32", Atomic::FMax, false},
      {"ds_pk_add_f16", "ds_pk_add_rtn_f16", Atomic::PkAddF16, false},
      {"ds_pk_add_bf16", "ds_pk_add_rtn_bf16", Atomic::PkAddBF16, false},
      {"ds_add_u64", "ds_add_rtn_u64", Atomic::Add, true},
      {"ds_sub_u64", "ds_sub_rtn_u64", Atomic::Sub, true},
      {"ds_rsub_u64", "ds_rsub_rtn_u64", Atomic::RSub, true},
      {"ds_inc_u64", "ds_inc_rtn_u64", Atomic::Inc, true},
      {"ds_dec_u64", "ds_dec_rtn_u64", Atomic::Dec, true},
      {"ds_min_i64", "ds_min_rtn_i64", Atomic::SMin, true},
      {"ds_max_i64", "ds_max_rtn_i64", Atomic::SMax, true},
      {"ds_min_u64", "ds_min_rtn_u64", Atomic::UMin, true},
      {"ds_max_u64", "ds_max_rtn_u64", Atomic::UMax, true},
      {"ds_and_b64", "ds_and_rtn_b64", Atomic::And, true},
      {"ds_or_b64", "ds_or_rtn_b64", Atomic::Or, true},
      {"ds_xor_b64", "ds_xor_rtn_b64", Atomic::Xor, true},
      {"ds_mskor_b64", "ds_mskor_rtn_b64", Atomic::MaskOr, true},
      {"ds_cmpst_b64", "ds_cmpst_rtn_b64", Atomic::CmpSwap, true},
      {"ds_cmpstore_b64", "ds_cmpstore_rtn_b64", Atomic::CmpStore, true},
      {nullptr, "ds_wrxchg_rtn_b64", Atomic::Swap, true},
      {"ds_add_f64", "ds_add_rtn_f64", Atomic::FAdd, true},
      {"ds_min_f64", "ds_min_rtn_f64", Atomic::FMin, true},
      {"ds_max_f64", "ds_max_rtn_f64", Atomic::FMax, true},
  };
  for (const auto &A : Lds) {
    const Handler Fn =
        A.Wide ? atomicOp<u64, LocalAddress> : atomicOp<u32, LocalAddress>;
    if (A.Name)
      T.add(A.Name, makeAtomic(Fn, A.Op, 0));
    if (A.Rtn)
      T.add(A.Rtn, returning(makeAtomic(Fn, A.Op, 1)));
  }
  T.add("ds_permute_b32", inert(permute<true>, Op::HasDst | Op::MovesLanes));
  T.add("ds_bpermute_b32", inert(permute<false>, Op::HasDst | Op::MovesLanes));
  T.add("ds_swizzle_b32", inert(swizzle, Op::HasDst | Op::MovesLanes));
  T.add("ds_nop", inert(nothing));
  T.add("ds_gws_barrier", inert(gridSync<StepResult::GridBarrier>));
  T.add("ds_gws_init", inert(gridSync<StepResult::GridInit>));
  T.add("ds_gws_sema_p", inert(gridSync<StepResult::GridAcquire>));
  T.add("ds_gws_sema_v", inert(gridSync<StepResult::GridRelease>));
}

} // namespace wavelane::isa
