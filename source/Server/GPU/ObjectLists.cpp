//===-- ObjectLists.cpp - ROCdbgapi's objects for the client --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ObjectLists.h"
#include "Server/Wave/CheckFindings.h"
#include "Server/Wave/DispatchCounts.h"
#include "wavelane/GPU/AddressSpaces.h"
#include "wavelane/Protocol/Server/Packets.h"

using namespace lldb_private;
using llvm::StringRef;

namespace wavelane::server {

namespace {
/// An object of an answer. Fields that the library can't report are left out.
struct Object {
  explicit Object(uint64_t id) : json{{"id", id}} {}

  template <typename T>
  void Add(const char *name, const std::optional<T> &value) {
    if (!value)
      return;
    if constexpr (std::is_same_v<T, std::string>) {
      json[name] = *value;
    } else if constexpr (std::is_integral_v<T>) {
      json[name] = uint64_t(*value);
    } else if constexpr (std::is_enum_v<T>) {
      json[name] = int64_t(*value);
    } else {
      llvm::json::Array items;
      for (auto item : *value)
        items.push_back(int64_t(item));
      json[name] = std::move(items);
    }
  }

  llvm::json::Object json;
};
} // namespace

llvm::json::Object ObjectLists::GetWaveObject(Wave &wave) {
  namespace key = packets::wave;
  const WaveFacts &facts = m_reader.GetFacts(wave);
  llvm::json::Object object{
      {"id", int64_t(wave.id.handle)},
      {key::Thread, int64_t(wave.id.handle)},
      {key::Name, facts.name},
      {key::LaneCount, int64_t(facts.lane_count)},
      {key::Agent, int64_t(facts.agent)},
      {key::Queue, int64_t(facts.queue)},
      {key::Wave, int64_t(wave.id.handle)},
      {key::State, wave.running || wave.waits ? "running" : "stopped"}};
  if (facts.dispatch)
    object[key::Dispatch] = int64_t(facts.dispatch);
  if (facts.workgroup_id)
    object[key::WorkgroupId] = int64_t(facts.workgroup_id);
  if (!facts.kernel.empty())
    object[key::Kernel] = facts.kernel;
  if (facts.has_position) {
    object[key::Workgroup] = llvm::json::Array{
        facts.workgroup[0], facts.workgroup[1], facts.workgroup[2]};
    object[key::WaveInWorkgroup] = facts.wave_in_workgroup;
  }
  if (!wave.running) {
    if (auto pc = m_reader.GetPC(wave))
      object[key::Pc] = *pc;
    const std::optional<protocol::Stop> stop =
        m_process.GetStopReasons().Get(wave);
    // A list names an interrupt as its kind.
    object[key::StopReason] = !stop ? ""
                              : stop->Kind == protocol::StopKind::Interrupt
                                  ? describeKind(*stop)
                                  : describe(*stop);
    if (auto exec = m_reader.GetExec(wave))
      object[key::Exec] = *exec;
    if (auto active = m_reader.GetActiveLanes(wave))
      object[key::Active] = *active;
  }
  return object;
}

llvm::Expected<llvm::json::Value> ObjectLists::GetWaveInfo(lldb::tid_t tid) {
  namespace key = packets::wave;
  Wave *wave = m_process.FindWave(tid);
  if (wave && wave->running) {
    m_process.ReadWaves();
    wave = m_process.FindWave(tid);
  }
  if (!wave)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "there is no wave %" PRIu64, tid);
  llvm::json::Object object = GetWaveObject(*wave);
  if (!wave->running)
    if (std::optional<protocol::Stop> stop =
            m_process.GetStopReasons().Get(*wave))
      object["stop"] = *stop;
  if (std::optional<DispatchShape> shape = m_reader.GetDispatchShape(*wave)) {
    object[key::WorkgroupSize] = llvm::json::Array{
        shape->workgroup[0], shape->workgroup[1], shape->workgroup[2]};
    object[key::GridSize] =
        llvm::json::Array{shape->grid[0], shape->grid[1], shape->grid[2]};
    if (shape->arguments)
      object[key::Kernarg] = *shape->arguments;
  }
  return llvm::json::Value(std::move(object));
}

std::vector<Wave *> ObjectLists::GetShownWaves() {
  std::vector<Wave *> waves;
  if (m_process.IsRunning() && !m_process.IsNonStop())
    return waves;
  for (auto &[id, wave] : m_process.GetWaves())
    if (m_process.IsShown(wave))
      waves.push_back(&wave);
  return waves;
}

llvm::json::Array ObjectLists::GroupThreads(
    llvm::ArrayRef<Wave *> waves,
    llvm::function_ref<std::optional<std::string>(Wave &)> key,
    llvm::function_ref<llvm::json::Object(Wave &)> describe) {
  struct Group {
    llvm::json::Object object;
    /// Pairs of a first number and a count.
    std::vector<std::pair<uint64_t, uint64_t>> runs;
  };
  std::map<std::string, Group> groups;
  for (Wave *wave : waves) {
    const uint64_t tid = wave->id.handle;
    std::optional<std::string> text = key(*wave);
    if (!text)
      continue;
    auto [at, is_new] = groups.try_emplace(std::move(*text));
    Group &group = at->second;
    if (is_new)
      group.object = describe(*wave);
    if (!group.runs.empty() &&
        group.runs.back().first + group.runs.back().second == tid)
      ++group.runs.back().second;
    else
      group.runs.emplace_back(tid, 1);
  }
  llvm::json::Array result;
  for (auto &[text, group] : groups) {
    llvm::json::Array threads;
    for (auto [first, count] : group.runs) {
      threads.push_back(first);
      threads.push_back(count);
    }
    group.object[packets::wave::Threads] = std::move(threads);
    result.push_back(std::move(group.object));
  }
  return result;
}

llvm::json::Array ObjectLists::GetStops() {
  return GroupThreads(
      m_process.IsRunning() ? std::vector<Wave *>()
                            : m_process.GetLastStopped(),
      [this](Wave &wave) {
        return m_process.IsShown(wave) && wave.stopped_now && wave.reasons &&
                       (wave.stop_lanes || !wave.all_watched.empty())
                   ? std::optional(std::to_string(wave.stop_lanes))
                   : std::nullopt;
      },
      [](Wave &wave) {
        return llvm::json::Object{{"lanes", wave.stop_lanes}};
      });
}

llvm::json::Array ObjectLists::GetWaiting() {
  return GroupThreads(
      GetShownWaves(),
      [&](Wave &wave) {
        return m_process.GetBarriers().GetWaitedAt(wave) !=
                       BarrierGroups::Barrier::None
                   ? std::optional<std::string>("")
                   : std::nullopt;
      },
      [](Wave &) { return llvm::json::Object(); });
}

llvm::json::Array ObjectLists::GetWaveNames() {
  // Each wave has a different name.
  std::string names;
  llvm::json::Array all = GroupThreads(
      GetShownWaves(),
      [&](Wave &wave) {
        names += m_reader.GetFacts(wave).name + '\n';
        return std::string();
      },
      [](Wave &) { return llvm::json::Object(); });
  if (!all.empty())
    (*all.front().getAsObject())["names"] = std::move(names);
  return all;
}

llvm::json::Array ObjectLists::GetWaveKernels() {
  namespace key = packets::wave;
  return GroupThreads(
      GetShownWaves(),
      [&](Wave &wave) {
        auto facts = m_reader.GetWorkgroupFacts(wave);
        return llvm::formatv("{0} {1} {2} {3}", facts->kernel, facts->agent,
                             facts->queue, facts->dispatch)
            .str();
      },
      [&](Wave &wave) {
        auto facts = m_reader.GetWorkgroupFacts(wave);
        llvm::json::Object object{{key::Kernel, facts->kernel},
                                  {key::Agent, int64_t(facts->agent)},
                                  {key::Queue, int64_t(facts->queue)}};
        if (facts->dispatch)
          object[key::Dispatch] = int64_t(facts->dispatch);
        return object;
      });
}

/// Whether \a id is in one of the ranges, pairs of a first and a last id.
static bool IsWanted(const llvm::json::Array &ranges, uint64_t id) {
  for (size_t i = 0; i + 1 < ranges.size(); i += 2) {
    auto first = ranges[i].getAsUINT64(), last = ranges[i + 1].getAsUINT64();
    if (first && last && *first <= id && id <= *last)
      return true;
  }
  return false;
}

llvm::json::Array ObjectLists::GetWaves(const llvm::json::Array *ids) {
  std::vector<Wave *> waves = GetShownWaves();
  if (m_process.IsNonStop()) {
    waves.clear();
    for (auto &[id, wave] : m_process.ReadWaves())
      waves.push_back(&wave);
  }
  llvm::json::Array result;
  for (Wave *wave : waves)
    if (!ids || IsWanted(*ids, wave->id.handle))
      result.push_back(GetWaveObject(*wave));
  return result;
}

llvm::Expected<llvm::json::Value> ObjectLists::GetAgents() {
  auto ids = m_process.GetAgents().GetAll();
  if (!ids)
    return ids.takeError();
  llvm::json::Array result;
  for (amd_dbgapi_agent_id_t id : *ids) {
    auto get = m_session.fn().agent_get_info;
    Object object(id.handle);
    object.Add("name",
               m_session.GetString(get, id, AMD_DBGAPI_AGENT_INFO_NAME));
    if (auto architecture = m_session.Get<amd_dbgapi_architecture_id_t>(
            get, id, AMD_DBGAPI_AGENT_INFO_ARCHITECTURE))
      object.Add("architecture",
                 m_session.GetString(m_session.fn().architecture_get_info,
                                     *architecture,
                                     AMD_DBGAPI_ARCHITECTURE_INFO_NAME));
    if (auto state = m_session.Get<amd_dbgapi_agent_state_t>(
            get, id, AMD_DBGAPI_AGENT_INFO_STATE))
      object.json["state"] = *state == AMD_DBGAPI_AGENT_STATE_SUPPORTED
                                 ? "supported"
                                 : "not supported";
    object.Add("pci_domain", m_session.Get<uint16_t>(
                                 get, id, AMD_DBGAPI_AGENT_INFO_PCI_DOMAIN));
    object.Add("pci_slot", m_session.Get<uint16_t>(
                               get, id, AMD_DBGAPI_AGENT_INFO_PCI_SLOT));
    object.Add("vendor_id", m_session.Get<uint32_t>(
                                get, id, AMD_DBGAPI_AGENT_INFO_PCI_VENDOR_ID));
    object.Add("device_id", m_session.Get<uint32_t>(
                                get, id, AMD_DBGAPI_AGENT_INFO_PCI_DEVICE_ID));
    object.Add("execution_units",
               m_session.Get<size_t>(
                   get, id, AMD_DBGAPI_AGENT_INFO_EXECUTION_UNIT_COUNT));
    object.Add(
        "waves_per_execution_unit",
        m_session.Get<size_t>(
            get, id, AMD_DBGAPI_AGENT_INFO_MAX_WAVES_PER_EXECUTION_UNIT));
    object.Add("os_id",
               m_session.Get<uint64_t>(get, id, AMD_DBGAPI_AGENT_INFO_OS_ID));
    result.push_back(std::move(object.json));
  }
  return result;
}

llvm::Expected<llvm::json::Value> ObjectLists::GetQueues() {
  llvm::json::Array result;
  auto ids = m_session.List<amd_dbgapi_queue_id_t>(
      "listing queues", [&](size_t *count, amd_dbgapi_queue_id_t **items) {
        return m_session.fn().process_queue_list(m_session.id(), count, items,
                                                 nullptr);
      });
  if (!ids)
    return ids.takeError();
  for (amd_dbgapi_queue_id_t id : *ids) {
    auto get = m_session.fn().queue_get_info;
    Object object(id.handle);
    object.Add("agent",
               m_session.Get<uint64_t>(get, id, AMD_DBGAPI_QUEUE_INFO_AGENT));
    if (auto type = m_session.Get<amd_dbgapi_os_queue_type_t>(
            get, id, AMD_DBGAPI_QUEUE_INFO_TYPE))
      object.json["type"] =
          *type == AMD_DBGAPI_OS_QUEUE_TYPE_HSA_AQL         ? "HSA AQL"
          : *type == AMD_DBGAPI_OS_QUEUE_TYPE_AMD_PM4       ? "PM4"
          : *type == AMD_DBGAPI_OS_QUEUE_TYPE_AMD_SDMA      ? "SDMA"
          : *type == AMD_DBGAPI_OS_QUEUE_TYPE_AMD_SDMA_XGMI ? "SDMA XGMI"
                                                            : "unknown";
    object.Add("address",
               m_session.Get<uint64_t>(get, id, AMD_DBGAPI_QUEUE_INFO_ADDRESS));
    object.Add("size",
               m_session.Get<uint64_t>(get, id, AMD_DBGAPI_QUEUE_INFO_SIZE));
    object.Add("os_id",
               m_session.Get<uint64_t>(get, id, AMD_DBGAPI_QUEUE_INFO_OS_ID));
    uint64_t read = 0, write = 0;
    size_t size = 0;
    void *packets = nullptr;
    if (m_session.fn().queue_packet_list(id, &read, &write, &size, &packets) ==
        AMD_DBGAPI_STATUS_SUCCESS) {
      object.json["read_packet"] = read;
      object.json["write_packet"] = write;
    }
    std::free(packets);
    result.push_back(std::move(object.json));
  }
  return result;
}

llvm::Expected<llvm::json::Value> ObjectLists::GetDispatches() {
  llvm::json::Array result;
  DispatchProgress progress(m_session);
  auto ids = m_session.List<amd_dbgapi_dispatch_id_t>(
      "listing dispatches",
      [&](size_t *count, amd_dbgapi_dispatch_id_t **items) {
        return m_session.fn().process_dispatch_list(m_session.id(), count,
                                                    items, nullptr);
      });
  if (!ids)
    return ids.takeError();
  for (amd_dbgapi_dispatch_id_t id : *ids) {
    auto get = m_session.fn().dispatch_get_info;
    Object object(id.handle);
    auto number = [&](const char *name, amd_dbgapi_dispatch_info_t query) {
      object.Add(name, m_session.Get<uint64_t>(get, id, query));
    };
    number("queue", AMD_DBGAPI_DISPATCH_INFO_QUEUE);
    number("agent", AMD_DBGAPI_DISPATCH_INFO_AGENT);
    number("packet", AMD_DBGAPI_DISPATCH_INFO_OS_QUEUE_PACKET_ID);
    object.json["kernel"] = m_reader.GetKernelName(id);
    if (auto done = progress.Get(id))
      object.json["progress"] = std::move(*done);
    object.Add("grid_size", m_session.Get<std::array<uint32_t, 3>>(
                                get, id, AMD_DBGAPI_DISPATCH_INFO_GRID_SIZES));
    object.Add("workgroup_size",
               m_session.Get<std::array<uint16_t, 3>>(
                   get, id, AMD_DBGAPI_DISPATCH_INFO_WORKGROUP_SIZES));
    object.Add("dimensions",
               m_session.Get<uint32_t>(
                   get, id, AMD_DBGAPI_DISPATCH_INFO_GRID_DIMENSIONS));
    object.Add("barrier", m_session.Get<uint32_t>(
                              get, id, AMD_DBGAPI_DISPATCH_INFO_BARRIER));
    object.Add("acquire_fence",
               m_session.Get<uint32_t>(get, id,
                                       AMD_DBGAPI_DISPATCH_INFO_ACQUIRE_FENCE));
    object.Add("release_fence",
               m_session.Get<uint32_t>(get, id,
                                       AMD_DBGAPI_DISPATCH_INFO_RELEASE_FENCE));
    number("private_size", AMD_DBGAPI_DISPATCH_INFO_PRIVATE_SEGMENT_SIZE);
    number("group_size", AMD_DBGAPI_DISPATCH_INFO_GROUP_SEGMENT_SIZE);
    number("kernarg", AMD_DBGAPI_DISPATCH_INFO_KERNEL_ARGUMENT_SEGMENT_ADDRESS);
    number("descriptor", AMD_DBGAPI_DISPATCH_INFO_KERNEL_DESCRIPTOR_ADDRESS);
    number("entry", AMD_DBGAPI_DISPATCH_INFO_KERNEL_CODE_ENTRY_ADDRESS);
    number("completion", AMD_DBGAPI_DISPATCH_INFO_KERNEL_COMPLETION_ADDRESS);
    result.push_back(std::move(object.json));
  }
  return result;
}

llvm::Expected<llvm::json::Value> ObjectLists::GetWorkgroups() {
  llvm::json::Array result;
  std::map<uint64_t, std::vector<Wave *>> waves;
  for (auto &[id, wave] : m_process.ReadWaves())
    waves[m_reader.GetFacts(wave).workgroup_id].push_back(&wave);
  auto ids = m_session.List<amd_dbgapi_workgroup_id_t>(
      "listing workgroups",
      [&](size_t *count, amd_dbgapi_workgroup_id_t **items) {
        return m_session.fn().process_workgroup_list(m_session.id(), count,
                                                     items, nullptr);
      });
  if (!ids)
    return ids.takeError();
  for (amd_dbgapi_workgroup_id_t id : *ids) {
    auto get = m_session.fn().workgroup_get_info;
    Object object(id.handle);
    object.Add("dispatch", m_session.Get<uint64_t>(
                               get, id, AMD_DBGAPI_WORKGROUP_INFO_DISPATCH));
    object.Add("queue", m_session.Get<uint64_t>(
                            get, id, AMD_DBGAPI_WORKGROUP_INFO_QUEUE));
    object.Add("agent", m_session.Get<uint64_t>(
                            get, id, AMD_DBGAPI_WORKGROUP_INFO_AGENT));
    object.Add("workgroup",
               m_session.Get<std::array<uint32_t, 3>>(
                   get, id, AMD_DBGAPI_WORKGROUP_INFO_WORKGROUP_COORD));
    auto members = waves.find(id.handle);
    if (members != waves.end()) {
      object.json["waves"] = members->second.size();
      // The numbers of the waves that wait at the workgroup's barrier, and of
      // those that they wait for.
      llvm::json::Array waiting, missing, at_grid;
      for (Wave *wave : members->second) {
        const WaveFacts &facts = m_reader.GetFacts(*wave);
        if (wave->running || !facts.has_position)
          continue;
        const BarrierGroups::Barrier barrier =
            m_process.GetBarriers().GetWaitedAt(*wave);
        (barrier == BarrierGroups::Barrier::Workgroup ? waiting : missing)
            .push_back(facts.wave_in_workgroup);
        if (barrier == BarrierGroups::Barrier::Grid)
          at_grid.push_back(facts.wave_in_workgroup);
      }
      if (!at_grid.empty())
        object.json["at_grid_barrier"] = std::move(at_grid);
      if (!waiting.empty()) {
        object.json["at_barrier"] = std::move(waiting);
        object.json["not_arrived"] = std::move(missing);
      }
    }
    result.push_back(std::move(object.json));
  }
  return result;
}

llvm::Expected<std::vector<protocol::AddressSpace>>
ObjectLists::GetAddressSpaces() {
  std::vector<protocol::AddressSpace> result;
  auto architecture = m_process.GetAgents().GetArchitecture();
  if (!architecture)
    return architecture.takeError();
  if (!*architecture)
    return result;
  auto spaces = m_session.List<amd_dbgapi_address_space_id_t>(
      "listing address spaces",
      [&](size_t *count, amd_dbgapi_address_space_id_t **items) {
        return m_session.fn().architecture_address_space_list(**architecture,
                                                              count, items);
      });
  if (!spaces)
    return spaces.takeError();
  for (amd_dbgapi_address_space_id_t space : *spaces) {
    auto name = m_session.GetString(m_session.fn().address_space_get_info,
                                    space, AMD_DBGAPI_ADDRESS_SPACE_INFO_NAME);
    auto number =
        m_session.Get<uint64_t>(m_session.fn().address_space_get_info, space,
                                AMD_DBGAPI_ADDRESS_SPACE_INFO_DWARF);
    if (!name || !number)
      continue;
    auto bits =
        m_session.Get<uint64_t>(m_session.fn().address_space_get_info, space,
                                AMD_DBGAPI_ADDRESS_SPACE_INFO_ADDRESS_SIZE);
    auto null =
        m_session.Get<uint64_t>(m_session.fn().address_space_get_info, space,
                                AMD_DBGAPI_ADDRESS_SPACE_INFO_NULL_ADDRESS);
    constexpr const char *Dependencies[] = {"",          "lane",  "wave",
                                            "workgroup", "agent", "process"};
    const char *dependency = gpu::spaceOwner(*number);
    amd_dbgapi_segment_address_dependency_t value;
    if (*number != gpu::space::Generic &&
        m_session.api().addressDependency(m_session.id(), AMD_DBGAPI_WAVE_NONE,
                                          space, 0, &value) ==
            AMD_DBGAPI_STATUS_SUCCESS &&
        value > 0 && size_t(value) < std::size(Dependencies))
      dependency = Dependencies[value];
    const bool shared =
        StringRef(dependency) == "agent" || StringRef(dependency) == "process";
    result.push_back({*name, *number, !shared, bits, null, dependency});
  }
  return result;
}

llvm::Expected<llvm::json::Value>
ObjectLists::Get(StringRef kind, const llvm::json::Array *ids) {
  namespace objects = packets::objects;
  if (kind == objects::CodeObject)
    return m_process.GetCodeObjects().GetObjects();
  if (kind == objects::Finding)
    return llvm::json::Value(GetFindings(m_session));
  if (kind == objects::Stop)
    return llvm::json::Value(GetStops());
  if (kind == objects::Waiting)
    return llvm::json::Value(GetWaiting());
  if (kind == objects::WaveName)
    return llvm::json::Value(GetWaveNames());
  if (kind == objects::WaveKernel)
    return llvm::json::Value(GetWaveKernels());
  if (kind == objects::Wave)
    return llvm::json::Value(GetWaves(ids));
  if (kind == objects::Agent)
    return GetAgents();
  if (kind == objects::Queue)
    return GetQueues();
  if (kind == objects::Dispatch)
    return GetDispatches();
  if (kind == objects::Workgroup)
    return GetWorkgroups();
  return llvm::createStringError(
      llvm::inconvertibleErrorCode(),
      "unknown kind of objects '" + kind +
          "': the kinds are agent, queue, dispatch, workgroup, wave, "
          "code_object and finding");
}

} // namespace wavelane::server
