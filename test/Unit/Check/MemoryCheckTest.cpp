//===-- MemoryCheckTest.cpp -----------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Simulator/Check/MemoryCheck.h"

#include <gmock/gmock.h>

using namespace wavelane;
using namespace wavelane::check;
using isa::LaneAccess;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {
struct Seen : Reporter {
  std::vector<Kind> Kinds;
  Finding Last;
  unsigned LaneCount = 0;
  bool Stops = false;
  bool report(const FindingKey &Key, unsigned Lanes,
              llvm::function_ref<Finding()> Describe) override {
    Kinds.push_back(Key.What);
    LaneCount = Lanes;
    Last = Describe();
    return Stops;
  }
  void notChecked(const std::string &) override {}
};

class MemoryCheckTest : public testing::Test {
protected:
  MemoryCheckTest() {
    auto L = std::make_shared<Launch>();
    L->LocalBytes = 100;
    L->PrivateBytes = 16;
    Wave.Kernel = L;
    Check.waveRuns(Wave);
    Memory.add(0x1000, 10, Allocation::Device, {});
    I.PC = 0x100;
    I.Exec = 0xff;
  }
  void access(uint64_t Address, uint8_t Size, uint8_t Lane = 0,
              isa::Access Kind = isa::Access::Read,
              LaneAccess::Space In = LaneAccess::Global, bool InRange = true) {
    LaneAccess A;
    A.Address = Address;
    A.Size = Size;
    A.Lane = Lane;
    A.Kind = Kind;
    A.In = In;
    A.InRange = InRange;
    I.Accesses.push_back(A);
  }
  /// The kinds reported for the accesses so far, which are then forgotten.
  std::vector<Kind> kinds() {
    R.Kinds.clear();
    GoesOn = Check.observer()->before(State, I);
    I.Accesses.clear();
    return R.Kinds;
  }

  Seen R;
  Blocks Memory;
  MemoryCheck Check{R, Memory};
  WaveInfo Wave;
  isa::WaveState State;
  isa::ObservedInstruction I;
  bool GoesOn = true;
};
} // namespace

TEST_F(MemoryCheckTest, ByTheByte) {
  access(0x1006, 4);
  EXPECT_THAT(kinds(), ElementsAre());
  access(0x1007, 4);
  EXPECT_THAT(kinds(), ElementsAre(Kind::InvalidGlobalAccess));
  EXPECT_THAT(R.Last.Notes[0], HasSubstr("7 bytes inside of 10 bytes"));
  access(0x100a, 1);
  EXPECT_THAT(kinds(), ElementsAre(Kind::InvalidGlobalAccess));
  EXPECT_THAT(R.Last.Notes[0], HasSubstr("0 bytes after the end of 10 bytes"));
  access(0xfff, 1);
  EXPECT_THAT(kinds(), ElementsAre(Kind::InvalidGlobalAccess));
  access(8, 4);
  EXPECT_THAT(kinds(), ElementsAre(Kind::InvalidGlobalAccess));
  EXPECT_THAT(R.Last.Notes[0], HasSubstr("a null pointer and 8 bytes"));
}

TEST_F(MemoryCheckTest, OnlyTheLanesThatDidIt) {
  access(0x1000, 4, 0, isa::Access::Write);
  access(0x1008, 4, 1, isa::Access::Write);
  access(0x100c, 4, 2, isa::Access::Write);
  EXPECT_THAT(kinds(), ElementsAre(Kind::InvalidGlobalAccess));
  EXPECT_EQ(R.Last.Here.Lanes, 6u);
  EXPECT_EQ(R.LaneCount, 2u);
  EXPECT_EQ(R.Last.What, "Invalid global write of size 4 bytes");
  EXPECT_TRUE(GoesOn);
}

TEST_F(MemoryCheckTest, StopsOnRequest) {
  R.Stops = true;
  access(0x2000, 4);
  kinds();
  EXPECT_FALSE(GoesOn);
}

TEST_F(MemoryCheckTest, FreedMemory) {
  Memory.remove(0x1000, {});
  access(0x1004, 4);
  EXPECT_THAT(kinds(), ElementsAre(Kind::UseAfterFree));
}

TEST_F(MemoryCheckTest, ReadOnlyMemory) {
  access(0x1000, 4, 0, isa::Access::Write, LaneAccess::Global, false);
  EXPECT_THAT(kinds(), ElementsAre(Kind::ReadOnlyWrite));
}

TEST_F(MemoryCheckTest, LocalAndPrivateMemory) {
  access(96, 4, 0, isa::Access::Read, LaneAccess::Local);
  access(12, 4, 0, isa::Access::Read, LaneAccess::Private);
  EXPECT_THAT(kinds(), ElementsAre());
  access(97, 4, 0, isa::Access::Write, LaneAccess::Local);
  EXPECT_THAT(kinds(), ElementsAre(Kind::InvalidLocalAccess));
  access(16, 4, 0, isa::Access::Write, LaneAccess::Private, false);
  EXPECT_THAT(kinds(), ElementsAre(Kind::InvalidPrivateAccess));
}

TEST_F(MemoryCheckTest, Alignment) {
  access(0x1001, 4);
  EXPECT_THAT(kinds(), ElementsAre()) << "loads may be unaligned";
  access(0x1002, 4, LaneAccess::Scalar);
  EXPECT_THAT(kinds(), ElementsAre(Kind::MisalignedAccess));
  I.IsAtomic = true;
  access(0x1002, 4, 0, isa::Access::Atomic);
  EXPECT_THAT(kinds(), ElementsAre(Kind::MisalignedAccess));
}

TEST_F(MemoryCheckTest, WideScalarLoadsMayEndBeyond) {
  access(0x1008, 8, LaneAccess::Scalar);
  EXPECT_THAT(kinds(), ElementsAre()) << "aligned: the compiler's widening";
  access(0x1004, 8, LaneAccess::Scalar);
  EXPECT_THAT(kinds(), ElementsAre(Kind::InvalidGlobalAccess));
}

TEST_F(MemoryCheckTest, CallsOfTheHost) {
  Check.mistake({HostMistake::NotFreed, 0x1004, 0, 0, false, {7}});
  EXPECT_EQ(R.Kinds.back(), Kind::InvalidFree);
  EXPECT_THAT(R.Last.Notes[0], HasSubstr("4 bytes inside of"));
  Check.mistake({HostMistake::NotFreed, 0x1000, 0, 0, true, {7}});
  EXPECT_EQ(R.Kinds.back(), Kind::InvalidFree);
  EXPECT_EQ(R.Last.Notes[0], "hipHostFree doesn't free device memory");
  Check.mistake({HostMistake::NotCopied, 0x1000, 0, 12, false, {7}});
  EXPECT_EQ(R.Kinds.back(), Kind::InvalidCopy);
  EXPECT_EQ(R.Last.What, "Invalid fill of 12 bytes");
  EXPECT_THAT(R.Last.Notes[0], HasSubstr("writes 2 bytes beyond the end"));
  Memory.remove(0x1000, {});
  Check.mistake({HostMistake::NotFreed, 0x1000, 0, 0, false, {7}});
  EXPECT_EQ(R.Kinds.back(), Kind::DoubleFree);
}

TEST_F(MemoryCheckTest, Leaks) {
  Memory.add(0x3000, 8, Allocation::Internal, {1});
  Memory.add(0x4000, 8, Allocation::Device, {1});
  Check.reportLeaks();
  EXPECT_THAT(R.Kinds, ElementsAre(Kind::Leak));
  EXPECT_EQ(R.Last.What, "Leaked 8 bytes of device memory");
}
