//===-- GPUProcessObjects.cpp - ROCdbgapi's objects for the client --------===//

#include "GPUProcess.h"
#include "DispatchProgress.h"
#include "wavelane/Server/Packets.h"

using namespace lldb_private;
using llvm::StringRef;

namespace wavelane::server {

llvm::json::Object GPUProcess::GetWaveObject(Wave &wave) {
  namespace key = packets::wave;
  const WaveFacts &facts = GetFacts(wave);
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
    if (auto pc = GetPC(wave))
      object[key::Pc] = *pc;
    ThreadStopInfo info;
    std::string description;
    GetStopInfo(wave, info, description);
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

llvm::Expected<llvm::json::Value> GPUProcess::GetWaveInfo(lldb::tid_t tid) {
  namespace key = packets::wave;
  Wave *wave = FindWave(tid);
  if (!wave)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "there is no wave %" PRIu64, tid);
  llvm::json::Object object = GetWaveObject(*wave);
  if (!wave->running)
    if (auto exec = m_session.Get<uint64_t>(fn().wave_get_info, wave->id,
                                            AMD_DBGAPI_WAVE_INFO_EXEC_MASK))
      object[key::Exec] = *exec;
  if (std::optional<DispatchShape> shape = GetDispatchShape(*wave)) {
    object[key::WorkgroupSize] = llvm::json::Array{
        shape->workgroup[0], shape->workgroup[1], shape->workgroup[2]};
    object[key::GridSize] =
        llvm::json::Array{shape->grid[0], shape->grid[1], shape->grid[2]};
  }
  return llvm::json::Value(std::move(object));
}

llvm::Expected<llvm::json::Value> GPUProcess::GetObjects(StringRef kind) {
  llvm::json::Array result;
  llvm::json::Object object;
  // Adds what the library tells; what it can't is left out.
  auto add = [&](const char *name, auto value) {
    if (!value)
      return;
    using T = std::decay_t<decltype(*value)>;
    if constexpr (std::is_same_v<T, std::string>) {
      object[name] = *value;
    } else if constexpr (std::is_integral_v<T>) {
      object[name] = uint64_t(*value);
    } else if constexpr (std::is_enum_v<T>) {
      object[name] = int64_t(*value);
    } else {
      llvm::json::Array items;
      for (auto item : *value)
        items.push_back(int64_t(item));
      object[name] = std::move(items);
    }
  };
  auto begin = [&](uint64_t id) {
    object = llvm::json::Object{{"id", id}};
  };
  auto end = [&] { result.push_back(std::move(object)); };

  if (kind == packets::objects::CodeObject)
    return llvm::json::Value(m_code_objects.GetObjects());
  if (kind == packets::objects::Stop) {
    for (auto &[id, wave] : m_waves)
      if (!wave.running && wave.stopped_now && wave.reasons && wave.stop_lanes)
        result.push_back(llvm::json::Object{{packets::wave::Thread, id},
                                            {"lanes", wave.stop_lanes}});
    return llvm::json::Value(std::move(result));
  }
  if (kind == packets::objects::WaveName) {
    // Every name is another one.
    std::string names;
    llvm::json::Array all = GroupThreads("names", [&](Wave &wave) {
      names += GetFacts(wave).name + '\n';
      return std::string();
    });
    if (!all.empty())
      (*all.front().getAsObject())["names"] = std::move(names);
    return llvm::json::Value(std::move(all));
  }
  if (kind == packets::objects::WaveKernel)
    return llvm::json::Value(GroupThreads("kernel", [&](Wave &wave) {
      return GetWorkgroupFacts(wave)->kernel;
    }));
  if (kind == packets::objects::Wave) {
    if (!IsRunning())
      for (const auto &thread : m_threads)
        if (Wave *wave = FindWave(thread->GetID())) {
          object = GetWaveObject(*wave);
          if (!wave->running)
            add(packets::wave::Exec,
                m_session.Get<uint64_t>(fn().wave_get_info, wave->id,
                                        AMD_DBGAPI_WAVE_INFO_EXEC_MASK));
          end();
        }
    return llvm::json::Value(std::move(result));
  }
  if (kind == packets::objects::Agent) {
    for (amd_dbgapi_agent_id_t id : GetAgents()) {
      auto get = fn().agent_get_info;
      begin(id.handle);
      add("name", m_session.GetString(get, id, AMD_DBGAPI_AGENT_INFO_NAME));
      if (auto architecture = m_session.Get<amd_dbgapi_architecture_id_t>(
              get, id, AMD_DBGAPI_AGENT_INFO_ARCHITECTURE))
        add("architecture",
            m_session.GetString(fn().architecture_get_info, *architecture,
                                AMD_DBGAPI_ARCHITECTURE_INFO_NAME));
      if (auto state = m_session.Get<amd_dbgapi_agent_state_t>(
              get, id, AMD_DBGAPI_AGENT_INFO_STATE))
        object["state"] = *state == AMD_DBGAPI_AGENT_STATE_SUPPORTED
                              ? "supported"
                              : "not supported";
      add("pci_domain", m_session.Get<uint16_t>(
                            get, id, AMD_DBGAPI_AGENT_INFO_PCI_DOMAIN));
      add("pci_slot",
          m_session.Get<uint16_t>(get, id, AMD_DBGAPI_AGENT_INFO_PCI_SLOT));
      add("vendor_id", m_session.Get<uint32_t>(
                           get, id, AMD_DBGAPI_AGENT_INFO_PCI_VENDOR_ID));
      add("device_id", m_session.Get<uint32_t>(
                           get, id, AMD_DBGAPI_AGENT_INFO_PCI_DEVICE_ID));
      add("execution_units",
          m_session.Get<size_t>(get, id,
                                AMD_DBGAPI_AGENT_INFO_EXECUTION_UNIT_COUNT));
      add("waves_per_execution_unit",
          m_session.Get<size_t>(
              get, id, AMD_DBGAPI_AGENT_INFO_MAX_WAVES_PER_EXECUTION_UNIT));
      add("os_id",
          m_session.Get<uint64_t>(get, id, AMD_DBGAPI_AGENT_INFO_OS_ID));
      end();
    }
  } else if (kind == packets::objects::Queue) {
    for (auto id : m_session.List<amd_dbgapi_queue_id_t>(
             [&](size_t *count, amd_dbgapi_queue_id_t **items) {
               return fn().process_queue_list(m_session.id(), count, items,
                                              nullptr);
             })) {
      auto get = fn().queue_get_info;
      begin(id.handle);
      add("agent", m_session.Get<uint64_t>(get, id, AMD_DBGAPI_QUEUE_INFO_AGENT));
      if (auto type = m_session.Get<amd_dbgapi_os_queue_type_t>(
              get, id, AMD_DBGAPI_QUEUE_INFO_TYPE))
        object["type"] =
            *type == AMD_DBGAPI_OS_QUEUE_TYPE_HSA_AQL          ? "HSA AQL"
            : *type == AMD_DBGAPI_OS_QUEUE_TYPE_AMD_PM4        ? "PM4"
            : *type == AMD_DBGAPI_OS_QUEUE_TYPE_AMD_SDMA       ? "SDMA"
            : *type == AMD_DBGAPI_OS_QUEUE_TYPE_AMD_SDMA_XGMI ? "SDMA XGMI"
                                                               : "unknown";
      add("address",
          m_session.Get<uint64_t>(get, id, AMD_DBGAPI_QUEUE_INFO_ADDRESS));
      add("size", m_session.Get<uint64_t>(get, id, AMD_DBGAPI_QUEUE_INFO_SIZE));
      add("os_id",
          m_session.Get<uint64_t>(get, id, AMD_DBGAPI_QUEUE_INFO_OS_ID));
      uint64_t read = 0, write = 0;
      size_t size = 0;
      void *packets = nullptr;
      if (fn().queue_packet_list(id, &read, &write, &size, &packets) ==
          AMD_DBGAPI_STATUS_SUCCESS) {
        object["read_packet"] = read;
        object["write_packet"] = write;
      }
      std::free(packets);
      end();
    }
  } else if (kind == packets::objects::Dispatch) {
    DispatchProgress progress(m_session);
    for (auto id : m_session.List<amd_dbgapi_dispatch_id_t>(
             [&](size_t *count, amd_dbgapi_dispatch_id_t **items) {
               return fn().process_dispatch_list(m_session.id(), count, items,
                                                 nullptr);
             })) {
      auto get = fn().dispatch_get_info;
      auto number = [&](const char *name, amd_dbgapi_dispatch_info_t query) {
        add(name, m_session.Get<uint64_t>(get, id, query));
      };
      begin(id.handle);
      number("queue", AMD_DBGAPI_DISPATCH_INFO_QUEUE);
      number("agent", AMD_DBGAPI_DISPATCH_INFO_AGENT);
      number("packet", AMD_DBGAPI_DISPATCH_INFO_OS_QUEUE_PACKET_ID);
      object["kernel"] = GetKernelName(id);
      if (auto done = progress.Get(id))
        object["progress"] = std::move(*done);
      add("grid_size",
          m_session.Get<std::array<uint32_t, 3>>(
              get, id, AMD_DBGAPI_DISPATCH_INFO_GRID_SIZES));
      add("workgroup_size",
          m_session.Get<std::array<uint16_t, 3>>(
              get, id, AMD_DBGAPI_DISPATCH_INFO_WORKGROUP_SIZES));
      add("dimensions",
          m_session.Get<uint32_t>(get, id,
                                  AMD_DBGAPI_DISPATCH_INFO_GRID_DIMENSIONS));
      add("barrier",
          m_session.Get<uint32_t>(get, id, AMD_DBGAPI_DISPATCH_INFO_BARRIER));
      add("acquire_fence",
          m_session.Get<uint32_t>(get, id,
                                  AMD_DBGAPI_DISPATCH_INFO_ACQUIRE_FENCE));
      add("release_fence",
          m_session.Get<uint32_t>(get, id,
                                  AMD_DBGAPI_DISPATCH_INFO_RELEASE_FENCE));
      number("private_size", AMD_DBGAPI_DISPATCH_INFO_PRIVATE_SEGMENT_SIZE);
      number("group_size", AMD_DBGAPI_DISPATCH_INFO_GROUP_SEGMENT_SIZE);
      number("kernarg",
             AMD_DBGAPI_DISPATCH_INFO_KERNEL_ARGUMENT_SEGMENT_ADDRESS);
      number("descriptor", AMD_DBGAPI_DISPATCH_INFO_KERNEL_DESCRIPTOR_ADDRESS);
      number("entry", AMD_DBGAPI_DISPATCH_INFO_KERNEL_CODE_ENTRY_ADDRESS);
      number("completion", AMD_DBGAPI_DISPATCH_INFO_KERNEL_COMPLETION_ADDRESS);
      end();
    }
  } else if (kind == packets::objects::Workgroup) {
    std::map<uint64_t, std::vector<Wave *>> waves;
    for (auto &[id, wave] : m_waves)
      waves[GetFacts(wave).workgroup_id].push_back(&wave);
    for (auto id : m_session.List<amd_dbgapi_workgroup_id_t>(
             [&](size_t *count, amd_dbgapi_workgroup_id_t **items) {
               return fn().process_workgroup_list(m_session.id(), count, items,
                                                  nullptr);
             })) {
      auto get = fn().workgroup_get_info;
      begin(id.handle);
      add("dispatch",
          m_session.Get<uint64_t>(get, id, AMD_DBGAPI_WORKGROUP_INFO_DISPATCH));
      add("queue",
          m_session.Get<uint64_t>(get, id, AMD_DBGAPI_WORKGROUP_INFO_QUEUE));
      add("agent",
          m_session.Get<uint64_t>(get, id, AMD_DBGAPI_WORKGROUP_INFO_AGENT));
      add("workgroup", m_session.Get<std::array<uint32_t, 3>>(
                           get, id, AMD_DBGAPI_WORKGROUP_INFO_WORKGROUP_COORD));
      auto members = waves.find(id.handle);
      if (members != waves.end()) {
        object["waves"] = members->second.size();
        // Who waits at the workgroup's barrier, and for whom, by number in it.
        llvm::json::Array waiting, missing, at_grid;
        for (Wave *wave : members->second) {
          const WaveFacts &facts = GetFacts(*wave);
          if (wave->running || !facts.has_position)
            continue;
          const Barrier barrier = GetBarrierWaitedAt(*wave);
          (barrier == Barrier::Workgroup ? waiting : missing)
              .push_back(facts.wave_in_workgroup);
          if (barrier == Barrier::Grid)
            at_grid.push_back(facts.wave_in_workgroup);
        }
        if (!at_grid.empty())
          object["at_grid_barrier"] = std::move(at_grid);
        if (!waiting.empty()) {
          object["at_barrier"] = std::move(waiting);
          object["not_arrived"] = std::move(missing);
        }
      }
      end();
    }
  } else {
    return llvm::createStringError(
        llvm::inconvertibleErrorCode(),
        "no objects of kind '" + kind +
            "': there are agent, queue, dispatch, workgroup, wave and "
            "code_object");
  }
  return llvm::json::Value(std::move(result));
}

Status GPUProcess::GetLoadedModuleFileSpec(const char *path, FileSpec &spec) {
  return Status::FromErrorStringWithFormat("GPU code objects are told by %s",
                packets::AcceleratorLibraryInfo);
}

Status GPUProcess::GetFileLoadAddress(const StringRef &name,
                                      lldb::addr_t &address) {
  std::optional<int64_t> found = m_code_objects.GetLoadAddress(name);
  if (!found)
    return Status::FromErrorStringWithFormat("no GPU code object is loaded from '%s'", name.str().c_str());
  address = *found;
  return Status();
}

} // namespace wavelane::server
