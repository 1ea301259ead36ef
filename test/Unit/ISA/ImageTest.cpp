//===-- ImageTest.cpp - image instructions and typed buffers --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Harness.h"

using namespace isatest;

namespace {

// Formats of gfx10 and of gfx11.
constexpr unsigned Float10 = 22, Unorm8x4 = 56, Unorm8x4Of11 = 42, Sint16 = 12;
constexpr unsigned Type2D = 9, Type2DArray = 13;
constexpr uint32_t XYZW = 4 | 5 << 3 | 6 << 6 | 7 << 9;
constexpr uint32_t X001 = 4 | 1 << 9; // x, 0, 0, 1

/// A tiled image at the wave's data, whose elements are in rows without gaps.
struct Image {
  unsigned Type = Type2D, Width = 8, Height = 4, Depth = 1, Format = Float10;
  uint32_t Selection = XYZW;
  bool IsLinear = false;
  unsigned Pitch = 0;

  void put(Wave &W, unsigned S) const {
    uint32_t D[8] = {0};
    D[0] = uint32_t(Wave::Data >> 8);
    D[1] = Format << 20 | ((Width - 1) & 3) << 30;
    D[2] = (Width - 1) >> 2 | (Height - 1) << 14;
    D[3] = Selection | (IsLinear ? 0u : 9u) << 20 | Type << 28;
    D[4] = Pitch ? Pitch - 1 : Depth - 1;
    std::copy(D, D + 8, &W.S.Scalar[S]);
  }
};

/// A sampler: address mode, normalized coordinates, linear filter.
void putSampler(Wave &W, unsigned S, unsigned Mode, bool Normalized,
                bool Linear) {
  W.S.Scalar[S] = Mode | Mode << 3 | Mode << 6 | (Normalized ? 0u : 1u) << 15;
  W.S.Scalar[S + 1] = 0xfff000;
  W.S.Scalar[S + 2] = (Linear ? 5u : 0u) << 20;
  W.S.Scalar[S + 3] = 0;
}

void fill(Wave &W, unsigned Count) {
  for (unsigned N = 0; N < Count; ++N)
    W.data<float>(4 * N) = float(N) * 2;
}

class ISAImage : public testing::TestWithParam<wavelane::isa::Target> {
protected:
  Wave W{GetParam(), 32};
  unsigned unorm8x4() const {
    return GetParam() == Target::GFX1100 ? Unorm8x4Of11 : Unorm8x4;
  }
};

} // namespace

TEST_P(ISAImage, LoadsElementsAndZerosOutside) {
  Image I;
  I.Selection = X001;
  I.put(W, 8);
  fill(W, 32);
  W.setV(0, [](unsigned L) { return L % 9; });
  W.setV(1, [](unsigned L) { return L / 9; });
  W.run("image_load v[4:7], v[0:1], s[8:15] dmask:0xf dim:SQ_RSRC_IMG_2D "
        "unorm\n"
        "image_load v8, v[0:1], s[8:15] dmask:0x8 dim:SQ_RSRC_IMG_2D unorm\n"
        "s_waitcnt vmcnt(0)");
  for (unsigned L = 0; L < 32; ++L) {
    const unsigned X = L % 9, Y = L / 9;
    EXPECT_EQ(asFloat(W.v(4, L)), X < 8 ? float(Y * 8 + X) * 2 : 0) << L;
    EXPECT_EQ(W.v(5, L), 0u);
    EXPECT_EQ(asFloat(W.v(7, L)), 1.f);
    EXPECT_EQ(asFloat(W.v(8, L)), 1.f) << "only the selected components";
  }
}

TEST_P(ISAImage, StoresWhatItLoads) {
  Image I;
  I.Format = unorm8x4();
  I.Selection = 6 | 5 << 3 | 4 << 6 | 7 << 9; // BGRA
  I.put(W, 8);
  W.setV(0, [](unsigned L) { return L % 8; });
  W.setV(1, [](unsigned L) { return L / 8; });
  W.setV(4, [](unsigned L) { return bits(float(L) / 255); });
  W.setV(5, [](unsigned) { return bits(2.f); });
  W.setV(6, [](unsigned) { return bits(-1.f); });
  W.setV(7, [](unsigned) { return bits(0.5f); });
  W.S.setExec(0x7fffffff);
  W.run("image_store v[4:7], v[0:1], s[8:15] dmask:0xf dim:SQ_RSRC_IMG_2D "
        "unorm\n"
        "image_load v[8:11], v[0:1], s[8:15] dmask:0xf dim:SQ_RSRC_IMG_2D "
        "unorm\ns_waitcnt vmcnt(0)");
  for (unsigned L = 0; L < 31; ++L) {
    // Blue is the first byte; 127.5 is rounded to even.
    EXPECT_EQ(W.data<uint32_t>(4 * L), 0x8000ff00u | L << 16) << L;
    EXPECT_FLOAT_EQ(asFloat(W.v(8, L)), float(L) / 255);
    EXPECT_EQ(asFloat(W.v(9, L)), 1.f);
    EXPECT_EQ(asFloat(W.v(10, L)), 0.f);
  }
  EXPECT_EQ(W.data<uint32_t>(4 * 31), 0u);
}

TEST_P(ISAImage, LinearImagesHaveAPitch) {
  Image I;
  I.IsLinear = true;
  I.Pitch = 128;
  I.put(W, 8);
  fill(W, 512);
  W.setV(0, [](unsigned L) { return L % 8; });
  W.setV(1, [](unsigned L) { return L / 8; });
  W.run("image_load v4, v[0:1], s[8:15] dmask:0x1 dim:SQ_RSRC_IMG_2D unorm\n"
        "s_waitcnt vmcnt(0)");
  for (unsigned L = 0; L < 32; ++L)
    EXPECT_EQ(asFloat(W.v(4, L)), float(L / 8 * 128 + L % 8) * 2) << L;
}

TEST_P(ISAImage, SamplesNearestAndLinear) {
  Image().put(W, 8);
  fill(W, 32);
  putSampler(W, 16, /*last element*/ 2, /*Normalized=*/false, false);
  putSampler(W, 20, /*wrap*/ 0, /*Normalized=*/true, true);
  W.setV(0, [](unsigned L) { return bits(float(L) - 4.75f); });
  W.setV(1, [](unsigned) { return bits(1.5f); });
  W.setV(2, [](unsigned L) { return bits((float(L) + 0.25f) / 8); });
  W.setV(3, [](unsigned) { return bits(1.5f / 4); });
  W.run("image_sample_lz v4, v[0:1], s[8:15], s[16:19] dmask:0x1 "
        "dim:SQ_RSRC_IMG_2D\n"
        "image_sample v5, [v2, v3], s[8:15], s[20:23] dmask:0x1 "
        "dim:SQ_RSRC_IMG_2D\n"
        "image_gather4_lz v[8:11], v[0:1], s[8:15], s[16:19] dmask:0x1 "
        "dim:SQ_RSRC_IMG_2D\n"
        "s_waitcnt vmcnt(0)");
  for (unsigned L = 0; L < 32; ++L) {
    const int X = std::clamp(int(L) - 5, 0, 7);
    EXPECT_EQ(asFloat(W.v(4, L)), float(8 + X) * 2) << L;
    // A quarter of the element before, which for the first is the last.
    const unsigned At = L % 8, Before = (At + 7) % 8;
    EXPECT_EQ(asFloat(W.v(5, L)),
              0.75f * float(8 + At) * 2 + 0.25f * float(8 + Before) * 2)
        << L;
    // (-4.75, 1.5) is between the elements -6 and -5, and in row 1.
    const int X0 = std::clamp(int(L) - 6, 0, 7);
    EXPECT_EQ(asFloat(W.v(8, L)), float(16 + X0) * 2) << L;
    EXPECT_EQ(asFloat(W.v(11, L)), float(8 + X0) * 2) << L;
  }
}

TEST_P(ISAImage, SlicesAndBorders) {
  Image I;
  I.Type = Type2DArray;
  I.Width = I.Height = 2;
  I.Depth = 3;
  I.Selection = X001;
  I.put(W, 8);
  fill(W, 12);
  putSampler(W, 16, /*border*/ 6, /*Normalized=*/false, false);
  W.setV(0, [](unsigned L) { return bits(float(L % 4) - 0.5f); });
  W.setV(1, [](unsigned) { return bits(1.25f); });
  W.setV(2, [](unsigned L) { return bits(float(L / 4) - 1); });
  W.run("image_sample v[4:7], v[0:2], s[8:15], s[16:19] dmask:0xf "
        "dim:SQ_RSRC_IMG_2D_ARRAY\ns_waitcnt vmcnt(0)");
  for (unsigned L = 0; L < 32; ++L) {
    const int X = int(L % 4) - 1, Slice = std::clamp(int(L / 4) - 1, 0, 2);
    EXPECT_EQ(asFloat(W.v(4, L)),
              X < 0 || X > 1 ? 0 : float(Slice * 4 + 2 + X) * 2)
        << L;
    EXPECT_EQ(asFloat(W.v(7, L)), 1.f) << L;
  }
}

TEST_P(ISAImage, TypedBuffers) {
  // Records of 8 bytes, of which a signed short is accessed.
  const uint32_t D[4] = {uint32_t(Wave::Data), 8u << 16, 24,
                         X001 | Sint16 << 12 | 3u << 28};
  std::copy(D, D + 4, &W.S.Scalar[8]);
  W.data<int16_t>(8) = -5;
  W.setV(0, [](unsigned L) { return L; });
  W.run("buffer_load_format_xyzw v[4:7], v0, s[8:11], 0 idxen\n"
        "buffer_store_format_x v0, v0, s[8:11], 0 idxen offset:2\n"
        "s_waitcnt vmcnt(0)");
  EXPECT_EQ(int32_t(W.v(4, 1)), -5);
  EXPECT_EQ(W.v(5, 1), 0u);
  EXPECT_EQ(W.v(7, 1), 1u) << "an integer";
  EXPECT_EQ(W.v(4, 4), 0u) << "beyond the records";
  EXPECT_EQ(W.data<int16_t>(18), 2);
  EXPECT_EQ(W.data<int16_t>(26), 0);
}

TEST_P(ISAImage, FaultsAndRefusals) {
  Image I;
  I.put(W, 8);
  W.S.Scalar[9] |= 0x70; // another address
  W.setV(0, [](unsigned) { return 0; });
  W.setV(1, [](unsigned) { return 0; });
  W.S.setExec(6);
  W.load("image_load v4, v[0:1], s[8:15] dmask:0x1 dim:SQ_RSRC_IMG_2D unorm\n"
         "s_endpgm");
  StepResult R = W.Exec.run(W.S, 10);
  EXPECT_EQ(R.Reason, StepResult::MemoryViolation);
  EXPECT_EQ(R.LaneMask, 6u);
  I.put(W, 8);
  W.S.Scalar[11] |= 1 << 16; // two levels
  W.load("image_load v4, v[0:1], s[8:15] dmask:0x1 dim:SQ_RSRC_IMG_2D unorm\n"
         "s_endpgm");
  R = W.Exec.run(W.S, 10);
  EXPECT_EQ(R.Reason, StepResult::IllegalInstruction);
  EXPECT_EQ(R.Text, "image_load: images with several levels aren't modeled");
  EXPECT_TRUE(R.IsUnmodeled);
  W.S.Scalar[11] &= ~(1u << 16);
  W.S.AccumOffset = 4;
  W.load("image_load v2, v[4:5], s[8:15] dmask:0x1 dim:SQ_RSRC_IMG_2D unorm\n"
         "s_endpgm");
  R = W.Exec.run(W.S, 10);
  EXPECT_EQ(R.Reason, StepResult::IllegalInstruction);
  EXPECT_FALSE(R.IsUnmodeled) << R.Text;
}

INSTANTIATE_TEST_SUITE_P(Gpus, ISAImage,
                         testing::Values(Target::GFX1030, Target::GFX1100),
                         [](const auto &Info) {
                           return Info.param == Target::GFX1030 ? "gfx1030"
                                                                : "gfx1100";
                         });
