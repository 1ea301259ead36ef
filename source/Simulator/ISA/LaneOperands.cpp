//===-- LaneOperands.cpp - operands into lanes, results into registers ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LaneOperands.h"
#include "Dpp.h"

#include <cmath>

namespace wavelane::isa {
namespace WAVELANE_ISA_VARIANT {

void expand(u64 Bits, u32 *Mask, unsigned Lanes) {
  for (unsigned Half = 0; Half < Lanes; Half += 32) {
    const u32 B = u32(Bits >> Half);
    for (unsigned L = 0; L < 32; ++L)
      Mask[Half + L] = (B & (1u << L)) ? ~0u : 0u;
  }
}

u64 pack(const u8 *Bytes, unsigned Lanes) {
  u64 R = 0;
  for (unsigned L = 0; L < Lanes; L += 8) {
    u64 B;
    std::memcpy(&B, Bytes + L, 8);
    // Gathers the lowest bit of eight bytes into the highest byte.
    R |= ((B & 0x0101010101010101ull) * 0x0102040810204080ull >> 56) << L;
  }
  return R;
}

double fromHalf(u16 H) {
  const unsigned Exp = H >> 10 & 31, Man = H & 0x3ff;
  const u64 Sign = u64(H & 0x8000) << 48;
  if (Exp == 31)
    return bitCast<double>(Sign | 0x7ff0000000000000ull | u64(Man) << 42);
  if (Exp)
    return bitCast<double>(Sign | u64(Exp - 15 + 1023) << 52 | u64(Man) << 42);
  const double D = Man * 0x1p-24;
  return bitCast<double>(bitCast<u64>(D) | Sign);
}

u16 toHalf(double D, unsigned Round, bool Flush) {
  const u64 B = bitCast<u64>(D);
  const u16 Sign = u16(B >> 48 & 0x8000);
  const u64 Abs = B & ~(u64(1) << 63);
  if (Abs > 0x7ff0000000000000ull)
    return u16(Sign | 0x7e00 | (Abs >> 42 & 0x3ff));
  if (Abs == 0x7ff0000000000000ull)
    return u16(Sign | 0x7c00);
  if (!Abs)
    return Sign;
  int Exp = int(Abs >> 52) - 1023;
  const u64 Man = (Abs & 0xfffffffffffffull) | u64(1) << 52;
  // Bits of the significand to drop: 42 for normal numbers, more for denormals.
  int Drop = Exp < -14 ? 42 + (-14 - Exp) : 42;
  if (Drop > 63)
    Drop = 63;
  u64 Kept = Man >> Drop;
  const u64 Rest = Man & ((u64(1) << Drop) - 1);
  const u64 HalfWay = u64(1) << (Drop - 1);
  bool Up = false;
  switch (Round) {
  case 0:
    Up = Rest > HalfWay || (Rest == HalfWay && (Kept & 1));
    break;
  case 1:
    Up = Rest && !Sign;
    break;
  case 2:
    Up = Rest && Sign;
    break;
  default:
    break;
  }
  Kept += Up;
  u64 R;
  if (Exp < -14) {
    R = Kept; // 0x400 is the smallest normal number.
    if (Flush && R < 0x400)
      R = 0;
  } else {
    R = (u64(Exp + 15) << 10) + (Kept - 0x400);
    if (R >= 0x7c00) {
      // Overflow goes to infinity or to the largest number.
      const bool ToInf =
          Round == 0 || (Round == 1 && !Sign) || (Round == 2 && Sign);
      R = ToInf ? 0x7c00 : 0x7bff;
    }
  }
  return u16(Sign | R);
}

const u32 *dppMask(Machine &M, const Inst &I) {
  for (unsigned L = 0; L < M.Lanes; ++L)
    M.DppMask[L] = dppWrites(M, I.Dpp, L) ? ~0u : 0u;
  return M.DppMask;
}

/// A source's unmodified lanes: a register, or a scalar broadcast into \a Buf.
static const u32 *raw32(Machine &M, const Inst &I, unsigned N, u32 *Buf) {
  const Operand &S = I.Src[N];
  if (S.At == Operand::Where::VGPR) {
    const u32 *R = M.vgpr(S.Reg);
    if (!I.Dpp.IsOn || N != 0)
      return R;
    const u64 X = dppReadable(M, I.Dpp);
    for (unsigned L = 0; L < M.Lanes; ++L) {
      const int From = dppSource(I.Dpp, L);
      // Lanes without a source read 0; dppMask() excludes those that must not
      // be written.
      Buf[L] = From >= 0 && (X >> From & 1) ? R[From] : 0;
    }
    return Buf;
  }
  const u32 B = M.scalar32(S);
  for (unsigned L = 0; L < M.Lanes; ++L)
    Buf[L] = B;
  return Buf;
}

const u32 *fetch32Slow(Machine &M, const Inst &I, unsigned N, Kind K) {
  const Operand &S = I.Src[N];
  u32 *Buf = M.Tmp[N];
  const u32 *R = raw32(M, I, N, Buf);
  const bool Flush = K == Kind::F32 && M.E.FlushInF32;
  const bool Tame = K == Kind::F32 && M.FpTraps;
  if (S.Sel == 6 && !S.High && !S.Neg && !S.Abs && !Flush && !Tame)
    return R;
  const unsigned Lanes = M.Lanes;
  if (S.Sel != 6 || S.High) {
    const unsigned Shift = S.High      ? 16
                           : S.Sel < 4 ? S.Sel * 8
                                       : (S.Sel - 4) * 16;
    const bool Byte = !S.High && S.Sel < 4;
    for (unsigned L = 0; L < Lanes; ++L) {
      const u32 V = R[L] >> Shift;
      Buf[L] = Byte ? (S.Sext ? u32(i32(int8_t(V))) : (V & 0xff))
                    : (S.Sext ? u32(i32(i16(V))) : (V & 0xffff));
    }
    R = Buf;
  }
  if (K == Kind::F32) {
    const u32 And = S.Abs ? 0x7fffffffu : ~0u, Xor = S.Neg ? 0x80000000u : 0;
    for (unsigned L = 0; L < Lanes; ++L)
      Buf[L] = (R[L] & And) ^ Xor;
    if (Flush)
      for (unsigned L = 0; L < Lanes; ++L)
        if (!(Buf[L] & 0x7f800000u))
          Buf[L] &= 0x80000000u;
    if (Tame) {
      const u64 X = M.exec();
      for (unsigned L = 0; L < Lanes; ++L)
        if (!(X >> L & 1))
          Buf[L] = 0x3f800000u;
    }
    return Buf;
  }
  return R;
}

const u64 *fetch64(Machine &M, const Inst &I, unsigned N, Kind K) {
  const Operand &S = I.Src[N];
  u64 *Buf = M.Tmp64[N];
  const unsigned Lanes = M.Lanes;
  if (S.At == Operand::Where::VGPR) {
    const u32 *Lo = M.vgpr(S.Reg), *Hi = M.vgpr(S.Reg + 1);
    if (I.Dpp.IsOn && N == 0) {
      const u64 X = dppReadable(M, I.Dpp);
      for (unsigned L = 0; L < Lanes; ++L) {
        const int From = dppSource(I.Dpp, L);
        Buf[L] =
            From >= 0 && (X >> From & 1) ? Lo[From] | u64(Hi[From]) << 32 : 0;
      }
    } else {
      for (unsigned L = 0; L < Lanes; ++L)
        Buf[L] = Lo[L] | u64(Hi[L]) << 32;
    }
  } else {
    const u64 B = M.scalar64(S);
    for (unsigned L = 0; L < Lanes; ++L)
      Buf[L] = B;
  }
  if (K == Kind::F64) {
    if (S.Abs || S.Neg) {
      const u64 Sign = u64(1) << 63;
      const u64 And = S.Abs ? ~Sign : ~u64(0), Xor = S.Neg ? Sign : 0;
      for (unsigned L = 0; L < Lanes; ++L)
        Buf[L] = (Buf[L] & And) ^ Xor;
    }
    if (M.E.FlushInF64)
      for (unsigned L = 0; L < Lanes; ++L)
        if (!(Buf[L] & 0x7ff0000000000000ull))
          Buf[L] &= u64(1) << 63;
    if (M.FpTraps) {
      const u64 X = M.exec();
      for (unsigned L = 0; L < Lanes; ++L)
        if (!(X >> L & 1))
          Buf[L] = 0x3ff0000000000000ull;
    }
  }
  return Buf;
}

const double *fetchHalf(Machine &M, const Inst &I, unsigned N) {
  const Operand &S = I.Src[N];
  const u32 *R = fetch32Slow(M, I, N, Kind::F16);
  double *D = reinterpret_cast<double *>(M.Tmp64[N]);
  const u16 And = S.Abs ? 0x7fff : 0xffff, Xor = S.Neg ? 0x8000 : 0;
  for (unsigned L = 0; L < M.Lanes; ++L) {
    u16 H = u16((R[L] & And) ^ Xor);
    if (M.E.FlushInF64 && !(H & 0x7c00))
      H &= 0x8000;
    D[L] = fromHalf(H);
  }
  return D;
}

/// Omod only applies with IEEE off and without denormal results.
static void scaleAndClamp(Machine &M, const Inst &I, double &D,
                          bool Denormals) {
  if (I.Out.Omod && !M.E.IEEE && !Denormals)
    D = I.Out.Omod == 1 ? D * 2 : I.Out.Omod == 2 ? D * 4 : D / 2;
  if (I.Out.Clamp) {
    if (isNaN(D))
      D = M.E.DX10Clamp ? 0 : D;
    else
      D = D <= 0 ? 0 : D > 1 ? 1 : D;
  }
}

/// Writes a 16-bit or 32-bit result where SDWA or op_sel select.
static void writeMasked(Machine &M, const Inst &I, const u32 *R,
                        const u32 *Mask, Kind K) {
  u32 *D = M.vgpr(I.Dst);
  const unsigned Lanes = M.Lanes;
  if (I.Out.Sdwa && I.Out.Sel != 6) {
    const unsigned Shift = I.Out.Sel < 4 ? I.Out.Sel * 8 : (I.Out.Sel - 4) * 16;
    const u32 Width = I.Out.Sel < 4 ? 8 : 16;
    const u32 Field = ((1u << Width) - 1) << Shift;
    for (unsigned L = 0; L < Lanes; ++L) {
      if (!Mask[L])
        continue;
      const u32 V = R[L] << Shift & Field;
      u32 Out = V;
      if (I.Out.Unused == 2)
        Out = V | (D[L] & ~Field);
      else if (I.Out.Unused == 1 && (V >> (Shift + Width - 1) & 1))
        Out = V | ~((Field | (Field - 1)));
      D[L] = Out;
    }
    return;
  }
  if ((K == Kind::B16 || K == Kind::F16) && (I.Out.High || I.Out.KeepsHigh)) {
    for (unsigned L = 0; L < Lanes; ++L)
      if (Mask[L])
        D[L] = I.Out.High ? (D[L] & 0xffff) | R[L] << 16
                          : (D[L] & 0xffff0000u) | (R[L] & 0xffff);
    return;
  }
  for (unsigned L = 0; L < Lanes; ++L)
    D[L] = (R[L] & Mask[L]) | (D[L] & ~Mask[L]);
}

u32 modified32(Machine &M, const Inst &I, u32 R) {
  if (M.E.FlushOutF32 && !(R & 0x7f800000u))
    R &= 0x80000000u;
  float F = f32FromBits(R);
  if (I.Out.Omod && !M.E.IEEE && M.E.FlushOutF32) {
    F = I.Out.Omod == 1 ? F * 2 : I.Out.Omod == 2 ? F * 4 : F / 2;
    if (!(bitsOf(F) & 0x7fffffffu) || !(bitsOf(F) & 0x7f800000u))
      F = 0; // Output modifiers don't produce -0 or denormals.
  }
  if (I.Out.Clamp) {
    if (isNaN(F))
      F = M.E.DX10Clamp ? 0 : F;
    else
      F = F <= 0 ? 0 : F > 1 ? 1 : F;
  }
  return bitsOf(F);
}

void finish32(Machine &M, const Inst &I, u32 *R, Kind K, const u32 *Mask) {
  if (K == Kind::F32 && (I.Out.Omod || I.Out.Clamp || M.E.FlushOutF32))
    for (unsigned L = 0; L < M.Lanes; ++L)
      if (Mask[L])
        R[L] = modified32(M, I, R[L]);
  writeMasked(M, I, R, Mask, K);
}

void finish64(Machine &M, const Inst &I, u64 *R, Kind K, const u32 *Mask) {
  if (K == Kind::F64 && (I.Out.Omod || I.Out.Clamp || M.E.FlushOutF64)) {
    for (unsigned L = 0; L < M.Lanes; ++L) {
      if (!Mask[L])
        continue;
      if (M.E.FlushOutF64 && !(R[L] & 0x7ff0000000000000ull))
        R[L] &= u64(1) << 63;
      double D = bitCast<double>(R[L]);
      scaleAndClamp(M, I, D, !M.E.FlushOutF64);
      R[L] = bitCast<u64>(D);
    }
  }
  u32 *Lo = M.vgpr(I.Dst), *Hi = M.vgpr(I.Dst + 1);
  const unsigned Lanes = M.Lanes;
  for (unsigned L = 0; L < Lanes; ++L)
    Lo[L] = (u32(R[L]) & Mask[L]) | (Lo[L] & ~Mask[L]);
  for (unsigned L = 0; L < Lanes; ++L)
    Hi[L] = (u32(R[L] >> 32) & Mask[L]) | (Hi[L] & ~Mask[L]);
}

u32 modifiedHalf(Machine &M, const Inst &I, double D) {
  if (I.Out.Omod || I.Out.Clamp) {
    // Apply modifiers to the number that would have been written.
    D = fromHalf(toHalf(D, M.E.RoundF64, M.E.FlushOutF64));
    scaleAndClamp(M, I, D, !M.E.FlushOutF64);
  }
  return limitHalf(M.E, D, toHalf(D, M.E.RoundF64, M.E.FlushOutF64));
}

void finishHalf(Machine &M, const Inst &I, const double *R, const u32 *Mask) {
  u32 *Out = M.Tmp[3];
  for (unsigned L = 0; L < M.Lanes; ++L)
    if (Mask[L])
      Out[L] = modifiedHalf(M, I, R[L]);
  writeMasked(M, I, Out, Mask, Kind::F16);
}

void addVectorOps(OpTable &T) {
  addIntegerOps(T);
  addFloatOps(T);
  addCompareOps(T);
  addPackedOps(T);
  addCrossLaneOps(T);
  addConvertOps(T);
  addWaveMatrixOps(T);
}

} // namespace WAVELANE_ISA_VARIANT
} // namespace wavelane::isa
