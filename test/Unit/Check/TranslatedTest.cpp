//===-- TranslatedTest.cpp - checks of translated code --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executes arbitrary programs with checks, by the interpreter and by translated
// code. The reports must be the same, of the program and of what follows it:
// uses of all registers and private memory, which tell what the checks know.
//
//===----------------------------------------------------------------------===//

#include "Check/Session.h"
#include "ISA/Translator.h"

#include "../ISA/Harness.h"

#include "llvm/Support/MemoryBuffer.h"

#include <cstdlib>
#include <random>
#include <unistd.h>

using namespace wavelane;
using namespace wavelane::check;
using isa::StepResult;
using isa::Target;

namespace {

constexpr unsigned FirstV = 6, LastV = 15, FirstS = 8, LastS = 15;
constexpr unsigned Turns = 4;          ///< waves, one after the other
constexpr uint64_t BlockSize = 0x1000; ///< of global memory, for each of them

/// Arbitrary programs, as text. v0 has the lane times 4, v1 the lane, v[2:3] a
/// flat address of private memory, v[4:5] one of each lane's global memory.
class Programs {
public:
  Programs(Target T, unsigned Lanes, unsigned Seed)
      : IsOld(isa::generation(T) == 9), IsWide(Lanes == 64), Random(Seed) {}

  std::string make() {
    std::string Text;
    // Of how many things one isn't defined.
    const unsigned Of = 3u << draw(5);
    for (unsigned N = FirstV; N <= LastV; ++N)
      if (draw(Of))
        Text += "v_mov_b32_e32 v" + std::to_string(N) + ", v1\n";
    for (unsigned N = FirstS; N <= LastS; ++N)
      if (draw(Of))
        Text += "s_movk_i32 s" + std::to_string(N) + ", 5\n";
    for (unsigned N = 0; N < 14; ++N)
      if (draw(Of))
        Text +=
            "scratch_store_dword off, v1, s7 offset:" + std::to_string(4 * N) +
            "\n";
    for (unsigned N = 0; N < 16; ++N)
      if (draw(Of))
        Text += "ds_write_b32 v0, v1 offset:" + std::to_string(4 * N) + "\n";
    for (unsigned N = 0; N < 16; ++N)
      if (draw(Of))
        Text += "global_store_dword v0, v1, s[2:3] offset:" +
                std::to_string(4 * N) + "\n";
    Text += "s_mov_b64 vcc, 0\n";
    Text += "s_mov_b32 s4, 0\ns_branch LOOP\ns_nop 0\nLOOP:\n";
    const unsigned Count = 1 + draw(24);
    for (unsigned N = 0; N < Count; ++N)
      Text += line(draw(4) != 0);
    Text += "s_add_u32 s4, s4, 1\ns_cmp_lt_u32 s4, 12\ns_cbranch_scc1 LOOP\n";
    return Text + probes();
  }

private:
  /// Uses everything, so that it is found if it is undefined or outstanding.
  std::string probes() {
    std::string Text = execIs("-1");
    const auto Use = [&](const std::string &V) {
      const std::string L = label();
      Text += "v_cmp_ne_u32_e32 " + mask("vcc") + ", 0, " + V +
              "\ns_cbranch_vccz " + L + "\n" + L + ":\n";
    };
    for (unsigned N = FirstS; N <= LastS; ++N) {
      const std::string L = label();
      Text += "s_cmp_eq_u32 s" + std::to_string(N) + ", 0\ns_cbranch_scc1 " +
              L + "\n" + L + ":\n";
    }
    for (unsigned N = FirstV; N <= LastV; ++N)
      Use("v" + std::to_string(N));
    for (unsigned N = 0; N < 12; ++N) {
      Text += "scratch_load_dword v6, off, s7 offset:" + std::to_string(4 * N) +
              "\n" + waits();
      Use("v6");
    }
    Text += "ds_read_b32 v6, v0\n" + waits();
    Use("v6");
    Text += "global_load_dword v6, v0, s[2:3]\n" + waits();
    Use("v6");
    return Text + "s_endpgm\n";
  }

  uint32_t draw(uint32_t N) { return uint32_t(Random() % N); }
  std::string label() { return "L" + std::to_string(Labels++); }
  std::string mask(const std::string &Name) const {
    return IsWide ? Name : Name + "_lo";
  }
  std::string execIs(const std::string &Value) const {
    return (IsWide ? "s_mov_b64 exec, " : "s_mov_b32 exec_lo, ") + Value + "\n";
  }
  std::string waits() const { return "s_waitcnt vmcnt(0) lgkmcnt(0)\n"; }
  std::string v() { return "v" + std::to_string(FirstV + draw(LastV - 5)); }
  std::string s() { return "s" + std::to_string(FirstS + draw(LastS - 7)); }
  /// Of two registers.
  std::string vv() {
    const unsigned N = FirstV + 2 * draw(5);
    return "v[" + std::to_string(N) + ":" + std::to_string(N + 1) + "]";
  }
  std::string number(unsigned Below) { return std::to_string(draw(Below)); }

  std::string line(bool Waits) {
    const std::string Wait = Waits ? waits() : "";
    switch (draw(28)) {
    case 0:
      return "v_mov_b32_e32 " + v() + ", " + v() + "\n";
    case 1:
      return "v_xor_b32_e32 " + v() + ", " + v() + ", " + v() + "\n";
    case 2:
      return "v_and_b32_e32 " + v() + ", 0xff, " + v() + "\n";
    case 3:
      return "v_mov_b32_e32 " + v() + ", " + s() + "\n";
    case 4:
      return "v_cmp_gt_u32_e32 " + mask("vcc") + ", " + number(64) + ", " +
             v() + "\n";
    case 5:
      return "v_cndmask_b32_e32 " + v() + ", " + v() + ", " + v() + ", " +
             mask("vcc") + "\n";
    case 6:
      return "s_add_u32 " + s() + ", " + s() + ", " + s() + "\n";
    case 7:
      return "s_mov_b32 " + s() + ", " + number(60) + "\n";
    case 8:
      return "s_cmp_lt_u32 " + s() + ", " + s() + "\ns_cselect_b32 " + s() +
             ", " + s() + ", 3\n";
    case 9:
      return "v_readlane_b32 " + s() + ", " + v() + ", " + number(32) + "\n";
    case 10:
      return "v_writelane_b32 " + v() + ", " +
             (draw(4) ? s() + ", " + number(32) : "s6, s6") + "\n";
    case 11:
      return "v_readfirstlane_b32 " + s() + ", " + v() + "\n";
    case 12:
      return "v_mov_b32_dpp " + v() + ", " + v() +
             " row_shr:1 row_mask:0xf bank_mask:0xf\n";
    case 13:
      return execIs(draw(2) ? "-1" : number(60));
    case 14: { // a condition
      const std::string L = label(), S = IsWide ? "s[40:41]" : "s40",
                        Size = IsWide ? "_b64 " : "_b32 ";
      return "v_cmp_gt_u32_e32 " + mask("vcc") + ", " + number(64) +
             ", v1\ns_and_saveexec" + Size + S + ", " + mask("vcc") +
             "\ns_cbranch_execz " + L + "\n" + line(Waits) + line(Waits) + L +
             ":\ns_or" + Size + mask("exec") + ", " + mask("exec") + ", " + S +
             "\n";
    }
    case 15: {
      const std::string L = label();
      return "s_cmp_lt_u32 s4, " + number(12) + "\ns_cbranch_scc" + number(2) +
             " " + L + "\n" + line(Waits) + line(Waits) + L + ":\n";
    }
    default:
      return access() + Wait;
    }
  }

  std::string access() {
    const std::string Offset = " offset:" + std::to_string(4 * draw(12));
    switch (draw(15)) {
    case 0:
    case 1:
      return "global_load_dword " + v() + ", v0, s[2:3]" + Offset + "\n";
    case 2:
    case 3:
      return "global_store_dword v0, " + v() + ", s[2:3]" + Offset + "\n";
    case 4:
      return "global_load_short_d16 " + v() + ", v0, s[2:3]" + Offset + "\n";
    case 5:
      return "global_atomic_add " +
             (draw(2) ? v() + ", v0, " + v() + ", s[2:3] glc\n"
                      : "v0, " + v() + ", s[2:3]\n");
    case 6:
      return "ds_read_b32 " + v() + ", v0" + Offset + "\n";
    case 7:
      return "ds_write_b32 v0, " + v() + Offset + "\n";
    case 8:
      return "s_load_dword " + s() + ", s[2:3], 0x" + number(10) + "0\n";
    case 9:
      return "scratch_load_dwordx2 " + vv() + ", off, s7" + Offset + "\n";
    case 10:
      return "scratch_load_dword " + v() + ", off, s7" + Offset + "\n";
    case 11:
      return "scratch_store_dword off, " + v() + ", s7" + Offset + "\n";
    case 12:
      return "flat_load_dword " + v() + ", v[2:3]\n";
    case 13:
      return "flat_store_dword v[2:3], " + v() + "\n";
    default:
      return "flat_load_dword " + v() + ", v[4:5]\n";
    }
  }

  const bool IsOld, IsWide;
  unsigned Labels = 0;
  std::mt19937 Random;
};

/// Waves with checks.
class Side : isatest::Wave {
public:
  Side(Target T, unsigned Lanes, const std::string &Checks, bool Translates)
      : isatest::Wave(T, Lanes),
        Folder(testing::TempDir() + "translated-XXXXXX"),
        Translates(Translates) {
    if (!mkdtemp(Folder.data()))
      ADD_FAILURE() << Folder;
    Options O;
    O.Checks = *Options::parseChecks(Checks);
    O.Folder = Folder;
    O.Max = 1000;
    In = std::make_unique<Session>(
        O, getpid(), [](uint64_t, void *, size_t) { return false; });
    Exec.setTranslation(Translates, /*After=*/1);
  }

  /// The report on \a Text, executed by some waves, with pauses by \a Seed.
  std::string check(const std::string &Text, unsigned Seed) {
    simulator::MemoryNote N = {};
    N.what = simulator::MemoryNote::Allocated;
    N.kind = simulator::MemoryNote::Device;
    N.address = Data;
    N.size = Turns * BlockSize;
    In->noteMemory({reinterpret_cast<const uint8_t *>(&N), sizeof(N)});
    Launch L;
    L.Processor = S.Processor;
    L.LaneCount = S.LaneCount;
    L.LocalBytes = S.LDSSize;
    L.PrivateBytes = S.ScratchLaneSize;
    LaunchRef Kernel = In->launchBegins(L);
    std::mt19937 Random(Seed);
    load(Text);
    for (unsigned Turn = 0; Turn < Turns; ++Turn)
      runWave(Kernel, Turn, Random);
    In->launchEnds(Kernel);
    In->finish();
    const std::string Path =
        Folder + "/" + ReportPrefix + std::to_string(getpid()) + ".json";
    auto Read = llvm::MemoryBuffer::getFile(Path);
    return Read ? (*Read)->getBuffer().str() : "no report";
  }
  ~Side() {
    In.reset();
    EXPECT_EQ(std::system(("rm -r " + Folder).c_str()), 0);
  }
  uint64_t steps() const { return Exec.translatedSteps(); }

private:
  void runWave(const LaunchRef &Kernel, unsigned Turn, std::mt19937 &Random) {
    const uint64_t Block = Data + Turn * BlockSize;
    std::fill(std::begin(S.Scalar), std::end(S.Scalar), 0);
    std::fill(S.VGPR.begin(), S.VGPR.end(), 0);
    S.setExec(Turn % 2 ? 0xffff : ~uint64_t(0));
    S.setFlatScratch(Scratch);
    S.Status = isa::status::Valid;
    S.setPair(2, Block);
    S.Scalar[6] = 3;
    setV(0, [](unsigned L) { return 4 * L; });
    setV(1, [](unsigned L) { return L; });
    setV64(2, [](unsigned) { return isa::PrivateApertureBase + 16; });
    setV64(4, [&](unsigned L) { return Block + 4 * L; });
    S.PC = Code;
    WaveInfo W;
    W.Kernel = Kernel;
    W.Number = In->newNumber();
    W.GroupNumber = In->newNumber();
    W.State = &S;
    W.SetVectors = FirstV;
    for (unsigned N = 0; N < FirstS; ++N)
      W.SetScalars.set(N);
    for (unsigned N = 16; N < 102; ++N)
      W.SetScalars.set(N);
    In->waveBegins(W);
    StepResult R;
    do {
      In->waveRuns(W, Exec);
      const uint64_t Budget = 1 + Random() % (Random() % 2 ? 30 : 300);
      R = Exec.run(S, Budget, /*PassBreak=*/false, Random() % 50);
      if (Translates)
        Exec.finishTranslation();
    } while (R.Reason == StepResult::Continued);
    EXPECT_EQ(int(R.Reason), int(StepResult::EndPgm))
        << R.Text << ", fault " << R.FaultAddress << " at " << R.Address - Code;
    In->waveEnds(W);
  }

  std::string Folder;
  const bool Translates;
  std::unique_ptr<Session> In;
};

struct Case {
  Target T;
  unsigned Lanes;
  const char *Checks;
};

class CheckTranslated : public testing::TestWithParam<Case> {};

TEST_P(CheckTranslated, ReportsTheSame) {
  const Case C = GetParam();
  if (!isa::Translator::isSupported())
    GTEST_SKIP() << "needs AVX2";
  // Others: --gtest_random_seed=N.
  const unsigned First = 1 + unsigned(GTEST_FLAG_GET(random_seed));
  uint64_t Steps = 0;
  for (unsigned N = 0; N < 16 && !HasFailure(); ++N) {
    const unsigned Seed = First + N;
    const std::string Text = Programs(C.T, C.Lanes, Seed).make();
    std::string Reports[2], Told[2];
    for (const bool Translates : {false, true}) {
      testing::internal::CaptureStderr();
      Side One(C.T, C.Lanes, C.Checks, Translates);
      Reports[Translates] = One.check(Text, Seed);
      Told[Translates] = testing::internal::GetCapturedStderr();
      Steps += One.steps();
    }
    EXPECT_EQ(Told[0], Told[1]) << Text;
    EXPECT_EQ(Reports[0], Reports[1]) << Text;
  }
  EXPECT_GT(Steps, 1000u);
}

INSTANTIATE_TEST_SUITE_P(
    All, CheckTranslated,
    testing::Values(Case{Target::GFX90A, 64, "init"},
                    Case{Target::GFX90A, 64, "wait"},
                    Case{Target::GFX90A, 64, "all"},
                    Case{Target::GFX1030, 32, "init"},
                    Case{Target::GFX1030, 32, "wait"},
                    Case{Target::GFX1030, 64, "init,wait,memory"},
                    Case{Target::GFX1100, 32, "init,wait,sync"}),
    [](const auto &Info) {
      std::string Name = isa::getProcessorName(Info.param.T) +
                         ("_" + std::to_string(Info.param.Lanes)) + "_" +
                         Info.param.Checks;
      std::replace(Name.begin(), Name.end(), ',', '_');
      return Name;
    });

} // namespace
