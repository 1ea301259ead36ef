//===-- GPUProcessFacts.cpp - What GPUs, waves and stops are --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GPUProcess.h"
#include "MemoryInstruction.h"
#include "StopKinds.h"
#include "wavelane/GPU/Processors.h"
#include "wavelane/Server/Packets.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/FormatVariadic.h"
#include <csignal>

using namespace lldb_private;
using llvm::StringRef;

namespace wavelane::server {

std::vector<amd_dbgapi_agent_id_t> GPUProcess::GetAgents() {
  auto agents = m_session.List<amd_dbgapi_agent_id_t>(
      [&](size_t *count, amd_dbgapi_agent_id_t **items) {
        return fn().process_agent_list(m_session.id(), count, items, nullptr);
      });
  // Libraries give them in any order.
  llvm::sort(agents, [](amd_dbgapi_agent_id_t a, amd_dbgapi_agent_id_t b) {
    return a.handle < b.handle;
  });
  return agents;
}

std::optional<amd_dbgapi_architecture_id_t> GPUProcess::GetGPUArchitecture() {
  for (amd_dbgapi_agent_id_t agent : GetAgents())
    if (auto architecture = m_session.Get<amd_dbgapi_architecture_id_t>(
            fn().agent_get_info, agent, AMD_DBGAPI_AGENT_INFO_ARCHITECTURE))
      if (architecture->handle)
        return architecture;
  return std::nullopt;
}

amd_dbgapi_architecture_id_t GPUProcess::GetArchitectureOf(Wave &wave) {
  if (!wave.architecture)
    wave.architecture = m_session.Get<amd_dbgapi_architecture_id_t>(
        fn().wave_get_info, wave.id, AMD_DBGAPI_WAVE_INFO_ARCHITECTURE);
  return wave.architecture.value_or(amd_dbgapi_architecture_id_t{0});
}

const GPURegisters *GPUProcess::GetRegisters() {
  if (m_registers)
    return m_registers.get();
  m_architectures.clear();
  std::vector<amd_dbgapi_architecture_id_t> ids;
  for (amd_dbgapi_agent_id_t agent : GetAgents()) {
    auto id = m_session.Get<amd_dbgapi_architecture_id_t>(
        fn().agent_get_info, agent, AMD_DBGAPI_AGENT_INFO_ARCHITECTURE);
    if (!id || !id->handle || llvm::any_of(ids, [&](auto known) {
          return known.handle == id->handle;
        }))
      continue;
    ids.push_back(*id);
    Architecture architecture;
    architecture.id = *id;
    architecture.name = m_session
                            .GetString(fn().architecture_get_info, *id,
                                       AMD_DBGAPI_ARCHITECTURE_INFO_NAME)
                            .value_or("");
    architecture.machine =
        m_session
            .Get<uint32_t>(fn().architecture_get_info, *id,
                           AMD_DBGAPI_ARCHITECTURE_INFO_ELF_AMDGPU_MACHINE)
            .value_or(0);
    auto size = m_session.Get<amd_dbgapi_size_t>(
        fn().architecture_get_info, *id,
        AMD_DBGAPI_ARCHITECTURE_INFO_BREAKPOINT_INSTRUCTION_SIZE);
    auto bytes = m_session.Get<uint8_t *>(
        fn().architecture_get_info, *id,
        AMD_DBGAPI_ARCHITECTURE_INFO_BREAKPOINT_INSTRUCTION);
    if (size && bytes && *bytes)
      architecture.trap.assign(*bytes, *bytes + *size);
    if (bytes)
      std::free(*bytes);
    m_architectures.push_back(std::move(architecture));
  }
  if (ids.empty())
    return nullptr;
  m_registers = GPURegisters::Create(m_session, ids);
  m_processor = m_architectures.front().name;
  m_trap_adjust =
      m_session
          .Get<amd_dbgapi_size_t>(
              fn().architecture_get_info, ids.front(),
              AMD_DBGAPI_ARCHITECTURE_INFO_BREAKPOINT_INSTRUCTION_PC_ADJUST)
          .value_or(0);
  return m_registers.get();
}

/// Whether code for \p machine, in ELF flags, runs on the GPU \p name.
static bool RunsOn(uint32_t machine, StringRef name) {
  const gpu::Processor *code = gpu::findByElfFlags(machine);
  const gpu::Processor *device = gpu::findByName(name);
  return code && device && code->runsOn(*device);
}

std::string GPUProcess::DescribeForeignCode(uint32_t machine,
                                            StringRef processor) {
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

llvm::ArrayRef<uint8_t> GPUProcess::GetTrapAt(uint64_t address) {
  if (!GetRegisters() || m_architectures.empty())
    return {};
  if (m_architectures.size() > 1) {
    const uint32_t machine = m_code_objects.GetMachine(address);
    for (const Architecture &architecture : m_architectures)
      if (machine == architecture.machine)
        return architecture.trap;
    for (const Architecture &architecture : m_architectures)
      if (RunsOn(machine, architecture.name))
        return architecture.trap;
  }
  return m_architectures.front().trap;
}

std::string GPUProcess::GetProcessor() {
  GetRegisters();
  return m_processor;
}

std::string GPUProcess::GetProcessorOf(Wave &wave) {
  GetRegisters();
  for (const Architecture &architecture : m_architectures)
    if (architecture.id.handle == GetArchitectureOf(wave).handle)
      return architecture.name;
  return {};
}

std::optional<DispatchShape> GPUProcess::GetDispatchShape(Wave &wave) {
  const WaveFacts &facts = GetFacts(wave);
  if (!facts.dispatch)
    return std::nullopt;
  const amd_dbgapi_dispatch_id_t dispatch{facts.dispatch};
  auto workgroup = m_session.Get<std::array<uint16_t, 3>>(
      fn().dispatch_get_info, dispatch,
      AMD_DBGAPI_DISPATCH_INFO_WORKGROUP_SIZES);
  auto grid = m_session.Get<std::array<uint32_t, 3>>(
      fn().dispatch_get_info, dispatch, AMD_DBGAPI_DISPATCH_INFO_GRID_SIZES);
  if (!workgroup || !grid)
    return std::nullopt;
  return DispatchShape{*workgroup, *grid};
}

Wave *GPUProcess::FindWave(lldb::tid_t tid) {
  auto found = m_waves.find(tid);
  return found == m_waves.end() ? nullptr : &found->second;
}

std::optional<uint64_t> GPUProcess::GetPC(Wave &wave) {
  if (!wave.pc && !wave.running)
    wave.pc = m_session.Get<uint64_t>(fn().wave_get_info, wave.id,
                                      AMD_DBGAPI_WAVE_INFO_PC);
  return wave.pc;
}

void GPUProcess::PCWritten(Wave &wave) {
  wave.pc.reset();
  wave.fault_ignored = true;
}

void GPUProcess::DescribeCore() {
  const std::vector<amd_dbgapi_agent_id_t> agents = GetAgents();
  size_t supported = 0;
  for (amd_dbgapi_agent_id_t agent : agents) {
    auto get = fn().agent_get_info;
    auto state = m_session.Get<amd_dbgapi_agent_state_t>(
        get, agent, AMD_DBGAPI_AGENT_INFO_STATE);
    if (state == AMD_DBGAPI_AGENT_STATE_SUPPORTED) {
      ++supported;
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
  if (supported && m_waves.empty())
    m_session.AddWarning("the core has no waves");
  m_code_objects.DescribeCore();
}

const std::string &
GPUProcess::GetKernelName(amd_dbgapi_dispatch_id_t dispatch) {
  auto [found, is_new] = m_kernels.try_emplace(dispatch.handle);
  if (!is_new)
    return found->second;
  if (auto entry = m_session.Get<uint64_t>(
          fn().dispatch_get_info, dispatch,
          AMD_DBGAPI_DISPATCH_INFO_KERNEL_CODE_ENTRY_ADDRESS)) {
    found->second = m_code_objects.GetFunction(*entry);
    if (found->second.empty())
      found->second = llvm::formatv("{0:x}", *entry).str();
  }
  return found->second;
}

std::shared_ptr<const WorkgroupFacts>
GPUProcess::GetWorkgroupFacts(Wave &wave) {
  if (wave.workgroup)
    return wave.workgroup;
  auto handle = [&](amd_dbgapi_wave_info_t query) {
    return m_session.Get<uint64_t>(fn().wave_get_info, wave.id, query)
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
                          .Get<size_t>(fn().wave_get_info, wave.id,
                                       AMD_DBGAPI_WAVE_INFO_LANE_COUNT)
                          .value_or(0);
  if (auto group = m_session.Get<std::array<uint32_t, 3>>(
          fn().wave_get_info, wave.id, AMD_DBGAPI_WAVE_INFO_WORKGROUP_COORD)) {
    facts->has_position = true;
    llvm::copy(*group, facts->workgroup);
  }
  if (facts->dispatch)
    facts->kernel = GetKernelName(amd_dbgapi_dispatch_id_t{facts->dispatch});
  // Those of groups that have ended.
  if (m_workgroups.size() > m_waves.size())
    m_workgroups.clear();
  if (id)
    m_workgroups[id] = facts;
  return wave.workgroup = facts;
}

const WaveFacts &GPUProcess::GetFacts(Wave &wave) {
  if (wave.facts)
    return *wave.facts;
  wave.facts = std::make_unique<WaveFacts>();
  WaveFacts &facts = *wave.facts;
  static_cast<WorkgroupFacts &>(facts) = *GetWorkgroupFacts(wave);
  auto number =
      m_session.Get<uint32_t>(fn().wave_get_info, wave.id,
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

std::string GPUProcess::DescribeInstruction(Wave &wave) {
  std::optional<uint64_t> pc = GetPC(wave);
  if (!pc)
    return {};
  uint8_t bytes[32];
  size_t read = 0;
  if (ReadMemory(*pc, bytes, sizeof(bytes), read).Fail())
    return {};
  amd_dbgapi_size_t size = read;
  char *text = nullptr;
  std::string result;
  if (fn().disassemble_instruction(GetArchitectureOf(wave), *pc, &size, bytes,
                                   &text, nullptr,
                                   nullptr) == AMD_DBGAPI_STATUS_SUCCESS &&
      text)
    result = StringRef(text).trim().str();
  else if (read >= 4)
    result = llvm::formatv(
        "{0:x-8} {1:x-8}", llvm::support::endian::read32le(bytes),
        read >= 8 ? llvm::support::endian::read32le(bytes + 4) : 0);
  std::free(text);
  return result;
}

std::vector<uint8_t> GPUProcess::ReadRegisterByName(Wave &wave,
                                                    StringRef name) {
  const GPURegisters *registers = GetRegisters();
  std::optional<uint32_t> index;
  // A register of two forms has the wave's own.
  if (registers && GetFacts(wave).lane_count == 64)
    index = registers->Find((name + "_w64").str());
  if (registers && !index)
    index = registers->Find(name);
  if (!index)
    return {};
  std::vector<uint8_t> bytes(registers->GetInfo(*index)->byte_size);
  if (fn().read_register(
          wave.id, registers->GetID(*index, GetArchitectureOf(wave)), 0,
          bytes.size(), bytes.data()) != AMD_DBGAPI_STATUS_SUCCESS)
    return {};
  return bytes;
}

/// " (lanes 0-3)"; nothing for none.
static std::string ListLanes(uint64_t lanes) {
  if (!lanes)
    return {};
  return llvm::formatv(" (lane{0} {1})", llvm::has_single_bit(lanes) ? "" : "s",
                       FormatLanes(lanes));
}

/// " at 0x10 (lanes 0-3), 'global_load_dword ...'"; what isn't known is left
/// out.
std::string GPUProcess::DescribeViolation(Wave &wave) {
  using llvm::support::endian::read32le;
  const std::string text = DescribeInstruction(wave);
  const std::string quoted = text.empty() ? "" : ", '" + text + "'";
  uint64_t told;
  if (fn().stop_address &&
      fn().stop_address(wave.id, &told) == AMD_DBGAPI_STATUS_SUCCESS)
    return " at " + FormatAddress(told) + ListLanes(wave.stop_lanes) + quoted;
  std::optional<MemoryInstruction> instruction = MemoryInstruction::Parse(text);
  auto exec = m_session.Get<uint64_t>(fn().wave_get_info, wave.id,
                                      AMD_DBGAPI_WAVE_INFO_EXEC_MASK);
  if (!instruction || !exec)
    return {};
  bool known = true;
  auto lane_value = [&](unsigned number, unsigned lane) -> uint64_t {
    const std::vector<uint8_t> bytes =
        ReadRegisterByName(wave, "v" + std::to_string(number));
    if (bytes.size() < (lane + 1) * 4) {
      known = false;
      return 0;
    }
    return read32le(bytes.data() + lane * 4);
  };
  auto scalar_value = [&](unsigned number) -> uint64_t {
    const std::vector<uint8_t> bytes =
        ReadRegisterByName(wave, "s" + std::to_string(number));
    if (bytes.size() < 4) {
      known = false;
      return 0;
    }
    return read32le(bytes.data());
  };
  uint64_t base = uint64_t(instruction->offset);
  if (instruction->scalar)
    base += scalar_value(*instruction->scalar) |
            scalar_value(*instruction->scalar + 1) << 32;
  if (instruction->scalar_offset)
    base += scalar_value(*instruction->scalar_offset);
  uint64_t lanes = 0;
  std::optional<uint64_t> address;
  std::map<uint64_t, bool> pages;
  for (unsigned lane = 0; known && lane < 64; ++lane) {
    if (instruction->vector && !(*exec >> lane & 1))
      continue;
    uint64_t place = base;
    if (instruction->vector) {
      place += lane_value(*instruction->vector, lane);
      if (instruction->is_vector_pair)
        place += lane_value(*instruction->vector + 1, lane) << 32;
    }
    auto [page, is_new] = pages.try_emplace(place >> 12);
    if (is_new) {
      uint8_t byte;
      amd_dbgapi_size_t size = 1;
      page->second = fn().read_memory(
                         m_session.id(), AMD_DBGAPI_WAVE_NONE,
                         AMD_DBGAPI_LANE_NONE, AMD_DBGAPI_ADDRESS_SPACE_GLOBAL,
                         place, &size, &byte) == AMD_DBGAPI_STATUS_SUCCESS &&
                     size == 1;
    }
    if (!page->second) {
      lanes |= uint64_t(1) << lane;
      if (!address)
        address = place;
    }
    if (!instruction->vector)
      break;
  }
  std::string result;
  if (known && address) {
    result = " at " + FormatAddress(*address);
    if (instruction->vector)
      result += ListLanes(lanes);
  }
  return result + quoted;
}

std::string GPUProcess::Describe(Wave &wave) {
  const StopKind *kind = GetStopKind(wave.reasons);
  if (!kind)
    return {};
  std::string text = kind->text;
  if (wave.reasons & AMD_DBGAPI_WAVE_STOP_REASON_ILLEGAL_INSTRUCTION &&
      kind->signal == SIGILL) {
    const std::string instruction = DescribeInstruction(wave);
    if (!instruction.empty())
      text += " '" + instruction + "'";
    if (auto pc = GetPC(wave))
      text += llvm::formatv(" at {0:x}", *pc);
    const WaveFacts &facts = GetFacts(wave);
    if (!facts.kernel.empty())
      text += " in kernel " + facts.kernel;
    const std::string processor = GetProcessorOf(wave);
    if (!processor.empty())
      text += " on " + processor;
    text += ListLanes(m_session
                          .Get<uint64_t>(fn().wave_get_info, wave.id,
                                         AMD_DBGAPI_WAVE_INFO_EXEC_MASK)
                          .value_or(0));
  }
  if (kind->reasons & (AMD_DBGAPI_WAVE_STOP_REASON_MEMORY_VIOLATION |
                       AMD_DBGAPI_WAVE_STOP_REASON_ADDRESS_ERROR))
    text += DescribeViolation(wave);
  if (kind->signal == SIGFPE || kind->signal == SIGABRT ||
      kind->signal == SIGTRAP) {
    // A trap is every active lane's, an arithmetic exception that of some
    // operands.
    const uint64_t lanes =
        kind->signal == SIGFPE
            ? wave.stop_lanes
            : m_session
                  .Get<uint64_t>(fn().wave_get_info, wave.id,
                                 AMD_DBGAPI_WAVE_INFO_EXEC_MASK)
                  .value_or(0);
    if (auto pc = GetPC(wave))
      text += llvm::formatv(
          kind->signal == SIGFPE ? " before {0:x}" : " at {0:x}", *pc);
    text += ListLanes(lanes);
  }
  return text;
}

void GPUProcess::GetStopInfo(Wave &wave, ThreadStopInfo &info,
                             std::string &description) {
  info = {};
  info.reason = lldb::eStopReasonNone;
  description.clear();
  if (wave.interrupted) {
    info.reason = lldb::eStopReasonSignal;
    info.signo = SIGINT;
  } else if (const StopKind *kind = GetStopKind(wave.reasons)) {
    info.reason = lldb::eStopReasonException;
    info.signo = kind->signal;
    if (!wave.description)
      wave.description = Describe(wave);
    description = *wave.description;
  } else if (wave.reasons & AMD_DBGAPI_WAVE_STOP_REASON_WATCHPOINT) {
    if (m_session.GetCore()) {
      info.reason = lldb::eStopReasonException;
      info.signo = SIGTRAP;
      description = "watchpoint";
      return;
    }
    info.reason = lldb::eStopReasonWatchpoint;
    info.signo = SIGTRAP;
    if (wave.watch_address)
      description = llvm::formatv("{0} 0 {0}", *wave.watch_address);
  } else if (wave.reasons & AMD_DBGAPI_WAVE_STOP_REASON_BREAKPOINT) {
    // A wave that has stayed keeps its reason as long as there is one.
    if (!wave.stopped_now && !IsAtBreakpoint(wave))
      return;
    if (m_session.GetCore()) {
      // A client takes a breakpoint for one of its own.
      info.reason = lldb::eStopReasonException;
      info.signo = SIGTRAP;
      description = "breakpoint";
      return;
    }
    info.reason = lldb::eStopReasonBreakpoint;
    info.signo = SIGTRAP;
  } else if (wave.reasons & AMD_DBGAPI_WAVE_STOP_REASON_SINGLE_STEP) {
    info.reason = lldb::eStopReasonTrace;
    info.signo = SIGTRAP;
  }
}

} // namespace wavelane::server
