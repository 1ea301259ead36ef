//===-- ObjectLists.cpp - ROCdbgapi's objects for the client --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ObjectLists.h"
#include "DispatchProgress.h"
#include "wavelane/Server/Packets.h"

using namespace lldb_private;
using llvm::StringRef;

namespace wavelane::server {

namespace {
/// An object of an answer. What the library can't tell is left out.
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
  const WaveFacts &facts = m_process.GetFacts(wave);
  llvm::json::Object object{{"id", int64_t(wave.id.handle)},
                            {key::Thread, int64_t(wave.id.handle)},
                            {key::Name, facts.name},
                            {key::LaneCount, int64_t(facts.lane_count)},
                            {key::Agent, int64_t(facts.agent)},
                            {key::Queue, int64_t(facts.queue)},
                            {key::Wave, int64_t(wave.id.handle)},
                            {key::State, wave.running ? "running" : "stopped"}};
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
    if (auto pc = m_process.GetPC(wave))
      object[key::Pc] = *pc;
    ThreadStopInfo info;
    std::string description;
    m_process.GetStopInfo(wave, info, description);
    switch (info.reason) {
    case lldb::eStopReasonException:
      break;
    case lldb::eStopReasonWatchpoint:
      description = "watchpoint";
      break;
    case lldb::eStopReasonBreakpoint:
      description = "breakpoint";
      break;
    case lldb::eStopReasonTrace:
      description = "trace";
      break;
    case lldb::eStopReasonSignal:
      description = "interrupt";
      break;
    default:
      description.clear();
      break;
    }
    object[key::StopReason] = description;
  }
  return object;
}

llvm::Expected<llvm::json::Value> ObjectLists::GetWaveInfo(lldb::tid_t tid) {
  namespace key = packets::wave;
  Wave *wave = m_process.FindWave(tid);
  if (!wave)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "there is no wave %" PRIu64, tid);
  llvm::json::Object object = GetWaveObject(*wave);
  if (!wave->running)
    if (auto exec = m_process.m_session.Get<uint64_t>(
            m_process.fn().wave_get_info, wave->id,
            AMD_DBGAPI_WAVE_INFO_EXEC_MASK))
      object[key::Exec] = *exec;
  if (std::optional<DispatchShape> shape = m_process.GetDispatchShape(*wave)) {
    object[key::WorkgroupSize] = llvm::json::Array{
        shape->workgroup[0], shape->workgroup[1], shape->workgroup[2]};
    object[key::GridSize] =
        llvm::json::Array{shape->grid[0], shape->grid[1], shape->grid[2]};
  }
  return llvm::json::Value(std::move(object));
}

llvm::json::Array
ObjectLists::GroupThreads(const char *name,
                          llvm::function_ref<std::string(Wave &)> key) {
  std::map<std::string, std::vector<std::pair<uint64_t, uint64_t>>> groups;
  if (!m_process.IsRunning())
    for (const auto &thread : m_process.m_threads) {
      const uint64_t tid = thread->GetID();
      Wave *wave = m_process.FindWave(tid);
      if (!wave)
        continue;
      auto &runs = groups[key(*wave)];
      if (!runs.empty() && runs.back().first + runs.back().second == tid)
        ++runs.back().second;
      else
        runs.emplace_back(tid, 1);
    }
  llvm::json::Array result;
  for (const auto &[text, runs] : groups) {
    llvm::json::Array threads;
    for (auto [first, count] : runs) {
      threads.push_back(first);
      threads.push_back(count);
    }
    result.push_back(llvm::json::Object{
        {name, text}, {packets::wave::Threads, std::move(threads)}});
  }
  return result;
}

llvm::json::Array ObjectLists::GetStops() {
  llvm::json::Array result;
  for (auto &[id, wave] : m_process.m_waves)
    if (!wave.running && wave.stopped_now && wave.reasons && wave.stop_lanes)
      result.push_back(llvm::json::Object{{packets::wave::Thread, id},
                                          {"lanes", wave.stop_lanes}});
  return result;
}

llvm::json::Array ObjectLists::GetWaveNames() {
  // Every name is another one.
  std::string names;
  llvm::json::Array all = GroupThreads("names", [&](Wave &wave) {
    names += m_process.GetFacts(wave).name + '\n';
    return std::string();
  });
  if (!all.empty())
    (*all.front().getAsObject())["names"] = std::move(names);
  return all;
}

llvm::json::Array ObjectLists::GetWaves() {
  llvm::json::Array result;
  if (m_process.IsRunning())
    return result;
  for (const auto &thread : m_process.m_threads)
    if (Wave *wave = m_process.FindWave(thread->GetID())) {
      llvm::json::Object object = GetWaveObject(*wave);
      if (!wave->running)
        if (auto exec = m_process.m_session.Get<uint64_t>(
                m_process.fn().wave_get_info, wave->id,
                AMD_DBGAPI_WAVE_INFO_EXEC_MASK))
          object[packets::wave::Exec] = *exec;
      result.push_back(std::move(object));
    }
  return result;
}

llvm::json::Array ObjectLists::GetAgents() {
  llvm::json::Array result;
  for (amd_dbgapi_agent_id_t id : m_process.GetAgents()) {
    auto get = m_process.fn().agent_get_info;
    Object object(id.handle);
    object.Add("name", m_process.m_session.GetString(
                           get, id, AMD_DBGAPI_AGENT_INFO_NAME));
    if (auto architecture =
            m_process.m_session.Get<amd_dbgapi_architecture_id_t>(
                get, id, AMD_DBGAPI_AGENT_INFO_ARCHITECTURE))
      object.Add("architecture",
                 m_process.m_session.GetString(
                     m_process.fn().architecture_get_info, *architecture,
                     AMD_DBGAPI_ARCHITECTURE_INFO_NAME));
    if (auto state = m_process.m_session.Get<amd_dbgapi_agent_state_t>(
            get, id, AMD_DBGAPI_AGENT_INFO_STATE))
      object.json["state"] = *state == AMD_DBGAPI_AGENT_STATE_SUPPORTED
                                 ? "supported"
                                 : "not supported";
    object.Add("pci_domain", m_process.m_session.Get<uint16_t>(
                                 get, id, AMD_DBGAPI_AGENT_INFO_PCI_DOMAIN));
    object.Add("pci_slot", m_process.m_session.Get<uint16_t>(
                               get, id, AMD_DBGAPI_AGENT_INFO_PCI_SLOT));
    object.Add("vendor_id", m_process.m_session.Get<uint32_t>(
                                get, id, AMD_DBGAPI_AGENT_INFO_PCI_VENDOR_ID));
    object.Add("device_id", m_process.m_session.Get<uint32_t>(
                                get, id, AMD_DBGAPI_AGENT_INFO_PCI_DEVICE_ID));
    object.Add("execution_units",
               m_process.m_session.Get<size_t>(
                   get, id, AMD_DBGAPI_AGENT_INFO_EXECUTION_UNIT_COUNT));
    object.Add(
        "waves_per_execution_unit",
        m_process.m_session.Get<size_t>(
            get, id, AMD_DBGAPI_AGENT_INFO_MAX_WAVES_PER_EXECUTION_UNIT));
    object.Add("os_id", m_process.m_session.Get<uint64_t>(
                            get, id, AMD_DBGAPI_AGENT_INFO_OS_ID));
    result.push_back(std::move(object.json));
  }
  return result;
}

llvm::json::Array ObjectLists::GetQueues() {
  llvm::json::Array result;
  for (auto id : m_process.m_session.List<amd_dbgapi_queue_id_t>(
           [&](size_t *count, amd_dbgapi_queue_id_t **items) {
             return m_process.fn().process_queue_list(m_process.m_session.id(),
                                                      count, items, nullptr);
           })) {
    auto get = m_process.fn().queue_get_info;
    Object object(id.handle);
    object.Add("agent", m_process.m_session.Get<uint64_t>(
                            get, id, AMD_DBGAPI_QUEUE_INFO_AGENT));
    if (auto type = m_process.m_session.Get<amd_dbgapi_os_queue_type_t>(
            get, id, AMD_DBGAPI_QUEUE_INFO_TYPE))
      object.json["type"] =
          *type == AMD_DBGAPI_OS_QUEUE_TYPE_HSA_AQL         ? "HSA AQL"
          : *type == AMD_DBGAPI_OS_QUEUE_TYPE_AMD_PM4       ? "PM4"
          : *type == AMD_DBGAPI_OS_QUEUE_TYPE_AMD_SDMA      ? "SDMA"
          : *type == AMD_DBGAPI_OS_QUEUE_TYPE_AMD_SDMA_XGMI ? "SDMA XGMI"
                                                            : "unknown";
    object.Add("address", m_process.m_session.Get<uint64_t>(
                              get, id, AMD_DBGAPI_QUEUE_INFO_ADDRESS));
    object.Add("size", m_process.m_session.Get<uint64_t>(
                           get, id, AMD_DBGAPI_QUEUE_INFO_SIZE));
    object.Add("os_id", m_process.m_session.Get<uint64_t>(
                            get, id, AMD_DBGAPI_QUEUE_INFO_OS_ID));
    uint64_t read = 0, write = 0;
    size_t size = 0;
    void *packets = nullptr;
    if (m_process.fn().queue_packet_list(id, &read, &write, &size, &packets) ==
        AMD_DBGAPI_STATUS_SUCCESS) {
      object.json["read_packet"] = read;
      object.json["write_packet"] = write;
    }
    std::free(packets);
    result.push_back(std::move(object.json));
  }
  return result;
}

llvm::json::Array ObjectLists::GetDispatches() {
  llvm::json::Array result;
  DispatchProgress progress(m_process.m_session);
  for (auto id : m_process.m_session.List<amd_dbgapi_dispatch_id_t>(
           [&](size_t *count, amd_dbgapi_dispatch_id_t **items) {
             return m_process.fn().process_dispatch_list(
                 m_process.m_session.id(), count, items, nullptr);
           })) {
    auto get = m_process.fn().dispatch_get_info;
    Object object(id.handle);
    auto number = [&](const char *name, amd_dbgapi_dispatch_info_t query) {
      object.Add(name, m_process.m_session.Get<uint64_t>(get, id, query));
    };
    number("queue", AMD_DBGAPI_DISPATCH_INFO_QUEUE);
    number("agent", AMD_DBGAPI_DISPATCH_INFO_AGENT);
    number("packet", AMD_DBGAPI_DISPATCH_INFO_OS_QUEUE_PACKET_ID);
    object.json["kernel"] = m_process.GetKernelName(id);
    if (auto done = progress.Get(id))
      object.json["progress"] = std::move(*done);
    object.Add("grid_size", m_process.m_session.Get<std::array<uint32_t, 3>>(
                                get, id, AMD_DBGAPI_DISPATCH_INFO_GRID_SIZES));
    object.Add("workgroup_size",
               m_process.m_session.Get<std::array<uint16_t, 3>>(
                   get, id, AMD_DBGAPI_DISPATCH_INFO_WORKGROUP_SIZES));
    object.Add("dimensions",
               m_process.m_session.Get<uint32_t>(
                   get, id, AMD_DBGAPI_DISPATCH_INFO_GRID_DIMENSIONS));
    object.Add("barrier", m_process.m_session.Get<uint32_t>(
                              get, id, AMD_DBGAPI_DISPATCH_INFO_BARRIER));
    object.Add("acquire_fence",
               m_process.m_session.Get<uint32_t>(
                   get, id, AMD_DBGAPI_DISPATCH_INFO_ACQUIRE_FENCE));
    object.Add("release_fence",
               m_process.m_session.Get<uint32_t>(
                   get, id, AMD_DBGAPI_DISPATCH_INFO_RELEASE_FENCE));
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

llvm::json::Array ObjectLists::GetWorkgroups() {
  llvm::json::Array result;
  std::map<uint64_t, std::vector<Wave *>> waves;
  for (auto &[id, wave] : m_process.m_waves)
    waves[m_process.GetFacts(wave).workgroup_id].push_back(&wave);
  for (auto id : m_process.m_session.List<amd_dbgapi_workgroup_id_t>(
           [&](size_t *count, amd_dbgapi_workgroup_id_t **items) {
             return m_process.fn().process_workgroup_list(
                 m_process.m_session.id(), count, items, nullptr);
           })) {
    auto get = m_process.fn().workgroup_get_info;
    Object object(id.handle);
    object.Add("dispatch", m_process.m_session.Get<uint64_t>(
                               get, id, AMD_DBGAPI_WORKGROUP_INFO_DISPATCH));
    object.Add("queue", m_process.m_session.Get<uint64_t>(
                            get, id, AMD_DBGAPI_WORKGROUP_INFO_QUEUE));
    object.Add("agent", m_process.m_session.Get<uint64_t>(
                            get, id, AMD_DBGAPI_WORKGROUP_INFO_AGENT));
    object.Add("workgroup",
               m_process.m_session.Get<std::array<uint32_t, 3>>(
                   get, id, AMD_DBGAPI_WORKGROUP_INFO_WORKGROUP_COORD));
    auto members = waves.find(id.handle);
    if (members != waves.end()) {
      object.json["waves"] = members->second.size();
      // The waves that wait at the workgroup's barrier, and those that they
      // wait for, by their numbers in it.
      llvm::json::Array waiting, missing, at_grid;
      for (Wave *wave : members->second) {
        const WaveFacts &facts = m_process.GetFacts(*wave);
        if (wave->running || !facts.has_position)
          continue;
        const GPUProcess::Barrier barrier = m_process.GetBarrierWaitedAt(*wave);
        (barrier == GPUProcess::Barrier::Workgroup ? waiting : missing)
            .push_back(facts.wave_in_workgroup);
        if (barrier == GPUProcess::Barrier::Grid)
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

llvm::Expected<llvm::json::Value> ObjectLists::Get(StringRef kind) {
  namespace objects = packets::objects;
  if (kind == objects::CodeObject)
    return llvm::json::Value(m_process.GetCodeObjects().GetObjects());
  if (kind == objects::Stop)
    return llvm::json::Value(GetStops());
  if (kind == objects::WaveName)
    return llvm::json::Value(GetWaveNames());
  if (kind == objects::WaveKernel)
    return llvm::json::Value(GroupThreads("kernel", [&](Wave &wave) {
      return m_process.GetWorkgroupFacts(wave)->kernel;
    }));
  if (kind == objects::Wave)
    return llvm::json::Value(GetWaves());
  if (kind == objects::Agent)
    return llvm::json::Value(GetAgents());
  if (kind == objects::Queue)
    return llvm::json::Value(GetQueues());
  if (kind == objects::Dispatch)
    return llvm::json::Value(GetDispatches());
  if (kind == objects::Workgroup)
    return llvm::json::Value(GetWorkgroups());
  return llvm::createStringError(
      llvm::inconvertibleErrorCode(),
      "no objects of kind '" + kind +
          "': there are agent, queue, dispatch, workgroup, wave and "
          "code_object");
}

} // namespace wavelane::server
