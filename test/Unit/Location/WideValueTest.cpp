// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values of more than a word, of other floats, and of types of which some bits
// count.
#include "TestContext.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace wavelane::location;

namespace {
class TypesContext : public TestContext {
public:
  TypesContext() { Registers[33] = {0, 0, 0, 0, 0, 0, 0, 0xc8, 0, 0x40}; }
  Expected<Type> getBaseType(uint64_t Offset) override {
    static const Type Types[] = {
        {},
        {Type::Unsigned, 3, 17},
        {Type::Signed, 3, 17},
        {Type::Signed, 16},
        {Type::Unsigned, 16},
        {Type::Float, 16, 80}, // x86's long double
        {Type::Float, 16},     // __float128
        {Type::Float, 2},
        {Type::Signed, 1, 1},
        {Type::Signed, 4},
        {Type::Float, 8},
        {Type::Unsigned, 8},
    };
    return Types[Offset];
  }
};

std::string show(StringRef Text, ResultKind Kind = ResultKind::Any) {
  TypesContext C;
  Expected<Entry> E = run(C, Text, Kind);
  return E ? E->describe(&C) : toString(E.takeError());
}
} // namespace

TEST(WideValue, SomeBitsCount) {
  EXPECT_EQ(show("const4u 0x2234f; convert 1"), "9039 (0x234f)");
  EXPECT_EQ(show("const4u 0x1ffff; convert 2; convert 9"), "-1");
  EXPECT_EQ(show("const4u 0xffff; convert 2; convert 9"), "65535");
  EXPECT_EQ(show("lit1; convert 8; convert 9"), "-1");
  // Sums wrap around at the bits that count.
  EXPECT_EQ(show("const4u 0x1ffff; convert 1; lit1; convert 1; plus"), "0");
  // An object's other bits are the number's sign.
  EXPECT_EQ(
      show("const4u 0x1fffe; convert 2; stack_value", ResultKind::Location),
      "implicit 0xfeffff");
  EXPECT_EQ(
      show("const4u 0x1fffe; convert 1; stack_value", ResultKind::Location),
      "implicit 0xfeff01");
}

TEST(WideValue, Integers) {
  const std::string Big =
      "const8u 0x8000000000000000; convert 4; lit4; convert 4; mul; ";
  EXPECT_EQ(show(Big), "36893488147419103232");
  EXPECT_EQ(show(Big + "lit3; convert 4; div"), "12297829382473034410");
  EXPECT_EQ(show(Big + "const1u 65; shr"), "1");
  EXPECT_EQ(show(Big + "neg; convert 3"), "-36893488147419103232");
  EXPECT_EQ(show(Big + "convert 3; lit0; convert 3; gt"), "1");
  EXPECT_EQ(show(Big + "plus_uconst 7; convert 11"), "7");
  EXPECT_EQ(show("const1s -3; convert 9; convert 3; const1u 100; shra"), "-1");
  EXPECT_EQ(show("const1s -3; convert 9; convert 3; stack_value",
                 ResultKind::Location),
            "implicit 0xfdffffffffffffffffffffffffffffff");
  EXPECT_EQ(show("lit1; convert 4; lit0; convert 4; div"),
            "DW_OP_div: division by zero");
  // A branch looks at all bits.
  EXPECT_EQ(show("lit9; " + Big + "bra 1; lit7"), "9");
}

TEST(WideValue, Floats) {
  // 3.125 in x87's register has ten bytes, the type sixteen.
  EXPECT_EQ(show("regval_type 33 5"), "3.125");
  EXPECT_EQ(show("regval_type 33 5; lit2; convert 5; mul"), "6.25");
  EXPECT_EQ(show("regval_type 33 5; convert 9"), "3");
  EXPECT_EQ(show("regval_type 33 5; lit4; convert 5; mul; convert 10"),
            "12.50");
  EXPECT_EQ(show("regval_type 33 5; convert 6; convert 7; stack_value",
                 ResultKind::Location),
            "implicit 0x4042");
  EXPECT_EQ(show("regval_type 33 5; stack_value", ResultKind::Location),
            "implicit 0x00000000000000c80040000000000000");
  EXPECT_EQ(show("regval_type 33 5; lit4; convert 5; lt"), "1");
}
