//===-- WindowAddressTest.cpp -----------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Core/Lane/WindowAddress.h"
#include "gtest/gtest.h"

using namespace lldb_private::wavelane;

TEST(WindowAddress, SpaceAddressComesBack) {
  SpaceAddress in;
  in.space = eSpacePrivateLane;
  in.slot = SpaceAddress::kMaxSlot;
  in.lane = 63;
  in.offset = 0xfffffffc;
  std::optional<SpaceAddress> out = SpaceAddress::Decode(in.Encode());
  ASSERT_TRUE(out);
  EXPECT_EQ(out->space, in.space);
  EXPECT_EQ(out->slot, in.slot);
  EXPECT_EQ(out->lane, in.lane);
  EXPECT_EQ(out->offset, in.offset);
}

TEST(WindowAddress, ArithmeticStaysInTheSpaceOrLeavesTheWindow) {
  SpaceAddress in;
  in.space = eSpaceLocal;
  in.slot = 3;
  in.offset = 0x40;
  EXPECT_EQ(SpaceAddress::Decode(in.Encode() + 12)->offset, 0x4cu);
  EXPECT_EQ(SpaceAddress::Decode(in.Encode() - 0x40)->offset, 0u);
  in.offset = 0xfffffff0;
  // The neighboring memory after the space's last byte isn't accessible.
  EXPECT_FALSE(SpaceAddress::Decode(in.Encode() + 0x10));
  in.offset = 0;
  in.lane = 0;
  EXPECT_TRUE(!SpaceAddress::Decode(in.Encode() - 1) ||
              SpaceAddress::Decode(in.Encode() - 1)->slot != in.slot);
}

TEST(WindowAddress, EntryAddressComesBack) {
  const EntryAddress in{EntryAddress::kMaxId, 0x80};
  std::optional<EntryAddress> out = EntryAddress::Decode(in.Encode());
  ASSERT_TRUE(out);
  EXPECT_EQ(out->id, in.id);
  EXPECT_EQ(out->offset, in.offset);
  EXPECT_FALSE(SpaceAddress::Decode(in.Encode()));
}

TEST(WindowAddress, OrdinaryAddressesAreOutside) {
  for (uint64_t address :
       {uint64_t(0), uint64_t(0x7ffff7dfa24a), uint64_t(0x200000000000),
        uint64_t(0xffffffffff600000), ~uint64_t(0)}) {
    EXPECT_FALSE(IsWindowAddress(address));
    EXPECT_FALSE(SpaceAddress::Decode(address));
    EXPECT_FALSE(EntryAddress::Decode(address));
  }
}

TEST(WindowAddress, Apertures) {
  EXPECT_EQ(ApertureSpace(0x0001000000000040), eSpaceLocal);
  EXPECT_EQ(ApertureSpace(0x00010000ffffffff), eSpaceLocal);
  EXPECT_EQ(ApertureSpace(0x0002000000000040), eSpacePrivateLane);
  EXPECT_FALSE(ApertureSpace(0x0001000100000000));
  EXPECT_FALSE(ApertureSpace(0x00007ffff7dfa24a));
}
