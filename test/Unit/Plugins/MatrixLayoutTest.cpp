//===-- MatrixLayoutTest.cpp ----------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Commands/GPU/MatrixLayout.h"
#include "gtest/gtest.h"
#include <set>
#include <tuple>

using namespace lldb_private::wavelane;

TEST(MatrixLayoutTest, Instructions) {
  auto one =
      MatrixInstruction::Parse("v_mfma_i32_16x16x16i8 a[0:3], v2, v3, a[0:3]");
  ASSERT_TRUE(one);
  EXPECT_EQ(one->rows, 16u);
  EXPECT_EQ(one->depth, 16u);
  EXPECT_EQ(one->blocks, 1u);
  EXPECT_EQ(one->source, MatrixInstruction::I8);
  EXPECT_EQ(one->d->file, 'a');
  EXPECT_EQ(one->b->first, 3u);

  auto blocks = MatrixInstruction::Parse(
      "v_mfma_f32_32x32x1_2b_f32 a[0:31], v2, v3, 0 cbsz:1");
  ASSERT_TRUE(blocks);
  EXPECT_EQ(blocks->blocks, 2u);
  EXPECT_FALSE(blocks->c);
  EXPECT_TRUE(MatrixInstruction::Parse(
      "v_mfma_f32_32x32x8bf16_1k v[0:15], v[16:17], v[18:19], v[0:15]"));
  EXPECT_TRUE(MatrixInstruction::Parse(
      "v_mfma_f32_4x4x4f16 a[0:3], v[0:1], v[2:3], a[0:3]"));
}

TEST(MatrixLayoutTest, WhatIsNone) {
  for (const char *text : {"", "v_mfma", "v_add_f32 v0, v1, v2",
                           "v_mfma_f64_16x16x4f64 a[0:7], v[0:1], v[2:3], 0",
                           "v_mfma_i32_16x16x16i8 a[0:3], v2, v3",
                           "v_mfma_i32_16x16x16i8 a[0:1], v2, v3, 0",
                           "v_mfma_i32_16x8x16i8 a[0:3], v2, v3, 0",
                           "v_mfma_i32_16x16x16i8 a[3:0], v2, v3, 0",
                           "v_mfma_i32_16x16x99i8 a[0:3], v2, v3, 0",
                           "v_mfma_i32_16x16x16i8 a[0:999], v2, v3, 0"})
    EXPECT_FALSE(MatrixInstruction::Parse(text)) << text;
}

// Each element has a different place, and together they fill the registers.
TEST(MatrixLayoutTest, EveryElementHasAPlace) {
  for (const char *text : {"v_mfma_i32_16x16x16i8 a[0:3], v2, v3, 0",
                           "v_mfma_f32_32x32x8f16 a[0:15], v[0:1], v[2:3], 0",
                           "v_mfma_f32_32x32x1f32 a[0:31], v0, v1, 0",
                           "v_mfma_f32_16x16x1f32 a[0:15], v0, v1, 0",
                           "v_mfma_f32_4x4x1f32 a[0:3], v0, v1, 0",
                           "v_mfma_f32_16x16x4f32 a[0:3], v0, v1, 0"}) {
    auto m = MatrixInstruction::Parse(text);
    ASSERT_TRUE(m) << text;
    std::set<std::tuple<unsigned, unsigned>> results;
    std::set<std::tuple<unsigned, unsigned, unsigned>> sources;
    for (unsigned block = 0; block < m->blocks; ++block)
      for (unsigned row = 0; row < m->rows; ++row) {
        for (unsigned column = 0; column < m->rows; ++column) {
          auto place = m->FindResult(block, row, column);
          EXPECT_LT(place.reg, m->d->count) << text;
          EXPECT_LT(place.lane, 64u) << text;
          results.insert({place.reg, place.lane});
        }
        for (unsigned k = 0; k < m->depth; ++k) {
          auto place = m->FindSource(*m->a, block, row, k);
          EXPECT_LT(place.reg, m->a->count) << text;
          EXPECT_LT(place.lane, 64u) << text;
          sources.insert({place.reg, place.lane, place.byte});
        }
      }
    EXPECT_EQ(results.size(), m->d->count * 64) << text;
    EXPECT_EQ(sources.size(), m->blocks * m->rows * m->depth) << text;
  }
}
