// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes of lanes: which code means what, and what their values say.
#include "wavelane/Location/Attributes.h"
#include "TestContext.h"
#include "wavelane/Location/Architecture.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace wavelane::location;

namespace {
using LA = LaneAttribute;

AttributeValue constant(uint64_t N) {
  AttributeValue V;
  V.Constant = N;
  return V;
}
/// Keeps the bytes that values refer to.
struct Expressions {
  std::vector<std::unique_ptr<std::vector<uint8_t>>> All;
  ArrayRef<uint8_t> get(StringRef Text) {
    All.push_back(
        std::make_unique<std::vector<uint8_t>>(cantFail(assembleText(Text))));
    return *All.back();
  }
  AttributeValue value(StringRef Text) {
    AttributeValue V;
    V.Expression = get(Text);
    return V;
  }
};

TEST(Attributes, Codes) {
  EXPECT_EQ(getAttribute(0x3e11, FormClass::Constant, false), LA::NumLanes);
  EXPECT_EQ(getAttribute(0x3ec0, FormClass::List, false), LA::NumLanes);
  EXPECT_EQ(getAttribute(0x3f0a, FormClass::Constant, false), LA::NumLanes);
  EXPECT_EQ(getAttribute(0x3e12, FormClass::Expression, false), LA::LanePC);
  EXPECT_EQ(getAttribute(0x3e10, FormClass::Constant, false), LA::AddressSpace);
}
TEST(Attributes, ClashingCodesNeedTheirUnit) {
  // Upstream: DW_AT_LLVM_ptrauth_isa_pointer, num_extra_inhabitants, ...
  EXPECT_EQ(getAttribute(0x3e08, FormClass::Expression, false), LA::None);
  EXPECT_EQ(getAttribute(0x3e08, FormClass::Expression, true), LA::ActiveLane);
  EXPECT_EQ(getAttribute(0x3e08, FormClass::Other, true), LA::None);
  EXPECT_EQ(getAttribute(0x3e0a, FormClass::Constant, false), LA::None);
  EXPECT_EQ(getAttribute(0x3e0a, FormClass::Constant, true), LA::NumLanes);
  EXPECT_EQ(getAttribute(0x3e0b, FormClass::Constant, true), LA::None);
  EXPECT_EQ(getAttribute(0x3e09, FormClass::String, false), LA::Augmentation);
  EXPECT_EQ(getAttribute(0x3e09, FormClass::Constant, true), LA::None);
}
TEST(Attributes, Augmentation) {
  EXPECT_TRUE(isAMDAugmentation("[amdgpu:v0.0]"));
  EXPECT_TRUE(isAMDAugmentation("[other:v1.2:x][amd:v0.0]"));
  EXPECT_FALSE(isAMDAugmentation("[other:v1.2]"));
  EXPECT_FALSE(isAMDAugmentation("amdgpu"));
}
TEST(Attributes, LaneCount) {
  TestContext C;
  Expressions X;
  EXPECT_EQ(cantFail(evaluateLaneCount(constant(8), C)), 8u);
  EXPECT_EQ(cantFail(evaluateLaneCount({}, C, 64)), 64u);
  // 211206.1's example, and a value as overlay's D.18 has it.
  EXPECT_EQ(cantFail(evaluateLaneCount(X.value("lit8; stack_value"), C)), 8u);
  EXPECT_EQ(cantFail(evaluateLaneCount(X.value("lit8"), C)), 8u);
  EXPECT_TRUE(errorToBool(evaluateLaneCount(constant(0), C).takeError()));
  EXPECT_TRUE(errorToBool(evaluateLaneCount(constant(1 << 20), C).takeError()));
}
TEST(Attributes, LaneCountByProgramLocation) {
  TestContext C;
  Expressions X;
  AttributeValue V;
  V.List.emplace();
  V.List->push_back({false, 0x10, 0x20, X.get("lit8; stack_value")});
  C.PC = 0x10;
  EXPECT_EQ(cantFail(evaluateLaneCount(V, C)), 8u);
  C.PC = 0x20;
  EXPECT_EQ(cantFail(evaluateLaneCount(V, C)), 1u);
  C.PC.reset();
  EXPECT_TRUE(errorToBool(evaluateLaneCount(V, C).takeError()));
  V.List->push_back({true, 0, 0, X.get("lit4")});
  EXPECT_EQ(cantFail(evaluateLaneCount(V, C)), 4u);
}
TEST(Attributes, LanePC) {
  TestContext C;
  Expressions X;
  auto PCs = cantFail(evaluateLanePC(
      X.value("undefined; extend 64 4; addr 0x7000; stack_value; extend 64 4; "
              "lit5; select_bit_piece 64 4"),
      4, C));
  ASSERT_EQ(PCs.size(), 4u);
  EXPECT_EQ(PCs[0], 0x7000u);
  EXPECT_FALSE(PCs[1]);
  EXPECT_EQ(PCs[2], 0x7000u);
  EXPECT_FALSE(PCs[3]);
}
TEST(Attributes, ActiveLanes) {
  TestContext C;
  C.Registers[17] = {0xf0, 0, 0, 0, 0, 0, 0, 0x80};
  Expressions X;
  BitVector Active = cantFail(evaluateActiveLanes(X.value("regx 17"), 64, C));
  EXPECT_EQ(Active.count(), 5u);
  EXPECT_TRUE(Active.test(63));
  EXPECT_FALSE(Active.test(0));
}
TEST(Attributes, ObjectMap) {
  TestContext C;
  C.Registers[0] = {0, 0x10, 0, 0, 0, 0, 0, 0};
  C.Registers[3] = {8, 0, 0, 0, 0, 0, 0, 0};
  C.Registers[17] = std::vector<uint8_t>(32);
  Expressions X;
  auto Get = [&](uint64_t PC) {
    C.PC = PC;
    return cantFail(evaluateObjectMap(X.value("breg0 0"), X.value("regx 17"),
                                      X.value("bregx 3 0"), X.value("lit4"),
                                      constant(8), 0x10, 0x20, C));
  };
  ObjectMap Map = Get(0x18);
  EXPECT_TRUE(Map.IsActive);
  EXPECT_EQ(Map.First, 8u);
  EXPECT_EQ(Map.ElementSize * Map.ElementCount, 32u);
  EXPECT_FALSE(Get(0x20).IsActive);
}

TEST(Architecture, Registers) {
  const Architecture *W64 = Architecture::find("amdgpu-wave64");
  const Architecture *W32 = Architecture::find("amdgpu-wave32");
  ASSERT_TRUE(W64 && W32);
  EXPECT_EQ(W64->getRegisterName(2560), "v0");
  EXPECT_EQ(W64->getRegisterName(2815), "v255");
  EXPECT_EQ(W64->getRegisterName(1129), "s105");
  EXPECT_EQ(W64->getRegisterName(95), "s63");
  EXPECT_FALSE(W64->getRegisterName(96));
  EXPECT_FALSE(W64->getRegisterName(1536)) << "a wave32 register";
  EXPECT_EQ(W32->getRegisterName(1536), "v0");
  EXPECT_EQ(W32->findRegister(1536)->Size, 128u);
  EXPECT_EQ(W64->findRegister(3072)->Size, 256u);
  EXPECT_EQ(W64->getRegisterNumber("s64"), 1088u);
  EXPECT_EQ(W64->getRegisterNumber("exec"), 17u);
  EXPECT_FALSE(W64->getRegisterNumber("s106"));
}
TEST(Architecture, X86Registers) {
  EXPECT_EQ(Architecture::find("x86_64")->findRegister(17)->Size, 16u);
  EXPECT_EQ(Architecture::find("x86_64-avx")->findRegister(17)->Size, 32u);
  const Architecture *A = Architecture::find("x86_64-avx512");
  EXPECT_EQ(A->getRegisterName(67), "zmm16");
  EXPECT_EQ(A->getRegisterName(118), "k0");
  EXPECT_EQ(A->findRegister(82)->Size, 64u);
  EXPECT_EQ(A->getRegisterName(1), "rdx");
  EXPECT_FALSE(Architecture::find("vax"));
}
TEST(Architecture, Spaces) {
  const Architecture *A = Architecture::find("amdgpu-wave64");
  EXPECT_EQ(A->getAddressSpace(3)->AddressBits, 32u);
  EXPECT_EQ(A->getAddressSpace(5)->Null, 0xffffffffu);
  EXPECT_TRUE(A->getAddressSpace(5)->IsPerLane);
  EXPECT_FALSE(A->getAddressSpace(4));
  EXPECT_FALSE(Architecture::find("x86_64")->getAddressSpace(5));
  EXPECT_EQ(getPrivateWaveAddress(4, 3, 64), 268u);
}
} // namespace
