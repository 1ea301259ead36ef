//===-- CheckObserverTest.cpp - one observer for several checks -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Simulator/Check/CheckObserver.h"

#include "../ISA/Harness.h"

#include <gmock/gmock.h>

using namespace wavelane;
using namespace wavelane::check;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

/// Asks for what a test wants, and notes the instructions that it sees.
class Looking : public Check, private isa::Observer {
public:
  explicit Looking(unsigned Wants) : Wants(Wants) {}
  isa::Observer *observer() override { return this; }
  unsigned observes() const override { return Wants; }
  bool observesVary() const override { return Varies; }

  unsigned Wants;
  bool Varies = false;
  std::vector<std::string> Seen;
  /// What is asked for after an instruction.
  std::function<void(const isa::ObservedInstruction &)> Behind;
  const char *StopsAt = "";
  bool IsFiltered = false; ///< no access matters

private:
  bool needsAccesses(const isa::AccessBounds &) override { return !IsFiltered; }
  bool before(const isa::WaveState &,
              const isa::ObservedInstruction &I) override {
    Seen.push_back(I.Name);
    return Seen.back() != StopsAt;
  }
  void after(const isa::WaveState &,
             const isa::ObservedInstruction &I) override {
    if (Behind)
      Behind(I);
  }
};

/// A check that doesn't look.
class Blind : public Check {};

class CheckObserverTest : public testing::Test {
protected:
  CheckObserverTest() {
    On.S.setPair(2, isatest::Wave::Data);
    W.Kernel = Kernel;
    W.State = &On.S;
  }
  isa::StepResult run(const char *Code) {
    On.load(std::string(Code) + "\ns_endpgm");
    Both.waveRuns(W, On.Exec);
    return On.Exec.run(On.S, 100);
  }

  isatest::Wave On;
  CallStacks Calls;
  CheckObserver Both{Calls};
  std::shared_ptr<Launch> Kernel = std::make_shared<Launch>();
  WaveInfo W;
};

constexpr char Code[] = "v_mov_b32_e32 v0, 0\n"
                        "global_load_dword v1, v0, s[2:3]\n"
                        "s_waitcnt vmcnt(0)";
} // namespace

TEST_F(CheckObserverTest, NobodyLooks) {
  Blind B;
  Both.add(B);
  EXPECT_FALSE(Both.looksAt(W));
  EXPECT_EQ(run(Code).Reason, isa::StepResult::EndPgm);
  EXPECT_EQ(Both.running(), nullptr);
}

TEST_F(CheckObserverTest, EachSeesWhatAllAskForTogether) {
  Looking Accesses(isa::observe::Accesses), Registers(isa::observe::Registers);
  Both.add(Accesses);
  Both.add(Registers);
  EXPECT_TRUE(Both.looksAt(W));
  run(Code);
  EXPECT_EQ(Both.running(), &W);
  EXPECT_EQ(Accesses.Seen, Registers.Seen);
  EXPECT_THAT(Accesses.Seen, ElementsAre("v_mov_b32", "global_load_dword",
                                         "s_waitcnt", "s_endpgm"));
}

TEST_F(CheckObserverTest, ALaunchThatIsntCheckedIsntObserved) {
  Looking L(isa::observe::Registers);
  Both.add(L);
  Kernel->IsChecked = false;
  EXPECT_FALSE(Both.looksAt(W));
  run(Code);
  EXPECT_THAT(L.Seen, IsEmpty());
}

TEST_F(CheckObserverTest, AFilterCountsIfAllHaveOne) {
  using namespace isa::observe;
  Looking Filtering(Accesses | FilterAccesses);
  Filtering.IsFiltered = true;
  Both.add(Filtering);
  // Bounds are known once memory has been found: of the second load.
  constexpr char Twice[] = "global_load_dword v1, v0, s[2:3]\n"
                           "global_load_dword v2, v0, s[2:3]";
  run(Twice);
  EXPECT_THAT(Filtering.Seen, ElementsAre("global_load_dword"));
  Looking All(Accesses);
  Both.add(All);
  run(Twice);
  EXPECT_EQ(std::count(All.Seen.begin(), All.Seen.end(), "global_load_dword"),
            2);
}

TEST_F(CheckObserverTest, WhatIsAskedForMayChangeWhileAWaveRuns) {
  Looking L(isa::observe::Registers);
  L.Varies = true;
  L.Behind = [&](const isa::ObservedInstruction &) {
    L.Wants = isa::observe::Accesses;
  };
  Both.add(L);
  run("v_mov_b32_e32 v0, 0\nv_mov_b32_e32 v2, 0\n"
      "global_load_dword v1, v0, s[2:3]");
  EXPECT_THAT(L.Seen,
              testing::Not(testing::ElementsAre(
                  "v_mov_b32", "v_mov_b32", "global_load_dword", "s_endpgm")));
  EXPECT_EQ(std::count(L.Seen.begin(), L.Seen.end(), "v_mov_b32"), 1);
  EXPECT_THAT(L.Seen, testing::Contains(std::string("global_load_dword")));
}

TEST_F(CheckObserverTest, OneCanStopTheWaveAfterAllHaveSeenIt) {
  Looking Stopping(isa::observe::Registers), Other(isa::observe::Registers);
  Stopping.StopsAt = "global_load_dword";
  Both.add(Stopping);
  Both.add(Other);
  EXPECT_EQ(run(Code).Reason, isa::StepResult::Observed);
  EXPECT_THAT(Other.Seen, ElementsAre("v_mov_b32", "global_load_dword"));
}

TEST_F(CheckObserverTest, CallsAreFollowedAndARuntimesKernelIsQuiet) {
  Looking L(isa::observe::Registers);
  uint32_t Inside = 0;
  bool IsQuiet = false;
  L.Behind = [&](const isa::ObservedInstruction &I) {
    if (I.Name == std::string("s_nop"))
      Inside = W.Stack;
    IsQuiet |= Both.isQuiet();
  };
  Both.add(L);
  const char *Calling = "s_getpc_b64 s[4:5]\n"
                        "s_add_u32 s4, s4, 16\n"
                        "s_addc_u32 s5, s5, 0\n"
                        "s_swappc_b64 s[30:31], s[4:5]\n"
                        "s_endpgm\n"
                        "s_nop 0\n"
                        "s_setpc_b64 s[30:31]";
  EXPECT_EQ(run(Calling).Reason, isa::StepResult::EndPgm);
  EXPECT_THAT(Calls.returns(Inside), ElementsAre(isatest::Wave::Code + 16));
  EXPECT_EQ(W.Stack, 0u);
  EXPECT_FALSE(IsQuiet);
  EXPECT_FALSE(Both.isQuiet());
}
