//===-- BarrierGroups.cpp - Waves that wait for each other ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BarrierGroups.h"
#include "wavelane/GPU/InstructionFacts.h"
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
  const bool is_known =
      status.size() == 4 && !(processor && processor->family().HasStatePriv);
  if (is_known && !(llvm::support::endian::read32le(status.data()) & InBarrier))
    return Barrier::None;
  // A waiting wave is already past the instruction.
  std::optional<uint64_t> pc = m_reader.GetPC(wave);
  const Barrier barrier =
      pc ? Decode(wave, *pc, /*before=*/true) : Barrier::None;
  return is_known && barrier == Barrier::None ? Barrier::Workgroup : barrier;
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
      gpu::InstructionFacts::of(StringRef(text).trim().split(' ').first)
              .Barrier == gpu::BarrierStep::Grid;
  std::free(text);
  return is_grid ? Barrier::Grid : Barrier::None;
}

std::optional<BarrierGroups::Group> BarrierGroups::FindGroup(Wave &wave) {
  const Barrier barrier = GetAt(wave);
  if (barrier == Barrier::None)
    return std::nullopt;
  auto facts = m_reader.GetWorkgroupFacts(wave);
  return Group(barrier, barrier == Barrier::Grid ? facts->dispatch
                                                 : facts->workgroup_id);
}

bool BarrierGroups::Contains(Wave &wave) {
  if (m_groups.empty())
    return false;
  auto facts = m_reader.GetWorkgroupFacts(wave);
  return m_groups.count({Barrier::Workgroup, facts->workgroup_id}) ||
         m_groups.count({Barrier::Grid, facts->dispatch});
}

const std::set<uint64_t> &
BarrierGroups::GetMembers(Group group,
                          llvm::function_ref<Wave *(uint64_t)> find) {
  for (uint64_t id : std::exchange(m_new_waves, {}))
    if (Wave *wave = find(id)) {
      auto facts = m_reader.GetWorkgroupFacts(*wave);
      m_members[{Barrier::Workgroup, facts->workgroup_id}].insert(id);
      m_members[{Barrier::Grid, facts->dispatch}].insert(id);
    }
  return m_members[group];
}

void BarrierGroups::Ended(const Wave &wave) {
  const uint64_t id = wave.id.handle;
  m_on_their_way.erase(id);
  if (m_new_waves.erase(id) || !wave.workgroup)
    return;
  for (Group group : {Group(Barrier::Workgroup, wave.workgroup->workgroup_id),
                      Group(Barrier::Grid, wave.workgroup->dispatch)}) {
    auto known = m_members.find(group);
    if (known != m_members.end() && known->second.erase(id) &&
        known->second.empty())
      m_members.erase(known);
  }
}

void BarrierGroups::AllEnded() {
  m_on_their_way.clear();
  m_new_waves.clear();
  m_members.clear();
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
  m_on_their_way.insert(wave.id.handle);
  if (!entry)
    return;
  for (uint64_t address : m_code_objects.GetEnds(*entry))
    if (!m_traps.count(address) && m_memory.SetTrap(address).Success()) {
      m_traps.insert(address);
      m_ends.insert(address);
    }
}

void BarrierGroups::Cover(const std::set<uint64_t> &members) {
  for (uint64_t id : members)
    m_on_their_way.erase(id);
}

bool BarrierGroups::IsOnlyTrap(uint64_t address) const {
  const GPUMemory::Trap *trap = m_memory.FindTrap(address);
  return trap && trap->users == 1 && m_traps.count(address);
}

void BarrierGroups::RemoveBarriers() {
  std::set<uint64_t> traps = std::exchange(m_traps, m_ends);
  for (uint64_t address : traps)
    if (!m_ends.count(address))
      m_memory.RemoveTrap(address);
  m_groups.clear();
  m_on_their_way.clear();
}

void BarrierGroups::Remove() {
  for (uint64_t address : std::exchange(m_traps, {}))
    m_memory.RemoveTrap(address);
  m_ends.clear();
  m_groups.clear();
  m_on_their_way.clear();
}

void BarrierGroups::Forget() {
  m_traps.clear();
  m_ends.clear();
  m_groups.clear();
  m_on_their_way.clear();
}

} // namespace wavelane::server
