// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where inactive lanes continue, derived from the code at the wave's PC.
#include "Unwind/AMDGPU/LaneFlow.h"
#include "TestAssembler.h"

#include "gtest/gtest.h"

using namespace lldb_private::wavelane;
using Register = LaneFlow::Register;
using Outcome = LaneFlow::Outcome;

namespace {

constexpr uint64_t kStart = 0x1000;

/// A frame of a function written in assembly. Anything that isn't set is
/// unknown.
class FakeFrame : public LaneFlow::Frame {
public:
  explicit FakeFrame(llvm::StringRef text, const char *processor = "gfx90a")
      : m_bytes(Assemble(text, processor)),
        m_code(AMDGPUMachineCode::Get(processor)) {}

  /// The address of the n-th instruction.
  uint64_t At(unsigned n) {
    uint64_t pc = kStart;
    for (; n; --n)
      pc += m_code->Decode(ReadCode(pc), pc)->size;
    return pc;
  }
  void StandAt(unsigned n) { m_pc = At(n); }
  void SetMask(char file, unsigned number, uint64_t mask) {
    m_scalars[{file, number}] = uint32_t(mask);
    m_scalars[{file, number + 1}] = uint32_t(mask >> 32);
  }
  void SetExec(uint64_t mask) { SetMask('e', 0, mask); }
  void SetLane(Register reg, unsigned lane, uint32_t value) {
    m_vectors.try_emplace(reg, 64).first->second[lane] = value;
  }

  lldb::addr_t GetPC() override { return m_pc; }
  AMDGPUMachineCode &GetCode() override { return *m_code; }
  std::vector<uint8_t> ReadCode(lldb::addr_t pc) override {
    const size_t at = pc - kStart;
    if (at >= m_bytes.size())
      return {};
    return {m_bytes.begin() + at,
            m_bytes.begin() + std::min(at + 20, m_bytes.size())};
  }
  std::optional<uint32_t> ReadScalar(Register reg) override {
    auto found = m_scalars.find(reg);
    return found == m_scalars.end() ? std::nullopt
                                    : std::optional<uint32_t>(found->second);
  }
  std::optional<std::vector<uint32_t>> ReadVector(Register reg) override {
    auto found = m_vectors.find(reg);
    if (found == m_vectors.end())
      return std::nullopt;
    return found->second;
  }
  std::optional<std::vector<uint32_t>> ReadSlot(uint32_t base,
                                                int64_t offset) override {
    auto found = m_slots.find({base, offset});
    if (found == m_slots.end())
      return std::nullopt;
    return found->second;
  }
  bool IsWholeWave() override { return m_whole_wave; }
  bool IsCalleeSaved(Register reg) override {
    return reg.file == 's' ? reg.number >= 30 : reg.number >= 40;
  }

  std::map<std::pair<uint32_t, int64_t>, std::vector<uint32_t>> m_slots;
  bool m_whole_wave = false;

private:
  const std::vector<uint8_t> m_bytes;
  const std::shared_ptr<AMDGPUMachineCode> m_code;
  uint64_t m_pc = kStart;
  std::map<Register, uint32_t> m_scalars;
  std::map<Register, std::vector<uint32_t>> m_vectors;
};

/// "goes on at 5", "returns", with " (was on)".
std::string Show(FakeFrame &frame, const Outcome &outcome) {
  std::string text;
  switch (outcome.kind) {
  case Outcome::Unknown:
    text = "unknown";
    break;
  case Outcome::Returns:
    text = "returns";
    break;
  case Outcome::Ends:
    text = "ends";
    break;
  case Outcome::GoesOn:
    text = "goes on nowhere";
    for (unsigned n = 0; n < 100 && !frame.ReadCode(frame.At(n)).empty(); ++n)
      if (frame.At(n) == outcome.pc)
        text = "goes on at " + std::to_string(n);
    break;
  }
  return text + (outcome.was_on ? " (was on)" : "");
}

/// The outcome of one lane, with all lanes waiting that aren't in \p exec.
std::string Follow(FakeFrame &frame, uint64_t exec, unsigned lane,
                   unsigned lane_count = 64) {
  frame.SetExec(exec);
  const uint64_t all =
      lane_count < 64 ? (uint64_t(1) << lane_count) - 1 : ~uint64_t(0);
  return Show(frame, LaneFlow::Follow(frame, lane_count, all & ~exec)[lane]);
}

// if (...) { 2 } 5
constexpr char kIf[] = R"(
    s_and_saveexec_b64 s[4:5], vcc
    s_cbranch_execz skip
    v_add_f32 v0, v0, v1
    v_add_f32 v0, v0, v1
  skip:
    s_or_b64 exec, exec, s[4:5]
    v_add_f32 v2, v2, v3
    s_endpgm
  )";

TEST(LaneFlowTest, AfterAnIfTheOthersGoOn) {
  FakeFrame frame(kIf);
  frame.StandAt(3);
  frame.SetMask('s', 4, 0xffff);
  EXPECT_EQ(Follow(frame, 0xff, 8), "goes on at 5 (was on)");
  EXPECT_EQ(Follow(frame, 0xff, 15), "goes on at 5 (was on)");
  // These lanes are in no mask.
  EXPECT_EQ(Follow(frame, 0xff, 16), "ends");
  // Active lanes have no outcome.
  EXPECT_EQ(Follow(frame, 0xff, 0), "unknown");
}

TEST(LaneFlowTest, AnUnknownMaskGivesNothing) {
  FakeFrame frame(kIf);
  frame.StandAt(3);
  EXPECT_EQ(Follow(frame, 0xff, 8), "unknown");
}

TEST(LaneFlowTest, TheElseIsTheOthers) {
  FakeFrame frame(R"(
    s_and_saveexec_b64 s[4:5], vcc
    s_xor_b64 s[4:5], exec, s[4:5]
    v_add_f32 v0, v0, v1
    s_andn2_saveexec_b64 s[4:5], s[4:5]
    s_cbranch_execz end
    v_add_f32 v0, v0, v2
  end:
    s_or_b64 exec, exec, s[4:5]
    v_add_f32 v0, v0, v3
    s_setpc_b64 s[30:31]
  )");
  frame.StandAt(2);
  frame.SetMask('s', 4, 0xff00);
  EXPECT_EQ(Follow(frame, 0xff, 9), "goes on at 5 (was on)");
  EXPECT_EQ(Follow(frame, 0xff, 16), "returns");
  FakeFrame no_skip(R"(
    v_add_f32 v0, v0, v1
    s_mov_b64 exec, s[4:5]
    v_add_f32 v0, v0, v2
    s_setpc_b64 s[30:31]
  )");
  no_skip.SetMask('s', 4, 0xff00);
  EXPECT_EQ(Follow(no_skip, 0xff, 9), "goes on at 2 (was on)");
  EXPECT_EQ(Follow(no_skip, 0xff, 16), "returns");
}

TEST(LaneFlowTest, LanesThatHaveLeftALoopWaitForItsEnd) {
  FakeFrame frame(R"(
  head:
    v_add_f32 v0, v0, v1
    v_cmp_gt_f32 vcc, v0, v2
    s_or_b64 s[6:7], vcc, s[6:7]
    s_andn2_b64 exec, exec, s[6:7]
    s_cbranch_execnz head
    s_or_b64 exec, exec, s[6:7]
    v_add_f32 v2, v2, v3
    s_setpc_b64 s[30:31]
  )");
  frame.SetMask('s', 6, 0xf0);
  EXPECT_EQ(Follow(frame, 0x0f, 4), "goes on at 6 (was on)");
  EXPECT_EQ(Follow(frame, 0x0f, 8), "returns");
}

TEST(LaneFlowTest, MasksAreFollowedThroughLanesOfRegisters) {
  FakeFrame frame(R"(
    v_add_f32 v0, v0, v1
    v_writelane_b32 v40, s6, 2
    v_readlane_b32 s4, v40, 0
    v_readlane_b32 s5, v40, 1
    s_or_b64 exec, exec, s[4:5]
    v_add_f32 v2, v2, v3
    s_setpc_b64 s[30:31]
  )");
  frame.SetLane({'v', 40}, 0, 0xff00);
  frame.SetLane({'v', 40}, 1, 0x1);
  EXPECT_EQ(Follow(frame, 0xff, 8), "goes on at 5 (was on)");
  EXPECT_EQ(Follow(frame, 0xff, 32), "goes on at 5 (was on)");
  EXPECT_EQ(Follow(frame, 0xff, 33), "returns");
}

TEST(LaneFlowTest, MasksAreFollowedThroughSlotsOfTheStack) {
  FakeFrame frame(R"(
    v_add_f32 v0, v0, v1
    s_or_saveexec_b64 s[8:9], -1
    buffer_load_dword v40, off, s[0:3], s33 offset:4
    s_mov_b64 exec, s[8:9]
    v_readlane_b32 s4, v40, 0
    v_readlane_b32 s5, v40, 1
    s_or_b64 exec, exec, s[4:5]
    v_add_f32 v2, v2, v3
    s_setpc_b64 s[30:31]
  )");
  frame.SetMask('s', 33, 0x400);
  frame.m_slots[{0x400, 4}] = std::vector<uint32_t>(64);
  frame.m_slots[{0x400, 4}][0] = 0x100;
  EXPECT_EQ(Follow(frame, 0xff, 8), "goes on at 7 (was on)");
  EXPECT_EQ(Follow(frame, 0xff, 9), "returns");
}

// All lanes are on only for the spill: none of them does anything there.
TEST(LaneFlowTest, ASpillOfAWholeRegisterIsNotTheLanesOwnCode) {
  FakeFrame frame(R"(
    s_or_saveexec_b64 s[8:9], -1
    buffer_store_dword v40, off, s[0:3], s33 offset:4
    s_mov_b64 exec, s[8:9]
    s_setpc_b64 s[30:31]
  )");
  EXPECT_EQ(Follow(frame, 0xff, 8), "returns");
}

TEST(LaneFlowTest, ACallKeepsWhatTheConventionKeeps) {
  constexpr char text[] = R"(
    v_add_f32 v0, v0, v1
    s_swappc_b64 s[30:31], s[6:7]
    s_or_b64 exec, exec, s[%d:%d]
    v_add_f32 v2, v2, v3
    s_endpgm
  )";
  for (unsigned number : {4u, 34u}) {
    const std::string numbers =
        std::to_string(number) + ":" + std::to_string(number + 1);
    std::string code(text);
    code.replace(code.find("%d:%d"), 5, numbers);
    FakeFrame frame(code);
    frame.SetMask('s', number, 0xff00);
    EXPECT_EQ(Follow(frame, 0xff, 8),
              number == 34 ? "goes on at 3 (was on)" : "unknown");
  }
}

TEST(LaneFlowTest, WhereWaysDisagreeTheLanesPlaceIsntKnown) {
  FakeFrame frame(R"(
    v_add_f32 v0, v0, v1
    s_cbranch_scc0 other
    s_or_b64 exec, exec, s[4:5]
    v_add_f32 v2, v2, v3
    s_endpgm
  other:
    s_or_b64 exec, exec, s[4:5]
    v_add_f32 v2, v2, v4
    s_endpgm
  )");
  frame.SetMask('s', 4, 0xff00);
  EXPECT_EQ(Follow(frame, 0xff, 8), "unknown (was on)");
}

TEST(LaneFlowTest, UnreadableCodeGivesNothing) {
  FakeFrame frame("v_add_f32 v0, v0, v1\n .long 0xffffffff\n");
  frame.SetMask('s', 4, 0xff00);
  EXPECT_EQ(Follow(frame, 0xff, 8), "unknown");
}

TEST(LaneFlowTest, AnEndlessLoopEndsTheSearch) {
  FakeFrame frame(R"(
  head:
    v_add_f32 v0, v0, v1
    s_add_u32 s40, s40, 1
    s_branch head
  )");
  frame.SetMask('s', 40, 0);
  EXPECT_EQ(Follow(frame, 0xff, 8), "unknown");
}

TEST(LaneFlowTest, AWaveOf32LanesHasOneHalf) {
  FakeFrame frame(R"(
    v_add_f32 v0, v0, v1
    s_or_b32 exec_lo, exec_lo, s4
    v_add_f32 v2, v2, v3
    s_endpgm
  )",
                  "gfx1030");
  frame.SetMask('s', 4, 0xff00);
  EXPECT_EQ(Follow(frame, 0xff, 8, 32), "goes on at 2 (was on)");
  EXPECT_EQ(Follow(frame, 0xff, 31, 32), "ends");
}

TEST(LaneFlowTest, NoMoreLanesThanAMaskHas) {
  FakeFrame frame(kIf);
  EXPECT_TRUE(LaneFlow::Follow(frame, 65, 0).empty());
  EXPECT_TRUE(LaneFlow::Follow(frame, 0, 0).empty());
}

} // namespace
