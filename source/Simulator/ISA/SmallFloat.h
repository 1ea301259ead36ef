//===-- SmallFloat.h - numbers of 4 to 16 bits ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every such number can be represented exactly as a double, and a double is
// converted with a single rounding. The formats are the OCP's 8-bit and
// microscaling formats, and AMD's older 8-bit ones without infinities and
// negative zero (gfx942).
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_ISA_SMALLFLOAT_H
#define WAVELANE_SIMULATOR_ISA_SMALLFLOAT_H

#include <cmath>
#include <cstdint>

namespace wavelane::isa {

struct SmallFloat {
  enum Special : uint8_t {
    IEEE,      ///< The largest exponent encodes infinity and NaNs.
    OneNaN,    ///< All ones after the sign is NaN; there is no infinity.
    ZeroNaN,   ///< The encoding of negative zero is NaN; there is no infinity.
    OnlyFinite ///< Neither NaN nor infinity: overflow gives the largest number.
  };
  uint8_t Exponent, Mantissa; ///< Bits.
  int8_t Bias;
  Special Has;

  constexpr unsigned bits() const { return 1u + Exponent + Mantissa; }
  constexpr uint32_t sign() const { return 1u << (Exponent + Mantissa); }
  /// Bits of the largest finite number.
  constexpr uint32_t largest() const {
    return sign() - 1 - (Has == IEEE ? 1u << Mantissa : Has == OneNaN ? 1 : 0);
  }
  constexpr uint32_t nan() const {
    return Has == ZeroNaN  ? sign()
           : Has == OneNaN ? sign() - 1
           : Has == IEEE
               ? (((1u << Exponent) - 1) << Mantissa | 1u << (Mantissa - 1))
               : largest();
  }

  double decode(uint32_t Bits) const {
    const uint32_t Magnitude = Bits & (sign() - 1);
    const bool Negative = Bits & sign();
    if (Has == ZeroNaN && Negative && !Magnitude)
      return NAN;
    if (Has == OneNaN && Magnitude == sign() - 1)
      return NAN;
    const uint32_t E = Magnitude >> Mantissa,
                   M = Magnitude & ((1u << Mantissa) - 1);
    double D;
    if (Has == IEEE && E == (1u << Exponent) - 1)
      D = M ? NAN : INFINITY;
    else
      D = E ? std::ldexp(double(M | 1u << Mantissa), int(E) - Bias - Mantissa)
            : std::ldexp(double(M), 1 - Bias - Mantissa);
    return Negative ? -D : D;
  }

  /// Rounds to nearest even. \a Limit: overflow gives the largest number.
  uint32_t encode(double D, bool Limit) const {
    return encode(D, Limit, [](double Whole, double Rest) {
      return Rest > 0.5 || (Rest == 0.5 && std::fmod(Whole, 2) != 0);
    });
  }
  /// Rounds up with a probability equal to the part cut off.
  uint32_t encodeStochastic(double D, bool Limit, uint32_t Random) const {
    return encode(D, Limit, [Random](double, double Rest) {
      return Rest + double(Random) * 0x1p-32 >= 1;
    });
  }

private:
  template <class Up> uint32_t encode(double D, bool Limit, Up RoundsUp) const {
    if (std::isnan(D))
      return Has == OnlyFinite && std::signbit(D) ? nan() | sign() : nan();
    const uint32_t Negative = std::signbit(D) ? sign() : 0;
    D = std::fabs(D);
    uint32_t Bits;
    if (std::isinf(D)) {
      Bits = largest() + 1;
    } else {
      // In units of the last place.
      const int Lowest = 1 - Bias;
      int Power;
      std::frexp(D, &Power);
      const int Place = D == 0 || Power - 1 < Lowest ? Lowest : Power - 1;
      const double Units = std::ldexp(D, Mantissa - Place);
      double Whole = std::floor(Units);
      if (RoundsUp(Whole, Units - Whole))
        Whole += 1;
      // A carry into the next power of two results from the sum.
      const double Sum = Whole + std::ldexp(double(Place - Lowest), Mantissa);
      Bits = Sum > largest() ? largest() + 1 : uint32_t(Sum);
    }
    if (Bits > largest()) {
      if (Limit || Has == OnlyFinite)
        Bits = largest();
      else if (Has == ZeroNaN || Has == OneNaN)
        return Has == OneNaN ? nan() | Negative : nan();
      else
        Bits = ((1u << Exponent) - 1) << Mantissa;
    }
    return Has == ZeroNaN && !Bits ? 0 : Bits | Negative;
  }
};

namespace small {
constexpr SmallFloat F16 = {5, 10, 15, SmallFloat::IEEE};
constexpr SmallFloat BF16 = {8, 7, 127, SmallFloat::IEEE};
constexpr SmallFloat FP8 = {4, 3, 7, SmallFloat::OneNaN};
constexpr SmallFloat BF8 = {5, 2, 15, SmallFloat::IEEE};
constexpr SmallFloat OldFP8 = {4, 3, 8, SmallFloat::ZeroNaN};
constexpr SmallFloat OldBF8 = {5, 2, 16, SmallFloat::ZeroNaN};
constexpr SmallFloat FP6 = {2, 3, 1, SmallFloat::OnlyFinite};
constexpr SmallFloat BF6 = {3, 2, 3, SmallFloat::OnlyFinite};
constexpr SmallFloat FP4 = {2, 1, 1, SmallFloat::OnlyFinite};
} // namespace small

/// A power of two as encoded in a scale (E8M0); 255 is NaN.
inline double scaleOf(uint32_t Exponent) {
  return Exponent == 255 ? NAN : std::ldexp(1.0, int(Exponent) - 127);
}

} // namespace wavelane::isa

#endif // WAVELANE_SIMULATOR_ISA_SMALLFLOAT_H
