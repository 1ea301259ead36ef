//===-- FlatMemory.cpp - flat, global and scratch instructions ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MemoryAtomics.h"

namespace wavelane::isa {

using namespace memory;

void addFlatMemoryOps(OpTable &T) {
  for (const char *Family : {"flat", "global", "scratch"})
    addMoves<FlatAddress>(T, Family);
  for (const char *Family : {"flat", "global"})
    addAtomics<FlatAddress>(T, Family);
  for (const char *Family : {"global", "scratch"})
    for (const LoadKind &K : VmemLoads)
      if (K.F != Format::D16 && K.F != Format::D16Hi)
        T.add((std::string(Family) + "_load_lds_" + K.Suffix).c_str(),
              make(loadToLocal<FlatAddress>, K.Size, u32(K.F)));
  for (const char *Name : {"global_inv", "global_wb", "global_wbinv"})
    T.add(Name, inert(nothing));
}

} // namespace wavelane::isa
