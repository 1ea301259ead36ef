//===-- SmallFloatTest.cpp ------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/GPU/SmallFloat.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>

using namespace wavelane::gpu;

TEST(SmallFloat, ClassesAreThoseOfHipsHeaders) {
  for (std::string_view Name : SmallFloat::Classes) {
    const std::optional<SmallFloat> Kind = SmallFloat::ofClass(Name);
    ASSERT_TRUE(Kind) << Name;
    EXPECT_EQ(Kind->Count, 1u) << Name;
  }
  const std::optional<SmallFloat> Many =
      SmallFloat::ofClass("__hipext_ocp_fp6x32_e2m3");
  ASSERT_TRUE(Many);
  EXPECT_EQ(Many->Count, 32u);
  EXPECT_EQ(Many->bits(), 6u);
  for (const char *Other :
       {"", "half", "__hip_fp8", "__hip_fp8_e4m4", "__hip_fp8x0_e4m3",
        "__hip_fp8_e4m3_fnuz2", "__hip_fp8x999999_e4m3", "__hip_fp16_e5m10"})
    EXPECT_FALSE(SmallFloat::ofClass(Other)) << Other;
}

TEST(SmallFloat, EachNumberIsItsOwnNearest) {
  for (const char *Name : {"e5m10", "e8m7", "e4m3", "e5m2", "e4m3fnuz",
                           "e5m2fnuz", "e2m3", "e3m2", "e2m1"}) {
    const std::optional<SmallFloat> Kind = SmallFloat::ofName(Name);
    ASSERT_TRUE(Kind) << Name;
    EXPECT_EQ(Kind->name(), Name);
    for (uint32_t Bits = 0; Bits < 1u << Kind->bits(); ++Bits) {
      const double Number = Kind->decode(Bits);
      if (std::isnan(Number))
        EXPECT_TRUE(std::isnan(Kind->decode(Kind->encode(Number)))) << Name;
      else if (std::isfinite(Number) || Kind->bits() == 16)
        EXPECT_EQ(Kind->encode(Number), Bits) << Name;
    }
  }
}

// The compiler's type of the same format.
TEST(SmallFloat, HalvesAreRoundedAsTheCompilerDoes) {
  const SmallFloat Half = *SmallFloat::ofName("e5m10");
  for (uint32_t I = 0; I < 4096; ++I) {
    const uint32_t Bits = I * 2654435761u;
    float Number;
    memcpy(&Number, &Bits, sizeof(Number));
    const _Float16 Rounded = _Float16(Number);
    uint16_t Expected;
    memcpy(&Expected, &Rounded, sizeof(Expected));
    if (!std::isnan(Number))
      EXPECT_EQ(Half.encode(Number), Expected) << Number;
  }
}

TEST(SmallFloat, TooLargeNumbers) {
  EXPECT_EQ(SmallFloat::ofName("e5m10")->encode(65520), 0x7c00u);
  EXPECT_EQ(SmallFloat::ofName("e5m10")->encode(65519), 0x7bffu);
  EXPECT_EQ(SmallFloat::ofName("e8m7")->encode(-INFINITY), 0xff80u);
  EXPECT_EQ(SmallFloat::ofName("e4m3")->encode(1e9), 0x7eu);
  EXPECT_EQ(SmallFloat::ofName("e4m3fnuz")->encode(-1e9), 0xffu);
  EXPECT_EQ(SmallFloat::ofName("e2m1")->encode(7), 0x7u);
}
