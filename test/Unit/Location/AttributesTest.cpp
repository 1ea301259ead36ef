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
  // The example of 211206.1, and a value as in overlay's D.18.
  EXPECT_EQ(cantFail(evaluateLaneCount(X.value("lit8; stack_value"), C)), 8u);
  EXPECT_EQ(cantFail(evaluateLaneCount(X.value("lit8"), C)), 8u);
  // The number in a register, as 2.19 says; an address would be too large.
  C.Registers[8] = {4, 0, 0, 0, 0, 0, 0, 0};
  EXPECT_EQ(cantFail(evaluateLaneCount(X.value("breg8 0"), C)), 4u);
  EXPECT_EQ(cantFail(evaluateLaneCount(X.value("breg8 3"), C)), 7u);
  C.Registers[8][5] = 0x7f;
  EXPECT_EQ(toString(evaluateLaneCount(X.value("breg8 0"), C).takeError()),
            "a lane count of 139637976727556, more than any machine has");
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
  BitVector Active = *cantFail(evaluateActiveLanes(X.value("regx 17"), 64, C));
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
    return cantFail(evaluateObjectMap({X.value("breg0 0"),
                                       X.value("regx 17"),
                                       X.value("lit4"),
                                       constant(8),
                                       X.value("bregx 3 0"),
                                       {},
                                       {{0x10, 0x20}}},
                                      C));
  };
  ObjectMap Map = Get(0x18);
  EXPECT_TRUE(Map.IsActive);
  EXPECT_EQ(Map.First, 8u);
  EXPECT_EQ(Map.ElementSize * Map.ElementCount, 32u);
  EXPECT_FALSE(Get(0x20).IsActive);
}

TEST(Attributes, LaneCountThatIsAnAddress) {
  TestContext C;
  Expressions X;
  Expected<uint32_t> N = evaluateLaneCount(X.value("addr 0x404010"), C);
  ASSERT_FALSE(bool(N));
  EXPECT_EQ(toString(N.takeError()),
            "a lane count of 4210704, more than any machine has");
}
TEST(Attributes, LaneCountOfEntriesThatOverlap) {
  TestContext C;
  Expressions X;
  AttributeValue V;
  V.List.emplace();
  V.List->push_back({false, 0x10, 0x20, X.get("lit8; stack_value")});
  V.List->push_back({false, 0x18, 0x28, X.get("lit4; stack_value")});
  C.PC = 0x10;
  EXPECT_EQ(cantFail(evaluateLaneCount(V, C)), 8u);
  C.PC = 0x18;
  EXPECT_NE(toString(evaluateLaneCount(V, C).takeError()).find("overlap"),
            std::string::npos);
  V.List->back().Expression = V.List->front().Expression;
  EXPECT_EQ(cantFail(evaluateLaneCount(V, C)), 8u);
}
TEST(Attributes, ActiveLanesAsAValue) {
  TestContext C;
  Expressions X;
  BitVector Active = *cantFail(evaluateActiveLanes(X.value("lit5"), 8, C));
  EXPECT_TRUE(Active.test(0) && !Active.test(1) && Active.test(2));
  AttributeValue Nothing;
  Nothing.List.emplace();
  C.PC = 1;
  EXPECT_FALSE(cantFail(evaluateActiveLanes(Nothing, 8, C)));
  EXPECT_TRUE(cantFail(evaluateLanePC(Nothing, 8, C)).empty());
}

/// Issue 230712.4, steps 1 to 6, for an array at 0x1000 with a chunk in
/// registers.
class ObjectMaps : public testing::Test {
protected:
  TestContext C;
  Expressions X;
  ObjectMapAttributes Map;
  void SetUp() override {
    C.Registers[0] = {0, 0x10, 0, 0, 0, 0, 0, 0};
    C.Registers[17] = std::vector<uint8_t>(32, 0x11);
    C.Registers[18] = std::vector<uint8_t>(32, 0x22);
    Map.Memory = X.value("breg0 0");
    Map.Vector = X.value("regx 17");
    Map.ElementSize = constant(4);
    Map.ElementCount = constant(8);
  }
  uint64_t First() { return cantFail(evaluateObjectMap(Map, C)).First; }
  bool IsActive() { return cantFail(evaluateObjectMap(Map, C)).IsActive; }
};
TEST_F(ObjectMaps, ChunkNumber) {
  Map.Chunk = X.value("lit2");
  EXPECT_TRUE(IsActive());
  EXPECT_EQ(First(), 16u);
  Map.Chunk = constant(0);
  EXPECT_FALSE(IsActive());
}
TEST_F(ObjectMaps, ChunkNumberOfAList) {
  Map.Chunk.List.emplace();
  Map.Chunk.List->push_back({false, 0x10, 0x20, X.get("lit3; stack_value")});
  C.PC = 0x10;
  EXPECT_EQ(First(), 24u);
  C.PC = 0x20; // not defined
  EXPECT_FALSE(IsActive());
}
TEST_F(ObjectMaps, PlacesOfLists) {
  Map.ControlOrdinal = constant(8);
  Map.Vector = {};
  Map.Vector.List.emplace();
  Map.Vector.List->push_back({false, 0x10, 0x20, X.get("regx 18")});
  C.PC = 0x18;
  EXPECT_EQ(cantFail(evaluateObjectMap(Map, C)).Vector.Number, 18u);
}
TEST_F(ObjectMaps, Ranges) {
  Map.ControlOrdinal = constant(8);
  Map.Ranges = {{0x10, 0x20}, {0x40, 0x50}};
  for (auto [PC, Holds] :
       {std::pair(0x0f, false), std::pair(0x10, true), std::pair(0x20, false),
        std::pair(0x48, true), std::pair(0x50, false)}) {
    C.PC = PC;
    EXPECT_EQ(IsActive(), Holds) << PC;
  }
}
TEST_F(ObjectMaps, ChunkOfSeveralRegisters) {
  Map.ControlOrdinal = constant(0);
  Map.ElementCount = constant(16);
  const Location Chunk = cantFail(evaluateObjectMap(Map, C)).Vector;
  uint8_t Bytes[64];
  ASSERT_FALSE(errorToBool(Chunk.read(C, 64 * 8, Bytes)));
  EXPECT_EQ(Bytes[31], 0x11);
  EXPECT_EQ(Bytes[32], 0x22);
}
TEST_F(ObjectMaps, MissingAttributes) {
  EXPECT_NE(toString(evaluateObjectMap(Map, C).takeError()).find("map_chunk"),
            std::string::npos);
  Map.ControlOrdinal = constant(0);
  Map.Vector = {};
  EXPECT_NE(
      toString(evaluateObjectMap(Map, C).takeError()).find("vec_location"),
      std::string::npos);
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
