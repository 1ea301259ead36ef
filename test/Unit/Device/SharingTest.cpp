//===-- SharingTest.cpp - turns of several threads ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DeviceFixture.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"

#include <filesystem>
#include <set>

using namespace wavelane;
using namespace wavelane::simulator;

namespace {

constexpr uint64_t Data = DataAt + 0x1000, DataBytes = 0x8000;

class SharingTest : public DeviceTest {
protected:
  /// Loads, stores, local memory whose values depend on the order of a
  /// workgroup's waves, and now and then barriers, and an atomic whose result
  /// depends on the order of all waves.
  static void putLoop(uint32_t Rounds) {
    putKernel({
        0xc0060180, 0x00000000, // s_load_dwordx2 s[6:7], s[0:1], 0x0
        0xbf8c0000,             // s_waitcnt 0
        0xbe880080,             // s_mov_b32 s8, 0
        0x24080082,             // v_lshlrev_b32_e32 v4, 2, v0
        0x8e098904,             // s_lshl_b32 s9, s4, 9
        0x68020809,             // v_add_u32_e32 v1, s9, v4
        0x7e040301,             // v_mov_b32_e32 v2, v1
        0x7e0c0280,             // v_mov_b32_e32 v6, 0
        0xdc508040, 0x03060001, // global_load_dword v3, v1, s[6:7] offset:64
        0xbf8c0000,             // s_waitcnt 0
        0x68060503,             // v_add_u32_e32 v3, v3, v2
        0x68040702,             // v_add_u32_e32 v2, v2, v3
        0xdc708040, 0x00060301, // global_store_dword v1, v3, s[6:7] offset:64
        0x2a0e08ff, 0x00000100, // v_xor_b32_e32 v7, 0x100, v4
        0xd86c0000, 0x05000007, // ds_read_b32 v5, v7
        0xbf8c0000,             // s_waitcnt 0
        0x68040b02,             // v_add_u32_e32 v2, v2, v5
        0xd81a0000, 0x00000204, // ds_write_b32 v4, v2
        0x860aff08, 0x000007ff, // s_and_b32 s10, s8, 0x7ff
        0xbf06ff0a, 0x00000055, // s_cmp_eq_u32 s10, 0x55
        0xbf84000f,             // s_cbranch_scc0 skip
        0xd81a0000, 0x00000204, // ds_write_b32 v4, v2
        0xbf8c0000,             // s_waitcnt 0
        0xbf8a0000,             // s_barrier
        0x2a0a08ff, 0x000001fc, // v_xor_b32_e32 v5, 0x1fc, v4
        0xd86c0000, 0x05000005, // ds_read_b32 v5, v5
        0xbf8c0000,             // s_waitcnt 0
        0x2a040b02,             // v_xor_b32_e32 v2, v2, v5
        0xbf8a0000,             // s_barrier
        0xdd098000, 0x05060206, // global_atomic_add v5, v6, v2, s[6:7] glc
        0xbf8c0000,             // s_waitcnt 0
        0x68040b02,             // v_add_u32_e32 v2, v2, v5
        0x80088108,             // s_add_u32 s8, s8, 1
        0xbf0aff08, Rounds,     // s_cmp_lt_u32 s8, Rounds
        0xbf85ffd9,             // s_cbranch_scc1 loop
        0xbf810000,             // s_endpgm
    });
    at<KernelDescriptor>(CodeAt).Rsrc3 = 1; // eight registers
    at<uint64_t>(DataAt) = Data;
  }

  /// Both waves of a workgroup read what the other one has just written to
  /// local memory, come to an atomic at different times, and end later than the
  /// workgroups before theirs.
  static void putRace() {
    putKernel({
        0xc0060180, 0x00000000, // s_load_dwordx2 s[6:7], s[0:1], 0x0
        0xbf8c0000,             // s_waitcnt 0
        0xbe880080,             // s_mov_b32 s8, 0
        0x920cff04, 0x00000077, // s_mul_i32 s12, s4, 0x77
        0x800cff0c, 0x00002000, // s_add_u32 s12, s12, 0x2000
        0x7e160500,             // v_readfirstlane_b32 s11, v0
        0x24080082,             // v_lshlrev_b32_e32 v4, 2, v0
        0x8e098904,             // s_lshl_b32 s9, s4, 9
        0x68020809,             // v_add_u32_e32 v1, s9, v4
        0x7e040301,             // v_mov_b32_e32 v2, v1
        0x7e0c0280,             // v_mov_b32_e32 v6, 0
        0x2a0e08ff, 0x00000100, // v_xor_b32_e32 v7, 0x100, v4
        0xd86c0000, 0x05000007, // ds_read_b32 v5, v7
        0xbf8c0000,             // s_waitcnt 0
        0x68040b02,             // v_add_u32_e32 v2, v2, v5
        0xd81a0000, 0x00000204, // ds_write_b32 v4, v2
        0x800a0b08,             // s_add_u32 s10, s8, s11
        0x860aff0a, 0x000007ff, // s_and_b32 s10, s10, 0x7ff
        0xbf06ff0a, 0x00000155, // s_cmp_eq_u32 s10, 0x155
        0xbf840004,             // s_cbranch_scc0 skip
        0xdd098000, 0x05060206, // global_atomic_add v5, v6, v2, s[6:7] glc
        0xbf8c0000,             // s_waitcnt 0
        0x68040b02,             // v_add_u32_e32 v2, v2, v5
        0x80088108,             // s_add_u32 s8, s8, 1
        0xbf0a0c08,             // s_cmp_lt_u32 s8, s12
        0xbf85ffeb,             // s_cbranch_scc1 loop
        0xdc708040, 0x00060201, // global_store_dword v1, v2, s[6:7] offset:64
        0xbf810000,             // s_endpgm
    });
    at<KernelDescriptor>(CodeAt).Rsrc3 = 1; // eight registers
    at<uint64_t>(DataAt) = Data;
  }

  void begin(unsigned Count, uint32_t Rounds) {
    TearDown();
    Threads = Count;
    Program = -1;
    SetUp();
    enableRuntime();
    createQueue();
    setPages(Data, DataBytes, PageRead | PageWrite);
    memset(&at<uint8_t>(Data), 0, DataBytes);
    putLoop(Rounds);
  }

  /// Two waves in each workgroup.
  void runOnce(unsigned Groups = 8) {
    dispatch(128, Groups * 128, /*LDS=*/512);
    EXPECT_TRUE(completed());
    Workers = countWorkers();
  }

  /// What they leave in memory.
  std::vector<uint32_t> run(unsigned Count, bool Races = false) {
    begin(Count, 0xc000);
    if (Races)
      putRace();
    runOnce(Races ? 37 : 8);
    const auto *Words = &at<uint32_t>(Data);
    return std::vector<uint32_t>(Words, Words + DataBytes / 4);
  }

  /// The names of the further threads that have executed waves. Those that
  /// translate for them inherit theirs.
  static std::multiset<std::string> workers() {
    std::multiset<std::string> Names;
    for (const auto &Task :
         std::filesystem::directory_iterator("/proc/self/task")) {
      auto Name =
          llvm::MemoryBuffer::getFileAsStream(Task.path().string() + "/comm");
      if (Name && (*Name)->getBuffer().starts_with("llvm-worker"))
        Names.insert((*Name)->getBuffer().str());
    }
    return Names;
  }
  static unsigned countWorkers() {
    const std::multiset<std::string> Names = workers();
    return unsigned(std::set(Names.begin(), Names.end()).size());
  }

  unsigned Workers = 0;
};

TEST_F(SharingTest, TheScheduleIsThatOfOneThread) {
  const std::vector<uint32_t> One = run(1);
  EXPECT_EQ(Workers, 0u);
  for (unsigned Count : {2, 3, 8}) {
    EXPECT_EQ(run(Count), One) << Count << " threads";
    EXPECT_EQ(Workers, std::min(Count - 1, 7u));
  }
}

TEST_F(SharingTest, WavesOfAWorkgroupRaceAsWithOneThread) {
  const std::vector<uint32_t> One = run(1, /*Races=*/true);
  for (unsigned Count : {2, 3})
    EXPECT_EQ(run(Count, /*Races=*/true), One) << Count << " threads";
}

TEST_F(SharingTest, ShortDispatchesOfAKernelCountTogether) {
  // About 1.5 million instructions each.
  begin(2, 0x1000);
  const size_t Before = workers().size(); // of devices of other tests
  runOnce();
  runOnce();
  EXPECT_EQ(workers().size(), Before);
  for (int I = 0; I < 3; ++I)
    runOnce();
  EXPECT_GT(workers().size(), Before);
}

} // namespace
