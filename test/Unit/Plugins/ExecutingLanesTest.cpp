// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which lanes really execute, while the code has changed EXEC only to save or
// load registers.
#include "wavelane/GPU/ExecutingLanes.h"
#include "Core/MachineCode/AMDGPUMachineCode.h"
#include "TestAssembler.h"

#include "gtest/gtest.h"

#include <map>
#include <string>

using namespace lldb_private::wavelane;
using wavelane::gpu::ExecutingLanes;

namespace {

constexpr uint64_t kStart = 0x1000;
constexpr uint64_t kExec = 0xf0f0f0f0f0f0f0f0;
constexpr uint64_t kMask = 0x123456789abcdef0; // in s[4:5]
constexpr uint64_t kVcc = 0x0f;

class ExecutingLanesTest : public testing::Test {
protected:
  /// The place of the mask before each instruction, a letter each: EXEC ('.'),
  /// its inverse ('~'), s[4:5] ('s'), vcc ('c').
  std::string Follow(llvm::StringRef text, unsigned lanes = 64,
                     const char *processor = "gfx90a") {
    const std::vector<uint8_t> bytes = Assemble(text, processor);
    std::shared_ptr<AMDGPUMachineCode> code = AMDGPUMachineCode::Get(processor);
    const ExecutingLanes found = code->FindExecutingLanes(kStart, bytes);
    const uint64_t all = lanes < 64 ? (uint64_t(1) << lanes) - 1 : ~0ull;
    std::string letters;
    for (uint64_t at = 0; at < bytes.size();) {
      const uint64_t mask =
          found.get(kStart + at)
              .get(kExec, lanes,
                   [](llvm::StringRef name) -> std::optional<uint64_t> {
                     if (name == "vcc")
                       return kVcc;
                     if (name == "s4")
                       return uint32_t(kMask);
                     if (name == "s5")
                       return kMask >> 32;
                     return std::nullopt;
                   });
      letters += mask == (kExec & all)    ? '.'
                 : mask == (~kExec & all) ? '~'
                 : mask == (kMask & all)  ? 's'
                 : mask == kVcc           ? 'c'
                                          : '?';
      at +=
          code->Decode(llvm::ArrayRef(bytes).drop_front(at), kStart + at)->size;
    }
    return letters;
  }
};

TEST_F(ExecutingLanesTest, ScalarsAreReloadedInAllLanes) {
  EXPECT_EQ(Follow("s_or_saveexec_b64 s[4:5], -1\n"
                   "buffer_load_dword v15, off, s[0:3], s33\n"
                   "s_mov_b64 exec, s[4:5]\n"
                   "s_waitcnt vmcnt(0)\n"
                   "v_readlane_b32 s6, v15, 0\n"),
            ".ss..");
}

TEST_F(ExecutingLanesTest, AProloguesRegisters) {
  // First the inactive lanes of one register, then all lanes of another.
  EXPECT_EQ(Follow("s_xor_saveexec_b64 s[4:5], -1\n"
                   "buffer_store_dword v15, off, s[0:3], s33\n"
                   "s_mov_b64 exec, -1\n"
                   "buffer_store_dword v41, off, s[0:3], s33 offset:4\n"
                   "s_mov_b64 exec, s[4:5]\n"
                   "v_mov_b32 v0, 0\n"),
            ".ssss.");
}

TEST_F(ExecutingLanesTest, WhereConditionsMustBeKept) {
  // s_or_saveexec would change SCC.
  EXPECT_EQ(Follow("s_mov_b64 s[4:5], exec\n"
                   "s_mov_b64 exec, -1\n"
                   "buffer_store_dword v15, off, s[0:3], s33\n"
                   "s_mov_b64 exec, s[4:5]\n"
                   "s_nop 0\n"),
            "..ss.");
  EXPECT_EQ(Follow("s_or_saveexec_b64 vcc, -1\n"
                   "buffer_store_dword v15, off, s[0:3], s33\n"
                   "s_mov_b64 exec, vcc\n"
                   "s_nop 0\n"),
            ".cc.");
}

TEST_F(ExecutingLanesTest, InactiveLanesAreSet) {
  EXPECT_EQ(Follow("s_not_b64 exec, exec\n"
                   "v_mov_b32 v1, 0\n"
                   "s_not_b64 exec, exec\n"
                   "s_or_saveexec_b64 s[4:5], -1\n"
                   "v_add_u32 v1, v1, v2\n"
                   "s_not_b64 exec, exec\n"
                   "v_mov_b32 v1, 0\n"
                   "s_not_b64 exec, exec\n"
                   "s_mov_b64 exec, s[4:5]\n"
                   "s_nop 0\n"),
            ".~~.sssss.");
}

TEST_F(ExecutingLanesTest, WavesOf32Lanes) {
  EXPECT_EQ(Follow("s_or_saveexec_b32 s4, -1\n"
                   "scratch_load_dword v15, off, s33\n"
                   "s_mov_b32 exec_lo, s4\n"
                   "s_nop 0\n",
                   32, "gfx1030"),
            ".ss.");
}

TEST_F(ExecutingLanesTest, ControlFlowIsReal) {
  // The beginning, the other side and the end of a branch, and a loop that
  // handles lanes with equal values together.
  EXPECT_EQ(Follow("s_mov_b64 s[4:5], exec\n"
                   "s_and_b64 s[6:7], s[4:5], vcc\n"
                   "s_mov_b64 exec, s[6:7]\n"
                   "s_cbranch_execz 0\n"
                   "s_or_saveexec_b64 s[4:5], s[4:5]\n"
                   "s_xor_b64 exec, exec, s[4:5]\n"
                   "s_or_b64 exec, exec, s[4:5]\n"
                   "s_and_saveexec_b64 s[4:5], vcc\n"
                   "v_mov_b32 v0, 0\n"
                   "s_mov_b64 exec, s[4:5]\n"
                   "s_nop 0\n"),
            "...........");
  // All lanes are wanted: nothing was saved.
  EXPECT_EQ(Follow("s_mov_b64 exec, -1\nv_mov_b32 v0, 0\n"), "..");
  // The copy is an older mask.
  EXPECT_EQ(Follow("s_mov_b64 s[4:5], exec\n"
                   "s_and_b64 exec, exec, vcc\n"
                   "s_mov_b64 exec, -1\n"
                   "s_nop 0\n"),
            "....");
}

TEST_F(ExecutingLanesTest, EndsWithTheBlockOrTheSavedMask) {
  EXPECT_EQ(Follow("s_or_saveexec_b64 s[4:5], -1\n"
                   "s_branch 0\n"
                   "s_nop 0\n"),
            ".s.");
  EXPECT_EQ(Follow("s_or_saveexec_b64 s[4:5], -1\n"
                   "s_mov_b32 s5, 0\n"
                   "s_nop 0\n"),
            ".s.");
}

TEST_F(ExecutingLanesTest, AnyBytes) {
  std::shared_ptr<AMDGPUMachineCode> code = AMDGPUMachineCode::Get("gfx90a");
  const std::vector<uint8_t> bytes(101, 0xff);
  for (size_t size = 0; size <= bytes.size(); ++size)
    EXPECT_TRUE(
        code->FindExecutingLanes(kStart, llvm::ArrayRef(bytes).take_front(size))
            .get(kStart + size)
            .isInExec());
}

} // namespace
