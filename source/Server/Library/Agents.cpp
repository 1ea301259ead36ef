//===-- Agents.cpp - The GPUs of a program --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Agents.h"
#include "wavelane/GPU/Processors.h"
#include "llvm/Support/FormatVariadic.h"

using llvm::StringRef;

namespace wavelane::server {

llvm::Expected<std::vector<amd_dbgapi_agent_id_t>> Agents::GetAll() {
  auto agents = m_session.List<amd_dbgapi_agent_id_t>(
      "listing GPUs", [&](size_t *count, amd_dbgapi_agent_id_t **items) {
        return m_session.fn().process_agent_list(m_session.id(), count, items,
                                                 nullptr);
      });
  // Libraries list them in arbitrary order.
  if (agents)
    llvm::sort(*agents, [](amd_dbgapi_agent_id_t a, amd_dbgapi_agent_id_t b) {
      return a.handle < b.handle;
    });
  return agents;
}

llvm::Expected<std::optional<amd_dbgapi_architecture_id_t>>
Agents::GetArchitecture() {
  auto agents = GetAll();
  if (!agents)
    return agents.takeError();
  for (amd_dbgapi_agent_id_t agent : *agents)
    if (auto architecture = m_session.Get<amd_dbgapi_architecture_id_t>(
            m_session.fn().agent_get_info, agent,
            AMD_DBGAPI_AGENT_INFO_ARCHITECTURE))
      if (architecture->handle)
        return architecture;
  return std::nullopt;
}

Agents::Architecture Agents::ReadArchitecture(amd_dbgapi_architecture_id_t id) {
  auto get = m_session.fn().architecture_get_info;
  Architecture architecture;
  architecture.id = id;
  architecture.name =
      m_session.GetString(get, id, AMD_DBGAPI_ARCHITECTURE_INFO_NAME)
          .value_or("");
  architecture.machine =
      m_session
          .Get<uint32_t>(get, id,
                         AMD_DBGAPI_ARCHITECTURE_INFO_ELF_AMDGPU_MACHINE)
          .value_or(0);
  auto size = m_session.Get<amd_dbgapi_size_t>(
      get, id, AMD_DBGAPI_ARCHITECTURE_INFO_BREAKPOINT_INSTRUCTION_SIZE);
  auto bytes = m_session.Get<uint8_t *>(
      get, id, AMD_DBGAPI_ARCHITECTURE_INFO_BREAKPOINT_INSTRUCTION);
  if (size && bytes && *bytes)
    architecture.trap.assign(*bytes, *bytes + *size);
  if (bytes)
    std::free(*bytes);
  return architecture;
}

const GPURegisters *Agents::GetRegisters() {
  if (m_registers)
    return m_registers.get();
  m_architectures.clear();
  auto agents = GetAll();
  if (!agents) {
    llvm::consumeError(agents.takeError()); // The next call asks again.
    return nullptr;
  }
  std::vector<amd_dbgapi_architecture_id_t> ids;
  for (amd_dbgapi_agent_id_t agent : *agents) {
    auto id = m_session.Get<amd_dbgapi_architecture_id_t>(
        m_session.fn().agent_get_info, agent,
        AMD_DBGAPI_AGENT_INFO_ARCHITECTURE);
    if (!id || !id->handle || llvm::any_of(ids, [&](auto known) {
          return known.handle == id->handle;
        }))
      continue;
    ids.push_back(*id);
    m_architectures.push_back(ReadArchitecture(*id));
  }
  if (ids.empty())
    return nullptr;
  m_registers = GPURegisters::Create(m_session, ids);
  m_trap_adjust =
      m_session
          .Get<amd_dbgapi_size_t>(
              m_session.fn().architecture_get_info, ids.front(),
              AMD_DBGAPI_ARCHITECTURE_INFO_BREAKPOINT_INSTRUCTION_PC_ADJUST)
          .value_or(0);
  return m_registers.get();
}

std::string Agents::GetProcessor() {
  GetRegisters();
  return m_architectures.empty() ? std::string() : m_architectures.front().name;
}

std::string Agents::GetProcessor(amd_dbgapi_architecture_id_t id) {
  GetRegisters();
  for (const Architecture &architecture : m_architectures)
    if (architecture.id.handle == id.handle)
      return architecture.name;
  return {};
}

/// Whether code for \p machine, in ELF flags, runs on the GPU \p name.
static bool RunsOn(uint32_t machine, StringRef name) {
  const gpu::Processor *code = gpu::findByElfFlags(machine);
  const gpu::Processor *device = gpu::findByName(name);
  return code && device && code->runsOn(*device);
}

std::string Agents::DescribeForeignCode(uint32_t machine, StringRef processor) {
  if (!GetRegisters())
    return {};
  std::string names;
  for (const Architecture &architecture : m_architectures) {
    if (architecture.machine == machine || RunsOn(machine, architecture.name))
      return {};
    names += (names.empty() ? "" : ", ") + architecture.name;
  }
  return llvm::formatv("it is for {0}, and the core's GPU is {1}", processor,
                       names);
}

llvm::ArrayRef<uint8_t>
Agents::GetTrap(llvm::function_ref<uint32_t()> get_machine) {
  if (!GetRegisters() || m_architectures.empty())
    return {};
  if (m_architectures.size() > 1) {
    const uint32_t machine = get_machine();
    for (const Architecture &architecture : m_architectures)
      if (machine == architecture.machine)
        return architecture.trap;
    for (const Architecture &architecture : m_architectures)
      if (RunsOn(machine, architecture.name))
        return architecture.trap;
  }
  return m_architectures.front().trap;
}

bool Agents::DescribeCore() {
  auto agents = GetAll();
  if (!agents) {
    m_session.AddWarning(llvm::toString(agents.takeError()));
    return false;
  }
  bool any = false;
  for (amd_dbgapi_agent_id_t agent : *agents) {
    auto get = m_session.fn().agent_get_info;
    auto state = m_session.Get<amd_dbgapi_agent_state_t>(
        get, agent, AMD_DBGAPI_AGENT_INFO_STATE);
    if (state == AMD_DBGAPI_AGENT_STATE_SUPPORTED) {
      any = true;
      continue;
    }
    m_session.AddWarning(
        "waves of the GPU '" +
        m_session.GetString(get, agent, AMD_DBGAPI_AGENT_INFO_NAME)
            .value_or("unknown") +
        "' can't be shown: its kind, driver or firmware isn't supported" +
        (m_session.IsSimulated() ? " by Wavelane's debug library; AMD's can be "
                                   "named in plugin.process.amdgpu.library"
                                 : ""));
  }
  return any;
}

} // namespace wavelane::server
