//===-- KernelTest.cpp - kernels as clang compiles them -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each GPU, with each of its wave sizes, at -O0 and at -O2.
//
//===----------------------------------------------------------------------===//

#include "KernelWork.h"
#include "Launcher.h"

using namespace isatest;

namespace {

class ISAKernel : public testing::TestWithParam<Build> {};

TEST_P(ISAKernel, VectorAddWithPartialWave) {
  Launcher L(GetParam());
  uint64_t A, B, C;
  const unsigned N = 1000;
  float *PA = L.buffer<float>(N, A), *PB = L.buffer<float>(N, B);
  float *PC = L.buffer<float>(1024, C);
  for (unsigned I = 0; I < N; ++I)
    PA[I] = float(I) * 0.1f, PB[I] = 1000.0f / float(I + 1);
  L.grid("vadd", 8, 128, A, B, C, N);
  for (unsigned I = 0; I < N; ++I)
    EXPECT_EQ(PC[I], PA[I] + PB[I]) << I;
  EXPECT_EQ(PC[N], 0.0f);
}

template <class T, class F>
void compare(const Build &On, const char *Kernel, F Host) {
  Launcher L(On);
  uint64_t Out;
  T *P = L.buffer<T>(512, Out);
  L.grid(Kernel, 2, 256, Out);
  for (unsigned I = 0; I < 512; ++I) {
    const T Want = Host(I);
    EXPECT_EQ(std::memcmp(&P[I], &Want, sizeof(T)), 0)
        << Kernel << " " << I << ": " << P[I] << ", host " << Want;
  }
}
TEST_P(ISAKernel, Recursion) {
  compare<uint32_t>(GetParam(), "do_fib",
                    [](unsigned I) { return fib(I % 12); });
}
TEST_P(ISAKernel, Integers) {
  compare<uint32_t>(GetParam(), "do_integers", integers);
}
TEST_P(ISAKernel, Singles) {
  compare<float>(GetParam(), "do_singles", singles);
}
TEST_P(ISAKernel, Doubles) {
  compare<double>(GetParam(), "do_doubles", doubles);
}
TEST_P(ISAKernel, Bytes) { compare<uint32_t>(GetParam(), "do_bytes", bytes); }

TEST_P(ISAKernel, ReductionWithBarriersAndAtomics) {
  Launcher L(GetParam());
  uint64_t In, Total;
  uint32_t *P = L.buffer<uint32_t>(1024, In), *T = L.buffer<uint32_t>(1, Total);
  uint32_t Want = 0;
  for (unsigned I = 0; I < 1024; ++I)
    Want += P[I] = I * I + 17;
  L.grid("reduce", 4, 256, In, Total);
  EXPECT_EQ(*T, Want);
}

TEST_P(ISAKernel, FloatsThatAllLanesShare) {
  Launcher L(GetParam());
  uint64_t Out;
  float *P = L.buffer<float>(64, Out);
  for (uint32_t N : {1u, 5u, 30u}) {
    const float X = -1.75f;
    float Y = X;
    for (uint32_t K = 0; K < N; ++K) {
      Y = Y * X * 0.5f + float(K);
      Y = Y > 100.0f ? Y * 0.01f : Y < -3.0f ? -Y : Y;
      Y = std::floor(Y * 8.0f) + Y;
    }
    L.grid("uniform_floats", 1, 64, Out, X, N);
    EXPECT_EQ(P[0], Y) << N;
    EXPECT_EQ(P[63], Y) << N;
  }
}

TEST_P(ISAKernel, TwoDimensions) {
  Launcher L(GetParam());
  uint64_t Out;
  uint32_t *P = L.buffer<uint32_t>(48 * 16, Out);
  struct {
    uint64_t Out;
    uint32_t Width;
  } Args = {Out, 48};
  L.launch("where", &Args, 12, 3, 2, 16, 8);
  for (unsigned Y = 0; Y < 16; ++Y)
    for (unsigned X = 0; X < 48; ++X)
      EXPECT_EQ(P[Y * 48 + X], X * 1000 + Y);
}

/// Each GPU's own code, and code for its generic target.
std::vector<Build> builds() {
  using namespace wavelane::gpu;
  std::vector<Build> All;
  for (const Processor &Device : devices())
    for (const Processor &Code : processors())
      for (unsigned Lanes : {32u, 64u})
        for (const char *Level : {"O0", "O2"})
          if (Device.isModeled() && Code.runsOn(Device) &&
              (Lanes == 64 || Device.hasWave32()))
            All.push_back({Device.Id, Lanes, Level, Code.Id});
  return All;
}

INSTANTIATE_TEST_SUITE_P(Builds, ISAKernel, testing::ValuesIn(builds()),
                         [](const testing::TestParamInfo<Build> &I) {
                           return I.param.name();
                         });

} // namespace
