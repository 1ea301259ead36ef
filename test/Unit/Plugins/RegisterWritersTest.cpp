//===-- RegisterWritersTest.cpp -------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which instructions v2's value is from, before the last instruction.
//===----------------------------------------------------------------------===//

#include "SymbolFile/LaneDWARF/RegisterWriters.h"
#include "TestAssembler.h"
#include "gtest/gtest.h"

using namespace lldb_private::wavelane;

/// The numbers of the instructions; -1 for others.
static std::vector<int> Find(llvm::StringRef text,
                             RegisterStep::Register reg = {'v', 2}) {
  auto code = AMDGPUMachineCode::Get("gfx90a");
  const std::vector<RegisterStep> steps =
      ReadRegisterSteps(*code, 0x1000, Assemble(text, "gfx90a"));
  if (steps.empty())
    return {-2};
  RegisterWriters writers(steps);
  const RegisterWriters::Writers &found = writers.Find(reg, steps.size() - 1);
  std::vector<int> numbers(found.steps.begin(), found.steps.end());
  if (found.HasOthers())
    numbers.push_back(-1);
  return numbers;
}

using Numbers = std::vector<int>;

TEST(RegisterWriters, TheLastOne) {
  EXPECT_EQ(Find("v_add_u32 v2, v0, v1\n v_add_u32 v2, v2, v1\n s_endpgm"),
            Numbers({1}));
  EXPECT_EQ(Find("v_add_u32 v2, v0, v1\n v_lshlrev_b64 v[2:3], 1, v[4:5]\n"
                 "s_endpgm"),
            Numbers({1}));
  EXPECT_EQ(Find("v_add_u32 v3, v0, v1\n s_endpgm"), Numbers({-1}));
}

TEST(RegisterWriters, BehindCopies) {
  EXPECT_EQ(Find("v_add_u32 v3, v0, v1\n v_mov_b32 v2, v3\n"
                 "v_add_u32 v3, v0, v0\n s_endpgm"),
            Numbers({0}));
  EXPECT_EQ(Find("s_add_u32 s4, s0, s1\n s_mov_b64 s[2:3], s[4:5]\n"
                 "v_mov_b32 v2, s2\n s_endpgm"),
            Numbers({0}));
  // A constant is the copy's own.
  EXPECT_EQ(Find("v_mov_b32 v2, 3\n s_endpgm"), Numbers({0}));
  EXPECT_EQ(Find("v_mov_b32 v2, exec_lo\n s_endpgm"), Numbers({0}));
}

TEST(RegisterWriters, OnAllPaths) {
  EXPECT_EQ(Find("v_add_u32 v2, v0, v1\n s_cbranch_scc0 1\n"
                 "v_add_u32 v2, v0, v0\n s_endpgm"),
            Numbers({0, 2}));
  // A loop.
  EXPECT_EQ(Find("v_add_u32 v2, v0, v1\n v_add_u32 v2, v2, v2\n"
                 "s_cbranch_scc0 -2\n s_endpgm"),
            Numbers({1}));
}

TEST(RegisterWriters, InLanesThatDidNotExecuteThem) {
  // The lanes of the branch are some of those that execute after it.
  EXPECT_EQ(Find("v_add_u32 v2, v0, v1\n s_and_saveexec_b64 s[0:1], vcc\n"
                 "v_add_u32 v2, v0, v0\n s_or_b64 exec, exec, s[0:1]\n"
                 "s_endpgm"),
            Numbers({0, 2}));
  // But within it, they are all.
  EXPECT_EQ(Find("v_add_u32 v2, v0, v1\n s_and_saveexec_b64 s[0:1], vcc\n"
                 "v_add_u32 v2, v0, v0\n s_endpgm"),
            Numbers({2}));
  // In front of it, too.
  EXPECT_EQ(Find("v_add_u32 v2, v0, v1\n v_add_u32 v2, v1, v1\n"
                 "s_and_saveexec_b64 s[0:1], vcc\n v_add_u32 v2, v0, v0\n"
                 "s_or_b64 exec, exec, s[0:1]\n s_endpgm"),
            Numbers({1, 3}));
  // One mask restores those of two branches.
  EXPECT_EQ(Find("v_add_u32 v2, v0, v1\n s_and_saveexec_b64 s[0:1], vcc\n"
                 "v_add_u32 v2, v1, v1\n s_and_saveexec_b64 s[2:3], vcc\n"
                 "v_add_u32 v2, v0, v0\n s_or_b64 exec, exec, s[0:1]\n"
                 "s_endpgm"),
            Numbers({0, 2, 4}));
  // Another branch's lanes.
  EXPECT_EQ(Find("v_add_u32 v2, v0, v1\n s_and_saveexec_b64 s[0:1], vcc\n"
                 "s_xor_b64 s[0:1], exec, s[0:1]\n v_add_u32 v2, v0, v0\n"
                 "s_andn2_saveexec_b64 s[0:1], s[0:1]\n s_endpgm"),
            Numbers({0, 3}));
  // All lanes, for a while.
  EXPECT_EQ(Find("v_add_u32 v2, v0, v1\n s_or_saveexec_b64 s[0:1], -1\n"
                 "v_add_u32 v3, v0, v0\n s_mov_b64 exec, s[0:1]\n s_endpgm"),
            Numbers({0}));
  // Lanes leave a loop one after the other. That each of them has been in it
  // isn't seen, but what is before it, is.
  EXPECT_EQ(Find("v_add_u32 v2, v1, v1\n v_add_u32 v2, v0, v1\n"
                 "s_mov_b64 s[0:1], 0\n v_add_u32 v2, v2, v1\n"
                 "v_cmp_gt_u32 vcc, v2, v1\n s_or_b64 s[0:1], vcc, s[0:1]\n"
                 "s_andn2_b64 exec, exec, s[0:1]\n s_cbranch_execnz -5\n"
                 "s_or_b64 exec, exec, s[0:1]\n s_endpgm"),
            Numbers({1, 3}));
}

TEST(RegisterWriters, Calls) {
  EXPECT_EQ(Find("v_add_u32 v2, v0, v1\n s_swappc_b64 s[30:31], s[16:17]\n"
                 "s_endpgm"),
            Numbers({1}));
  EXPECT_EQ(Find("v_add_u32 v40, v0, v1\n s_swappc_b64 s[30:31], s[16:17]\n"
                 "v_mov_b32 v2, v40\n s_endpgm"),
            Numbers({0}));
  EXPECT_EQ(Find("s_add_u32 s40, s0, s1\n s_swappc_b64 s[30:31], s[16:17]\n"
                 "v_mov_b32 v2, s40\n s_endpgm"),
            Numbers({1}));
}

/// Whether nothing has written a register before the last instruction.
static bool IsUnwritten(llvm::StringRef text, RegisterStep::Register reg) {
  auto code = AMDGPUMachineCode::Get("gfx90a");
  const std::vector<RegisterStep> steps =
      ReadRegisterSteps(*code, 0x1000, Assemble(text, "gfx90a"));
  return RegisterWriters(steps).IsUnwritten(reg, steps.size() - 1);
}

TEST(RegisterWriters, WhatNothingHasWritten) {
  const llvm::StringRef later = "s_nop 0\n v_mov_b32 v42, 0";
  EXPECT_TRUE(IsUnwritten(later, {'v', 42}));
  EXPECT_TRUE(IsUnwritten(later, {'a', 0}));
  EXPECT_TRUE(IsUnwritten(later, {'s', 34}));
  // Arguments may be there.
  EXPECT_FALSE(IsUnwritten(later, {'v', 31}));
  EXPECT_FALSE(IsUnwritten(later, {'s', 33}));
  // On some path.
  EXPECT_FALSE(
      IsUnwritten("s_cbranch_scc0 1\n v_mov_b32 v42, 0\n s_endpgm", {'v', 42}));
  EXPECT_FALSE(IsUnwritten("s_branch 1\n s_endpgm\n v_mov_b32 v42, 0\n"
                           "s_cbranch_scc0 65533\n s_endpgm",
                           {'v', 42}));
  // By a call.
  EXPECT_FALSE(
      IsUnwritten("s_swappc_b64 s[30:31], s[4:5]\n s_endpgm", {'v', 48}));
  EXPECT_TRUE(
      IsUnwritten("s_swappc_b64 s[30:31], s[4:5]\n s_endpgm", {'v', 40}));
}

/// What an instruction adds to its register; 0 for others.
static int64_t GetAdded(llvm::StringRef text, const char *gpu = "gfx90a") {
  auto code = AMDGPUMachineCode::Get(gpu);
  const std::vector<RegisterStep> steps =
      ReadRegisterSteps(*code, 0x1000, Assemble(text, gpu));
  return steps.empty() ? -1000 : steps.front().added.value_or(0);
}

TEST(RegisterSteps, WhatIsAdded) {
  EXPECT_EQ(GetAdded("v_add_u32_e32 v2, -1, v2"), -1);
  EXPECT_EQ(GetAdded("v_add_u32_e32 v2, 100, v2"), 100);
  EXPECT_EQ(GetAdded("v_add_u32_e64 v2, v2, 7"), 7);
  EXPECT_EQ(GetAdded("v_add_nc_u32_e32 v2, -3, v2", "gfx1030"), -3);
  EXPECT_EQ(GetAdded("v_subrev_u32_e32 v2, 64, v2"), -64);
  EXPECT_EQ(GetAdded("v_sub_u32_e64 v2, v2, 5"), -5);
  EXPECT_EQ(GetAdded("s_add_i32 s2, s2, 4"), 4);
  EXPECT_EQ(GetAdded("s_addk_i32 s2, 0xffff"), -1);
  EXPECT_EQ(GetAdded("s_sub_u32 s2, s2, 1"), -1);
  for (const char *other :
       {"v_sub_u32_e32 v2, 5, v2", "v_add_u32_e32 v2, 1, v3",
        "v_add_u32_e32 v2, v3, v2", "v_lshlrev_b32_e32 v2, 1, v2",
        "v_mul_u32_u24_e32 v2, -1, v2", "s_sub_u32 s2, 5, s2"})
    EXPECT_EQ(GetAdded(other), 0) << other;
}

/// The addresses near the code that instructions make a half of.
static std::vector<uint64_t> GetAddresses(llvm::StringRef text,
                                          const char *gpu = "gfx90a") {
  auto code = AMDGPUMachineCode::Get(gpu);
  std::vector<uint64_t> addresses;
  for (const RegisterStep &step :
       ReadRegisterSteps(*code, 0x1000, Assemble(text, gpu)))
    if (step.address)
      addresses.push_back(*step.address);
  return addresses;
}

TEST(RegisterSteps, AddressesNearTheCode) {
  using Addresses = std::vector<uint64_t>;
  EXPECT_EQ(GetAddresses("s_getpc_b64 s[4:5]\n s_add_u32 s4, s4, 0x1000\n"
                         "s_addc_u32 s5, s5, 0"),
            Addresses({0x2004, 0x2004}));
  EXPECT_EQ(GetAddresses("s_getpc_b64 s[4:5]\n s_add_u32 s4, s4, 0xfffffffc\n"
                         "s_addc_u32 s5, s5, -1"),
            Addresses({0x1000, 0x1000}));
  // A linker's literals aren't made shorter.
  EXPECT_EQ(GetAddresses("s_getpc_b64 s[4:5]\n"
                         "s_add_u32 s4, s4, lit(0xfffffffc)\n"
                         "s_addc_u32 s5, s5, lit(0xffffffff)"),
            Addresses({0x1000, 0x1000}));
  EXPECT_EQ(GetAddresses("s_getpc_b64 s[4:5]\n s_sext_i32_i16 s5, s5\n"
                         "s_add_co_u32 s4, s4, 8\n s_wait_alu 0xfffe\n"
                         "s_add_co_ci_u32 s5, s5, 0",
                         "gfx1201"),
            Addresses({0x100c, 0x100c}));
  // Something else has been in between, or isn't added to.
  EXPECT_EQ(GetAddresses("s_getpc_b64 s[4:5]\n s_mov_b32 s4, 0\n"
                         "s_add_u32 s4, s4, 8\n s_addc_u32 s5, s5, 0"),
            Addresses());
  EXPECT_EQ(GetAddresses("s_getpc_b64 s[4:5]\n s_add_u32 s4, s6, 8\n"
                         "s_addc_u32 s5, s5, 0"),
            Addresses());
}
