//===-- DppTest.cpp - which lane a lane reads with DPP --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The expected lanes are those that the pseudocode of AMD's ISA documents
// gives for dpp_ctrl, computed on rows of 16 lanes as arrays.
//
//===----------------------------------------------------------------------===//

#include "Simulator/ISA/Dpp.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <array>

using namespace wavelane::isa;

namespace {

constexpr unsigned Lanes = 64;
using Sources = std::array<int, Lanes>;

Sources sources(unsigned Ctrl) {
  DppControl C;
  C.IsOn = true;
  C.Ctrl = uint16_t(Ctrl);
  Sources All;
  for (unsigned L = 0; L < Lanes; ++L)
    All[L] = dppSource(C, L);
  return All;
}

/// The lanes in order, with \a Change applied to each group of \a Size.
template <typename F> Sources inGroups(unsigned Size, F Change) {
  Sources All;
  for (unsigned L = 0; L < Lanes; ++L)
    All[L] = int(L);
  for (auto Begin = All.begin(); Begin != All.end(); Begin += Size)
    Change(Begin, Begin + Size);
  return All;
}

} // namespace

TEST(Dpp, QuadPermutations) {
  for (unsigned Ctrl = 0; Ctrl < 0x100; ++Ctrl)
    EXPECT_EQ(sources(Ctrl), inGroups(4,
                                      [&](int *Begin, int *) {
                                        const int Quad[] = {Begin[0], Begin[1],
                                                            Begin[2], Begin[3]};
                                        for (unsigned N = 0; N < 4; ++N)
                                          Begin[N] = Quad[Ctrl >> 2 * N & 3];
                                      }))
        << Ctrl;
}

TEST(Dpp, RowsAreShiftedAndRotated) {
  for (unsigned By = 1; By < 16; ++By) {
    EXPECT_EQ(sources(0x100 + By),
              inGroups(16,
                       [&](int *Begin, int *End) {
                         std::fill(std::copy(Begin + By, End, Begin), End, -1);
                       }))
        << "row_shl:" << By;
    EXPECT_EQ(sources(0x110 + By), inGroups(16,
                                            [&](int *Begin, int *End) {
                                              std::copy_backward(Begin,
                                                                 End - By, End);
                                              std::fill(Begin, Begin + By, -1);
                                            }))
        << "row_shr:" << By;
    EXPECT_EQ(sources(0x120 + By), inGroups(16,
                                            [&](int *Begin, int *End) {
                                              std::rotate(Begin, End - By, End);
                                            }))
        << "row_ror:" << By;
  }
}

TEST(Dpp, RowsAreMirroredAndShared) {
  const auto Reverse = [](int *Begin, int *End) { std::reverse(Begin, End); };
  EXPECT_EQ(sources(0x140), inGroups(16, Reverse));
  EXPECT_EQ(sources(0x141), inGroups(8, Reverse));
  for (unsigned N = 0; N < 16; ++N) {
    EXPECT_EQ(sources(0x150 + N),
              inGroups(16, [&](int *Begin,
                               int *End) { std::fill(Begin, End, Begin[N]); }))
        << "row_share:" << N;
    EXPECT_EQ(sources(0x160 + N),
              inGroups(16,
                       [&](int *Begin, int *End) {
                         const int First = *Begin;
                         for (int *Lane = Begin; Lane != End; ++Lane)
                           *Lane = First + ((*Lane - First) ^ int(N));
                       }))
        << "row_xmask:" << N;
  }
}

TEST(Dpp, WavesAreShiftedAndRotated) {
  EXPECT_EQ(sources(0x130), inGroups(64, [](int *Begin, int *End) {
              *std::copy(Begin + 1, End, Begin) = -1;
            }));
  EXPECT_EQ(sources(0x138), inGroups(64, [](int *Begin, int *End) {
              *std::prev(std::copy_backward(Begin, End - 1, End)) = -1;
            }));
  EXPECT_EQ(sources(0x134), inGroups(64, [](int *Begin, int *End) {
              std::rotate(Begin, Begin + 1, End);
            }));
  EXPECT_EQ(sources(0x13c), inGroups(64, [](int *Begin, int *End) {
              std::rotate(Begin, End - 1, End);
            }));
}

TEST(Dpp, ALaneIsBroadcastToTheNextRows) {
  Sources To15 = sources(0x142), To31 = sources(0x143);
  for (unsigned L = 0; L < Lanes; ++L) {
    EXPECT_EQ(To15[L], L < 16 ? -1 : int(L / 16 * 16 - 1)) << L;
    EXPECT_EQ(To31[L], L < 32 ? -1 : 31) << L;
  }
}

TEST(Dpp, EightLanesAreChosenFreely) {
  DppControl C;
  C.IsOn = C.Is8 = true;
  const int Of[] = {7, 0, 3, 3, 1, 6, 2, 5};
  for (unsigned N = 0; N < 8; ++N)
    C.Sel8 |= uint32_t(Of[N]) << 3 * N;
  for (unsigned L = 0; L < Lanes; ++L)
    EXPECT_EQ(dppSource(C, L), int(L / 8 * 8) + Of[L % 8]) << L;
}
