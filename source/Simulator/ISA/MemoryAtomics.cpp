//===-- MemoryAtomics.cpp - sums of pairs in memory -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MemoryAtomics.h"
#include "SmallFloat.h"

namespace wavelane::isa {
namespace memory {

static double halfToDouble(u16 H) {
  const unsigned Exp = H >> 10 & 31, Man = H & 0x3ff;
  double D = Exp == 31 ? (Man ? NAN : INFINITY)
             : Exp     ? std::ldexp(double(Man | 0x400), int(Exp) - 25)
                       : std::ldexp(double(Man), -24);
  return H & 0x8000 ? -D : D;
}
/// Rounds to nearest even and flushes denormals, like the memory's adder.
static u16 doubleToHalf(double D) {
  const u16 Sign = std::signbit(D) ? 0x8000 : 0;
  D = std::fabs(D);
  if (std::isnan(D))
    return 0x7e00 | Sign;
  if (D >= 65520)
    return 0x7c00 | Sign;
  if (D < 0x1p-14)
    return Sign;
  int Exp;
  const double Man = std::frexp(D, &Exp); // [0.5, 1)
  const u32 Rounded = u32(std::nearbyint(std::ldexp(Man, 11)));
  return u16(Sign | (u32(Exp + 14) << 10) + (Rounded - 0x400));
}

u32 packedAddF16(u32 A, u32 B) {
  const auto Flush = [](u16 H) { return u16(H & 0x7c00 ? H : H & 0x8000); };
  const auto Add = [&](u16 X, u16 Y) {
    return doubleToHalf(
        generic::sum(halfToDouble(Flush(X)), halfToDouble(Flush(Y))));
  };
  return u32(Add(u16(A), u16(B))) | u32(Add(u16(A >> 16), u16(B >> 16))) << 16;
}

u32 packedAddBF16(u32 A, u32 B) {
  const SmallFloat &F = small::BF16;
  const auto Add = [&](u32 X, u32 Y) {
    return F.encode(F.decode(X & 0xffff) + F.decode(Y & 0xffff), false);
  };
  return Add(A, B) | Add(A >> 16, B >> 16) << 16;
}

} // namespace memory
} // namespace wavelane::isa
