//===-- TranslatedTest.cpp - checks of translated code --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executes arbitrary programs with checks, by the interpreter and by translated
// code. The reports must be the same, of the program and of what follows it:
// uses of all registers and private memory, which show what the checks know.
//
//===----------------------------------------------------------------------===//

#include "Simulator/Check/CheckSession.h"
#include "Simulator/ISA/Translator.h"
#include "Unit/Rounds.h"

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

constexpr unsigned FirstV = 8, LastV = 17, FirstS = 8, LastS = 15;
constexpr unsigned Turns = 4;          ///< waves, one after the other
constexpr uint64_t BlockSize = 0x1000; ///< of global memory, for each of them

/// Arbitrary programs, as text. v0 has the lane times 4, v1 the lane, v[2:3] a
/// flat address of private memory, v[4:5] one of each lane's global memory, and
/// v[6:7] one of private or local memory, whose upper halves are s55 and s54.
class Programs {
public:
  Programs(Target T, unsigned Lanes, unsigned Seed)
      : HasBuffer(gpu::get(T).generation() < 11), IsWide(Lanes == 64),
        Random(Seed) {}

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
      for (const unsigned Lane : {0, 3, 11, 16, 31}) {
        const std::string Of = label();
        Text += "v_readlane_b32 s16, " + V + ", " + std::to_string(Lane) +
                "\ns_cmp_eq_u32 s16, 0\ns_cbranch_scc1 " + Of + "\n" + Of +
                ":\n";
      }
    };
    for (unsigned N = FirstS; N <= LastS; ++N) {
      const std::string L = label();
      Text += "s_cmp_eq_u32 s" + std::to_string(N) + ", 0\ns_cbranch_scc1 " +
              L + "\n" + L + ":\n";
    }
    for (unsigned N = FirstV; N <= LastV; ++N)
      Use("v" + std::to_string(N));
    for (unsigned N = 0; N < 22; ++N) {
      Text += "scratch_load_dword v8, off, s7 offset:" + std::to_string(4 * N) +
              "\n" + waits();
      Use("v8");
    }
    Text += "ds_read_b32 v8, v0\n" + waits();
    Use("v8");
    Text += "global_load_dword v8, v0, s[2:3]\n" + waits();
    Use("v8");
    return Text + "s_endpgm\n" + Functions;
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
  std::string someWait() { return draw(4) ? waits() : "s_waitcnt vmcnt(0)\n"; }
  std::string v() {
    return "v" + std::to_string(FirstV + draw(LastV - FirstV + 1));
  }
  std::string s() {
    return "s" + std::to_string(FirstS + draw(LastS - FirstS + 1));
  }
  /// Of two registers.
  std::string vv() {
    const unsigned N = FirstV + 2 * draw(5);
    return "v[" + std::to_string(N) + ":" + std::to_string(N + 1) + "]";
  }
  std::string number(unsigned Below) { return std::to_string(draw(Below)); }

  std::string line(bool Waits) {
    const std::string Wait = Waits ? someWait() : "";
    switch (draw(33)) {
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
    case 16:
    case 17:
      return saved(Waits);
    case 18:
      return call(Waits);
    case 19: { // private memory, or local memory
      const std::string L = label();
      return "v_mov_b32_e32 v7, s55\ns_cmp_lt_u32 s4, " + number(12) +
             "\ns_cbranch_scc" + number(2) + " " + L +
             "\nv_mov_b32_e32 v7, s54\n" + L + ":\n";
    }
    default:
      return access() + Wait;
    }
  }

  /// Calls a function of some lines.
  std::string call(bool Waits) {
    if (InFunction)
      return "s_nop 0\n";
    InFunction = true;
    const std::string Name = label(), Here = label();
    Functions += Name + ":\n";
    for (unsigned N = 1 + draw(3); N; --N)
      Functions += line(Waits);
    Functions += "s_setpc_b64 s[52:53]\n";
    InFunction = false;
    return "s_getpc_b64 s[50:51]\n" + Here + ":\ns_add_u32 s50, s50, " + Name +
           "-" + Here +
           "\ns_addc_u32 s51, s51, 0\ns_swappc_b64 s[52:53], s[50:51]\n";
  }

  /// Saves a register in private memory, in all lanes, keeps scalar registers
  /// in some of its lanes, and restores it, as functions do.
  std::string saved(bool Waits) {
    const std::string V = v(),
                      Offset = " offset:" + std::to_string(64 + 4 * draw(4)),
                      S = IsWide ? "s[42:43]" : "s42",
                      Size = IsWide ? "_b64 " : "_b32 ",
                      All = "s_or_saveexec" + Size + S + ", -1\n",
                      Again = "s_mov" + Size + mask("exec") + ", " + S + "\n";
    const bool IsBuffer = HasBuffer && draw(2);
    const auto Move = [&](const std::string &Name) {
      if (IsBuffer)
        return "buffer_" + Name + "_dword " + V + ", off, s[44:47], s7" +
               Offset + "\n";
      return "scratch_" + Name + "_dword " +
             (Name == "store" ? "off, " + V : V + ", off") + ", s7" + Offset +
             "\n";
    };
    // Now and then, the place depends on the turn.
    const std::string Place = draw(3)
                                  ? ""
                                  : "s_and_b32 s7, s4, 1\ns_lshl_b32 s7, s7, " +
                                        std::to_string(!IsBuffer ? 2
                                                       : IsWide  ? 8
                                                                 : 7) +
                                        "\n";
    std::string Text = Place + All + Move("store") + Again;
    if (!Place.empty())
      Text += "s_mov_b32 s7, 0\n";
    for (unsigned N = draw(3); N; --N)
      Text += "v_writelane_b32 " + V + ", " + s() + ", " + number(32) + "\n";
    for (unsigned N = draw(3); N; --N)
      Text += line(Waits);
    Text += Place + All + Move("load") + Again;
    if (!Place.empty())
      Text += "s_mov_b32 s7, 0\n";
    return Text + waits();
  }

  std::string access() {
    const std::string Offset = " offset:" + std::to_string(4 * draw(12));
    switch (draw(17)) {
    case 15:
    case 16:
      return "flat_load_dword " + v() + ", v[6:7]\n";
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

  const bool HasBuffer, IsWide;
  unsigned Labels = 0;
  bool InFunction = false;
  std::string Functions; ///< after the program
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
    O.Checks = *parseList(Checks);
    O.Folder = Folder;
    O.Max = 1000;
    const auto Read = [](uint64_t, void *, size_t) { return false; };
    In = std::make_unique<Session>(O, getpid(), Read, Read);
    Exec.setTranslation(Translates, /*After=*/1);
  }

  /// The report on \a Text, executed by some waves, with pauses by \a Seed.
  std::string check(const std::string &Text, unsigned Seed) {
    simulator::MemoryNote N = {};
    N.what = simulator::MemoryNote::Allocated;
    N.kind = simulator::MemoryNote::Device;
    N.address = Data;
    N.size = Turns * BlockSize;
    In->memory().note({reinterpret_cast<const uint8_t *>(&N), sizeof(N)});
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
    S.Scalar[54] = uint32_t(gpu::LocalAperture >> 32);
    S.Scalar[55] = uint32_t(gpu::PrivateAperture >> 32);
    // The queue's descriptor of private memory.
    S.Scalar[44] = uint32_t(Scratch);
    S.Scalar[45] = 1u << 31;
    S.Scalar[46] = S.ScratchLaneSize * S.LaneCount;
    S.Scalar[47] =
        (S.LaneCount == 64 ? 3u : 2u) << 21 | 1u << 23 |
        (gpu::get(S.Processor).generation() == 9 ? 4u << 12
                                                 : 20u << 12 | 2u << 28);
    setV(0, [](unsigned L) { return 4 * L; });
    setV(1, [](unsigned L) { return L; });
    for (const unsigned V : {2, 6})
      setV64(V, [](unsigned) { return gpu::PrivateAperture + 16; });
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

/// Compares the reports on \a Text by the interpreter and by translated code.
/// \return How many instructions were translated.
uint64_t compare(const Case &C, const std::string &Text, unsigned Seed,
                 std::string *Report = nullptr) {
  uint64_t Steps = 0;
  std::string Reports[2], Printed[2];
  for (const bool Translates : {false, true}) {
    testing::internal::CaptureStderr();
    Side One(C.T, C.Lanes, C.Checks, Translates);
    Reports[Translates] = One.check(Text, Seed);
    Printed[Translates] = testing::internal::GetCapturedStderr();
    Steps += One.steps();
  }
  EXPECT_EQ(Printed[0], Printed[1]) << Text;
  EXPECT_EQ(Reports[0], Reports[1]) << Text;
  if (Report)
    *Report = Printed[1];
  return Steps;
}

TEST_P(CheckTranslated, ReportsTheSame) {
  if (!isa::Translator::isSupported())
    GTEST_SKIP() << "needs AVX2";
  // Others: --gtest_random_seed=N.
  const unsigned First = 1 + unsigned(GTEST_FLAG_GET(random_seed));
  uint64_t Steps = 0;
  for (unsigned Seed = First;
       Seed < First + wavelane::test::rounds(16) && !HasFailure(); ++Seed) {
    const Case C = GetParam();
    Steps += compare(C, Programs(C.T, C.Lanes, Seed).make(), Seed);
  }
  EXPECT_GT(Steps, 1000u);
}

// A row of private memory becomes another one in the last round, after a copy
// in the same part.
TEST_P(CheckTranslated, RowMoves) {
  if (!isa::Translator::isSupported())
    GTEST_SKIP() << "needs AVX2";
  std::string Report;
  compare(GetParam(),
          "s_mov_b32 s4, 0\n"
          "s_branch LOOP\n"
          "s_nop 0\n"
          "LOOP:\n"
          "s_cmp_eq_u32 s4, 11\n"
          "s_cselect_b32 s7, 4, 0\n"
          "v_mov_b32_e32 v10, v1\n"
          "s_cmp_lt_u32 s4, 99\n"
          "s_cbranch_scc0 L1\n"
          "v_mov_b32_e32 v10, v9\n"
          "scratch_store_dword off, v9, s7 offset:64\n"
          "L1:\n"
          "s_add_u32 s4, s4, 1\n"
          "s_cmp_lt_u32 s4, 12\n"
          "s_cbranch_scc1 LOOP\n"
          "v_readfirstlane_b32 s8, v10\n"
          "s_cmp_eq_u32 s8, 0\n"
          "s_cbranch_scc1 L2\n"
          "L2:\n"
          "s_endpgm\n",
          1, &Report);
  EXPECT_EQ(Report.find("register v9, which was never written") !=
                std::string::npos,
            !llvm::StringRef(GetParam().Checks).starts_with("wait"))
      << Report;
}

// A flat load reads private memory, and later local memory.
TEST_P(CheckTranslated, FlatLoadMoves) {
  if (!isa::Translator::isSupported())
    GTEST_SKIP() << "needs AVX2";
  std::string Report;
  compare(GetParam(),
          "ds_write_b32 v0, v1\n"
          "scratch_store_dword off, v1, s7 offset:16\n"
          "s_waitcnt vmcnt(0) lgkmcnt(0)\n"
          "s_mov_b32 s4, 0\n"
          "s_branch LOOP\n"
          "s_nop 0\n"
          "LOOP:\n"
          "v_mov_b32_e32 v7, s55\n"
          "s_cmp_lt_u32 s4, 11\n"
          "s_cbranch_scc1 L1\n"
          "v_mov_b32_e32 v7, s54\n"
          "L1:\n"
          "flat_load_dword v8, v[6:7]\n"
          "s_cmp_lt_u32 s4, 99\n"
          "s_cbranch_scc0 L2\n"
          "L2:\n"
          "s_waitcnt vmcnt(0)\n"
          "s_cmp_lt_u32 s4, 99\n"
          "s_cbranch_scc0 L3\n"
          "L3:\n"
          "v_mov_b32_e32 v9, v8\n"
          "s_waitcnt vmcnt(0) lgkmcnt(0)\n"
          "s_add_u32 s4, s4, 1\n"
          "s_cmp_lt_u32 s4, 12\n"
          "s_cbranch_scc1 LOOP\n"
          "s_endpgm\n",
          1, &Report);
  const llvm::StringRef Checks = GetParam().Checks;
  EXPECT_EQ(Report.find("[wait #1]") != std::string::npos,
            Checks.contains("wait") || Checks == "all")
      << Report;
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
