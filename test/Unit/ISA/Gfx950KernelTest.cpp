//===-- Gfx950KernelTest.cpp - kernels that only gfx950 can run -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Launcher.h"

using namespace isatest;

namespace {

class ISAGfx950Kernel : public testing::TestWithParam<const char *> {
protected:
  Launcher L{Build{wavelane::isa::Target::GFX950, 64, GetParam(),
                   wavelane::isa::Target::GFX950, "Gfx950Kernels"}};
};

/// A whole number from -4 to 4 as a half.
uint16_t half(int V) {
  static const uint16_t Positive[] = {0, 0x3c00, 0x4000, 0x4200, 0x4400};
  return uint16_t(Positive[std::abs(V)] | (V < 0 ? 0x8000 : 0));
}

} // namespace

TEST_P(ISAGfx950Kernel, MatricesOfHalves) {
  uint64_t A, B, D;
  uint16_t *PA = L.buffer<uint16_t>(16 * 32, A),
           *PB = L.buffer<uint16_t>(16 * 32, B);
  float *PD = L.buffer<float>(256, D);
  const auto X = [](int Row, int K) { return (Row * 5 + K * 3) % 9 - 4; };
  const auto Y = [](int Row, int K) { return (Row * 7 + K * 2) % 8 - 3; };
  for (int R = 0; R < 16; ++R)
    for (int K = 0; K < 32; ++K)
      PA[R * 32 + K] = half(X(R, K)), PB[R * 32 + K] = half(Y(R, K));
  L.grid("halves", 1, 64, A, B, D);
  for (int R = 0; R < 16; ++R)
    for (int C = 0; C < 16; ++C) {
      int Want = R % 4 + 1;
      for (int K = 0; K < 32; ++K)
        Want += X(R, K) * Y(C, K);
      EXPECT_EQ(PD[R * 16 + C], float(Want)) << R << "," << C;
    }
}

TEST_P(ISAGfx950Kernel, ScaledMatrices) {
  uint64_t A, B, S, D;
  uint32_t *PA = L.buffer<uint32_t>(256, A), *PB = L.buffer<uint32_t>(256, B);
  uint32_t *PS = L.buffer<uint32_t>(128, S);
  float *PD = L.buffer<float>(256, D);
  for (unsigned N = 0; N < 256; ++N)
    PA[N] = N * 2654435761u + 12345, PB[N] = N * 40503u * 65537u + 99;
  for (unsigned N = 0; N < 128; ++N) // byte 1 for A, 2 for B
    PS[N] = 0xff0000ff | (125 + N % 5) << 8 | (124 + N % 7) << 16;
  L.grid("scaled", 1, 64, A, B, S, D);
  static const float Magnitudes[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  const auto Number = [](const uint32_t *P, unsigned Row, unsigned K) {
    const uint32_t V = P[Row * 16 + K / 8] >> K % 8 * 4;
    return double(V & 8 ? -Magnitudes[V & 7] : Magnitudes[V & 7]);
  };
  for (unsigned R = 0; R < 16; ++R)
    for (unsigned C = 0; C < 16; ++C) {
      double Want = 0;
      for (unsigned K = 0; K < 128; ++K) {
        const unsigned SA = K / 32 * 16 + R, SB = 64 + K / 32 * 16 + C;
        Want += Number(PA, R, K) * std::pow(2.0, int(SA % 5) - 2) *
                Number(PB, C, K) * std::pow(2.0, int(SB % 7) - 3);
      }
      EXPECT_EQ(PD[R * 16 + C], float(Want)) << R << "," << C;
    }
}

TEST_P(ISAGfx950Kernel, ThereAndBack) {
  uint64_t In, Out;
  float *PI = L.buffer<float>(128, In), *PO = L.buffer<float>(128, Out);
  for (int N = 0; N < 128; ++N)
    PI[N] = float(N % 15 - 7) * (N & 1 ? 8.0f : 0.25f);
  L.grid("there_and_back", 1, 64, In, Out);
  for (int N = 0; N < 128; ++N)
    EXPECT_EQ(PO[N], PI[N] * 2) << N;
}

TEST_P(ISAGfx950Kernel, FarLocalMemory) {
  uint64_t In, Out;
  uint32_t *PI = L.buffer<uint32_t>(256, In),
           *PO = L.buffer<uint32_t>(256, Out);
  for (unsigned N = 0; N < 256; ++N)
    PI[N] = N * N + 1000;
  L.grid("far_local", 1, 256, In, Out);
  for (unsigned N = 0; N < 256; ++N)
    EXPECT_EQ(PO[N], PI[255 - N] + 255 - N) << N;
}

TEST_P(ISAGfx950Kernel, HalvesOfAWaveChangePlaces) {
  uint64_t Out;
  uint32_t *P = L.buffer<uint32_t>(128, Out);
  L.grid("swapped", 1, 64, Out);
  for (unsigned N = 0; N < 64; ++N) {
    EXPECT_EQ(P[2 * N], N < 32 ? N : N - 32 + 100) << N;
    EXPECT_EQ(P[2 * N + 1], N < 32 ? N + 32 : N + 100) << N;
  }
}

TEST_P(ISAGfx950Kernel, ColumnsOfAMatrix) {
  uint64_t In, Out;
  int16_t *PI = L.buffer<int16_t>(256, In), *PO = L.buffer<int16_t>(256, Out);
  for (int N = 0; N < 256; ++N)
    PI[N] = int16_t(N * 77 - 5000);
  L.grid("columns", 1, 64, In, Out);
  for (int N = 0; N < 64; ++N)
    for (int K = 0; K < 4; ++K)
      EXPECT_EQ(PO[4 * N + K], PI[N / 16 * 64 + K * 16 + N % 16])
          << N << " " << K;
}

INSTANTIATE_TEST_SUITE_P(Levels, ISAGfx950Kernel, testing::Values("O0", "O2"),
                         [](const testing::TestParamInfo<const char *> &I) {
                           return std::string(I.param);
                         });
