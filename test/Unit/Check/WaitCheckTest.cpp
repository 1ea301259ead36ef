//===-- WaitCheckTest.cpp -------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Simulator/Check/WaitCheck.h"

#include "../ISA/Harness.h"

#include <gmock/gmock.h>

using namespace wavelane;
using namespace wavelane::check;
using isa::Target;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

struct SeenWaits : Reporter {
  std::vector<Finding> All;
  std::vector<FindingKey> Keys;
  bool Stops = false;
  bool report(const FindingKey &Key, unsigned,
              llvm::function_ref<Finding()> Describe) override {
    Keys.push_back(Key);
    All.push_back(Describe());
    return Stops;
  }
  void notChecked(const std::string &) override {}
};

/// Runs assembly with the check.
struct Checked : isatest::Wave {
  explicit Checked(Target T, unsigned Lanes = 64) : isatest::Wave(T, Lanes) {
    auto L = std::make_shared<Launch>();
    L->Processor = T;
    L->LaneCount = Lanes;
    Info.Kernel = L;
    Info.Number = 1;
    S.setPair(2, Data);
    S.setPair(4, 0x0001000000000000); // local memory's aperture
    // v[0:1]: each lane's address of global memory; v2: of local memory;
    // v[4:5]: of local memory as a flat address
    setV64(0, [](unsigned L) { return Data + 8 * L; });
    setV(2, [](unsigned L) { return 8 * L; });
    setV64(4, [](unsigned L) { return 0x0001000000000000 + 8 * L; });
    data<uint64_t>(0) = Data;
    Check.waveBegins(Info);
    Check.waveRuns(Info);
    Exec.setObserver(Check.observer(),
                     isa::observe::Accesses | isa::observe::Registers);
  }
  ~Checked() { Check.waveEnds(Info); }
  /// What is found in \a Text.
  std::vector<std::string> find(const std::string &Text) {
    Found.All.clear();
    run(Text);
    std::vector<std::string> What;
    for (const Finding &F : Found.All)
      What.push_back(F.What);
    return What;
  }

  SeenWaits Found;
  WaitCheck Check{Found};
  WaveInfo Info;
};

/// A piece of code that needs a wait, and the wait.
struct Case {
  const char *Name;
  Target Of;
  unsigned Lanes;
  const char *Before, *Wait, *After;
  const char *What; ///< without the wait
};

const Case Cases[] = {
    {"global", Target::GFX90A, 64, "global_load_dword v8, v[0:1], off",
     "s_waitcnt vmcnt(0)", "v_add_u32_e32 v9, 1, v8",
     "Register v8 is used before its load has ended"},
    {"one_of_two", Target::GFX90A, 64,
     "global_load_dword v8, v[0:1], off\nglobal_load_dword v9, v[0:1], off",
     "s_waitcnt vmcnt(1)", "v_mov_b32_e32 v10, v8",
     "Register v8 is used before its load has ended"},
    {"store_counts", Target::GFX90A, 64,
     "global_load_dword v8, v[0:1], off\nglobal_store_dword v[0:1], v2, off",
     "s_waitcnt vmcnt(1)", "v_mov_b32_e32 v10, v8",
     "Register v8 is used before its load has ended"},
    {"second_dword", Target::GFX90A, 64,
     "global_load_dwordx4 v[8:11], v[0:1], off", "s_waitcnt vmcnt(0)",
     "v_mov_b32_e32 v12, v10",
     "Register v10 is used before its load has ended"},
    {"stored", Target::GFX90A, 64, "global_load_dword v8, v[0:1], off",
     "s_waitcnt vmcnt(0)", "global_store_dword v[0:1], v8, off",
     "Register v8 is used before its load has ended"},
    {"overwritten", Target::GFX90A, 64, "global_load_dword v8, v[0:1], off",
     "s_waitcnt vmcnt(0)", "v_mov_b32_e32 v8, 1",
     "Register v8 is overwritten before its load has ended"},
    {"acc", Target::GFX90A, 64, "global_load_dword a3, v[0:1], off",
     "s_waitcnt vmcnt(0)", "v_accvgpr_read_b32 v8, a3",
     "Register a3 is used before its load has ended"},
    {"scalar", Target::GFX90A, 64, "s_load_dword s8, s[2:3], 0",
     "s_waitcnt lgkmcnt(0)", "s_add_u32 s9, s8, 1",
     "Register s8 is used before its load has ended"},
    {"scalar_pair", Target::GFX90A, 64, "s_load_dwordx4 s[8:11], s[2:3], 0",
     "s_waitcnt lgkmcnt(0)", "v_mov_b32_e32 v8, s11",
     "Register s11 is used before its load has ended"},
    {"scalar_address", Target::GFX90A, 64,
     "s_mov_b64 s[10:11], s[2:3]\ns_load_dwordx2 s[8:9], s[2:3], 0",
     "s_waitcnt lgkmcnt(0)\ns_mov_b64 s[8:9], s[10:11]",
     "s_load_dword s12, s[8:9], 0",
     "Register s8 is used before its load has ended"},
    {"vcc", Target::GFX90A, 64, "s_load_dwordx2 vcc, s[2:3], 0",
     "s_waitcnt lgkmcnt(0)", "s_cbranch_vccz 0",
     "Register vcc is used before its load has ended"},
    {"clock", Target::GFX90A, 64, "s_memtime s[8:9]", "s_waitcnt lgkmcnt(0)",
     "s_mov_b32 s10, s8", "Register s8 is used before its load has ended"},
    {"local", Target::GFX90A, 64, "ds_read_b32 v8, v2", "s_waitcnt lgkmcnt(0)",
     "v_mov_b32_e32 v9, v8", "Register v8 is used before its load has ended"},
    {"one_of_two_local", Target::GFX90A, 64,
     "ds_read_b32 v8, v2\nds_read_b32 v9, v2", "s_waitcnt lgkmcnt(1)",
     "v_mov_b32_e32 v10, v8", "Register v8 is used before its load has ended"},
    {"permute", Target::GFX90A, 64, "ds_bpermute_b32 v8, v2, v2",
     "s_waitcnt lgkmcnt(0)", "v_mov_b32_e32 v9, v8",
     "Register v8 is used before its load has ended"},
    {"flat_global", Target::GFX90A, 64, "flat_load_dword v8, v[0:1]",
     "s_waitcnt vmcnt(0)", "v_mov_b32_e32 v9, v8",
     "Register v8 is used before its load has ended"},
    {"flat_local", Target::GFX90A, 64, "flat_load_dword v8, v[4:5]",
     "s_waitcnt lgkmcnt(0)", "v_mov_b32_e32 v9, v8",
     "Register v8 is used before its load has ended"},
    {"atomic", Target::GFX90A, 64, "global_atomic_add v8, v[0:1], v2, off glc",
     "s_waitcnt vmcnt(0)", "v_mov_b32_e32 v9, v8",
     "Register v8 is used before its load has ended"},
    {"private", Target::GFX90A, 64, "scratch_load_dword v8, off, s40",
     "s_waitcnt vmcnt(0)", "v_mov_b32_e32 v9, v8",
     "Register v8 is used before its load has ended"},
    {"other_half", Target::GFX90A, 64,
     "global_load_short_d16_hi v8, v[0:1], off", "s_waitcnt vmcnt(0)",
     "v_lshrrev_b32_e32 v9, 16, v8",
     "Register v8 is used before its load has ended"},
    {"global_wave32", Target::GFX1030, 32, "global_load_dword v8, v[0:1], off",
     "s_waitcnt vmcnt(0)", "v_add_nc_u32_e32 v9, 1, v8",
     "Register v8 is used before its load has ended"},
    {"store_counts_apart", Target::GFX1030, 64,
     "global_load_dword v8, v[0:1], off\nglobal_store_dword v[0:1], v2, off",
     "s_waitcnt vmcnt(0)", "v_mov_b32_e32 v10, v8",
     "Register v8 is used before its load has ended"},
    {"single_counter", Target::GFX1030, 32, "ds_read_b32 v8, v2",
     "s_waitcnt_lgkmcnt null, 0x0", "v_mov_b32_e32 v9, v8",
     "Register v8 is used before its load has ended"},
    {"gfx11", Target::GFX1100, 32, "global_load_b32 v8, v[0:1], off",
     "s_waitcnt vmcnt(0)", "v_mov_b32_e32 v9, v8",
     "Register v8 is used before its load has ended"},
    {"gfx11_local", Target::GFX1100, 64, "ds_load_b64 v[8:9], v2",
     "s_waitcnt lgkmcnt(0)", "v_mov_b32_e32 v10, v9",
     "Register v9 is used before its load has ended"},
    {"gfx12", Target::GFX1201, 32, "global_load_b32 v8, v[0:1], off",
     "s_wait_loadcnt 0x0", "v_mov_b32_e32 v9, v8",
     "Register v8 is used before its load has ended"},
    {"gfx12_local", Target::GFX1201, 32, "ds_load_b32 v8, v2",
     "s_wait_dscnt 0x0", "v_mov_b32_e32 v9, v8",
     "Register v8 is used before its load has ended"},
    {"gfx12_scalar", Target::GFX1201, 32, "s_load_b32 s8, s[2:3], 0",
     "s_wait_kmcnt 0x0", "s_mov_b32 s9, s8",
     "Register s8 is used before its load has ended"},
    {"gfx12_both", Target::GFX1201, 32,
     "ds_load_b32 v9, v2\nglobal_load_b32 v8, v[0:1], off",
     "s_wait_loadcnt_dscnt 0x0", "v_mov_b32_e32 v10, v8",
     "Register v8 is used before its load has ended"},
};

class WaitCheckTest : public testing::TestWithParam<Case> {};

} // namespace

TEST_P(WaitCheckTest, MissesTheWaitAlone) {
  const Case &C = GetParam();
  const std::string Before = std::string(C.Before) + "\n",
                    After = std::string(C.After) + "\n";
  Checked Bad(C.Of, C.Lanes);
  EXPECT_THAT(Bad.find(Before + After), testing::ElementsAre(C.What));
  // The note names a wait that is enough.
  ASSERT_FALSE(Bad.Found.All.empty());
  const std::string Note = Bad.Found.All[0].Notes[0];
  Checked Mended(C.Of, C.Lanes);
  const std::string Wait = Note.substr(0, Note.find(" in between"));
  EXPECT_THAT(Mended.find(Before + Wait + "\n" + After), IsEmpty()) << Wait;
  Checked Good(C.Of, C.Lanes);
  EXPECT_THAT(Good.find(Before + C.Wait + "\n" + After), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(All, WaitCheckTest, testing::ValuesIn(Cases),
                         [](const auto &Info) {
                           return std::string(Info.param.Name);
                         });

TEST(WaitCheckRules, WaitsThatArentEnough) {
  Checked W(Target::GFX90A);
  EXPECT_EQ(W.find("global_load_dword v8, v[0:1], off\n"
                   "global_load_dword v9, v[0:1], off\n"
                   "s_waitcnt vmcnt(1)\nv_mov_b32_e32 v10, v9\n")
                .size(),
            1u);
  // Scalar loads come in any order.
  Checked X(Target::GFX90A);
  EXPECT_EQ(X.find("s_load_dword s8, s[2:3], 0\ns_load_dword s9, s[2:3], 4\n"
                   "s_waitcnt lgkmcnt(1)\ns_mov_b32 s10, s8\n")
                .size(),
            1u);
  // Another counter.
  Checked Y(Target::GFX90A);
  EXPECT_EQ(Y.find("ds_read_b32 v8, v2\ns_waitcnt vmcnt(0)\n"
                   "v_mov_b32_e32 v9, v8\n")
                .size(),
            1u);
  // A scalar load may be the one that is still outstanding, or the one from
  // local memory.
  Checked Z(Target::GFX90A);
  EXPECT_EQ(Z.find("ds_read_b32 v8, v2\ns_load_dword s8, s[2:3], 0\n"
                   "s_waitcnt lgkmcnt(1)\nv_mov_b32_e32 v9, v8\n")
                .size(),
            1u);
  // Stores don't count with loads.
  Checked G(Target::GFX1030);
  EXPECT_EQ(G.find("global_load_dword v8, v[0:1], off\n"
                   "global_store_dword v[0:1], v2, off\n"
                   "s_waitcnt vmcnt(1)\nv_mov_b32_e32 v10, v8\n")
                .size(),
            1u);
}

TEST(WaitCheckRules, WhatNeedsNoWait) {
  Checked W(Target::GFX90A);
  // Other lanes, another register, another half; a later load into the same
  // register; the end.
  EXPECT_THAT(W.find("s_mov_b64 exec, 0xff\n"
                     "global_load_dword v8, v[0:1], off\n"
                     "s_mov_b64 exec, 0xff00\nv_mov_b32_e32 v9, v8\n"
                     "v_mov_b32_e32 v7, v10\n"),
              IsEmpty());
  EXPECT_THAT(W.find("s_mov_b64 exec, -1\n"
                     "global_load_short_d16 v8, v[0:1], off\n"
                     "global_load_short_d16_hi v8, v[0:1], off\n"
                     "s_waitcnt vmcnt(0)\nv_mov_b32_e32 v9, v8\n"),
              IsEmpty());
  EXPECT_THAT(W.find("global_load_dword v8, v[0:1], off\n"
                     "global_load_dword v8, v[0:1], off\n"
                     "s_waitcnt vmcnt(0)\nv_mov_b32_e32 v9, v8\n"),
              IsEmpty());
  EXPECT_THAT(W.find("global_load_dword v8, v[0:1], off\n"), IsEmpty());
}

TEST(WaitCheckRules, AFullCounterWaits) {
  std::string Loads = "global_load_dword v8, v[0:1], off\n";
  for (unsigned N = 0; N < 63; ++N)
    Loads += "global_load_dword v9, v[0:1], off\n";
  Checked W(Target::GFX90A);
  EXPECT_THAT(W.find(Loads + "v_mov_b32_e32 v10, v8\n"), IsEmpty());
  EXPECT_EQ(W.find(Loads + "v_mov_b32_e32 v10, v9\n").size(), 63u);
  // lgkmcnt has 4 bits, or 6.
  Loads = "ds_read_b32 v8, v2\n";
  for (unsigned N = 0; N < 15; ++N)
    Loads += "ds_read_b32 v9, v2\n";
  Checked X(Target::GFX90A), Y(Target::GFX1030, 32);
  EXPECT_THAT(X.find(Loads + "v_mov_b32_e32 v10, v8\n"), IsEmpty());
  EXPECT_EQ(Y.find(Loads + "v_mov_b32_e32 v10, v8\n").size(), 1u);
}

TEST(WaitCheckRules, ReportsBothSides) {
  Checked W(Target::GFX90A);
  W.find("s_mov_b64 exec, 0xf\nglobal_load_dwordx2 v[8:9], v[0:1], off\n"
         "s_mov_b64 exec, 0x3c\nv_mov_b32_e32 v10, v9\n"
         "v_mov_b32_e32 v11, v9\n");
  ASSERT_EQ(W.Found.All.size(), 1u) << "the first use is reported";
  const Finding &F = W.Found.All[0];
  EXPECT_EQ(F.Here.Lanes, 0xcu);
  ASSERT_TRUE(F.Other);
  EXPECT_EQ(F.Other->PC, isatest::Wave::Code + 4);
  EXPECT_EQ(F.OtherWhat, "loaded by global_load_dwordx2");
  EXPECT_EQ(W.Found.Keys[0].What, Kind::MissingWait);
  EXPECT_THAT(F.Notes[0], HasSubstr("s_waitcnt vmcnt(0)"));
}

TEST(WaitCheckRules, StopsInFront) {
  Checked W(Target::GFX90A);
  W.Found.Stops = true;
  W.load("global_load_dword v8, v[0:1], off\nv_mov_b32_e32 v9, v8\ns_endpgm");
  EXPECT_EQ(W.Exec.run(W.S, 100).Reason, isa::StepResult::Observed);
  EXPECT_EQ(W.Exec.run(W.S, 100).Reason, isa::StepResult::EndPgm);
}
