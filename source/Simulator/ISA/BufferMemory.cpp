//===-- BufferMemory.cpp - buffer instructions ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MemoryAtomics.h"

namespace wavelane::isa {

using namespace memory;

namespace {

/// Private memory at an offset that is the same in all lanes is a row of
/// dwords: compilers spill this way. Returns null for other accesses.
u8 *scratchRow(Machine &M, const Inst &I, unsigned Row, Access Kind) {
  if (I.Memory.Lds || I.Memory.OffEn || I.Memory.IdxEn || (I.Imm & 3) ||
      M.Watches || M.Probe)
    return nullptr;
  const Buffer B(&M.W.Scalar[I.Memory.SAddr], M.scalar32(I.Src[2]),
                 M.features());
  if (!B.Swizzle || !B.AddTid || B.IndexStride != M.Lanes ||
      !B.inRange(M.Lanes - 1, u32(I.Imm) + 4 * Row, 4))
    return nullptr;
  u8 *Memory = M.global(B.address(0, u32(I.Imm) + 4 * Row), M.Lanes * 4, Kind);
  if (Memory)
    M.Rows[Kind == Access::Write] = M.Spans[unsigned(Kind)];
  return Memory;
}
void bufferLoadDwords(Machine &M, const Inst &I) {
  const unsigned Count = I.O->Data / 4;
  const u64 X = M.exec();
  const u8 *Rows[4];
  for (unsigned N = 0; N < Count; ++N)
    if (!(Rows[N] = scratchRow(M, I, N, Access::Read)))
      return load<BufferAddress>(M, I);
  u32 *D = dataRegisters(M, I, I.Dst, Count);
  if (!D)
    return;
  for (unsigned N = 0; N < Count; ++N, D += M.Lanes) {
    if (X == M.LaneMask) {
      std::memcpy(D, Rows[N], M.Lanes * 4);
      continue;
    }
    for (unsigned L = 0; L < M.Lanes; ++L)
      if (X >> L & 1)
        std::memcpy(&D[L], Rows[N] + 4 * L, 4);
  }
}
void bufferStoreDwords(Machine &M, const Inst &I) {
  const unsigned Count = I.O->Data / 4;
  const u64 X = M.exec();
  u8 *Rows[4];
  for (unsigned N = 0; N < Count; ++N)
    if (!(Rows[N] = scratchRow(M, I, N, Access::Write)))
      return store<BufferAddress>(M, I);
  const u32 *D = dataRegisters(M, I, I.Memory.VData, Count);
  if (!D)
    return;
  for (unsigned N = 0; N < Count; ++N, D += M.Lanes) {
    if (X == M.LaneMask) {
      std::memcpy(Rows[N], D, M.Lanes * 4);
      continue;
    }
    for (unsigned L = 0; L < M.Lanes; ++L)
      if (X >> L & 1)
        std::memcpy(Rows[N] + 4 * L, &D[L], 4);
  }
}

} // namespace

void addBufferMemoryOps(OpTable &T) {
  addMoves<BufferAddress>(T, "buffer");
  addAtomics<BufferAddress>(T, "buffer");
  for (unsigned N = 0; N < 4; ++N) {
    T.add((std::string("buffer_load_") + VmemLoads[N].Suffix).c_str(),
          makeLoad(bufferLoadDwords, VmemLoads[N].Size));
    T.add((std::string("buffer_store_") + VmemStores[N].Suffix).c_str(),
          make(bufferStoreDwords, VmemStores[N].Size));
  }
  for (const char *Name :
       {"buffer_wbinvl1", "buffer_wbinvl1_vol", "buffer_wbl2", "buffer_invl2",
        "buffer_gl0_inv", "buffer_gl1_inv", "buffer_inv"})
    T.add(Name, inert(nothing));
}

} // namespace wavelane::isa
