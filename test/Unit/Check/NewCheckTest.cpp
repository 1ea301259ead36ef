//===-- NewCheckTest.cpp - what a check that is added sees ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A check that says nothing of what it observes sees everything, whichever
// checks run beside it.
//
//===----------------------------------------------------------------------===//

#include "Simulator/Check/CheckSession.h"

#include "../ISA/Harness.h"

#include "llvm/ADT/StringExtras.h"

#include <gmock/gmock.h>

#include <unistd.h>

using namespace wavelane;
using namespace wavelane::check;
using isa::Target;

namespace {

/// Notes what it observes.
class NewCheck : public Check, private isa::Observer {
public:
  explicit NewCheck(std::vector<std::string> &Noted) : Noted(Noted) {}
  isa::Observer *observer() override { return this; }

private:
  bool before(const isa::WaveState &,
              const isa::ObservedInstruction &I) override {
    Noted.push_back(describe("before", I));
    return true;
  }
  void after(const isa::WaveState &,
             const isa::ObservedInstruction &I) override {
    Noted.push_back(describe("after", I));
  }
  static std::string describe(const char *When,
                              const isa::ObservedInstruction &I) {
    std::string Text = std::string(When) + " " + I.Mnemonic + ":";
    for (const auto *Ranges : {&I.Reads, &I.Writes})
      for (const isa::RegisterRange &R : *Ranges)
        Text += (Ranges == &I.Reads ? " reads " : " writes ") +
                std::to_string(R.In) + "/" + std::to_string(R.First) + "+" +
                std::to_string(R.Count) + "/" + llvm::utohexstr(R.Lanes);
    return Text + ", " + std::to_string(I.Accesses.size()) + " accesses";
  }

  std::vector<std::string> &Noted;
};

/// Executes code with memory of all kinds in a loop, which is translated.
struct Observed : isatest::Wave {
  std::vector<std::string> Noted;

  Observed(Target T, unsigned Lanes, llvm::StringRef Checks)
      : isatest::Wave(T, Lanes) {
    Options O;
    O.Checks = Checks.empty() ? 0 : llvm::cantFail(parseList(Checks));
    const auto Read = [](uint64_t, void *, size_t) { return false; };
    Session In(O, getpid(), Read, Read);
    In.add(std::make_unique<NewCheck>(Noted));
    Exec.setTranslation(true, /*After=*/1);
    Launch L;
    L.Processor = T;
    L.LaneCount = Lanes;
    L.LocalBytes = S.LDSSize;
    L.PrivateBytes = S.ScratchLaneSize;
    const LaunchRef Kernel = In.launchBegins(L);
    S.setPair(2, Data);
    setV(0, [](unsigned Lane) { return 4 * Lane; });
    setV(1, [](unsigned Lane) { return Lane; });
    setV64(4, [](unsigned Lane) { return Data + 4 * Lane; });
    load("s_mov_b32 s4, 0\n"
         "LOOP:\n"
         "v_add_f32_e32 v2, v1, v1\n"
         "v_mov_b32_e32 v3, s4\n"
         "ds_write_b32 v0, v2\n"
         "global_store_dword v[4:5], v3, off\n"
         "s_waitcnt vmcnt(0) lgkmcnt(0)\n"
         "s_add_u32 s4, s4, 1\n"
         "s_cmp_lt_u32 s4, 40\n"
         "s_cbranch_scc1 LOOP\n"
         "s_endpgm\n");
    WaveInfo W;
    W.Kernel = Kernel;
    W.Number = In.newNumber();
    W.GroupNumber = In.newNumber();
    W.State = &S;
    W.HasBegun = true;
    In.waveBegins(W);
    isa::StepResult R;
    do {
      In.waveRuns(W, Exec);
      R = Exec.run(S, 100);
      Exec.finishTranslation();
    } while (R.Reason == isa::StepResult::Continued);
    EXPECT_EQ(int(R.Reason), int(isa::StepResult::EndPgm)) << R.Text;
    In.waveEnds(W);
    In.launchEnds(Kernel);
  }
};

TEST(NewCheck, SeesAllBesideEachOther) {
  testing::internal::CaptureStderr();
  for (const auto &[T, Lanes] :
       {std::pair(Target::GFX90A, 64u), std::pair(Target::GFX1030, 32u)}) {
    const Observed Alone(T, Lanes, "");
    // The first and the last one, and eight in each round: twice each.
    EXPECT_EQ(Alone.Noted.size(), 2u * (2 + 40 * 8));
    EXPECT_THAT(Alone.Noted[2], testing::HasSubstr("reads 1/1+1/"));
    EXPECT_THAT(Alone.Noted[2], testing::HasSubstr("writes 1/2+1/"));
    std::vector<std::string> Lists = {"all", "count", "all,count"};
    for (CheckId Id : AllChecks)
      Lists.push_back(name(Id).str());
    for (const std::string &List : Lists)
      EXPECT_EQ(Observed(T, Lanes, List).Noted, Alone.Noted)
          << "beside " << List << " on " << isa::getProcessorName(T);
  }
  testing::internal::GetCapturedStderr();
}

} // namespace
