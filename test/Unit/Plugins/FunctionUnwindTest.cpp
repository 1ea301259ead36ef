// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a function keeps its caller, read off its code.
#include "Unwind/AMDGPU/FunctionUnwind.h"
#include "TestAssembler.h"

#include "gtest/gtest.h"

using namespace lldb_private::wavelane;
using Register = FunctionUnwind::Register;
using Place = FunctionUnwind::Place;

namespace {

constexpr uint64_t kStart = 0x1000;

class FunctionUnwindTest : public ::testing::Test {
public:
  void Read(llvm::StringRef text, const char *processor = "gfx90a") {
    m_bytes = Assemble(text, processor);
    m_code = AMDGPUMachineCode::Get(processor);
    ASSERT_TRUE(m_code);
    ASSERT_FALSE(m_bytes.empty());
    m_function.emplace(*m_code, kStart, m_bytes);
  }

  /// The state before the n-th instruction.
  const FunctionUnwind::Row &Before(unsigned n) {
    uint64_t pc = kStart;
    for (unsigned i = 0; i < n; ++i)
      pc +=
          m_code
              ->Decode(llvm::ArrayRef<uint8_t>(m_bytes).drop_front(pc - kStart),
                       pc)
              ->size;
    return *m_function->GetRow(pc);
  }

  static std::string Show(std::optional<Place> place) {
    if (!place)
      return "lost";
    const std::string reg = place->reg.file + std::to_string(place->reg.number);
    switch (place->kind) {
    case Place::InRegister:
      return reg;
    case Place::InLane:
      return reg + "[" + std::to_string(place->lane) + "]";
    case Place::OnStack:
      return "stack " + std::to_string(place->slot_base) + "+" +
             std::to_string(place->offset);
    }
    return "";
  }
  std::string Where(unsigned n, Register reg) {
    return Show(Before(n).Find(reg));
  }

  std::shared_ptr<AMDGPUMachineCode> m_code;
  std::vector<uint8_t> m_bytes;
  std::optional<FunctionUnwind> m_function;
};

TEST_F(FunctionUnwindTest, ALeafKeepsAllWhereItWas) {
  Read("v_mul_f32 v0, v0, v1\n s_setpc_b64 s[30:31]\n");
  EXPECT_EQ(Where(1, {'s', 30}), "s30");
  EXPECT_EQ(Where(1, {'s', 33}), "s33");
  EXPECT_EQ(Where(1, {'v', 0}), "lost");
  EXPECT_EQ(Before(1).sp, 0);
}

TEST_F(FunctionUnwindTest, HalfARegisterIsTheRegister) {
  Read("v_mov_b16_e32 v40.h, v0.l\n v_sub_nc_u16 v4.l, 0, v0.l\n s_nop 0\n",
       "gfx1100");
  EXPECT_EQ(Where(0, {'v', 40}), "v40");
  EXPECT_EQ(Where(1, {'v', 40}), "lost");
  const auto second = m_code->Decode(
      llvm::ArrayRef<uint8_t>(m_bytes).drop_front(4), kStart + 4);
  ASSERT_TRUE(second);
  EXPECT_EQ(m_code->GetWritten(second->inst),
            (std::vector<Register>{{'v', 4}}));
}

TEST_F(FunctionUnwindTest, TheReturnAddressGoesToLanes) {
  Read(R"(
    s_mov_b32 s9, s33
    s_mov_b32 s33, s32
    s_or_saveexec_b64 s[4:5], -1
    buffer_store_dword v40, off, s[0:3], s33 offset:12
    s_mov_b64 exec, s[4:5]
    v_writelane_b32 v40, s9, 2
    v_writelane_b32 v40, s30, 0
    v_writelane_b32 v40, s31, 1
    s_addk_i32 s32, 0x400
    s_swappc_b64 s[30:31], s[6:7]
    v_readlane_b32 s31, v40, 1
    v_readlane_b32 s30, v40, 0
    v_readlane_b32 s9, v40, 2
    s_or_saveexec_b64 s[4:5], -1
    buffer_load_dword v40, off, s[0:3], s33 offset:12
    s_mov_b64 exec, s[4:5]
    s_addk_i32 s32, 0xfc00
    s_mov_b32 s33, s9
    s_setpc_b64 s[30:31]
  )");
  EXPECT_EQ(Where(1, {'s', 33}), "s33");
  EXPECT_EQ(Where(2, {'s', 33}), "s9");
  EXPECT_EQ(Where(10, {'s', 30}), "v40[0]");
  EXPECT_EQ(Where(10, {'s', 31}), "v40[1]");
  EXPECT_EQ(Where(10, {'v', 40}), "stack 0+12");
  EXPECT_EQ(Before(9).sp, 0x400);
  EXPECT_EQ(Before(10).sp_copies.at({'s', 33}), 0);
  EXPECT_FALSE(Before(9).called);
  EXPECT_TRUE(Before(10).called);
  // The end of the function restores everything, register by register.
  EXPECT_EQ(Where(12, {'s', 30}), "s30");
  EXPECT_EQ(Where(15, {'v', 40}), "v40");
  EXPECT_EQ(Before(17).sp, 0);
  EXPECT_EQ(Where(18, {'s', 33}), "s33");
  EXPECT_EQ(Where(18, {'s', 32}), "s32");
}

TEST_F(FunctionUnwindTest, ALoopsHeadIsReachedFromItsEndToo) {
  Read(R"(
    s_mov_b64 s[34:35], s[30:31]
  head:
    s_nop 0
    s_swappc_b64 s[30:31], s[6:7]
    s_cbranch_scc1 head
    s_mov_b64 s[30:31], s[34:35]
    s_setpc_b64 s[30:31]
  )");
  EXPECT_EQ(Where(1, {'s', 30}), "s34");
  EXPECT_EQ(Where(1, {'s', 31}), "s35");
  EXPECT_EQ(Where(5, {'s', 30}), "s30");
}

TEST_F(FunctionUnwindTest, CodeAfterAnEarlyReturnIsReachedByItsBranch) {
  Read(R"(
    s_mov_b32 s33, s32
    s_addk_i32 s32, 0x800
    s_cbranch_scc0 more
    s_addk_i32 s32, 0xf800
    s_setpc_b64 s[30:31]
  more:
    s_nop 0
    s_addk_i32 s32, 0xf800
    s_setpc_b64 s[30:31]
  )");
  EXPECT_EQ(Before(4).sp, 0);
  EXPECT_EQ(Before(5).sp, 0x800);
  EXPECT_EQ(Before(7).sp, 0);
}

TEST_F(FunctionUnwindTest, AVectorRegisterIsSavedForTheActiveLanes) {
  using Lanes = FunctionUnwind::Lanes;
  Read(R"(
    s_or_saveexec_b64 s[4:5], -1
    buffer_store_dword v41, off, s[0:3], s32
    s_mov_b64 exec, s[4:5]
    buffer_store_dword v40, off, s[0:3], s32 offset:4
    v_mov_b32 v40, v0
    v_mov_b32 v41, v0
    s_and_saveexec_b64 s[6:7], vcc
    v_accvgpr_write_b32 a1, v42
    v_mov_b32 v42, v0
    s_or_b64 exec, exec, s[6:7]
    v_accvgpr_write_b32 a2, v43
    v_mov_b32 v43, v0
    s_setpc_b64 s[30:31]
  )");
  EXPECT_EQ(Before(1).active, Lanes::All);
  EXPECT_EQ(Before(3).active, Lanes::AtEntry);
  EXPECT_EQ(Before(7).active, Lanes::Unknown);
  EXPECT_EQ(Before(10).active, Lanes::AtEntry);
  EXPECT_EQ(Where(6, {'v', 41}), "stack 0+0");
  EXPECT_EQ(Before(6).Find({'v', 41})->lanes, Lanes::All);
  EXPECT_EQ(Where(6, {'v', 40}), "stack 0+4");
  EXPECT_EQ(Before(6).Find({'v', 40})->lanes, Lanes::AtEntry);
  // A value that only some lanes copied is unknown.
  EXPECT_EQ(Where(9, {'v', 42}), "lost");
  EXPECT_EQ(Where(12, {'v', 43}), "a2");
  EXPECT_EQ(Where(8, {'e', 0}), "s4");
}

TEST_F(FunctionUnwindTest, CodeThatNoSeenWayReachesIsAGuess) {
  Read(R"(
    s_mov_b64 s[34:35], s[30:31]
    s_branch test
  body:
    s_nop 0
    s_swappc_b64 s[30:31], s[6:7]
  test:
    s_cbranch_scc1 body
    s_setpc_b64 s[34:35]
    s_nop 0
    s_setpc_b64 s[34:35]
  )");
  EXPECT_FALSE(Before(3).guess);
  EXPECT_EQ(Where(3, {'s', 30}), "s34");
  EXPECT_FALSE(Before(5).guess);
  EXPECT_TRUE(Before(7).guess);
}

TEST_F(FunctionUnwindTest, WhatIsNoCodeIsPassed) {
  Read(".long 0xffffffff\n .long 0xffffffff\n s_setpc_b64 s[30:31]\n");
  EXPECT_EQ(Where(0, {'s', 30}), "s30");
  EXPECT_FALSE(m_function->GetRow(kStart)->guess);
  EXPECT_TRUE(m_function->GetRow(kStart + 8)->guess);
  EXPECT_FALSE(m_function->GetRow(kStart - 4));
  EXPECT_FALSE(m_function->GetRow(kStart + 0x1000));
}

} // namespace
