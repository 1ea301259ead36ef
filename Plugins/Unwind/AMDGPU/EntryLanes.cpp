//===-- EntryLanes.cpp ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "EntryLanes.h"
#include "ABI/AMDGPU/ABIAMDGPU.h"
#include "Core/Lane/Wave.h"
#include "Core/MachineCode/LoadedCode.h"

#include "lldb/Target/Target.h"
#include "lldb/Target/Thread.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

using Register = LaneFlow::Register;

/// A frame of the wave for LaneFlow.
class EntryLanes::Frame : public LaneFlow::Frame {
public:
  /// \param active The active lanes when execution continues in the frame.
  Frame(EntryLanes &lanes, uint32_t index,
        std::shared_ptr<AMDGPUMachineCode> code, uint64_t active)
      : m_lanes(lanes), m_index(index), m_code(std::move(code)),
        m_active(active) {}

  addr_t GetPC() override { return m_lanes.m_frames[m_index].pc; }
  AMDGPUMachineCode &GetCode() override { return *m_code; }

  std::vector<uint8_t> ReadCode(addr_t pc) override {
    constexpr size_t kChunk = 4096, kLongest = 20;
    if (pc < m_chunk_start || pc - m_chunk_start + kLongest > m_chunk.size()) {
      m_chunk.clear();
      m_chunk_start = pc;
      TargetSP target_sp = m_lanes.m_wave.GetThread().CalculateTarget();
      Address address;
      if (target_sp && target_sp->ResolveLoadAddress(pc, address))
        m_chunk = wavelane::ReadCode(*target_sp, address, kChunk);
    }
    const size_t offset = pc - m_chunk_start;
    if (offset >= m_chunk.size())
      return {};
    return {m_chunk.begin() + offset,
            m_chunk.begin() + std::min(offset + kLongest, m_chunk.size())};
  }

  std::optional<uint32_t> ReadScalar(Register reg) override {
    if (reg.file == 'e')
      return uint32_t(m_active >> 32 * reg.number);
    if (reg.file == 'c') {
      std::optional<uint64_t> vcc =
          m_index == 0 ? m_lanes.m_wave.ReadScalarRegister("vcc")
                       : std::nullopt;
      if (!vcc)
        return std::nullopt;
      return uint32_t(*vcc >> 32 * reg.number);
    }
    std::optional<std::vector<uint32_t>> values = ReadVector(reg);
    return values && !values->empty() ? std::optional<uint32_t>(values->front())
                                      : std::nullopt;
  }

  std::optional<std::vector<uint32_t>> ReadVector(Register reg) override {
    std::optional<std::vector<uint8_t>> bytes =
        m_lanes.m_registers.Read(m_index, reg, /*trust=*/false, ~uint64_t(0));
    if (!bytes)
      return std::nullopt;
    return ToWords(*bytes);
  }

  std::optional<std::vector<uint32_t>> ReadSlot(uint32_t base,
                                                int64_t offset) override {
    WaveFrame frame;
    frame.pc = GetPC();
    frame.entry_sp = base;
    FunctionUnwind::Place place;
    place.kind = FunctionUnwind::Place::OnStack;
    place.offset = offset;
    std::optional<std::vector<uint8_t>> bytes = m_lanes.m_registers.ReadSlot(
        m_lanes.m_registers.GetStackAddress(frame, place));
    if (!bytes)
      return std::nullopt;
    return ToWords(*bytes);
  }

  bool IsWholeWave() override {
    return m_index == 0 && m_lanes.m_exec_is_temporary;
  }

  bool IsCalleeSaved(Register reg) override {
    return ABIAMDGPU::IsCalleeSaved(FrameRegisters::GetName(reg));
  }

private:
  static std::vector<uint32_t> ToWords(const std::vector<uint8_t> &bytes) {
    std::vector<uint32_t> words(bytes.size() / 4);
    for (size_t i = 0; i < words.size(); ++i)
      words[i] = llvm::support::endian::read32le(&bytes[i * 4]);
    return words;
  }

  EntryLanes &m_lanes;
  const uint32_t m_index;
  const std::shared_ptr<AMDGPUMachineCode> m_code;
  const uint64_t m_active;
  addr_t m_chunk_start = 0;
  std::vector<uint8_t> m_chunk;
};

std::optional<uint64_t> EntryLanes::GetKept(uint32_t frame_idx) {
  const WaveFrame &frame = m_frames[frame_idx];
  if (!frame.has_row)
    return std::nullopt;
  uint64_t mask = 0;
  for (unsigned half = 0; half * 32 < m_wave.GetLaneCount(); ++half) {
    const LaneFlow::Register exec{'e', half};
    // Calls may have overwritten registers that hold old copies.
    std::optional<FunctionUnwind::Place> place;
    for (const auto &[where, copy] : frame.row.copies)
      if (copy.value == exec &&
          (!frame.row.called ||
           ABIAMDGPU::IsCalleeSaved(FrameRegisters::GetName(where.reg))))
        place = where;
    if (!frame.row.clobbered.Has(exec) || !place)
      return std::nullopt;
    std::optional<std::vector<uint8_t>> bytes = m_registers.ReadPlace(
        frame_idx, exec, *place, /*trust=*/true, /*needed=*/0);
    if (!bytes || bytes->size() < 4)
      return std::nullopt;
    mask |= uint64_t(llvm::support::endian::read32le(bytes->data()))
            << 32 * half;
  }
  return mask;
}

void EntryLanes::Follow() {
  const uint32_t index = m_entered.size();
  const uint32_t lanes = m_wave.GetLaneCount();
  const uint64_t all = lanes < 64 ? (uint64_t(1) << lanes) - 1 : ~uint64_t(0);
  LaneMask entered{0, all};
  uint64_t live = 0;
  if (index == 0) {
    m_outcomes.assign(lanes, LaneFlow::Outcome());
    std::optional<uint64_t> exec = m_wave.ReadScalarRegister("exec");
    live = exec.value_or(0);
    if (exec)
      for (unsigned lane : m_wave.GetActiveLanes().set_bits())
        entered.lanes |= uint64_t(1) << lane;
    else
      entered.known = 0;
    m_exec_is_temporary = entered.lanes != (live & all);
    m_waiting = exec ? all & ~entered.lanes : 0;
  } else {
    entered = m_entered.back();
  }
  const std::optional<uint64_t> kept = GetKept(index);
  const addr_t pc = m_frames[index].pc;
  TargetSP target_sp = m_wave.GetThread().CalculateTarget();
  std::shared_ptr<AMDGPUMachineCode> code =
      target_sp ? GetMachineCodeAt(*target_sp, pc) : nullptr;
  std::vector<LaneFlow::Outcome> outcomes;
  if (m_waiting && code) {
    Frame frame(*this, index, code, index ? entered.lanes : live);
    outcomes = LaneFlow::Follow(frame, lanes, m_waiting);
  }
  outcomes.resize(lanes);
  for (uint32_t lane = 0; lane < lanes; ++lane) {
    const uint64_t bit = uint64_t(1) << lane;
    if (!(m_waiting & bit))
      continue;
    const LaneFlow::Outcome &outcome = outcomes[lane];
    if (outcome.was_on)
      entered.lanes |= bit;
    if (outcome.kind == LaneFlow::Outcome::Returns)
      continue;
    m_outcomes[lane] = outcome;
    m_waiting &= ~bit;
    if (outcome.kind == LaneFlow::Outcome::Unknown && !outcome.was_on)
      entered.known &= ~bit;
  }
  if (kept)
    entered = {*kept & all, all};
  m_entered.push_back(entered);
}

LaneMask EntryLanes::Get(uint32_t frame_idx) {
  // A frame's own registers don't show how its function was entered.
  if (!m_following && m_wave.GetThread().GetProcess()) {
    llvm::SaveAndRestore<bool> following(m_following, true);
    while (m_entered.size() <= frame_idx && m_entered.size() < m_frames.size())
      Follow();
  }
  return frame_idx < m_entered.size() ? m_entered[frame_idx] : LaneMask();
}
