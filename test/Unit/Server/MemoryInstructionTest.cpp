//===-- MemoryInstructionTest.cpp -----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Server/Wave/MemoryInstruction.h"
#include "gtest/gtest.h"

using namespace wavelane::server;

TEST(MemoryInstructionTest, Loads) {
  auto load = MemoryInstruction::Parse(
      "global_load_dword v2, v[0:1], off offset:-16 glc");
  ASSERT_TRUE(load);
  EXPECT_EQ(load->vector, 0u);
  EXPECT_TRUE(load->is_vector_pair);
  EXPECT_FALSE(load->scalar);
  EXPECT_FALSE(load->is_store);
  EXPECT_EQ(load->offset, -16);

  load = MemoryInstruction::Parse("global_load_dwordx2 v[4:5], v3, s[6:7]");
  ASSERT_TRUE(load);
  EXPECT_EQ(load->vector, 3u);
  EXPECT_FALSE(load->is_vector_pair);
  EXPECT_EQ(load->scalar, 6u);

  load = MemoryInstruction::Parse("s_load_dwordx4 s[0:3], s[8:9], 0x20");
  ASSERT_TRUE(load);
  EXPECT_FALSE(load->vector);
  EXPECT_EQ(load->scalar, 8u);
  EXPECT_EQ(load->offset, 32);

  load = MemoryInstruction::Parse("flat_load_ubyte v1, v[10:11]");
  ASSERT_TRUE(load);
  EXPECT_EQ(load->vector, 10u);
}

TEST(MemoryInstructionTest, StoresAndAtomics) {
  auto store = MemoryInstruction::Parse("flat_store_dword v[2:3], v4 offset:8");
  ASSERT_TRUE(store);
  EXPECT_TRUE(store->is_store);
  EXPECT_EQ(store->vector, 2u);
  EXPECT_EQ(store->offset, 8);
  auto atomic = MemoryInstruction::Parse("global_atomic_add v[2:3], v4, off");
  ASSERT_TRUE(atomic);
  EXPECT_EQ(atomic->vector, 2u);
  atomic =
      MemoryInstruction::Parse("global_atomic_add v9, v[2:3], v4, off glc");
  ASSERT_TRUE(atomic);
  EXPECT_EQ(atomic->vector, 2u);
}

TEST(MemoryInstructionTest, Others) {
  for (const char *text :
       {"", "s_nop 0", "v_add_u32_e32 v0, v1, v2", "ds_read_b32 v0, v1",
        "global_load_dword", "global_load_dword v2",
        "global_load_dword v2, off", "global_load_dword v2, v[0:",
        "global_load_dword v2, v3, off", "s_load_dword s0",
        "s_load_dword s0, s1, 0x0", "flat_load_dword v1, v[0:9]"})
    EXPECT_FALSE(MemoryInstruction::Parse(text)) << text;
}
