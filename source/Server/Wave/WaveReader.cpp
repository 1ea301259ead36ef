//===-- WaveReader.cpp - A wave as the library has it ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "WaveReader.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FormatVariadic.h"

using llvm::StringRef;

namespace wavelane::server {

amd_dbgapi_architecture_id_t WaveReader::GetArchitecture(Wave &wave) {
  if (!wave.architecture)
    wave.architecture = m_session.Get<amd_dbgapi_architecture_id_t>(
        m_session.fn().wave_get_info, wave.id,
        AMD_DBGAPI_WAVE_INFO_ARCHITECTURE);
  return wave.architecture.value_or(amd_dbgapi_architecture_id_t{0});
}

std::string WaveReader::GetProcessor(Wave &wave) {
  return m_agents.GetProcessor(GetArchitecture(wave));
}

std::optional<DispatchShape> WaveReader::GetDispatchShape(Wave &wave) {
  const WaveFacts &facts = GetFacts(wave);
  if (!facts.dispatch)
    return std::nullopt;
  const amd_dbgapi_dispatch_id_t dispatch{facts.dispatch};
  auto workgroup = m_session.Get<std::array<uint16_t, 3>>(
      m_session.fn().dispatch_get_info, dispatch,
      AMD_DBGAPI_DISPATCH_INFO_WORKGROUP_SIZES);
  auto grid = m_session.Get<std::array<uint32_t, 3>>(
      m_session.fn().dispatch_get_info, dispatch,
      AMD_DBGAPI_DISPATCH_INFO_GRID_SIZES);
  auto arguments = m_session.Get<uint64_t>(
      m_session.fn().dispatch_get_info, dispatch,
      AMD_DBGAPI_DISPATCH_INFO_KERNEL_ARGUMENT_SEGMENT_ADDRESS);
  if (!workgroup || !grid)
    return std::nullopt;
  return DispatchShape{*workgroup, *grid, arguments};
}

std::optional<uint64_t> WaveReader::GetPC(Wave &wave) {
  if (!wave.pc && !wave.running)
    wave.pc = m_session.Get<uint64_t>(m_session.fn().wave_get_info, wave.id,
                                      AMD_DBGAPI_WAVE_INFO_PC);
  return wave.pc;
}

std::optional<uint64_t> WaveReader::GetExec(Wave &wave) {
  return m_session.Get<uint64_t>(m_session.fn().wave_get_info, wave.id,
                                 AMD_DBGAPI_WAVE_INFO_EXEC_MASK);
}

std::optional<uint64_t> WaveReader::GetInstructionBefore(Wave &wave) {
  const std::optional<uint64_t> pc = GetPC(wave);
  return pc ? m_code_objects.GetInstructionBefore(*pc) : std::nullopt;
}

std::optional<uint64_t> WaveReader::GetActiveLanes(Wave &wave) {
  const std::optional<uint64_t> exec = GetExec(wave), pc = GetPC(wave);
  if (!exec || !pc)
    return exec;
  return m_code_objects.GetExecutingMask(*pc).get(
      *exec, unsigned(GetFacts(wave).lane_count),
      [&](llvm::StringRef name) -> std::optional<uint64_t> {
        std::vector<uint8_t> bytes = ReadRegister(wave, name);
        if (bytes.empty())
          return std::nullopt;
        bytes.resize(8);
        return llvm::support::endian::read64le(bytes.data());
      });
}

const std::string &
WaveReader::GetKernelName(amd_dbgapi_dispatch_id_t dispatch) {
  auto [found, is_new] = m_kernels.try_emplace(dispatch.handle);
  if (!is_new)
    return found->second;
  if (auto entry = m_session.Get<uint64_t>(
          m_session.fn().dispatch_get_info, dispatch,
          AMD_DBGAPI_DISPATCH_INFO_KERNEL_CODE_ENTRY_ADDRESS)) {
    found->second = m_code_objects.GetFunction(*entry);
    if (found->second.empty())
      found->second = llvm::formatv("{0:x}", *entry).str();
  }
  return found->second;
}

std::shared_ptr<const WorkgroupFacts>
WaveReader::GetWorkgroupFacts(Wave &wave) {
  if (wave.workgroup)
    return wave.workgroup;
  auto handle = [&](amd_dbgapi_wave_info_t query) {
    return m_session.Get<uint64_t>(m_session.fn().wave_get_info, wave.id, query)
        .value_or(0);
  };
  const uint64_t id = handle(AMD_DBGAPI_WAVE_INFO_WORKGROUP);
  auto known = m_workgroups.find(id);
  if (id && known != m_workgroups.end())
    return wave.workgroup = known->second;
  auto facts = std::make_shared<WorkgroupFacts>();
  facts->workgroup_id = id;
  facts->agent = handle(AMD_DBGAPI_WAVE_INFO_AGENT);
  facts->queue = handle(AMD_DBGAPI_WAVE_INFO_QUEUE);
  facts->dispatch = handle(AMD_DBGAPI_WAVE_INFO_DISPATCH);
  facts->lane_count = m_session
                          .Get<size_t>(m_session.fn().wave_get_info, wave.id,
                                       AMD_DBGAPI_WAVE_INFO_LANE_COUNT)
                          .value_or(0);
  if (auto group = m_session.Get<std::array<uint32_t, 3>>(
          m_session.fn().wave_get_info, wave.id,
          AMD_DBGAPI_WAVE_INFO_WORKGROUP_COORD)) {
    facts->has_position = true;
    llvm::copy(*group, facts->workgroup);
  }
  if (facts->dispatch)
    facts->kernel = GetKernelName(amd_dbgapi_dispatch_id_t{facts->dispatch});
  if (m_workgroups.size() >= m_max_workgroups) {
    for (auto it = m_workgroups.begin(); it != m_workgroups.end();)
      it = it->second.use_count() == 1 ? m_workgroups.erase(it) : std::next(it);
    m_max_workgroups = std::max<size_t>(1024, 2 * m_workgroups.size());
  }
  if (id)
    m_workgroups[id] = facts;
  return wave.workgroup = facts;
}

const WaveFacts &WaveReader::GetFacts(Wave &wave) {
  if (wave.facts)
    return *wave.facts;
  wave.facts = std::make_unique<WaveFacts>();
  WaveFacts &facts = *wave.facts;
  static_cast<WorkgroupFacts &>(facts) = *GetWorkgroupFacts(wave);
  auto number =
      m_session.Get<uint32_t>(m_session.fn().wave_get_info, wave.id,
                              AMD_DBGAPI_WAVE_INFO_WAVE_NUMBER_IN_WORKGROUP);
  facts.has_position &= bool(number);
  facts.wave_in_workgroup = number.value_or(0);
  const std::string kernel = facts.kernel.empty() ? "wave" : facts.kernel;
  if (facts.has_position)
    facts.name = llvm::formatv("{0} ({1},{2},{3})/{4}", kernel,
                               facts.workgroup[0], facts.workgroup[1],
                               facts.workgroup[2], facts.wave_in_workgroup);
  else
    facts.name = llvm::formatv("{0} {1}", kernel, wave.id.handle);
  return facts;
}

std::vector<uint8_t> WaveReader::ReadRegister(Wave &wave, StringRef name) {
  const GPURegisters *registers = m_agents.GetRegisters();
  std::optional<uint32_t> index;
  // If a register has two forms, use the wave's own.
  if (registers && GetFacts(wave).lane_count == 64)
    index = registers->Find((name + "_w64").str());
  if (registers && !index)
    index = registers->Find(name);
  if (!index)
    return {};
  std::vector<uint8_t> bytes(registers->GetInfo(*index)->byte_size);
  if (m_session.fn().read_register(
          wave.id, registers->GetID(*index, GetArchitecture(wave)), 0,
          bytes.size(), bytes.data()) != AMD_DBGAPI_STATUS_SUCCESS)
    return {};
  return bytes;
}

void WaveReader::ForgetNames() {
  m_kernels.clear();
  m_workgroups.clear();
}

} // namespace wavelane::server
