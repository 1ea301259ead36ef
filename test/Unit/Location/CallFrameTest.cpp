// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Call frame information: rows, and where they say the caller's registers are.
#include "wavelane/Location/CallFrame.h"
#include "TestContext.h"
#include "wavelane/Location/Architecture.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace wavelane::location;

namespace {
/// Registers, and memory of every space of a GPU at the same addresses.
class GPUContext : public TestContext {
public:
  std::optional<AddressSpace> getAddressSpace(uint64_t Number) override {
    return Architecture::find("amdgpu-wave64")->getAddressSpace(Number);
  }
};

FrameDescription makeFrame(ArrayRef<uint8_t> Instructions,
                           ArrayRef<uint8_t> Initial = {}) {
  FrameDescription F;
  F.Common.CodeAlignment = 4;
  F.Common.DataAlignment = 4;
  F.Common.ReturnAddress = 16;
  F.Common.Instructions = Initial;
  F.Begin = 0x1000;
  F.Size = 0x100;
  F.Instructions = Instructions;
  return F;
}

std::string describe(Expected<Location> L, Context &C) {
  return L ? L->describe(&C) : toString(L.takeError());
}

struct Unwound {
  GPUContext C;
  std::vector<uint8_t> Bytes; ///< Rules point into them.
  CallFrameRow Row;
  std::unique_ptr<FrameUnwinder> U;
  Unwound(ArrayRef<uint8_t> Instructions, uint64_t PC = 0x1000)
      : Bytes(Instructions) {
    C.Registers[64] = {0x40, 0, 0, 0};
    C.Registers[65] = {0x80, 0, 0, 0};
    C.Registers[33] = {7, 0, 0, 0};
    Row = cantFail(findRow(makeFrame(Bytes), PC));
    U = std::make_unique<FrameUnwinder>(Row, C, /*KeepsRegisters=*/true);
  }
  std::string cfa() { return describe(U->getCallFrameAddress(), C); }
  std::string reg(uint64_t N) { return describe(U->getRegister(N), C); }
};

TEST(CallFrame, DefAspaceCFA) {
  // A function in the form of ROCm's compiler: SGPR32, 0, space 6.
  Unwound W({0x30, 0x40, 0, 6});
  EXPECT_EQ(W.cfa(), "memory private_wave:0x40");
}
TEST(CallFrame, DefAspaceCFAFactored) {
  Unwound W({0x31, 0x40, 0x7e, 6});
  EXPECT_EQ(W.cfa(), "memory private_wave:0x38");
}
TEST(CallFrame, KernelEntry) {
  // def_cfa_expression lit0; lit6; form_aspace_address, and no return address.
  Unwound W({0x0f, 4, 0x30, 0x36, 0xe9, 2, 0x07, 16});
  EXPECT_EQ(W.cfa(), "memory private_wave:0x0");
  EXPECT_EQ(W.reg(16), "undefined");
}
TEST(CallFrame, FlatScratchFunction) {
  Unwound W({0x0f, 9, 0x90, 0x40, 0x94, 4, 0x36, 0x24, 0x36, 0xe9, 2});
  EXPECT_EQ(W.cfa(), "memory private_wave:0x1000");
}
TEST(CallFrame, OffsetKeepsTheSpaceOfTheCFA) {
  Unwound W({0x30, 0x40, 0, 6, 0x80 | 0x21, 2, 0x14, 0x22, 1});
  EXPECT_EQ(W.reg(0x21), "memory private_wave:0x48");
  EXPECT_EQ(W.reg(0x22), "implicit 0x44000000");
}
TEST(CallFrame, LaterRegisterKeepsTheSpace) {
  Unwound W({0x30, 0x40, 8, 6, 0x0d, 0x41, 0x0e, 4});
  EXPECT_EQ(W.cfa(), "memory private_wave:0x84");
}
TEST(CallFrame, DefaultSpaceAfterDefCFA) {
  Unwound W({0x30, 0x40, 8, 6, 0x0c, 0x40, 8});
  EXPECT_EQ(W.cfa(), "memory global:0x48");
}
TEST(CallFrame, OffsetAfterExpressionIsIllFormed) {
  EXPECT_FALSE(
      errorToBool(findRow(makeFrame({0x0f, 1, 0x30}), 0x1000).takeError()));
  EXPECT_TRUE(errorToBool(
      findRow(makeFrame({0x0f, 1, 0x30, 0x0e, 4}), 0x1000).takeError()));
}
TEST(CallFrame, RegistersAndDefaults) {
  Unwound W({0x09, 5, 33, 0x08, 6, 0x07, 7});
  EXPECT_EQ(W.reg(5), "register 33");
  EXPECT_EQ(W.reg(6), "register 6");
  EXPECT_EQ(W.reg(7), "undefined");
  EXPECT_EQ(W.reg(8), "register 8") << "AMDGPU keeps what has no rule";
  GPUContext C;
  FrameUnwinder Other(W.Row, C, /*KeepsRegisters=*/false);
  EXPECT_EQ(describe(Other.getRegister(8), C), "undefined");
}
TEST(CallFrame, ExpressionsBeginWithTheCFA) {
  // expression: plus 4 bytes; val_expression: the register's size.
  Unwound W({0x30, 0x40, 0, 6, 0x10, 5, 3, 0xe9, 5, 4});
  EXPECT_EQ(W.reg(5), "memory private_wave:0x44");
  Unwound V({0x0c, 0x40, 0, 0x16, 33, 2, 0x23, 4});
  EXPECT_EQ(V.reg(33), "implicit 0x44000000");
}
TEST(CallFrame, RegisterPairAsComposite) {
  // The return address in SGPR30:31.
  Unwound W(
      {0x0c, 0x40, 0, 0x10, 16, 9, 0x90, 62, 0x93, 4, 0x90, 63, 0x93, 4, 0x96});
  W.C.Registers[62] = {1, 2, 3, 4};
  W.C.Registers[63] = {5, 6, 7, 8};
  Location L = cantFail(W.U->getRegister(16));
  uint8_t Bytes[8];
  ASSERT_FALSE(errorToBool(L.read(W.C, 64, Bytes)));
  EXPECT_EQ(Bytes[7], 8);
}
TEST(CallFrame, ForbiddenOperations) {
  for (std::vector<uint8_t> Expression : {std::vector<uint8_t>{0xe9, 3},
                                          {0x91, 0},
                                          {0x9c},
                                          {0x97},
                                          {0xa1, 0},
                                          {0x98, 0, 0},
                                          {0xa3, 1, 0x50},
                                          {0xa8, 0}})
    EXPECT_TRUE(errorToBool(checkFrameExpression(Expression)));
  Unwound W({0x0f, 3, 0xe9, 3, 0x96});
  EXPECT_NE(W.cfa().find("push_lane"), std::string::npos);
}
TEST(CallFrame, CyclicRules) {
  Unwound W({0x0c, 0x40, 0, 0x10, 5, 3, 0xe9, 7, 5});
  EXPECT_NE(W.reg(5).find("depends on itself"), std::string::npos);
  // CFA from register 5, which is saved at the CFA.
  Unwound V({0x0f, 6, 0xe9, 7, 5, 0x94, 4, 0x96, 0x85, 0});
  EXPECT_NE(V.cfa().find("depends on itself"), std::string::npos);
}
TEST(CallFrame, CFAIsMemory) {
  Unwound W({0x0f, 2, 0x90, 0x40});
  EXPECT_NE(W.cfa().find("not memory"), std::string::npos);
}
TEST(CallFrame, Rows) {
  // remember; advance 4; rule; advance 8; restore.
  const uint8_t Instructions[] = {0x0a, 0x41, 0x07, 5,   0x42,
                                  0x0b, 0x02, 1,    0xc6};
  const uint8_t Initial[] = {0x08, 6};
  FrameDescription F = makeFrame(Instructions, Initial);
  std::vector<CallFrameRow> Rows = cantFail(getRows(F));
  ASSERT_EQ(Rows.size(), 4u);
  EXPECT_EQ(Rows[0].End, 0x1004u);
  EXPECT_EQ(Rows[1].End, 0x100cu);
  EXPECT_EQ(Rows[1].Registers.count(5), 1u);
  EXPECT_EQ(Rows[2].Registers.count(5), 0u);
  EXPECT_EQ(Rows[3].End, 0x1100u);
  EXPECT_EQ(Rows[3].Registers[6].Kind, RegisterRule::SameValue);
  EXPECT_EQ(cantFail(findRow(F, 0x1004)).Begin, 0x1004u);
  EXPECT_TRUE(errorToBool(findRow(F, 0x1100).takeError()));
}
TEST(CallFrame, Section) {
  // In llvm-mc's form for amdgcn: version 4, augmentation "[amd:v0.0]".
  std::vector<uint8_t> S = {27, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 4};
  for (char C : StringRef("[amd:v0.0]"))
    S.push_back(uint8_t(C));
  for (uint8_t B : {0, 8, 0, 4, 4, 16, 0x30, 0x40, 0, 6})
    S.push_back(B);
  S[0] = uint8_t(S.size() - 4);
  const size_t At = S.size();
  for (uint8_t B : {0, 0, 0, 0, 0, 0, 0, 0})
    S.push_back(B);
  for (uint8_t B :
       {0, 0x10, 0, 0, 0, 0, 0, 0, 0x20, 0, 0, 0, 0, 0, 0, 0, 0x42, 0x0e, 8})
    S.push_back(B);
  S[At] = uint8_t(S.size() - At - 4);
  std::vector<FrameDescription> F = cantFail(readFrameSection(S));
  ASSERT_EQ(F.size(), 1u);
  EXPECT_EQ(F[0].Begin, 0x1000u);
  EXPECT_EQ(F[0].Common.ReturnAddress, 16u);
  EXPECT_EQ(F[0].Common.Augmentation, "[amd:v0.0]");
  EXPECT_EQ(cantFail(findRow(F[0], 0x1008)).CFA.Offset, 8);
  EXPECT_EQ(cantFail(findRow(F[0], 0x1007)).CFA.Space, 6u);
  // Truncated anywhere, it is an error, never a crash.
  for (size_t Size = 1; Size < S.size(); ++Size)
    if (Size != At)
      EXPECT_TRUE(errorToBool(
          readFrameSection(ArrayRef<uint8_t>(S).take_front(Size)).takeError()))
          << Size;
}
TEST(CallFrame, BadInstructions) {
  for (std::vector<uint8_t> I : {std::vector<uint8_t>{0x3f},
                                 {0x05, 0x80},
                                 {0x0b},
                                 {0x0e, 1},
                                 {0x0f, 9, 1},
                                 {0x01, 0, 0, 0, 0, 0, 0, 0, 0}})
    EXPECT_TRUE(errorToBool(findRow(makeFrame(I), 0x1000).takeError()));
}
} // namespace
