//===-- ObserverTest.cpp - observers see what is executed -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executes arbitrary instructions on arbitrary registers. What changes must
// have been reported as written, and what isn't reported as read must not
// matter.
//
//===----------------------------------------------------------------------===//

#include "wavelane/Simulator/ISA/Observer.h"
#include "Harness.h"
#include "Unit/Rounds.h"

#include <fstream>
#include <random>
#include <set>
#include <sstream>

using namespace isatest;
using wavelane::isa::Target;

namespace {

/// Memory that exists everywhere: each address is one of the same few bytes.
class EndlessMemory : public MemoryAccess {
public:
  static constexpr uint64_t Size = 4096, Code = 0x100000;
  std::vector<uint8_t> Bytes = std::vector<uint8_t>(2 * Size);
  std::vector<uint8_t> Program = std::vector<uint8_t>(Size);

  MemorySpan resolve(uint64_t Address, Access Kind) override {
    const uint64_t Begin = Address / Size * Size;
    return {Kind == Access::Execute ? Program.data() : Bytes.data(), Begin,
            Begin + Size};
  }
  uint64_t clock(bool) override { return 42; }
};

/// Keeps what was reported of the last instruction.
class Listener : public Observer {
public:
  ObservedInstruction Before;
  std::vector<uint8_t> Sources[2];
  unsigned Begun = 0, Done = 0;
  /// Frequent instructions are skipped.
  static constexpr unsigned Enough = 40;
  std::map<std::string, unsigned> Times;
  // The state before it.
  const EndlessMemory *Memory = nullptr;
  const std::vector<uint8_t> *LDS = nullptr;
  WaveState Wave;
  std::vector<uint8_t> Bytes, Lds;

  bool before(const WaveState &W, const ObservedInstruction &I) override {
    if (Begun == 0 && ++Times[I.Name] > Enough)
      return false;
    if (++Begun == 1) {
      Wave = W;
      Bytes = Memory->Bytes;
      Lds = *LDS;
    }
    Before = I;
    Sources[0].clear();
    for (RegisterRange &R : Before.Reads)
      if (R.Source) {
        Sources[0].assign(R.Source, R.Source + 64);
        R.Source = Sources[0].data();
      }
    return true;
  }
  void after(const WaveState &, const ObservedInstruction &) override {
    ++Done;
  }
};

/// A bit for each bit of each register: those that ranges contain.
struct RegisterSet {
  uint32_t Scalar[scalar::Count] = {};
  std::vector<uint32_t> Vector;
  bool SCC = false, Mode = false, FlatScratch = false;

  RegisterSet(const WaveState &S, const std::vector<RegisterRange> &Ranges)
      : Vector(S.VGPR.size()) {
    for (const RegisterRange &R : Ranges)
      for (unsigned N = R.First; N < unsigned(R.First) + R.Count; ++N)
        switch (R.In) {
        case RegisterRange::Scalar:
          if (N < scalar::Count)
            Scalar[N] |= R.Bits;
          break;
        case RegisterRange::Vector:
        case RegisterRange::Acc: {
          const size_t Reg =
              N + (R.In == RegisterRange::Acc ? S.AccumOffset : 0);
          for (unsigned L = 0; L < S.LaneCount; ++L)
            if ((R.Lanes >> L & 1) && (Reg + 1) * S.LaneCount <= Vector.size())
              Vector[Reg * S.LaneCount + L] |= R.Bits;
          break;
        }
        case RegisterRange::SCC:
          SCC = true;
          break;
        case RegisterRange::Mode:
          Mode = true;
          break;
        case RegisterRange::FlatScratch:
          FlatScratch = true;
          break;
        }
  }
};

class Truth {
public:
  Truth(Target T, unsigned Lanes)
      : T(T), Exec(T, Memory), Random(T == Target::GFX90A ? 1 : 2), LDS(4096) {
    State.Processor = T;
    State.LaneCount = uint8_t(Lanes);
    const auto Acc = wavelane::gpu::get(T).family().Acc;
    State.allocateVGPRs(256,
                        Acc == wavelane::gpu::AccRegisters::None ? 0 : 256);
    State.LDS = LDS.data();
    State.LDSSize = uint32_t(LDS.size());
    State.ScratchLaneSize = 1 << 20;
    TheListener.Memory = &Memory;
    TheListener.LDS = &LDS;
    for (uint32_t &V : Values)
      V = value();
  }

  void tryOne() {
    uint32_t Words[4];
    for (uint32_t &W : Words)
      W = word();
    if (draw(2)) // a plain second half
      Words[1] = draw(256) | draw(256) << 9 | draw(256) << 18 | 0x100 |
                 (draw(2) ? 0x20000 : 0) | (draw(2) ? 0x4000000 : 0);
    if (generation(T) > 10 && draw(32) == 0) { // v_wmma_*
      Words[0] = 0xcc400000 | draw(8) << 16 | (word() & 0xffff);
      Words[1] |= 0x04020100;
    }
    alignPairs(Words[0]);
    std::memcpy(Memory.Program.data(), Words, sizeof(Words));
    if (!Fresh)
      fill();
    Fresh = true;
    Exec.setObserver(&TheListener, observe::Accesses | observe::Registers);
    TheListener.Begun = TheListener.Done = 0;
    StepResult R = Exec.step(State);
    if (!TheListener.Begun)
      return;
    Fresh = false;
    if (R.Reason == StepResult::MemoryViolation ||
        R.Reason == StepResult::IllegalInstruction)
      return;
    const WaveState &Before = TheListener.Wave;
    const auto &BytesBefore = TheListener.Bytes, &LdsBefore = TheListener.Lds;
    const std::string Name = TheListener.Before.Name;
    // Matrices and conversions of small floats have no GPR indexing.
    if ((TheListener.Wave.Mode & mode::GprIdxEn) &&
        (Name.find("fma") != Name.npos || Name.find("scale") != Name.npos ||
         Name.find("f8") != Name.npos || Name.find("p8") != Name.npos))
      return;
    Seen.insert(Name);
    if (TheListener.Done != 1)
      fail("after() was not called");
    checkWrites(Before);
    checkMemory(BytesBefore, LdsBefore);
    const WaveState After = State;
    const auto BytesAfter = Memory.Bytes, LdsAfter = LDS;
    const ObservedInstruction First = TheListener.Before;

    // Once more, with other values in all that isn't read.
    Memory.Bytes = BytesBefore;
    LDS = LdsBefore;
    State = Before;
    scramble(RegisterSet(Before, First.Reads));
    const RegisterSet Written(Before, First.Writes);
    const StepResult Again = Exec.step(State);
    if (Again.Reason != R.Reason || State.PC != After.PC ||
        Again.Code != R.Code) {
      fail("ends differently");
    } else {
      checkResults(After, Written);
      if (Memory.Bytes != BytesAfter || LDS != LdsAfter)
        fail("what is stored depends on what is not read");
    }
  }

  std::set<std::string> Seen;
  std::map<std::string, std::string> Wrong; ///< by name

private:
  /// Odd registers aren't valid for scalar operations of 64 bits.
  static void alignPairs(uint32_t &W) {
    if (W >> 30 != 2)
      return;
    switch (W >> 23) {
    case 0x17f: // SOPP
      return;
    case 0x17e: // SOPC
      W &= ~0x00000101u;
      return;
    case 0x17d: // SOP1
      W &= ~0x00010001u;
      return;
    default:
      W &= W >> 28 == 0xb ? ~0x00010000u : ~0x00010101u;
    }
  }

  uint32_t word() { return uint32_t(Random()); }
  uint32_t draw(uint32_t N) { return uint32_t(Random() % N); }
  void fail(const std::string &Why) {
    std::ostringstream Text;
    Text << TheListener.Before.Mnemonic << " " << std::hex;
    for (unsigned N = 0; N < TheListener.Before.Size; N += 4) {
      uint32_t W;
      std::memcpy(&W, &Memory.Program[N], 4);
      Text << "0x" << W << " ";
    }
    Wrong.emplace(TheListener.Before.Name, Text.str() + ": " + Why);
  }

  /// A value that is a small address about as often as not.
  uint32_t value() {
    switch (draw(4)) {
    case 0:
      return draw(64);
    case 1:
      return draw(4096) & ~15u;
    default:
      return word();
    }
  }
  void fill() {
    for (uint32_t &V : State.Scalar)
      V = value();
    for (size_t N = 0; N < State.VGPR.size(); N += 64)
      std::copy_n(&Values[draw(uint32_t(Values.size() - 64))], 64,
                  &State.VGPR[N]);
    State.Scalar[scalar::Null] = 0;
    if (draw(2))
      State.Scalar[scalar::M0] = draw(4);
    State.setExec(draw(4)   ? (uint64_t(word()) << 32 | word())
                  : draw(4) ? ~uint64_t(0)
                            : 0);
    State.ScratchBase = uint64_t(value()) << 12;
    State.Status = status::Valid | (draw(2) ? status::SCC : 0);
    State.Mode = mode::Default | draw(16);
    if (generation(T) == 9 && draw(8) == 0)
      State.Mode |= mode::GprIdxEn;
    State.TrapSts = 0;
    State.PC = EndlessMemory::Code;
    for (auto *To : {&LDS, &Memory.Bytes})
      std::memcpy(To->data(), &Values[draw(1024)], To->size());
  }

  std::string name(size_t Vector) const {
    return "v" + std::to_string(Vector / State.LaneCount) + " lane " +
           std::to_string(Vector % State.LaneCount);
  }

  void checkWrites(const WaveState &Before) {
    const RegisterSet Written(Before, TheListener.Before.Writes);
    for (unsigned N = 0; N < scalar::Null; ++N)
      if ((Before.Scalar[N] ^ State.Scalar[N]) & ~Written.Scalar[N])
        fail("writes scalar " + std::to_string(N) + " unreported");
    for (size_t N = 0; N < State.VGPR.size(); ++N)
      if ((Before.VGPR[N] ^ State.VGPR[N]) & ~Written.Vector[N]) {
        fail("writes " + name(N) + " unreported");
        break;
      }
    if (((Before.Status ^ State.Status) & status::SCC) && !Written.SCC)
      fail("writes scc unreported");
    if (Before.Mode != State.Mode && !Written.Mode)
      fail("writes mode unreported");
    if (Before.ScratchBase != State.ScratchBase && !Written.FlatScratch)
      fail("writes flat_scratch unreported");
  }

  void checkMemory(const std::vector<uint8_t> &Bytes,
                   const std::vector<uint8_t> &Lds) {
    std::vector<bool> May(Bytes.size()), MayLds(Lds.size());
    for (const LaneAccess &A : TheListener.Before.Accesses) {
      if (A.Kind == Access::Read)
        continue;
      for (unsigned N = 0; N < A.Size; ++N) {
        if (A.In == LaneAccess::Local) {
          if (A.InRange)
            MayLds[A.Address + N] = true;
        } else if (A.In == LaneAccess::Private &&
                   (A.Address & 3) + A.Size > 4) {
          May.assign(May.size(), true);
        } else if (A.Host) {
          May[size_t(A.Host - Memory.Bytes.data() + N) % EndlessMemory::Size] =
              true;
        }
      }
    }
    for (size_t N = 0; N < Bytes.size(); ++N)
      if (Bytes[N] != Memory.Bytes[N] && !May[N]) {
        fail("stores unreported");
        break;
      }
    for (size_t N = 0; N < Lds.size(); ++N)
      if (Lds[N] != LDS[N] && !MayLds[N]) {
        fail("stores into local memory unreported");
        break;
      }
    if (!TheListener.Before.Accesses.empty() && !TheListener.Before.IsLoad &&
        !TheListener.Before.IsStore)
      fail("accesses memory without being a load or store");
  }

  void scramble(const RegisterSet &Read) {
    const uint32_t Null = State.Scalar[scalar::Null], Salt = draw(4096);
    for (unsigned N = 0; N < scalar::Count; ++N)
      State.Scalar[N] ^= word() & ~Read.Scalar[N];
    State.Scalar[scalar::Null] = Null;
    for (size_t N = 0; N < State.VGPR.size(); ++N)
      State.VGPR[N] ^= Values[(N + Salt) % Values.size()] & ~Read.Vector[N];
    if (!Read.SCC)
      State.Status ^= status::SCC;
    if (!Read.Mode)
      State.Mode ^= draw(16);
    if (!Read.FlatScratch)
      State.ScratchBase ^= uint64_t(word()) << 12;
  }

  void checkResults(const WaveState &After, const RegisterSet &Written) {
    for (unsigned N = 0; N < scalar::Null; ++N)
      if ((After.Scalar[N] ^ State.Scalar[N]) & Written.Scalar[N])
        fail("scalar " + std::to_string(N) + " depends on what is not read");
    for (size_t N = 0; N < State.VGPR.size(); ++N)
      if ((After.VGPR[N] ^ State.VGPR[N]) & Written.Vector[N]) {
        fail(name(N) + " depends on what is not read");
        break;
      }
    if (Written.SCC && ((After.Status ^ State.Status) & status::SCC))
      fail("scc depends on what is not read");
  }

  const Target T;
  EndlessMemory Memory;
  Executor Exec;
  std::mt19937 Random;
  std::vector<uint8_t> LDS;
  WaveState State;
  Listener TheListener;
  bool Fresh = false; ///< nothing has changed since fill()
  std::vector<uint32_t> Values = std::vector<uint32_t>(8192);
};

class ISAObserver : public testing::TestWithParam<std::pair<Target, unsigned>> {
};

} // namespace

TEST_P(ISAObserver, MatchesExecution) {
  Truth T(GetParam().first, GetParam().second);
  for (unsigned N = 0; N < wavelane::test::rounds(300000); ++N)
    T.tryOne();
  std::string Text;
  for (const auto &[Name, Why] : T.Wrong)
    Text += Why + "\n";
  EXPECT_TRUE(T.Wrong.empty()) << Text;
  EXPECT_GT(T.Seen.size(), 400u);
}

INSTANTIATE_TEST_SUITE_P(All, ISAObserver,
                         testing::Values(std::pair(Target::GFX90A, 64u),
                                         std::pair(Target::GFX950, 64u),
                                         std::pair(Target::GFX1030, 32u),
                                         std::pair(Target::GFX1030, 64u),
                                         std::pair(Target::GFX1100, 32u),
                                         std::pair(Target::GFX1201, 32u)),
                         [](const auto &Info) {
                           return std::string(
                                      getProcessorName(Info.param.first)) +
                                  "_" + std::to_string(Info.param.second);
                         });

// Registers of other lanes, and the exact accesses.
TEST(ISAObserver, ReportsLanesAndAccesses) {
  class Last : public Observer {
  public:
    std::vector<ObservedInstruction> All;
    std::vector<std::vector<uint8_t>> Sources;
    bool before(const WaveState &, const ObservedInstruction &I) override {
      All.push_back(I);
      Sources.emplace_back();
      for (const RegisterRange &R : I.Reads)
        if (R.Source)
          Sources.back().assign(R.Source, R.Source + 64);
      return All.size() != StopAt;
    }
    size_t StopAt = 0;
  } TheListener;
  Wave W;
  W.Exec.setObserver(&TheListener, observe::Accesses | observe::Registers);
  W.S.setExec(0xff);
  W.S.setPair(2, Wave::Data);
  W.setV(0, [](unsigned L) { return 8 * L; });
  W.setV(1, [](unsigned L) { return (L ^ 1) * 4; });
  W.run("global_store_dwordx2 v0, v[2:3], s[2:3] offset:16 glc\n"
        "ds_bpermute_b32 v4, v1, v0\n"
        "v_readlane_b32 s8, v0, 5\n"
        "ds_read2_b32 v[6:7], v0 offset0:1 offset1:3\n"
        "v_mov_b32_dpp v8, v0 row_shr:1 row_mask:0xf bank_mask:0xf\n");
  ASSERT_EQ(TheListener.All.size(), 6u);
  const ObservedInstruction &Store = TheListener.All[0];
  EXPECT_STREQ(Store.Name, "global_store_dwordx2");
  EXPECT_EQ(Store.Class, InstClass::VectorMemory);
  EXPECT_EQ(Store.Cache, cache::GLC);
  EXPECT_TRUE(Store.IsStore && !Store.IsLoad && Store.Writes.empty());
  ASSERT_EQ(Store.Accesses.size(), 8u);
  EXPECT_EQ(Store.Accesses[3].Address, Wave::Data + 16 + 24);
  EXPECT_EQ(Store.Accesses[3].Host, W.Memory.at(Wave::Data + 16 + 24));
  EXPECT_EQ(Store.Accesses[3].Size, 8u);
  EXPECT_EQ(Store.Accesses[3].Register, 2u);
  EXPECT_EQ(TheListener.Sources[1][4], 5u);
  EXPECT_EQ(TheListener.Sources[1][9], RegisterRange::NoLane);
  for (const RegisterRange &R : TheListener.All[2].Reads)
    if (R.In == RegisterRange::Vector)
      EXPECT_EQ(R.Lanes, 1u << 5);
  ASSERT_EQ(TheListener.All[3].Accesses.size(), 16u);
  EXPECT_EQ(TheListener.All[3].Accesses[5].Address, 8u * 2 + 12);
  EXPECT_EQ(TheListener.All[3].Accesses[5].Register, 7u);
  EXPECT_EQ(TheListener.All[4].Writes[0].Lanes, 0xfeu); // lane 0 has no source
  EXPECT_EQ(TheListener.Sources[4][3], 2u);

  // The observer can stop the wave before an instruction.
  TheListener.All.clear();
  TheListener.StopAt = 2;
  W.load("s_mov_b32 s4, 7\ns_mov_b32 s4, 8\ns_endpgm");
  const StepResult R = W.Exec.run(W.S, 100);
  EXPECT_EQ(R.Reason, StepResult::Observed);
  EXPECT_EQ(W.S.PC, Wave::Code + 4);
  EXPECT_EQ(W.S.Scalar[4], 7u);
  TheListener.StopAt = 0;
  EXPECT_EQ(W.Exec.run(W.S, 100).Reason, StepResult::EndPgm);
  EXPECT_EQ(W.S.Scalar[4], 8u);
}

// M0 is an address there, though other instructions of local memory ignore it.
TEST(ISAObserver, ReportsM0OfLocalMemory) {
  class Last : public Observer {
  public:
    std::vector<ObservedInstruction> All;
    bool before(const WaveState &, const ObservedInstruction &I) override {
      All.push_back(I);
      return true;
    }
  } TheListener;
  Wave W;
  W.Exec.setObserver(&TheListener, observe::Accesses | observe::Registers);
  W.S.setExec(0xf0);
  W.S.Scalar[scalar::M0] = 64;
  W.run("ds_write_addtid_b32 v3 offset:8\n"
        "ds_read_addtid_b32 a5\n"
        "ds_read_b32 v4, v0\n");
  ASSERT_EQ(TheListener.All.size(), 4u);
  const auto Has = [](const std::vector<RegisterRange> &Ranges,
                      RegisterRange::File In, unsigned First) {
    return std::any_of(Ranges.begin(), Ranges.end(),
                       [&](const RegisterRange &R) {
                         return R.In == In && R.First == First && R.Count == 1;
                       });
  };
  for (unsigned N : {0u, 1u}) {
    const ObservedInstruction &I = TheListener.All[N];
    SCOPED_TRACE(I.Name);
    EXPECT_EQ(I.Class, InstClass::Local);
    EXPECT_EQ(I.IsStore, N == 0);
    EXPECT_EQ(I.IsLoad, N == 1);
    EXPECT_TRUE(Has(I.Reads, RegisterRange::Scalar, scalar::M0));
    EXPECT_EQ(Has(I.Reads, RegisterRange::Vector, 3), N == 0);
    EXPECT_EQ(Has(I.Writes, RegisterRange::Acc, 5), N == 1);
    EXPECT_EQ(I.Writes.size(), N);
    ASSERT_EQ(I.Accesses.size(), 4u);
    EXPECT_EQ(I.Accesses[1].In, LaneAccess::Local);
    EXPECT_EQ(I.Accesses[1].Lane, 5u);
    EXPECT_EQ(I.Accesses[1].Address, 64u + (N ? 0 : 8) + 5 * 4);
    EXPECT_EQ(I.Accesses[1].Host, W.LDS.data() + I.Accesses[1].Address);
    EXPECT_EQ(I.Accesses[1].Register, N ? 5u : 3u);
  }
  EXPECT_FALSE(
      Has(TheListener.All[2].Reads, RegisterRange::Scalar, scalar::M0));
}
