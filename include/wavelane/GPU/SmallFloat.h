//===-- SmallFloat.h - numbers of 4 to 16 bits ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HIP's headers have classes for floating-point numbers without a C++ type:
// __half, hip_bfloat16, __hip_fp8_e4m3, __hipext_ocp_fp6x32_e2m3 and so on.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_GPU_SMALLFLOAT_H
#define WAVELANE_GPU_SMALLFLOAT_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace wavelane::gpu {

struct SmallFloat {
  unsigned Exponent = 0, Mantissa = 0; ///< in bits
  unsigned Count = 1; ///< The number of consecutive numbers in an object.
  /// It has one NaN, in place of -0, and a bias greater by one.
  bool IsFNUZ = false;

  unsigned bits() const { return 1 + Exponent + Mantissa; }

  /// The numbers in objects of a class; nullopt for other classes.
  static std::optional<SmallFloat> ofClass(std::string_view Name);
  /// The names of classes with one number.
  static constexpr std::string_view Classes[] = {"__half",
                                                 "hip_bfloat16",
                                                 "__hip_bfloat16",
                                                 "__hip_fp8_e4m3",
                                                 "__hip_fp8_e5m2",
                                                 "__hip_fp8_e4m3_fnuz",
                                                 "__hip_fp8_e5m2_fnuz",
                                                 "__hip_fp6_e2m3",
                                                 "__hip_fp6_e3m2",
                                                 "__hip_fp4_e2m1"};

  /// The kind of number: "e5m10", "e4m3fnuz".
  std::string name() const;
  static std::optional<SmallFloat> ofName(std::string_view Name);

  double decode(uint32_t Bits) const;
  /// The nearest number, of two the even one. What is too large becomes an
  /// infinity in 16 bits, and the largest number in fewer, as HIP's classes
  /// round.
  uint32_t encode(double Value) const;

private:
  bool hasInfinity() const { return Exponent >= 5 && !IsFNUZ; }
  int bias() const { return (1 << (Exponent - 1)) - (IsFNUZ ? 0 : 1); }
  /// The bits of the largest finite number.
  uint32_t largest() const;
};

} // namespace wavelane::gpu

#endif // WAVELANE_GPU_SMALLFLOAT_H
