//===-- ImageFormat.cpp - elements of images and typed buffers ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ImageFormat.h"

#include "SmallFloat.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace wavelane::isa {

namespace {

constexpr SmallFloat Half = small::F16;
// Without sign: of 11 and of 10 bits.
constexpr SmallFloat Float11 = {5, 6, 15, SmallFloat::IEEE};
constexpr SmallFloat Float10 = {5, 5, 15, SmallFloat::IEEE};

/// Components' sizes, by the data format's number on gfx9.
struct Layout {
  uint8_t Bytes;
  uint8_t Bits[4];
};
constexpr Layout Layouts[] = {
    {0, {0}},
    {1, {8}},
    {2, {16}},
    {2, {8, 8}},
    {4, {32}},
    {4, {16, 16}},
    {4, {11, 11, 10}}, // 10_11_11: names begin with the highest bits.
    {4, {10, 11, 11}},
    {4, {2, 10, 10, 10}},
    {4, {10, 10, 10, 2}},
    {4, {8, 8, 8, 8}},
    {8, {32, 32}},
    {8, {16, 16, 16, 16}},
    {12, {32, 32, 32}},
    {16, {32, 32, 32, 32}},
    {0, {0}},
    {2, {5, 6, 5}},
    {2, {5, 5, 5, 1}},
    {2, {1, 5, 5, 5}},
    {2, {4, 4, 4, 4}},
    {4, {24, 8}}, // 8_24
    {4, {8, 24}},
};

/// A run of formats with consecutive numbers: one data format with several
/// number formats.
struct Run {
  uint16_t First;
  uint8_t Data, Count;
  ImageFormat::Type Types[7];
};
#define WAVELANE_SIX                                                           \
  ImageFormat::Unorm, ImageFormat::Snorm, ImageFormat::Uscaled,                \
      ImageFormat::Sscaled, ImageFormat::Uint, ImageFormat::Sint
#define WAVELANE_THREE ImageFormat::Uint, ImageFormat::Sint, ImageFormat::Float
constexpr Run Gfx10[] = {
    {1, 1, 6, {WAVELANE_SIX}},
    {7, 2, 7, {WAVELANE_SIX, ImageFormat::Float}},
    {14, 3, 6, {WAVELANE_SIX}},
    {20, 4, 3, {WAVELANE_THREE}},
    {23, 5, 7, {WAVELANE_SIX, ImageFormat::Float}},
    {36, 6, 1, {ImageFormat::Float}},
    {43, 7, 1, {ImageFormat::Float}},
    {44, 8, 6, {WAVELANE_SIX}},
    {50, 9, 6, {WAVELANE_SIX}},
    {56, 10, 6, {WAVELANE_SIX}},
    {62, 11, 3, {WAVELANE_THREE}},
    {65, 12, 7, {WAVELANE_SIX, ImageFormat::Float}},
    {72, 13, 3, {WAVELANE_THREE}},
    {75, 14, 3, {WAVELANE_THREE}},
    {128, 1, 1, {ImageFormat::Srgb}},
    {129, 3, 1, {ImageFormat::Srgb}},
    {130, 10, 1, {ImageFormat::Srgb}},
    {133, 16, 1, {ImageFormat::Unorm}},
    {134, 17, 1, {ImageFormat::Unorm}},
    {135, 18, 1, {ImageFormat::Unorm}},
    {136, 19, 1, {ImageFormat::Unorm}},
    {141, 20, 2, {ImageFormat::Unorm, ImageFormat::Uint}},
    {143, 21, 2, {ImageFormat::Unorm, ImageFormat::Uint}},
};
constexpr Run Gfx11[] = {
    {1, 1, 6, {WAVELANE_SIX}},
    {7, 2, 7, {WAVELANE_SIX, ImageFormat::Float}},
    {14, 3, 6, {WAVELANE_SIX}},
    {20, 4, 3, {WAVELANE_THREE}},
    {23, 5, 7, {WAVELANE_SIX, ImageFormat::Float}},
    {30, 6, 1, {ImageFormat::Float}},
    {31, 7, 1, {ImageFormat::Float}},
    {32, 8, 2, {ImageFormat::Unorm, ImageFormat::Snorm}},
    {34, 8, 2, {ImageFormat::Uint, ImageFormat::Sint}},
    {36, 9, 6, {WAVELANE_SIX}},
    {42, 10, 6, {WAVELANE_SIX}},
    {48, 11, 3, {WAVELANE_THREE}},
    {51, 12, 7, {WAVELANE_SIX, ImageFormat::Float}},
    {58, 13, 3, {WAVELANE_THREE}},
    {61, 14, 3, {WAVELANE_THREE}},
    {64, 1, 1, {ImageFormat::Srgb}},
    {65, 3, 1, {ImageFormat::Srgb}},
    {66, 10, 1, {ImageFormat::Srgb}},
    {68, 16, 1, {ImageFormat::Unorm}},
    {69, 17, 1, {ImageFormat::Unorm}},
    {70, 18, 1, {ImageFormat::Unorm}},
    {71, 19, 1, {ImageFormat::Unorm}},
    {76, 20, 2, {ImageFormat::Unorm, ImageFormat::Uint}},
    {78, 21, 2, {ImageFormat::Unorm, ImageFormat::Uint}},
};
#undef WAVELANE_SIX
#undef WAVELANE_THREE

ImageFormat make(unsigned Data, ImageFormat::Type Type) {
  ImageFormat F;
  F.Bytes = Layouts[Data].Bytes;
  std::copy_n(Layouts[Data].Bits, 4, F.Bits);
  F.Is = Type;
  return F;
}

uint32_t bitsOf(float F) {
  uint32_t B;
  std::memcpy(&B, &F, sizeof(B));
  return B;
}
float numberOf(uint32_t B) {
  float F;
  std::memcpy(&F, &B, sizeof(F));
  return F;
}

double linearOf(double S) {
  return S <= 0.04045 ? S / 12.92 : std::pow((S + 0.055) / 1.055, 2.4);
}
double srgbOf(double L) {
  return L <= 0.0031308 ? L * 12.92 : 1.055 * std::pow(L, 1 / 2.4) - 0.055;
}

int32_t signExtended(uint32_t V, unsigned Bits) {
  return int32_t(V << (32 - Bits)) >> (32 - Bits);
}

uint32_t loaded(uint32_t V, unsigned Bits, ImageFormat::Type Type) {
  const uint32_t Most = Bits == 32 ? ~0u : (1u << Bits) - 1, Upper = Most / 2;
  switch (Type) {
  case ImageFormat::Uint:
    return V;
  case ImageFormat::Sint:
    return uint32_t(signExtended(V, Bits));
  case ImageFormat::Unorm:
    return bitsOf(float(V / double(Most)));
  case ImageFormat::Srgb:
    return bitsOf(float(linearOf(V / double(Most))));
  case ImageFormat::Snorm:
    return bitsOf(float(std::max(-1.0, signExtended(V, Bits) / double(Upper))));
  case ImageFormat::Uscaled:
    return bitsOf(float(V));
  case ImageFormat::Sscaled:
    return bitsOf(float(signExtended(V, Bits)));
  case ImageFormat::Float:
    return Bits == 32   ? V
           : Bits == 16 ? bitsOf(float(Half.decode(V)))
           : Bits == 11 ? bitsOf(float(Float11.decode(V)))
                        : bitsOf(float(Float10.decode(V)));
  }
  return 0;
}

/// The nearest integer of a range; NaN is 0.
double nearest(double D, double Least, double Most) {
  return std::isnan(D) ? 0 : std::nearbyint(std::clamp(D, Least, Most));
}

uint32_t stored(uint32_t V, unsigned Bits, ImageFormat::Type Type) {
  const uint32_t Most = Bits == 32 ? ~0u : (1u << Bits) - 1;
  const uint32_t Largest = Most / 2;
  const double F = double(numberOf(V)), Upper = Largest;
  switch (Type) {
  case ImageFormat::Uint:
    return std::min(V, Most);
  case ImageFormat::Sint:
    return uint32_t(int32_t(std::clamp<int64_t>(
               int32_t(V), -int64_t(Largest) - 1, int64_t(Largest)))) &
           Most;
  case ImageFormat::Unorm:
    return uint32_t(nearest(F * Most, 0, Most));
  case ImageFormat::Srgb:
    return uint32_t(nearest(srgbOf(std::clamp(F, 0.0, 1.0)) * Most, 0, Most));
  case ImageFormat::Snorm:
    return uint32_t(int32_t(nearest(F * Upper, -Upper, Upper))) & Most;
  case ImageFormat::Uscaled:
    return uint32_t(nearest(F, 0, Most));
  case ImageFormat::Sscaled:
    return uint32_t(int32_t(nearest(F, -Upper - 1, Upper))) & Most;
  case ImageFormat::Float:
    return Bits == 32   ? V
           : Bits == 16 ? Half.encode(F, false)
           : Bits == 11 ? Float11.encode(std::max(F, 0.0), false)
                        : Float10.encode(std::max(F, 0.0), false);
  }
  return 0;
}

} // namespace

uint16_t halfOf(float F) { return uint16_t(Half.encode(F, false)); }
float floatOf(uint16_t H) { return float(Half.decode(H)); }

ImageFormat ImageFormat::find(gpu::Descriptors In, unsigned Data,
                              unsigned Number) {
  if (In == gpu::Descriptors::GFX9) {
    // Number formats: the six, one that isn't used, float, srgb is 9.
    if (Data >= sizeof(Layouts) / sizeof(Layouts[0]) || Number == 6 ||
        Number == 8 || Number > 9)
      return {};
    return make(Data, Number < 6 ? Type(Number) : Number == 7 ? Float : Srgb);
  }
  const auto Search = [&](const auto &Table) {
    for (const Run &R : Table)
      if (Data >= R.First && Data - R.First < R.Count)
        return make(R.Data, R.Types[Data - R.First]);
    return ImageFormat();
  };
  return In == gpu::Descriptors::GFX10 ? Search(Gfx10) : Search(Gfx11);
}

void ImageFormat::load(const uint8_t *Element, uint32_t Components[4]) const {
  uint32_t Words[4] = {0};
  std::memcpy(Words, Element, Bytes);
  unsigned At = 0;
  for (unsigned N = 0; N < 4; ++N) {
    Components[N] = 0;
    if (!Bits[N])
      continue;
    const uint32_t V = Words[At / 32] >> At % 32;
    const uint32_t Mask = Bits[N] == 32 ? ~0u : (1u << Bits[N]) - 1;
    Components[N] =
        loaded(V & Mask, Bits[N], Is == Srgb && N == 3 ? Unorm : Is);
    At += Bits[N];
  }
}

void ImageFormat::store(const uint32_t Components[4], uint8_t *Element) const {
  uint32_t Words[4] = {0};
  unsigned At = 0;
  for (unsigned N = 0; N < 4 && Bits[N]; At += Bits[N], ++N)
    Words[At / 32] |=
        stored(Components[N], Bits[N], Is == Srgb && N == 3 ? Unorm : Is)
        << At % 32;
  std::memcpy(Element, Words, Bytes);
}

uint32_t ImageSelection::select(unsigned N, const uint32_t Components[4],
                                bool IsInteger) const {
  const unsigned From = Fields >> (3 * N) & 7;
  if (From >= 4)
    return Components[From - 4];
  return From == 1 ? (IsInteger ? 1 : 0x3f800000) : 0;
}

void ImageSelection::distribute(const uint32_t Values[4],
                                uint32_t Components[4]) const {
  for (unsigned C = 0; C < 4; ++C) {
    Components[C] = 0;
    for (unsigned N = 4; N-- > 0;)
      if ((Fields >> (3 * N) & 7) == C + 4)
        Components[C] = Values[N];
  }
}

} // namespace wavelane::isa
