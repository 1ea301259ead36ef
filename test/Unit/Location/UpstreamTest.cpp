// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Upstream clang's interpretation of its expressions for AMD GPUs.
#include "TestContext.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace wavelane::location;

namespace {
class GPUContext : public TestContext {
public:
  unsigned Scale = 64;
  GPUContext() {
    Lane = 3;
    LaneCount = 64;
    FrameBase = Location::memory(0, 0x100);
    Registers[64] = {0x40, 0, 0, 0};
    for (unsigned R : {2560u, 2561u})
      Registers[R] = std::vector<uint8_t>(256);
  }
  std::optional<wavelane::location::AddressSpace>
  getAddressSpace(uint64_t N) override {
    if (N != 3)
      return TestContext::getAddressSpace(N);
    wavelane::location::AddressSpace S;
    S.Name = "local";
    S.AddressBits = 32;
    return S;
  }
  llvm::Expected<Type> getBaseType(uint64_t Offset) override {
    return Offset == 1   ? Type{Type::Unsigned, 1}
           : Offset == 4 ? Type{Type::Unsigned, 4}
                         : Type{Type::Signed, 8};
  }
  unsigned getPrivateFrameScale() override { return Scale; }
};

std::string place(GPUContext &C, StringRef Text, bool OldNumbers = true) {
  EvaluationOptions O;
  O.Upstream.Enabled = true;
  O.Upstream.OldNumbers = OldNumbers;
  Expected<Entry> E = run(C, Text, ResultKind::Location, O);
  return E ? E->Location.describe(&C) : toString(E.takeError());
}

TEST(Upstream, FrameSlots) {
  GPUContext C;
  // The wave's unswizzled frame pointer divided by the number of lanes.
  EXPECT_EQ(place(C, "fbreg 8; lit1; swap; xderef"),
            "memory private_lane:0xc (lane 3)");
  EXPECT_EQ(place(C, "fbreg 8; lit5; swap; xderef", false),
            "memory private_lane:0xc (lane 3)");
  EXPECT_EQ(place(C, "fbreg 8"), "memory private_lane:0xc (lane 3)");
  C.Scale = 1; // Flat scratch.
  EXPECT_EQ(place(C, "fbreg 8"), "memory private_lane:0x108 (lane 3)");
}
TEST(Upstream, ConstantsOfTheOthersType) {
  auto Aligned = [](Value A, Value B) {
    alignGeneric(A, B);
    return std::to_string(A.getSigned()) + ":" + std::to_string(A.Type.Size) +
           " " + std::to_string(B.getSigned()) + ":" +
           std::to_string(B.Type.Size);
  };
  const Type Int{Type::Signed, 4}, Long{Type::Signed, 8}, Generic,
      Byte{Type::Unsigned, 1}, Float{Type::Float, 4};
  EXPECT_EQ(Aligned(Value(Int, -3), Value(Generic, ~0ull)), "-3:4 -1:4");
  EXPECT_EQ(Aligned(Value(Generic, 258), Value(Byte, 7)), "2:1 7:1");
  EXPECT_EQ(Aligned(Value(Int, 1), Value(Long, 1)), "1:4 1:8");
  EXPECT_EQ(Aligned(Value(Float, 0), Value(Generic, 1)), "0:4 1:8");
  // Where that is allowed.
  GPUContext C;
  EvaluationOptions O;
  auto Number = [&](StringRef Text) {
    Expected<Entry> E = run(C, Text, ResultKind::Location, O);
    return E ? E->Location.describe(&C) : toString(E.takeError());
  };
  const StringRef Text = "const1s -3; convert 8; lit5; mul; stack_value";
  EXPECT_NE(Number(Text).find("different types"), std::string::npos)
      << Number(Text);
  O.IsLenient = true;
  EXPECT_EQ(Number(Text), "implicit 0xf1ffffffffffffff");
  EXPECT_EQ(Number("lit2; convert 1; lit1; shl; stack_value"), "implicit 0x04");
}
// How often a loop has counted down from 5 to 2, as loop strength reduction
// describes it, with `5` zero-extended.
TEST(Upstream, DivisionsAreSigned) {
  GPUContext C;
  EvaluationOptions O;
  O.IsLenient = true;
  Expected<Entry> E = run(C,
                          "lit2; lit5; convert 4; minus; consts -1; div; "
                          "stack_value",
                          ResultKind::Location, O);
  EXPECT_EQ(cantFail(std::move(E)).Location.describe(&C),
            "implicit 0x03000000");
}
TEST(Upstream, ConstantsSmallerThanTheirPart) {
  GPUContext C;
  EvaluationOptions O;
  const StringRef Text = "lit5; stack_value; piece 12";
  EXPECT_TRUE(errorToBool(run(C, Text, ResultKind::Location, O).takeError()));
  O.IsLenient = true;
  EXPECT_EQ(cantFail(run(C, Text, ResultKind::Location, O)).Location.describe(),
            "composite {[0, 12) implicit 0x050000000000000000000000}");
  EXPECT_TRUE(errorToBool(
      run(C, "lit5; stack_value; piece 100000000", ResultKind::Location, O)
          .takeError()));
}
TEST(Upstream, ObjectsAtTheAddressInAVectorRegister) {
  GPUContext C;
  C.Registers[2560][12] = 0x44;
  EXPECT_EQ(place(C, "bregx 2560 0; nop; lit1; swap; xderef"),
            "memory private_lane:0x44 (lane 3)");
  EXPECT_EQ(place(C, "bregx 2560 0; nop; lit3; swap; xderef", false),
            "memory local:0x44");
}
TEST(Upstream, VectorRegisters) {
  GPUContext C;
  EXPECT_EQ(place(C, "regx 2560"), "register 2560 at byte 12");
  EXPECT_EQ(place(C, "bregx 2560 0; lit1; swap; xderef"),
            "register 2560 at byte 12");
  EXPECT_EQ(place(C, "regx 2560; piece 4; regx 2561; piece 4"),
            "composite {[0, 4) register 2560 at byte 12, [4, 8) register 2561 "
            "at byte 12}");
  EXPECT_EQ(place(C, "bregx 2560 0; lit1; swap; xderef; piece 4; "
                     "bregx 2561 0; lit1; swap; xderef; piece 4"),
            "composite {[0, 4) register 2560 at byte 12, [4, 8) register 2561 "
            "at byte 12}");
  EXPECT_EQ(place(C, "piece 4; regx 2561; piece 4"),
            "composite {[0, 4) undefined, [4, 8) register 2561 at byte 12}");
}
// Clang gives one register for some eight-byte objects. The next bytes in it
// belong to the next lane.
TEST(Upstream, NoMoreThanAnElement) {
  GPUContext C;
  for (unsigned Byte = 0; Byte < 256; ++Byte)
    C.Registers[2560][Byte] = uint8_t(Byte);
  EvaluationOptions O;
  O.Upstream.Enabled = true;
  Expected<Entry> E = run(C, "regx 2560", ResultKind::Location, O);
  ASSERT_TRUE(bool(E));
  Location &L = E->Location;
  uint8_t Bytes[8] = {};
  EXPECT_FALSE(errorToBool(L.read(C, 32, Bytes)));
  EXPECT_EQ(Bytes[0], 12);
  EXPECT_EQ(toString(L.read(C, 64, Bytes)),
            "the register has 4 bytes for each lane: debug information doesn't "
            "say where the rest of the object is");
  EXPECT_TRUE(errorToBool(L.write(C, 64, Bytes)));
  EXPECT_EQ(C.Registers[2560][16], 16);
  EXPECT_FALSE(errorToBool(L.move(C, 16)));
  EXPECT_FALSE(errorToBool(L.read(C, 16, Bytes)));
  EXPECT_EQ(Bytes[0], 14);
  EXPECT_TRUE(errorToBool(L.read(C, 32, Bytes)));
  EXPECT_TRUE(errorToBool(L.move(C, 16)));
}
TEST(Upstream, ScalarRegistersStay) {
  GPUContext C;
  EXPECT_EQ(place(C, "regx 64"), "register 64");
}
TEST(Upstream, Spaces) {
  GPUContext C;
  EXPECT_EQ(place(C, "addr 0x20; lit2; swap; xderef"), "memory local:0x20");
  EXPECT_EQ(place(C, "addr 0x20; lit3; swap; xderef", false),
            "memory local:0x20");
}
TEST(Upstream, OnlyAtTheEnd) {
  GPUContext C;
  // In the middle of an expression, xderef loads as usual.
  C.Private[3] = std::vector<uint8_t>(64, 1);
  EXPECT_EQ(place(C, "const1u 8; lit5; swap; xderef; lit0; plus"),
            "memory default:0x101010101010101");
}
// For an object in private memory whose value is known, clang keeps the space.
TEST(Upstream, ValuesAreInNoSpace) {
  GPUContext C;
  EXPECT_EQ(place(C, "const1u 17; lit1; swap; xderef; stack_value"),
            "implicit 0x1100000000000000");
  EXPECT_EQ(place(C, "const1u 17; lit5; swap; xderef; stack_value; piece 4; "
                     "lit2; lit5; swap; xderef; stack_value; piece 4"),
            "composite {[0, 4) implicit 0x1100000000000000, [4, 8) implicit "
            "0x0200000000000000}");
  C.Registers[2560] = std::vector<uint8_t>(256, 9);
  EXPECT_EQ(place(C, "bregx 2560 0; lit5; swap; xderef; stack_value"),
            "implicit 0x0909090900000000");
}
TEST(Upstream, OffMeansToTheLetter) {
  GPUContext C;
  EXPECT_EQ(run(C, "regx 2560")->Location.Offset, 0);
}
} // namespace
