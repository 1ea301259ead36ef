// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading and writing through each kind of location.
#include "TestContext.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace wavelane::location;

namespace {
class ReadWriteTest : public testing::Test {
protected:
  TestContext C;
  ReadWriteTest() {
    for (unsigned I = 0; I < 256; ++I)
      C.Memory[I] = uint8_t(I);
    C.Registers[3] = {1, 2, 3, 4, 5, 6, 7, 8};
    C.Registers[4] = {9, 10, 11, 12};
    C.Registers[2560].resize(256);
    C.Private[0].resize(64);
    C.Private[7].resize(64);
  }
  Location locate(StringRef Text, const EvaluationOptions &O = {}) {
    Expected<Entry> E = run(C, Text, ResultKind::Location, O);
    if (!E) {
      ADD_FAILURE() << Text.str() << ": " << toString(E.takeError());
      return Location();
    }
    return E->Location;
  }
  std::vector<uint8_t> read(const Location &L, size_t Size) {
    std::vector<uint8_t> Bytes(Size);
    if (Error E = L.read(C, BitCount(Size) * 8, Bytes))
      ADD_FAILURE() << toString(std::move(E));
    return Bytes;
  }
  using Bytes = std::vector<uint8_t>;
};

TEST_F(ReadWriteTest, Memory) {
  Location L = locate("addr 0x1010");
  ASSERT_FALSE(bool(L.write(C, 16, {0xaa, 0xbb})));
  EXPECT_EQ(C.Memory[16], 0xaa);
  EXPECT_EQ(C.Memory[17], 0xbb);
  EXPECT_EQ(C.Memory[18], 18);
  EXPECT_EQ(read(L, 3), (Bytes{0xaa, 0xbb, 18}));
}

TEST_F(ReadWriteTest, PartOfARegister) {
  Location L = locate("reg3; offset_uconst 2");
  ASSERT_FALSE(bool(L.write(C, 16, {0x55, 0x66})));
  EXPECT_EQ(C.Registers[3], (Bytes{1, 2, 0x55, 0x66, 5, 6, 7, 8}));
}

TEST_F(ReadWriteTest, BitsKeepTheirNeighbors) {
  Location L = locate("reg4; lit3; bit_offset");
  ASSERT_FALSE(bool(L.write(C, 7, {0x7f})));
  EXPECT_EQ(C.Registers[4], (Bytes{0xf9, 0x0b, 11, 12}));
}

TEST_F(ReadWriteTest, CompositeGoesToItsParts) {
  Location L = locate("reg3; piece 2; addr 0x1000; piece 2; reg4; piece 4");
  ASSERT_FALSE(bool(L.write(C, 48, {21, 22, 23, 24, 25, 26})));
  EXPECT_EQ(C.Registers[3], (Bytes{21, 22, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(C.Memory[0], 23);
  EXPECT_EQ(C.Memory[1], 24);
  EXPECT_EQ(C.Registers[4], (Bytes{25, 26, 11, 12}));
}

TEST_F(ReadWriteTest, NothingIsWrittenWhereAPartCannotBe) {
  Location L = locate("reg3; piece 2; lit5; stack_value; piece 2");
  Error E = L.write(C, 32, {21, 22, 23, 24});
  EXPECT_TRUE(bool(E));
  consumeError(std::move(E));
  EXPECT_EQ(C.Registers[3][0], 1);
}

TEST_F(ReadWriteTest, EveryPlaceIsWrittenAndAnyIsRead) {
  Location L = locate("addr 0x1020; reg3; multiloc");
  ASSERT_FALSE(bool(L.write(C, 8, {0x99})));
  EXPECT_EQ(C.Memory[0x20], 0x99);
  EXPECT_EQ(C.Registers[3][0], 0x99);
  Location Half = locate("addr 0x9000; reg3; multiloc");
  EXPECT_EQ(read(Half, 1), (Bytes{0x99}));
}

TEST_F(ReadWriteTest, ALocationKeepsTheLaneItWasMadeIn) {
  C.Lane = 7;
  C.LaneCount = 64;
  Location L = locate("lit8; lit5; form_aspace_address");
  C.Lane = 0;
  ASSERT_FALSE(bool(L.write(C, 8, {0x42})));
  EXPECT_EQ(C.Private[7][8], 0x42);
  EXPECT_EQ(C.Private[0][8], 0);
}

TEST_F(ReadWriteTest, WhatCannotBeWritten) {
  for (const char *Text : {"lit1; stack_value", "undefined"}) {
    Error E = locate(Text).write(C, 8, {0});
    EXPECT_TRUE(bool(E)) << Text;
    consumeError(std::move(E));
  }
}

// Upstream clang's expressions: what they mean, not what they say.
TEST_F(ReadWriteTest, UpstreamVectorRegisterIsOneLane) {
  EvaluationOptions O;
  O.Upstream.Enabled = true;
  C.Lane = 7;
  C.LaneCount = 64;
  C.Registers[2560][28] = 0x77;
  EXPECT_EQ(read(locate("regx 2560", O), 4), (Bytes{0x77, 0, 0, 0}));
  EXPECT_EQ(read(locate("bregx 2560 0; lit1; swap; xderef", O), 4),
            (Bytes{0x77, 0, 0, 0}));
  EXPECT_EQ(read(locate("piece 4; regx 2560; piece 4", O).Kind ==
                         StorageKind::Composite
                     ? locate("regx 2560; piece 4", O)
                     : Location(),
                 4),
            (Bytes{0x77, 0, 0, 0}));
}

TEST_F(ReadWriteTest, UpstreamFrameSlotIsPrivate) {
  EvaluationOptions O;
  O.Upstream.Enabled = true;
  C.Lane = 7;
  C.LaneCount = 64;
  // A wave offset of 64 lanes * 4 bytes: lane address 4.
  C.FrameBase = Location::memory(0, 64 * 4);
  C.Private[7][12] = 0x12;
  for (const char *Text : {"fbreg 8", "fbreg 8; lit1; swap; xderef"}) {
    Location L = locate(Text, O);
    EXPECT_EQ(L.Number, 5u) << Text;
    EXPECT_EQ(read(L, 1), (Bytes{0x12})) << Text;
  }
}

TEST_F(ReadWriteTest, UpstreamSpacesByProducer) {
  EvaluationOptions O;
  O.Upstream.Enabled = true;
  C.Lane = 0;
  EXPECT_EQ(locate("lit16; lit1; swap; xderef", O).Number, 5u);
  O.Upstream.OldNumbers = false;
  EXPECT_EQ(locate("lit16; lit5; swap; xderef", O).Number, 5u);
}
} // namespace
