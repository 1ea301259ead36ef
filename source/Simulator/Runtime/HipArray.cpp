//===-- HipArray.cpp - arrays and channel formats -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays are plain rows of memory. gfx90a has no image instructions, so texture
// and surface objects are refused, as in AMD's runtime.
//
//===----------------------------------------------------------------------===//

#include "HipApi.h"

#include <cstring>

using namespace wavelane::runtime;

static size_t elementSize(const hipChannelFormatDesc &D) {
  return size_t(D.x + D.y + D.z + D.w) / 8;
}
static size_t rowSize(const hipArray &A) {
  return A.width * elementSize(A.desc);
}

/// Copies rows between plain memory and an array, starting at (X bytes, Y
/// rows).
static hipError_t arrayRows(hipArray *A, size_t X, size_t Y, void *Plain,
                            size_t Pitch, size_t Width, size_t Height,
                            bool ToArray, hipMemcpyKind Kind,
                            hipStream_t Stream) {
  if (!A || !Plain)
    return done(hipErrorInvalidValue);
  const size_t Row = rowSize(*A), Rows = A->height ? A->height : 1;
  if (X > Row || Width > Row - X || Y > Rows || Height > Rows - Y)
    return done(hipErrorInvalidValue);
  char *Inside = static_cast<char *>(A->data) + Y * Row + X;
  return ToArray ? hipMemcpy2DAsync(Inside, Row, Plain, Pitch, Width, Height,
                                    Kind, Stream)
                 : hipMemcpy2DAsync(Plain, Pitch, Inside, Row, Width, Height,
                                    Kind, Stream);
}

extern "C" {

hipChannelFormatDesc hipCreateChannelDesc(int X, int Y, int Z, int W,
                                          hipChannelFormatKind Kind) {
  return {X, Y, Z, W, Kind};
}

hipError_t hipMallocArray(hipArray **Out, const hipChannelFormatDesc *Desc,
                          size_t Width, size_t Height, unsigned) {
  HIP_READY(R);
  if (!Out || !Desc || !Width || !elementSize(*Desc) ||
      elementSize(*Desc) > 16 || Width > 65536 || Height > 65536)
    return done(hipErrorInvalidValue);
  auto A = std::make_unique<hipArray>();
  memset(A.get(), 0, sizeof(hipArray));
  A->desc = *Desc;
  A->width = unsigned(Width);
  A->height = unsigned(Height);
  A->data = R.Memory.allocate(rowSize(*A) * (Height ? Height : 1),
                              MemoryKind::Device);
  if (!A->data)
    return done(hipErrorOutOfMemory);
  *Out = A.release();
  return hipSuccess;
}

hipError_t hipFreeArray(hipArray *A) {
  HIP_READY(R);
  if (!A)
    return done(hipErrorInvalidValue);
  HIP_TRY(R.waitAll());
  R.Memory.free(A->data);
  delete A;
  return hipSuccess;
}

hipError_t hipMemcpy2DToArrayAsync(hipArray *To, size_t X, size_t Y,
                                   const void *From, size_t Pitch, size_t Width,
                                   size_t Height, hipMemcpyKind Kind,
                                   hipStream_t Stream) {
  return arrayRows(To, X, Y, const_cast<void *>(From), Pitch, Width, Height,
                   true, Kind, Stream);
}
hipError_t hipMemcpy2DToArray(hipArray *To, size_t X, size_t Y,
                              const void *From, size_t Pitch, size_t Width,
                              size_t Height, hipMemcpyKind Kind) {
  return hipMemcpy2DToArrayAsync(To, X, Y, From, Pitch, Width, Height, Kind,
                                 nullptr);
}
hipError_t hipMemcpy2DFromArray(void *To, size_t Pitch, hipArray_const_t From,
                                size_t X, size_t Y, size_t Width, size_t Height,
                                hipMemcpyKind Kind) {
  return arrayRows(const_cast<hipArray *>(From), X, Y, To, Pitch, Width, Height,
                   false, Kind, nullptr);
}
hipError_t hipMemcpyToArray(hipArray *To, size_t X, size_t Y, const void *From,
                            size_t Count, hipMemcpyKind Kind) {
  HIP_READY(R);
  (void)R;
  if (!To || !From)
    return done(hipErrorInvalidValue);
  const size_t Row = rowSize(*To);
  const size_t All = Row * (To->height ? To->height : 1);
  const size_t At = Y * Row + X;
  if (At > All || Count > All - At)
    return done(hipErrorInvalidValue);
  return hipMemcpy(static_cast<char *>(To->data) + At, From, Count, Kind);
}
static hipError_t copyFromArray(void *To, hipArray_const_t From, size_t X,
                                size_t Y, size_t Count, hipMemcpyKind Kind) {
  HIP_READY(R);
  (void)R;
  if (!To || !From)
    return done(hipErrorInvalidValue);
  const size_t Row = rowSize(*From);
  const size_t All = Row * (From->height ? From->height : 1);
  const size_t At = Y * Row + X;
  if (At > All || Count > All - At)
    return done(hipErrorInvalidValue);
  return hipMemcpy(To, static_cast<const char *>(From->data) + At, Count, Kind);
}
hipError_t hipMemcpyFromArray(void *To, hipArray_const_t From, size_t X,
                              size_t Y, size_t Count, hipMemcpyKind Kind) {
  return copyFromArray(To, From, X, Y, Count, Kind);
}
HIP_EXPORT hipError_t hipMemcpyFromArray_spt(void *To, hipArray_const_t From,
                                             size_t X, size_t Y, size_t Count,
                                             hipMemcpyKind Kind) {
  return copyFromArray(To, From, X, Y, Count, Kind);
}

/// Half precision on the host: clang generates calls of these for __half.
HIP_EXPORT float __gnu_h2f_ieee(unsigned short Half) {
  const uint32_t Sign = uint32_t(Half & 0x8000) << 16;
  uint32_t Exponent = Half >> 10 & 31, Fraction = Half & 0x3ff, Bits;
  if (Exponent == 31) {
    Bits = 0x7f800000 | Fraction << 13;
  } else if (Exponent) {
    Bits = (Exponent + 112) << 23 | Fraction << 13;
  } else if (Fraction) {
    // Subnormal: normalize.
    unsigned Shift = 0;
    while (!(Fraction & 0x400)) {
      Fraction <<= 1;
      ++Shift;
    }
    Bits = (113 - Shift) << 23 | (Fraction & 0x3ff) << 13;
  } else {
    Bits = 0;
  }
  Bits |= Sign;
  float F;
  memcpy(&F, &Bits, 4);
  return F;
}

HIP_EXPORT unsigned short __gnu_f2h_ieee(float Value) {
  uint32_t Bits;
  memcpy(&Bits, &Value, 4);
  const uint32_t Sign = Bits >> 16 & 0x8000;
  const uint32_t Magnitude = Bits & 0x7fffffff;
  if (Magnitude > 0x7f800000)
    return uint16_t(Sign | 0x7e00);
  if (Magnitude >= 0x477ff000) // rounds to 65536 or more
    return uint16_t(Sign | 0x7c00);
  // Round to nearest even in the half's last place.
  uint32_t Significand, Drop;
  uint32_t Base = 0;
  if (Magnitude >= 0x38800000) {
    Significand = Magnitude - 0x38000000;
    Drop = 13;
  } else {
    const uint32_t Exponent = Magnitude >> 23;
    if (Exponent < 102)
      return uint16_t(Sign);
    Significand = (Magnitude & 0x7fffff) | 0x800000;
    Drop = 126 - Exponent;
  }
  const uint32_t Half = 1u << (Drop - 1);
  const uint32_t Rest = Significand & ((1u << Drop) - 1);
  Base = Significand >> Drop;
  if (Rest > Half || (Rest == Half && (Base & 1)))
    ++Base;
  return uint16_t(Sign | Base);
}

} // extern "C"

// The default stream of a thread is that of all threads here (see
// Runtime::resolve).
HIP_SAME(hipMemcpy2DToArray_spt, hipMemcpy2DToArray);
HIP_SAME(hipMemcpy2DToArrayAsync_spt, hipMemcpy2DToArrayAsync);
HIP_SAME(hipMemcpy2DFromArray_spt, hipMemcpy2DFromArray);
