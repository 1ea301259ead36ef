//===-- MachineCodeTest.cpp - LLVM's MC of each processor -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/GPU/MachineCode.h"
#include "wavelane/GPU/Processors.h"

#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

using namespace wavelane::gpu;

static std::string print(MachineCode &M, llvm::ArrayRef<uint8_t> Bytes) {
  llvm::MCInst Inst;
  uint64_t Size = 0;
  if (M.decode(Inst, Size, Bytes, 0) != llvm::MCDisassembler::Success)
    return "";
  std::string Text;
  llvm::raw_string_ostream Stream(Text);
  M.printer().printInst(&Inst, 0, "", M.subtarget(), Stream);
  return llvm::StringRef(Text).trim().str();
}

TEST(MachineCode, EveryProcessorDecodesItsBreakpoint) {
  for (const Processor &P : processors()) {
    auto M = MachineCode::create(P.Name);
    ASSERT_TRUE(bool(M)) << llvm::toString(M.takeError());
    uint8_t Bytes[4];
    for (unsigned I = 0; I < 4; ++I)
      Bytes[I] = uint8_t(P.family().TrapWord >> (8 * I));
    EXPECT_EQ(print(**M, Bytes), "s_trap 1") << P.Name;
  }
}

TEST(MachineCode, FeaturesOfATargetIdDontCount) {
  EXPECT_TRUE(bool(MachineCode::create("gfx90a:sramecc+:xnack-")));
}

TEST(MachineCode, UnknownProcessorsAreRefused) {
  for (const char *Name : {"gfx90", "", "gfx9-", "sm_90"}) {
    testing::internal::CaptureStderr();
    auto M = MachineCode::create(Name);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    ASSERT_FALSE(bool(M)) << Name;
    EXPECT_EQ(llvm::toString(M.takeError()),
              "LLVM knows no processor '" + std::string(Name) + "'");
  }
}

TEST(MachineCode, LiteralsThatCannotBeRead) {
  auto M = MachineCode::create("gfx90a");
  ASSERT_TRUE(bool(M)) << llvm::toString(M.takeError());
  llvm::MCInst Inst;
  uint64_t Size = 0;
  // s_mov_b32 s0 without its literal; VOP3, which has no literals on gfx9.
  const uint8_t CutOff[] = {0xff, 0x00, 0x80, 0xbe};
  EXPECT_EQ((*M)->decode(Inst, Size, CutOff, 0), llvm::MCDisassembler::Fail);
  EXPECT_EQ(Size, 4u);
  const uint8_t Literal[] = {0xe2, 0x05, 0xf4, 0xd1, 0x41, 0x29,
                             0xff, 0x0b, 0x00, 0x00, 0x80, 0x3f};
  EXPECT_EQ((*M)->decode(Inst, Size, Literal, 0), llvm::MCDisassembler::Fail);
  EXPECT_EQ((*M)->decode(Inst, Size, {}, 0), llvm::MCDisassembler::Fail);
  EXPECT_EQ(Size, 0u);
}

TEST(MachineCode, NumbersOfBarriersAreNoLiterals) {
  auto M = MachineCode::create("gfx1200");
  ASSERT_TRUE(bool(M)) << llvm::toString(M.takeError());
  llvm::MCInst Inst;
  uint64_t Size = 0;
  // s_barrier_signal, _join and others.
  for (uint8_t Code = 0x4e; Code < 0x58; ++Code) {
    const uint8_t Literal[] = {0xff, Code, 0x80, 0xbe, 0xf0, 0xde, 0xbc, 0x9a};
    if ((*M)->decode(Inst, Size, Literal, 0) == llvm::MCDisassembler::Fail)
      continue;
    EXPECT_NE(print(**M, Literal), "");
  }
  const uint8_t Signal[] = {0xff, 0x4e, 0x80, 0xbe, 0xf0, 0xde, 0xbc, 0x9a};
  EXPECT_EQ((*M)->decode(Inst, Size, Signal, 0), llvm::MCDisassembler::Fail);
}

TEST(MachineCode, WavesOf32LanesHaveOtherMasks) {
  // v_cmp_eq_u32_e64 of v1 and v2, into s[4:5] or s4.
  const uint8_t Compare[] = {0x04, 0x00, 0xc2, 0xd4, 0x01, 0x05, 0x02, 0x00};
  for (unsigned Lanes : {32u, 64u}) {
    auto M = MachineCode::create("gfx1030", waveFeatures("gfx1030", Lanes));
    ASSERT_TRUE(bool(M)) << llvm::toString(M.takeError());
    EXPECT_EQ(print(**M, Compare), Lanes == 32
                                       ? "v_cmp_eq_u32_e64 s4, v1, v2"
                                       : "v_cmp_eq_u32_e64 s[4:5], v1, v2");
  }
  EXPECT_EQ(waveFeatures("gfx90a", 64), "");
}
