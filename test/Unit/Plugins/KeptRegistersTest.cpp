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

static constexpr uint64_t kStart = 0x1000, kCalled = 0x2000;

/// The offsets of gaps that have the value of v2, or of \a reg, if its location
/// holds for the first \a here bytes, and another one between \a from and \a
/// to. At kCalled is the function \a called.
static std::vector<uint64_t> Find(llvm::StringRef text, uint64_t here,
                                  uint64_t from = 0, uint64_t to = 0,
                                  KeptRegisters::Register reg = {'v', 2},
                                  llvm::StringRef called = "") {
  auto code = AMDGPUMachineCode::Get("gfx90a");
  const KeptRegisters registers(
      code,
      [&](uint64_t at) {
        return at == kCalled ? Assemble(called, "gfx90a")
                             : std::vector<uint8_t>();
      },
      kStart, Assemble(text, "gfx90a"));
  std::vector<uint64_t> found;
  for (const auto &range : registers.Find(reg, [&](uint64_t pc) {
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

TEST(KeptRegisters, PastACallThatPreservesThem) {
  const auto find = [](KeptRegisters::Register reg) {
    return Find("s_nop 0\n s_swappc_b64 s[30:31], s[4:5]\n s_endpgm", 4, 0, 0,
                reg);
  };
  const Offsets before({4}), both({4, 8});
  EXPECT_EQ(find({'v', 39}), before);
  EXPECT_EQ(find({'v', 40}), both);
  EXPECT_EQ(find({'v', 47}), both);
  EXPECT_EQ(find({'v', 48}), before);
  EXPECT_EQ(find({'s', 29}), before);
  // The call writes the address to which it returns.
  EXPECT_EQ(find({'s', 30}), before);
  EXPECT_EQ(find({'s', 34}), both);
  // Not in LLVM's later versions.
  EXPECT_EQ(find({'s', 40}), before);
  EXPECT_EQ(find({'s', 48}), both);
  EXPECT_EQ(find({'a', 31}), before);
  EXPECT_EQ(find({'a', 32}), both);
}

TEST(KeptRegisters, PastACallOfAFunctionThatLeavesThem) {
  const auto find = [](KeptRegisters::Register reg, llvm::StringRef called) {
    return Find("s_nop 0\n s_getpc_b64 s[4:5]\n s_add_u32 s4, s4, 0xff8\n"
                "s_addc_u32 s5, s5, 0\n s_swappc_b64 s[30:31], s[4:5]\n"
                "s_endpgm",
                4, 0, 0, reg, called);
  };
  const Offsets before({4, 8, 16, 20}), both({4, 8, 16, 20, 24});
  const llvm::StringRef writes = "v_mov_b32 v3, v40\n s_setpc_b64 s[30:31]";
  EXPECT_EQ(find({'v', 2}, writes), both);
  EXPECT_EQ(find({'v', 3}, writes), before);
  // It goes on elsewhere, or its code isn't known.
  EXPECT_EQ(find({'v', 2}, "s_setpc_b64 s[6:7]"), before);
  EXPECT_EQ(find({'v', 2}, ""), before);
  // It calls itself, or something that isn't known.
  EXPECT_EQ(find({'v', 2}, "s_getpc_b64 s[4:5]\n s_add_u32 s4, s4, -4\n"
                           "s_addc_u32 s5, s5, -1\n"
                           "s_swappc_b64 s[30:31], s[4:5]\n"
                           "s_setpc_b64 s[30:31]"),
            before);
  EXPECT_EQ(find({'v', 2}, "s_swappc_b64 s[30:31], s[6:7]\n"
                           "s_setpc_b64 s[30:31]"),
            before);
}
