//===-- HistoryTest.cpp - going back on a device --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DeviceFixture.h"

#include "llvm/ADT/Hashing.h"
#include "llvm/Support/JSON.h"

#include <random>

using namespace wavelane;
using namespace wavelane::simulator;
using llvm::json::Object;

namespace {

constexpr uint32_t Nop = 0xbf800000, Trap1 = 0xbf920001;
constexpr uint64_t Data = DataAt + 0x1000, DataBytes = 0x1000;
constexpr unsigned MiddleTrap = 35, LastTrap = 39; // words of the code

class HistoryTest : public DeviceTest {
protected:
  HistoryTest() { SnapshotInterval = 1000; }

  /// 200 rounds of loads, stores, local memory, barriers, atomics and a clock,
  /// whose results depend on the order of waves; a breakpoint after 100 rounds
  /// and at the end.
  void putLoop() {
    putKernel({
        0xc0060180, 0x00000000, // s_load_dwordx2 s[6:7], s[0:1], 0x0
        0xbf8c0000,             // s_waitcnt 0
        0xbe880080,             // s_mov_b32 s8, 0
        0x24080082,             // v_lshlrev_b32_e32 v4, 2, v0
        0x8e098a04,             // s_lshl_b32 s9, s4, 10
        0x68020809,             // v_add_u32_e32 v1, s9, v4
        0x7e040281,             // v_mov_b32_e32 v2, 1
        0x7e0c0280,             // v_mov_b32_e32 v6, 0
        0xdc508000, 0x03060001, // loop: global_load_dword v3, v1, s[6:7]
        0xbf8c0000,             // s_waitcnt 0
        0x68060503,             // v_add_u32_e32 v3, v3, v2
        0x68040702,             // v_add_u32_e32 v2, v2, v3
        0xdc708040, 0x00060301, // global_store_dword v1, v3, s[6:7] offset:64
        0xd8000000, 0x00000204, // ds_add_u32 v4, v2
        0xbf8c0000,             // s_waitcnt 0
        0xbf8a0000,             // s_barrier
        0xd86c0000, 0x05000004, // ds_read_b32 v5, v4
        0xc0900280, 0x00000000, // s_memtime s[10:11]
        0xbf8c0000,             // s_waitcnt 0
        0x2a040b02,             // v_xor_b32_e32 v2, v2, v5
        0xdd088000, 0x00060206, // global_atomic_add v6, v2, s[6:7]
        0x860aff0a, 0x000000ff, // s_and_b32 s10, s10, 0xff
        0x6804040a,             // v_add_u32_e32 v2, s10, v2
        0x80088108,             // s_add_u32 s8, s8, 1
        0xbf06ff08, 0x00000064, // s_cmp_eq_u32 s8, 0x64
        0xbf840001,             // s_cbranch_scc0 skip
        Trap1,                  //
        0xbf0aff08, 0x000000c8, // skip: s_cmp_lt_u32 s8, 0xc8
        0xbf85ffe2,             // s_cbranch_scc1 loop
        Trap1,                  //
        0xbf810000,             // s_endpgm
    });
    at<KernelDescriptor>(CodeAt).Rsrc3 = 1; // eight registers
    at<uint64_t>(DataAt) = Argument;
  }

  void start() {
    connectDebugger();
    enableRuntime();
    enableDebugging();
    createQueue();
    snapshot();
    setPages(Data, DataBytes, PageRead | PageWrite);
    record();
  }
  void record() { EXPECT_EQ(get("now", Object{{"do", "record"}}), 0); }

  static uint64_t codeAt(unsigned Word) { return CodeAt + 256 + 4 * Word; }
  std::string fail(Object Request) {
    return ask(std::move(Request)).getString("error").value_or("").str();
  }
  int64_t get(const char *What) { return get(What, Object{{"do", "where"}}); }
  int64_t get(const char *What, Object Request) {
    Object R = ask(std::move(Request));
    EXPECT_FALSE(R.getString("error")) << R.getString("error")->str();
    return R.getInteger(What).value_or(-1);
  }

  /// The debugger's breakpoints, with the code under them.
  static llvm::json::Array traps(bool Middle = true, bool Last = true) {
    llvm::json::Array R;
    for (unsigned Word : {MiddleTrap, LastTrap})
      R.push_back(Object{{"address", int64_t(codeAt(Word))},
                         {"bytes", "000080bf"},
                         {"stops", Word == LastTrap ? Last : Middle}});
    return R;
  }
  void go(int64_t To) {
    Object R =
        ask(Object{{"do", "go"}, {"position", To}, {"breakpoints", traps()}});
    ASSERT_FALSE(R.getString("error")) << R.getString("error")->str();
    ASSERT_EQ(R.getInteger("position"), To);
  }

  /// Puts waves that are past a trap back to it, as debuggers do.
  void moveBack(unsigned Word) {
    for (const savearea::WaveRecord &R : records())
      if (hw(R, 1) == uint32_t(codeAt(Word + 1)))
        hw(R, 1) = uint32_t(codeAt(Word));
  }
  void letGo() {
    for (const savearea::WaveRecord &R : records()) {
      ttmp(R, 6) &= ~(0x3fu << 25);
      hw(R, 5) &= ~(isa::status::Halt | isa::status::SkipExport);
    }
  }

  /// Everything that the program's waves can see.
  uint64_t state() {
    uint64_t H = 0;
    auto Add = [&](uint64_t Address, uint64_t Bytes) {
      H = llvm::hash_combine(
          H, llvm::hash_combine_range(&at<uint8_t>(Address),
                                      &at<uint8_t>(Address) + Bytes));
    };
    for (const savearea::WaveRecord &R : records()) {
      for (unsigned Word : {0u, 1u, 3u, 4u}) // M0, PC, EXEC
        Add(SaveAt + R.Hwregs + 4 * Word, 4);
      Add(SaveAt + R.Sgprs, 100 * 4);
      Add(SaveAt + R.Vgprs, uint64_t(R.Shape.Vgprs) * 64 * 4);
      if (R.Shape.First)
        Add(SaveAt + R.Lds, R.Shape.LdsBytes);
    }
    Add(Data, DataBytes);
    return H;
  }

  /// Runs the loop to its end. The state after 100 rounds is Middle, and its
  /// position MiddleAt.
  void runLoop() {
    putLoop();
    dispatch(128, 512, /*LDS=*/512);
    ASSERT_EQ(suspendAt(8, MiddleTrap + 1).size(), 8u);
    moveBack(MiddleTrap);
    Middle = state();
    MiddleAt = get("position");
    at<uint32_t>(codeAt(MiddleTrap)) = Nop;
    letGo();
    ASSERT_EQ(suspendOrResume(kfd::ResumeQueues), 1);
    ASSERT_EQ(suspendAt(8, LastTrap + 1).size(), 8u);
    at<uint32_t>(codeAt(MiddleTrap)) = Trap1;
    moveBack(LastTrap);
    Last = state();
  }

  /// Goes to many positions in any order, forward and backward.
  void goEveryWay() {
    start();
    ASSERT_NO_FATAL_FAILURE(runLoop());
    const int64_t Now = get("now");
    std::map<int64_t, uint64_t> Seen;
    std::mt19937 Random(7);
    for (unsigned I = 0; I < 60; ++I) {
      const int64_t To = Random() % Now;
      ASSERT_NO_FATAL_FAILURE(go(To));
      Seen.emplace(To, state());
    }
    EXPECT_GT(Seen.size(), 55u);
    std::set<uint64_t> Different;
    for (auto [To, State] : Seen) {
      ASSERT_NO_FATAL_FAILURE(go(To));
      EXPECT_EQ(state(), State) << "forward, at " << To;
      Different.insert(State);
    }
    EXPECT_EQ(Different.size(), Seen.size());
    for (auto It = Seen.rbegin(); It != Seen.rend(); ++It) {
      ASSERT_NO_FATAL_FAILURE(go(It->first));
      EXPECT_EQ(state(), It->second) << "backward, at " << It->first;
    }
    ASSERT_NO_FATAL_FAILURE(go(Now));
    EXPECT_EQ(state(), Last);
  }

  uint64_t Argument = Data; ///< of the kernel
  uint64_t Middle = 0, Last = 0;
  int64_t MiddleAt = 0;
};

TEST_F(HistoryTest, ReadsRecordedState) {
  start();
  ASSERT_NO_FATAL_FAILURE(runLoop());
  const int64_t Now = get("now");
  EXPECT_GT(Now, MiddleAt);
  EXPECT_GT(get("snapshots"), 10);
  ASSERT_NO_FATAL_FAILURE(go(MiddleAt));
  EXPECT_EQ(state(), Middle);
  ASSERT_NO_FATAL_FAILURE(go(Now));
  EXPECT_EQ(state(), Last);
  // The waves go on as if nothing had been.
  at<uint32_t>(codeAt(LastTrap)) = Nop;
  letGo();
  ASSERT_EQ(suspendOrResume(kfd::ResumeQueues), 1);
  EXPECT_TRUE(completed());
}

TEST_F(HistoryTest, NothingIsRecordedUnasked) {
  connectDebugger();
  enableRuntime();
  enableDebugging();
  createQueue();
  snapshot();
  putKernel({0x7e020281, Trap1}); // v_mov_b32 v1, 1
  dispatch(64, 64);
  ASSERT_EQ(suspendAt(1, 2).size(), 1u);
  EXPECT_EQ(ask(Object{{"do", "where"}}).getBoolean("recording"), false);
  record();
}

TEST_F(HistoryTest, EveryWayLeadsToTheSameState) { goEveryWay(); }

/// Waves' stores arrive late.
class HistoryOfChaos : public HistoryTest {
protected:
  HistoryOfChaos() { Schedule = 7; }
};

TEST_F(HistoryOfChaos, EveryWayLeadsToTheSameState) { goEveryWay(); }

TEST_F(HistoryTest, StepsAndStopsOfAWave) {
  start();
  ASSERT_NO_FATAL_FAILURE(runLoop());
  const int64_t Now = get("now");
  // The last round of every wave.
  Object R =
      ask(Object{{"do", "scan"}, {"before", Now}, {"breakpoints", traps()}});
  ASSERT_TRUE(R.getArray("hits"));
  EXPECT_TRUE(R.getArray("hits")->empty())
      << "they haven't executed the last breakpoint";
  // All waves stop at the first one, once each.
  std::map<int64_t, int64_t> Hits; // by wave
  int64_t Last = 0;
  for (int64_t To = Now; To > 0;) {
    R = ask(Object{{"do", "scan"}, {"before", To}, {"breakpoints", traps()}});
    ASSERT_FALSE(R.getString("error")) << R.getString("error")->str();
    for (const llvm::json::Value &Hit : *R.getArray("hits")) {
      const Object &H = *Hit.getAsObject();
      EXPECT_EQ(H.getInteger("pc"), int64_t(codeAt(MiddleTrap)));
      EXPECT_EQ(H.getString("why"), "breakpoint");
      EXPECT_TRUE(
          Hits.emplace(*H.getInteger("number"), *H.getInteger("position"))
              .second);
      Last = std::max(Last, *H.getInteger("position"));
    }
    ASSERT_LT(*R.getInteger("from"), To);
    To = *R.getInteger("from");
  }
  EXPECT_EQ(Hits.size(), 8u);
  EXPECT_GE(Last, MiddleAt);
  // A step back, and forward again.
  ASSERT_NO_FATAL_FAILURE(go(Last));
  const int64_t Number =
      llvm::find_if(Hits, [&](auto &H) { return H.second == Last; })->first;
  const uint64_t There = state();
  int64_t At = Last;
  for (unsigned I = 0; I < 300; ++I) {
    At = get("step", Object{{"do", "step"}, {"number", Number}});
    ASSERT_GE(At, 0);
    ASSERT_NO_FATAL_FAILURE(go(At));
  }
  EXPECT_LE(At, Last - 300);
  EXPECT_NE(state(), There);
  for (unsigned I = 0; I < 300; ++I) {
    At = get("step",
             Object{{"do", "step"}, {"number", Number}, {"forward", true}});
    ASSERT_GE(At, 0);
    ASSERT_NO_FATAL_FAILURE(go(At + 1));
  }
  // It is where it was; other waves may not have gone on yet.
  EXPECT_EQ(get("step",
                Object{{"do", "step"}, {"number", Number}, {"forward", true}}),
            Last);
  ASSERT_NO_FATAL_FAILURE(go(Last));
  EXPECT_EQ(state(), There);
}

TEST_F(HistoryTest, TheProgramsWritesBetweenKernelsAreRestored) {
  start();
  ASSERT_NO_FATAL_FAILURE(runLoop());
  const int64_t FirstEnd = get("now");
  ASSERT_NO_FATAL_FAILURE(go(500));
  const uint64_t At500 = state();
  ASSERT_NO_FATAL_FAILURE(go(FirstEnd));
  at<uint32_t>(codeAt(LastTrap)) = Nop;
  letGo();
  ASSERT_EQ(suspendOrResume(kfd::ResumeQueues), 1);
  ASSERT_TRUE(completed());
  at<uint32_t>(codeAt(LastTrap)) = Trap1;
  // The program fills memory that the next kernel uses.
  memset(reinterpret_cast<void *>(Data), 0x55, DataBytes);
  Argument = Data + 0x100;
  const uint64_t First = Middle;
  const int64_t FirstAt = MiddleAt;
  ASSERT_NO_FATAL_FAILURE(runLoop());
  EXPECT_NE(First, Middle);
  const int64_t Now = get("now");
  ASSERT_NO_FATAL_FAILURE(go(FirstAt));
  EXPECT_EQ(state(), First);
  ASSERT_NO_FATAL_FAILURE(go(MiddleAt)); // forward, over the program's write
  EXPECT_EQ(state(), Middle);
  ASSERT_NO_FATAL_FAILURE(go(FirstAt));
  EXPECT_EQ(state(), First);
  ASSERT_NO_FATAL_FAILURE(go(500));
  EXPECT_EQ(state(), At500);
  EXPECT_EQ(at<uint64_t>(DataAt), Data);
  // The second kernel begins within the first 100 instructions after.
  ASSERT_NO_FATAL_FAILURE(go(FirstEnd + 100));
  EXPECT_EQ(at<uint64_t>(DataAt), Argument);
  ASSERT_NO_FATAL_FAILURE(go(Now));
  EXPECT_EQ(state(), Last);
}

class OneSnapshot : public HistoryTest {
protected:
  OneSnapshot() { SnapshotInterval = 1 << 30; }
};

TEST_F(OneSnapshot, WhatTheDebuggerWritesIsRepeated) {
  start();
  putLoop();
  dispatch(128, 512, /*LDS=*/512);
  ASSERT_EQ(suspendAt(8, MiddleTrap + 1).size(), 8u);
  moveBack(MiddleTrap);
  const int64_t At = get("position");
  const uint64_t Before = state();
  auto Waves = records();
  at<uint32_t>(SaveAt + Waves[3].Vgprs + 2 * 256) ^= 0x1000;
  at<uint32_t>(SaveAt + Waves[4].Lds + 16) ^= 0x1000;
  hw(Waves[5], 3) = 0xffff; // EXEC
  EXPECT_GE(get("now", Object{{"do", "wrote"},
                              {"address", int64_t(Data + 8)},
                              {"bytes", "01020304"}}),
            At + 1);
  at<uint32_t>(Data + 8) = 0x04030201;
  at<uint32_t>(codeAt(MiddleTrap)) = Nop;
  at<uint32_t>(codeAt(LastTrap)) = Nop;
  letGo();
  // The end of the kernel is still recorded when the next one stops.
  ASSERT_EQ(suspendOrResume(kfd::ResumeQueues), 1);
  ASSERT_TRUE(completed());
  std::vector<uint8_t> Result(&at<uint8_t>(Data),
                              &at<uint8_t>(Data) + DataBytes);
  at<uint32_t>(codeAt(MiddleTrap)) = Trap1;
  at<uint32_t>(codeAt(LastTrap)) = Trap1;
  memset(reinterpret_cast<void *>(Data), 0, DataBytes);
  const int64_t End = get("now");
  dispatch(128, 512, /*LDS=*/512);
  ASSERT_EQ(suspendAt(8, MiddleTrap + 1).size(), 8u);
  ASSERT_NO_FATAL_FAILURE(go(At));
  EXPECT_EQ(state(), Before);
  ASSERT_NO_FATAL_FAILURE(go(End - 1));
  // But for what the last instruction, s_endpgm, does: nothing.
  EXPECT_TRUE(std::equal(Result.begin(), Result.end(), &at<uint8_t>(Data)));
}

TEST_F(HistoryTest, WhatTheHostAnswersIsRepeated) {
  start();
  constexpr unsigned Trap = 11;
  putKernel({
      0xc0060180,
      0x00000000, // s_load_dwordx2 s[6:7], s[0:1], 0x0
      0xbf8c0000, // s_waitcnt 0
      0x7e020280, // v_mov_b32_e32 v1, 0
      0xbf8e0001, // loop: s_sleep 1
      0xdc508000,
      0x03060001, // global_load_dword v3, v1, s[6:7]
      0xbf8c0000, // s_waitcnt 0
      0x7e100503, // v_readfirstlane_b32 s8, v3
      0xbf068008, // s_cmp_eq_u32 s8, 0
      0xbf85fff9, // s_cbranch_scc1 loop
      Trap1,      //
      0xbf810000, // s_endpgm
  });
  at<uint64_t>(DataAt) = Data;
  at<uint64_t>(Data) = 0;
  at<uint64_t>(Data + 8) = 77;
  dispatch(64, 64);
  usleep(20000);
  struct {
    HostAccess Take, ToWord;
    uint32_t Word, Padding;
  } R = {{Data + 8, 0}, {Data, 4}, 5, 0};
  Message Reply;
  ASSERT_EQ(request(Program, MessageType::HostAccess, &R, sizeof(R), Reply), 0);
  uint64_t Old = 0;
  EXPECT_TRUE(Reply.as(Old));
  EXPECT_EQ(Old, 77u);
  ASSERT_EQ(suspendAt(1, Trap + 1).size(), 1u);
  const int64_t Now = get("now");
  auto Go = [&](int64_t To) {
    return fail(Object{{"do", "go"},
                       {"position", To},
                       {"breakpoints", llvm::json::Array{Object{
                                           {"address", int64_t(codeAt(Trap))},
                                           {"bytes", "000080bf"}}}}});
  };
  EXPECT_EQ(Go(0), "");
  EXPECT_EQ(at<uint32_t>(Data), 0u);
  EXPECT_EQ(at<uint64_t>(Data + 8), 77u);
  EXPECT_EQ(Go(Now - 2), "");
  EXPECT_EQ(at<uint32_t>(Data), 5u);
  EXPECT_EQ(at<uint64_t>(Data + 8), 0u);
  EXPECT_EQ(Go(Now), "");
  // Wrong ones.
  R.ToWord.size = 1000;
  EXPECT_EQ(request(Program, MessageType::HostAccess, &R, sizeof(R), Reply),
            -EINVAL);
  R.ToWord = {16, 4};
  EXPECT_EQ(request(Program, MessageType::HostAccess, &R, sizeof(R), Reply),
            -EFAULT);
  EXPECT_EQ(request(Program, MessageType::HostAccess, &R, 4, Reply), -EINVAL);
}

class LongWindows : public HistoryTest {
protected:
  LongWindows() { SnapshotInterval = 1 << 14; }
};

TEST_F(LongWindows, StepsBackRepeatLittle) {
  start();
  ASSERT_NO_FATAL_FAILURE(runLoop());
  const int64_t Now = get("now");
  // From the middle of a window.
  const int64_t Here = (Now >> 14 << 14) - 3000;
  ASSERT_NO_FATAL_FAILURE(go(Here));
  std::map<int64_t, uint64_t> Seen{{Here, state()}};
  const int64_t First = get("repeated");
  EXPECT_GT(First, 4000);
  for (int64_t To = Here; To > Here - 100;) {
    --To;
    ASSERT_NO_FATAL_FAILURE(go(To));
    Seen.emplace(To, state());
  }
  EXPECT_LT(get("repeated") - First, 100 * 400);
  for (int64_t To = Here - 100; To > Here - 6000;) {
    To -= 700;
    ASSERT_NO_FATAL_FAILURE(go(To));
    Seen.emplace(To, state());
  }
  // Everything is as it is on the way from the snapshot.
  ASSERT_NO_FATAL_FAILURE(go(Now));
  for (auto [To, State] : Seen) {
    ASSERT_NO_FATAL_FAILURE(go(To));
    EXPECT_EQ(state(), State) << "at " << To;
  }
  ASSERT_NO_FATAL_FAILURE(go(Now));
  EXPECT_EQ(state(), Last);
}

TEST_F(HistoryTest, OldestIsDroppedAtTheLimit) {
  start();
  EXPECT_EQ(get("now", Object{{"do", "record"}, {"limit", 1 << 20}}), 0);
  ASSERT_NO_FATAL_FAILURE(runLoop());
  // The limit is kept at each snapshot; what is recorded after the last one is
  // little.
  EXPECT_LE(get("bytes"), (1 << 20) + (1 << 14));
  const int64_t Begin = get("begin"), Now = get("now");
  EXPECT_GT(Begin, 0);
  EXPECT_LT(Begin, Now);
  EXPECT_EQ(ask(Object{{"do", "where"}}).getBoolean("dropped"), true);
  EXPECT_EQ(fail(Object{{"do", "go"}, {"position", Begin - 1}}),
            llvm::formatv("the recording has positions {0} to {1}", Begin, Now)
                .str());
  ASSERT_NO_FATAL_FAILURE(go(Begin));
  ASSERT_NO_FATAL_FAILURE(go(Now));
  EXPECT_EQ(state(), Last);
}

TEST_F(HistoryTest, WrongRequestsAreRefused) {
  start();
  for (auto [Request, Error] :
       {std::pair(Object{}, "unknown request at request.do"),
        std::pair(Object{{"do", "fly"}}, "unknown request at request.do"),
        std::pair(Object{{"do", "go"}}, "missing value at request.position"),
        std::pair(Object{{"do", "go"}, {"position", -1}},
                  "expected uint64_t at request.position"),
        std::pair(Object{{"do", "go"}, {"position", 99}},
                  "the recording has positions 0 to 0"),
        std::pair(Object{{"do", "step"}}, "a wave is missing"),
        std::pair(Object{{"do", "step"}, {"wave", 77}},
                  "the recording doesn't know wave 77"),
        std::pair(Object{{"do", "back"},
                         {"wave", 77},
                         {"kind", "over"},
                         {"lane", 0},
                         {"pc", 1},
                         {"code", llvm::json::Array{}}},
                  "the recording doesn't know wave 77"),
        std::pair(Object{{"do", "back"},
                         {"wave", 1},
                         {"kind", "over"},
                         {"lane", 64},
                         {"pc", 1},
                         {"code", llvm::json::Array{}}},
                  "no wave has a lane 64"),
        std::pair(Object{{"do", "back"},
                         {"wave", 1},
                         {"kind", "over"},
                         {"lane", 0},
                         {"pc", 1},
                         {"continues", true},
                         {"code", llvm::json::Array{}}},
                  "no step back has begun"),
        std::pair(Object{{"do", "wrote"}, {"address", 1}, {"bytes", "xy"}},
                  "expected bytes in hexadecimal digits at request.bytes"),
        std::pair(Object{{"do", "scan"},
                         {"before", 1},
                         {"breakpoints", llvm::json::Array{1}}},
                  "expected object at request.breakpoints[0]")})
    EXPECT_EQ(fail(Object(Request)), Error);
  EXPECT_EQ(get("now", Object{{"do", "record"}, {"on", false}}), -1);
  EXPECT_EQ(fail(Object{{"do", "go"}, {"position", 0}}),
            "nothing has been recorded; turn recording on with 'settings set "
            "plugin.process.amdgpu.record on', from the next resume on");
  // A running queue can't be moved.
  EXPECT_EQ(get("now", Object{{"do", "record"}, {"on", true}}), 0);
  putKernel({0xbf82ffff}); // s_branch to itself
  dispatch(64, 64);
  while (get("now") < 100)
    ;
  EXPECT_EQ(fail(Object{{"do", "go"}, {"position", 5}}),
            "a queue of the GPU is running");
}

} // namespace
