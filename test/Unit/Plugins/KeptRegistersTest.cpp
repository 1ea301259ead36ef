//===-- KeptRegistersTest.cpp ---------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where v2 still has the value that it had in the function's first
// instructions.
//===----------------------------------------------------------------------===//

#include "SymbolFile/LaneDWARF/KeptRegisters.h"
#include "TestAssembler.h"
#include "gtest/gtest.h"

using namespace lldb_private::wavelane;
using Place = KeptRegisters::Place;

static constexpr uint64_t kStart = 0x1000;

/// The offsets of gaps that have v2's value, if its location holds for the
/// first \a here bytes, and another one between \a from and \a to.
static std::vector<uint64_t> Find(llvm::StringRef text, uint64_t here,
                                  uint64_t from = 0, uint64_t to = 0) {
  auto code = AMDGPUMachineCode::Get("gfx90a");
  const KeptRegisters registers(*code, kStart, Assemble(text, "gfx90a"));
  std::vector<uint64_t> found;
  for (const auto &range : registers.Find({{'v', 2}}, [&](uint64_t pc) {
         return pc < kStart + here                        ? Place::eHere
                : pc >= kStart + from && pc < kStart + to ? Place::eElsewhere
                                                          : Place::eGap;
       }))
    found.push_back(range.first - kStart);
  return found;
}

using Offsets = std::vector<uint64_t>;

TEST(KeptRegisters, UntilItIsWritten) {
  EXPECT_EQ(Find("v_mov_b32 v1, 0\n s_nop 0\n v_mov_b32 v2, 0\n s_nop 0\n"
                 "s_endpgm",
                 4),
            Offsets({4, 8}));
}

TEST(KeptRegisters, NotIfTheLastInstructionOfTheLocationWritesIt) {
  EXPECT_EQ(Find("v_mov_b32 v2, 0\n s_nop 0\n s_endpgm", 4), Offsets());
}

TEST(KeptRegisters, NotInAWiderWrite) {
  EXPECT_EQ(Find("s_nop 0\n v_lshlrev_b64 v[2:3], 1, v[4:5]\n s_endpgm", 4),
            Offsets({4}));
}

TEST(KeptRegisters, OnAllPaths) {
  // One side of a branch writes it.
  EXPECT_EQ(Find("s_nop 0\n s_cbranch_scc0 1\n v_mov_b32 v2, 0\n s_nop 0\n"
                 "s_endpgm",
                 4),
            Offsets({4, 8}));
  // None does.
  EXPECT_EQ(Find("s_nop 0\n s_cbranch_scc0 1\n v_mov_b32 v3, 0\n s_nop 0\n"
                 "s_endpgm",
                 4),
            Offsets({4, 8, 12, 16}));
  // A loop does, at its end.
  EXPECT_EQ(Find("s_nop 0\n s_nop 1\n v_mov_b32 v2, 0\n"
                 "s_cbranch_scc0 65533\n s_endpgm",
                 4),
            Offsets());
}

TEST(KeptRegisters, NotPastACallOrAnotherLocation) {
  EXPECT_EQ(Find("s_nop 0\n s_swappc_b64 s[30:31], s[4:5]\n s_endpgm", 4),
            Offsets({4}));
  EXPECT_EQ(Find("s_nop 0\n s_nop 0\n s_nop 0\n s_nop 0\n s_endpgm", 4, 8, 12),
            Offsets({4}));
  // Where a jump leads isn't known.
  EXPECT_EQ(Find("s_nop 0\n s_nop 0\n s_call_b64 s[4:5], 100\n s_endpgm", 4),
            Offsets({4, 8}));
  EXPECT_EQ(Find("s_nop 0\n s_nop 0\n s_branch 100\n s_endpgm", 4), Offsets());
}
