//===-- ProgramMemoryTest.cpp - what checks learn of a program's memory ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Simulator/Check/ProgramMemory.h"

#include <gmock/gmock.h>
#include <unistd.h>

using namespace wavelane;
using namespace wavelane::check;
using simulator::MemoryNote;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

/// Records what is reported to it.
class Noting : public Check {
public:
  std::vector<std::string> Events;

private:
  static std::string range(const AllocationRef &A) {
    return std::to_string(A->Address) + "+" + std::to_string(A->Size) + "/" +
           std::to_string(A->What);
  }
  void allocated(const AllocationRef &A) override {
    Events.push_back("allocated " + range(A));
  }
  void freed(const AllocationRef &A) override {
    Events.push_back("freed " + range(A));
  }
  void copied(const CopyInfo &C) override {
    Events.push_back("copied " + std::to_string(C.Size) + " to " +
                     std::to_string(C.To));
  }
};

class ProgramMemoryTest : public testing::Test, public Reporter {
protected:
  ProgramMemoryTest() {
    auto C = std::make_unique<Noting>();
    Noted = C.get();
    Checks.All.push_back(std::move(C));
  }
  static MemoryNote of(MemoryNote::What What, uint64_t Address,
                       uint64_t Size = 0,
                       MemoryNote::Kind Kind = MemoryNote::Device) {
    MemoryNote N = {};
    N.what = What;
    N.kind = Kind;
    N.address = Address;
    N.size = Size;
    return N;
  }
  bool note(const MemoryNote &N) {
    return Memory.note({reinterpret_cast<const uint8_t *>(&N), sizeof(N)});
  }
  std::vector<std::string> events() { return std::exchange(Noted->Events, {}); }

  CheckSet Checks;
  Noting *Noted;
  Symbols Names{getpid(), simulator::memoryOf(getpid()),
                simulator::memoryOf(getpid())};
  ProgramMemory Memory{Checks, Names, *this};
  std::vector<std::string> NotChecked;

private:
  bool report(const FindingKey &, unsigned,
              llvm::function_ref<Finding()>) override {
    return false;
  }
  void notChecked(const std::string &What) override {
    NotChecked.push_back(What);
  }
};
} // namespace

TEST_F(ProgramMemoryTest, AllocationsAreHandedOn) {
  EXPECT_TRUE(note(of(MemoryNote::Allocated, 4096, 10)));
  EXPECT_NE(Memory.blocks().find(4105), nullptr);
  EXPECT_EQ(Memory.blocks().find(4106), nullptr);
  // By an address inside, as AMD's runtime frees.
  EXPECT_TRUE(note(of(MemoryNote::Freed, 4100)));
  EXPECT_TRUE(note(of(MemoryNote::Freed, 4100)));
  EXPECT_EQ(Memory.blocks().find(4100), nullptr);
  EXPECT_THAT(events(), ElementsAre("allocated 4096+10/0", "freed 4096+10/0"));
}

TEST_F(ProgramMemoryTest, MalformedMessagesAreRefused) {
  const MemoryNote N = of(MemoryNote::Allocated, 4096, 10);
  EXPECT_FALSE(
      Memory.note({reinterpret_cast<const uint8_t *>(&N), sizeof(N) - 1}));
  EXPECT_FALSE(note(of(MemoryNote::Allocated, 4096, 0)));
  EXPECT_FALSE(note(of(MemoryNote::Allocated, ~uint64_t(0) - 1, 10)));
  EXPECT_FALSE(note(of(MemoryNote::Variable, ~uint64_t(0) - 1, 10)));
  EXPECT_FALSE(note(of(MemoryNote::What(99), 4096, 10)));
  MemoryNote Large = of(MemoryNote::Copied, 4096, uint64_t(1) << 40);
  EXPECT_FALSE(note(Large));
  Large.size = 16;
  Large.rows = uint64_t(1) << 40;
  EXPECT_FALSE(note(Large));
  EXPECT_THAT(events(), IsEmpty());
}

TEST_F(ProgramMemoryTest, ACopyIsHandedOnWhenItIsDone) {
  EXPECT_TRUE(note(of(MemoryNote::Copies, 4096, 8)));
  EXPECT_THAT(events(), IsEmpty());
  EXPECT_TRUE(note(of(MemoryNote::Copied, 4096, 8)));
  EXPECT_THAT(events(), ElementsAre("copied 8 to 4096"));
}

TEST_F(ProgramMemoryTest, WhatTheProgramReportsIsKnownBetterThanPages) {
  Memory.pagesMapped(0x1000, 0x1000, /*IsVideo=*/true);
  EXPECT_TRUE(
      note(of(MemoryNote::Allocated, 0x1000, 100, MemoryNote::AsPages)));
  Memory.pagesMapped(0x1000, 0x1000, /*IsVideo=*/true);
  ASSERT_NE(Memory.blocks().findLive(0x1000), nullptr);
  EXPECT_EQ(Memory.blocks().findLive(0x1000)->What, Allocation::Device);
  // Unmapped pages aren't what the program has freed.
  Memory.pagesUnmapped(0x1000);
  EXPECT_NE(Memory.blocks().findLive(0x1000), nullptr);
  Memory.pagesMapped(0x4000, 0x1000, /*IsVideo=*/false);
  EXPECT_TRUE(
      note(of(MemoryNote::Allocated, 0x4000, 100, MemoryNote::AsPages)));
  EXPECT_EQ(Memory.blocks().findLive(0x4000)->What, Allocation::Host);
  Memory.pagesMapped(0x8000, 0x1000, /*IsVideo=*/false);
  Memory.pagesUnmapped(0x8000);
  EXPECT_EQ(Memory.blocks().findLive(0x8000), nullptr);
}

TEST_F(ProgramMemoryTest, TheEndIsSaid) {
  note(of(MemoryNote::Ends, 0));
  bool HasEnded = false;
  Memory.OnEnd = [&] { HasEnded = true; };
  EXPECT_TRUE(note(of(MemoryNote::Ends, 0)));
  EXPECT_TRUE(HasEnded);
}

TEST_F(ProgramMemoryTest, RacesWithTheHostAreWatchedOrNamed) {
  const MemoryNote Pinned =
      of(MemoryNote::Allocated, 0x1000, 0x1000, MemoryNote::Host);
  // Without the check of races, nobody asks.
  EXPECT_TRUE(note(Pinned));
  EXPECT_THAT(NotChecked, IsEmpty());
  RaceCheck Races(*this, Memory.blocks(), 1 << 20);
  Checks.Races = &Races;
  note(Pinned);
  EXPECT_THAT(NotChecked, ElementsAre(testing::EndsWith("with AMD's runtime")));
  Memory.watchHost(false);
  note(Pinned);
  EXPECT_THAT(NotChecked.back(), testing::HasSubstr("userfaultfd"));
  note(of(MemoryNote::Allocated, 0x8000, 0x1000, MemoryNote::Registered));
  EXPECT_THAT(NotChecked.back(), testing::HasSubstr("registered memory"));
  const size_t Count = NotChecked.size();
  std::vector<uint64_t> Watched;
  Memory.OnHostMemory = [&](uint64_t Address, uint64_t) {
    Watched.push_back(Address);
  };
  Memory.watchHost(true);
  note(Pinned);
  EXPECT_THAT(Watched, ElementsAre(0x1000u));
  EXPECT_EQ(NotChecked.size(), Count);
}
