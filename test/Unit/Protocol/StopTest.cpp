//===-- StopTest.cpp - Why a thread has stopped, and what is printed ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/Protocol/Server/Stop.h"
#include "gtest/gtest.h"

using namespace wavelane::protocol;

namespace {

Stop make(StopKind Kind, uint64_t Lanes = 0) {
  Stop Result;
  Result.Kind = Kind;
  Result.Lanes.Bits = Lanes;
  return Result;
}

TEST(StopTest, EachKindHasAWord) {
  for (const Word<StopKind> &Each : getWords(StopKind())) {
    EXPECT_EQ(findWord<StopKind>(Each.second), Each.first);
    EXPECT_EQ(getWord(Each.first), Each.second);
  }
  EXPECT_EQ(findWord<StopKind>("memory"), std::nullopt);
}

TEST(StopTest, AViolationHasItsAddressLanesAndInstruction) {
  Stop Violation = make(StopKind::MemoryViolation, 0xf);
  EXPECT_EQ(describe(Violation), "memory violation");
  Violation.Instruction = "global_load_dword v1, v[2:3], off";
  EXPECT_EQ(describe(Violation),
            "memory violation, 'global_load_dword v1, v[2:3], off'");
  Violation.Address = 0x10;
  EXPECT_EQ(describe(Violation), "memory violation at 0x10 (lanes 0-3), "
                                 "'global_load_dword v1, v[2:3], off'");
  EXPECT_EQ(describeKind(Violation), "memory violation");
}

TEST(StopTest, AnAddressIsAsUsersTypeIt) {
  Stop Error = make(StopKind::AddressError);
  for (auto [Address, Text] :
       {std::pair<uint64_t, const char *>(0x200000001000, "0x200000001000"),
        {0x1000000001004, "local#0x1004"},
        {0x2000000000000, "private_lane#0x0"},
        {0x3000000000000, "0x3000000000000"}}) {
    Error.Address = Address;
    EXPECT_EQ(describe(Error), std::string("address error at ") + Text);
  }
}

TEST(StopTest, LanesAreRanges) {
  EXPECT_EQ(formatLanes(0), "");
  EXPECT_EQ(formatLanes(0b1011), "0-1,3");
  EXPECT_EQ(formatLanes(~uint64_t(0)), "0-63");
  EXPECT_EQ(formatLanes(uint64_t(1) << 63), "63");
}

TEST(StopTest, AnIllegalInstructionHasItsPlace) {
  Stop Illegal = make(StopKind::IllegalInstruction, 1);
  Illegal.Instruction = "v_illegal";
  Illegal.PC = 0x1000;
  Illegal.Kernel = "saxpy";
  Illegal.Processor = "gfx90a";
  EXPECT_EQ(describe(Illegal), "illegal instruction 'v_illegal' at 0x1000 in "
                               "kernel saxpy on gfx90a (lane 0)");
}

TEST(StopTest, ExceptionsOfOperandsAreBeforeTheNextInstruction) {
  Stop Overflow = make(StopKind::FloatingPointException, 6);
  Overflow.Detail = "overflow";
  Overflow.PC = 0x1000;
  EXPECT_EQ(describe(Overflow),
            "floating-point exception: overflow before 0x1000 (lanes 1-2)");
  EXPECT_EQ(describeKind(Overflow), "floating-point exception: overflow");
  Stop Trap = make(StopKind::DebugTrap, 1);
  Trap.PC = 0x1000;
  EXPECT_EQ(describe(Trap), "debug trap at 0x1000 (lane 0)");
}

TEST(StopTest, AFindingHasItsNumber) {
  Stop Finding = make(StopKind::Finding, 0xffffffff);
  Finding.Finding = 3;
  Finding.Explanation = "Invalid global write of size 4 bytes, out[64]";
  EXPECT_EQ(describe(Finding), "finding 3: Invalid global write of size 4 "
                               "bytes, out[64] (lanes 0-31)");
  EXPECT_EQ(describeKind(Finding), "finding 3");
}

TEST(StopTest, OtherStopsAreWords) {
  EXPECT_EQ(describe(make(StopKind::Interrupt)), "interrupted");
  Stop Waiting = make(StopKind::Interrupt);
  Waiting.WaitsAtBarrier = true;
  EXPECT_EQ(describe(Waiting), "interrupted, waits at a barrier");
  EXPECT_EQ(describe(make(StopKind::WithGPU)),
            "stopped with the program's GPU");
  EXPECT_EQ(describe(make(StopKind::Watchpoint, 3)), "watchpoint");
  Stop Boundary = make(StopKind::HistoryBoundary);
  Boundary.Explanation = "the recording begins here";
  EXPECT_EQ(describe(Boundary), "history boundary: the recording begins here");
}

TEST(StopTest, OnlyExceptionsAreExceptions) {
  for (const Word<StopKind> &Each : getWords(StopKind()))
    EXPECT_EQ(isException(Each.first),
              Each.first >= StopKind::Finding && Each.first <= StopKind::Trap)
        << Each.second.str();
}

TEST(StopTest, OrdersByEveryField) {
  Stop First = make(StopKind::Trap), Second = First;
  EXPECT_EQ(First, Second);
  Second.WaitsAtBarrier = true;
  EXPECT_FALSE(First == Second);
  EXPECT_TRUE(First < Second);
}

} // namespace
