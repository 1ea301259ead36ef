//===-- Dpp.h - which lane a lane reads with DPP --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Static, since files with this are compiled for different host processors.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_ISA_DPP_H
#define WAVELANE_SIMULATOR_ISA_DPP_H

#include "Core.h"

namespace wavelane::isa {

/// The lane that lane \a L reads with DPP; -1 if none (bound_ctrl decides).
static inline int dppSource(const DppControl &C, unsigned L) {
  if (C.Is8)
    return int((L & ~7u) + (C.Sel8 >> (3 * (L & 7)) & 7));
  const unsigned Ctrl = C.Ctrl, Row = L & ~15u, In = L & 15;
  if (Ctrl <= 0xff)
    return int((L & ~3u) + (Ctrl >> (2 * (L & 3)) & 3));
  if (Ctrl >= 0x101 && Ctrl <= 0x10f) // row_shl
    return In + (Ctrl & 15) <= 15 ? int(L + (Ctrl & 15)) : -1;
  if (Ctrl >= 0x111 && Ctrl <= 0x11f) // row_shr
    return In >= (Ctrl & 15) ? int(L - (Ctrl & 15)) : -1;
  if (Ctrl >= 0x121 && Ctrl <= 0x12f) // row_ror
    return int(Row + ((In - (Ctrl & 15)) & 15));
  if (Ctrl >= 0x150 && Ctrl <= 0x15f) // row_newbcast, row_share
    return int(Row + (Ctrl & 15));
  if (Ctrl >= 0x160 && Ctrl <= 0x16f) // row_xmask
    return int(Row + (In ^ (Ctrl & 15)));
  switch (Ctrl) {
  case 0x130: // wave_shl:1
    return L < 63 ? int(L + 1) : -1;
  case 0x134: // wave_rol:1
    return int((L + 1) & 63);
  case 0x138: // wave_shr:1
    return L > 0 ? int(L - 1) : -1;
  case 0x13c: // wave_ror:1
    return int((L - 1) & 63);
  case 0x140: // row_mirror
    return int(Row + 15 - In);
  case 0x141: // row_half_mirror
    return int((L & ~7u) + 7 - (L & 7));
  case 0x142: // row_bcast:15
    return L >= 16 ? int((L & ~15u) - 1) : -1;
  case 0x143: // row_bcast:31
    return L >= 32 ? 31 : -1;
  default:
    return -1;
  }
}

/// The lanes that can be read: the active ones, or all.
static inline uint64_t dppReadable(const Machine &M, const DppControl &C) {
  return C.FetchInactive ? M.LaneMask : M.exec();
}

/// Whether lane \a L is written.
static inline bool dppWrites(const Machine &M, const DppControl &C,
                             unsigned L) {
  if (!(M.exec() >> L & 1) || !(C.RowMask >> (L / 16) & 1) ||
      !(C.BankMask >> (L / 4 & 3) & 1))
    return false;
  const int S = C.BoundCtrl ? 0 : dppSource(C, L);
  return C.BoundCtrl || (S >= 0 && (dppReadable(M, C) >> S & 1));
}

} // namespace wavelane::isa

#endif // WAVELANE_SIMULATOR_ISA_DPP_H
