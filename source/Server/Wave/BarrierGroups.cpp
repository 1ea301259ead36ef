//===-- BarrierGroups.cpp - Waves that wait for each other ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BarrierGroups.h"
#include "wavelane/GPU/Processors.h"

using llvm::StringRef;

namespace wavelane::server {

BarrierGroups::Barrier BarrierGroups::GetAt(Wave &wave) {
  std::optional<uint64_t> pc = m_reader.GetPC(wave);
  if (!pc)
    return Barrier::None;
  const Barrier barrier = Decode(wave, *pc);
  return barrier == Barrier::None ? GetWaitedAt(wave) : barrier;
}

BarrierGroups::Barrier BarrierGroups::GetWaitedAt(Wave &wave) {
  constexpr uint32_t InBarrier = 1u << 12;
  const gpu::Processor *processor =
      gpu::findByName(m_reader.GetProcessor(wave));
  const std::vector<uint8_t> status = m_reader.ReadRegister(wave, "status");
  const bool told =
      status.size() == 4 && !(processor && processor->family().HasStatePriv);
  if (told && !(llvm::support::endian::read32le(status.data()) & InBarrier))
    return Barrier::None;
  // A waiting wave is already past the instruction.
  std::optional<uint64_t> pc = m_reader.GetPC(wave);
  const Barrier barrier =
      pc ? Decode(wave, *pc, /*before=*/true) : Barrier::None;
  return told && barrier == Barrier::None ? Barrier::Workgroup : barrier;
}

BarrierGroups::Barrier BarrierGroups::Decode(Wave &wave, uint64_t address,
                                             bool before) {
  constexpr uint64_t GroupSize = 4, GridSize = 8;
  auto read_at = [&](uint64_t from, uint8_t (&bytes)[32]) {
    size_t read = 0;
    return m_memory.Read(from, bytes, sizeof(bytes), read).Fail() ? 0 : read;
  };
  uint8_t bytes[32];
  const uint64_t group_at = before ? address - GroupSize : address;
  amd_dbgapi_size_t size = read_at(group_at, bytes);
  amd_dbgapi_instruction_kind_t kind = AMD_DBGAPI_INSTRUCTION_KIND_UNKNOWN;
  if (size &&
      m_session.fn().classify_instruction(
          m_reader.GetArchitecture(wave), group_at, &size, bytes, &kind,
          nullptr, nullptr) == AMD_DBGAPI_STATUS_SUCCESS &&
      kind == AMD_DBGAPI_INSTRUCTION_KIND_BARRIER)
    return Barrier::Workgroup;
  // The library doesn't classify the grid's barrier.
  const uint64_t grid_at = before ? address - GridSize : address;
  size = read_at(grid_at, bytes);
  char *text = nullptr;
  const bool is_grid =
      size &&
      m_session.fn().disassemble_instruction(
          m_reader.GetArchitecture(wave), grid_at, &size, bytes, &text, nullptr,
          nullptr) == AMD_DBGAPI_STATUS_SUCCESS &&
      size == GridSize && text &&
      StringRef(text).trim().starts_with("ds_gws_barrier");
  std::free(text);
  return is_grid ? Barrier::Grid : Barrier::None;
}

void BarrierGroups::Add(Wave &wave) {
  const Barrier barrier = GetAt(wave);
  if (barrier == Barrier::None)
    return;
  const WaveFacts &facts = m_reader.GetFacts(wave);
  const uint64_t id =
      barrier == Barrier::Grid ? facts.dispatch : facts.workgroup_id;
  if (llvm::none_of(m_groups, [&](const Group &group) {
        return group.barrier == barrier && group.id == id;
      }))
    m_groups.push_back({barrier, id});
}

bool BarrierGroups::Contains(Wave &wave) {
  if (m_groups.empty())
    return false;
  const WaveFacts &facts = m_reader.GetFacts(wave);
  return llvm::any_of(m_groups, [&](const Group &group) {
    return group.id == (group.barrier == Barrier::Grid ? facts.dispatch
                                                       : facts.workgroup_id);
  });
}

void BarrierGroups::SetTraps(Wave &wave) {
  std::optional<uint64_t> pc = m_reader.GetPC(wave);
  if (!pc)
    return;
  const amd_dbgapi_dispatch_id_t dispatch{m_reader.GetFacts(wave).dispatch};
  auto entry = dispatch.handle
                   ? m_session.Get<uint64_t>(
                         m_session.fn().dispatch_get_info, dispatch,
                         AMD_DBGAPI_DISPATCH_INFO_KERNEL_CODE_ENTRY_ADDRESS)
                   : std::nullopt;
  for (uint64_t address : m_code_objects.GetBarriers(*pc, entry))
    if (!m_traps.count(address) && m_memory.SetTrap(address).Success())
      m_traps.insert(address);
}

bool BarrierGroups::IsOnlyTrap(uint64_t address) const {
  const GPUMemory::Trap *trap = m_memory.FindTrap(address);
  return trap && trap->users == 1 && m_traps.count(address);
}

void BarrierGroups::Remove() {
  for (uint64_t address : std::exchange(m_traps, {}))
    m_memory.RemoveTrap(address);
  m_groups.clear();
}

void BarrierGroups::Forget() {
  m_traps.clear();
  m_groups.clear();
}

} // namespace wavelane::server
