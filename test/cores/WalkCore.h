//===-- WalkCore.h - Reads everything of a GPU core -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens a GPU core state with a debug library, like a debugger, and queries
// everything. For cores that may be damaged anywhere: any answer is accepted,
// but there must be one.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_TEST_CORES_WALKCORE_H
#define WAVELANE_TEST_CORES_WALKCORE_H

#include "wavelane/DebugAPI/Library.h"
#include "llvm/ADT/ArrayRef.h"
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace wavelane::test {

/// The source of a core. Reads return the number of existing bytes.
struct CoreSource {
  llvm::ArrayRef<uint8_t> note;
  std::function<size_t(uint64_t address, void *buffer, size_t size)> read;
};

struct Walk {
  amd_dbgapi_status_t attached = AMD_DBGAPI_STATUS_ERROR;
  size_t waves = 0;
  size_t answers = 0; ///< queries and reads that had one
  size_t refusals = 0;
};

class CoreWalker {
public:
  explicit CoreWalker(const debugapi::Functions &functions) : f(functions) {}

  Walk run(const CoreSource &source) {
    amd_dbgapi_callbacks_t callbacks = {};
    callbacks.allocate_memory = malloc;
    callbacks.deallocate_memory = free;
    callbacks.client_process_get_info = [](auto client, auto query, size_t size,
                                           void *value) {
      const CoreSource &core = *reinterpret_cast<CoreSource *>(client);
      if (query != AMD_DBGAPI_CLIENT_PROCESS_INFO_CORE_STATE ||
          size != sizeof(amd_dbgapi_core_state_data_t))
        return AMD_DBGAPI_STATUS_ERROR_NOT_AVAILABLE;
      void *copy = malloc(core.note.size() + 1);
      if (!core.note.empty())
        memcpy(copy, core.note.data(), core.note.size());
      amd_dbgapi_core_state_data_t data = {AMD_DBGAPI_ENDIAN_LITTLE,
                                           core.note.size(), copy};
      memcpy(value, &data, sizeof(data));
      return AMD_DBGAPI_STATUS_SUCCESS;
    };
    callbacks.insert_breakpoint = [](auto, auto, auto) {
      return AMD_DBGAPI_STATUS_SUCCESS;
    };
    callbacks.remove_breakpoint = [](auto, auto) {
      return AMD_DBGAPI_STATUS_SUCCESS;
    };
    callbacks.xfer_global_memory = [](auto client, auto address, auto *size,
                                      void *read, const void *) {
      const CoreSource &core = *reinterpret_cast<CoreSource *>(client);
      const size_t got = read ? core.read(address, read, *size) : 0;
      if (!got)
        return AMD_DBGAPI_STATUS_ERROR_MEMORY_ACCESS;
      *size = got;
      return AMD_DBGAPI_STATUS_SUCCESS;
    };
    callbacks.log_message = [](auto, const char *) {};
    walk = {};
    if (f.initialize(&callbacks) != AMD_DBGAPI_STATUS_SUCCESS)
      return walk;
    amd_dbgapi_process_id_t process = {0};
    walk.attached =
        f.process_attach(reinterpret_cast<amd_dbgapi_client_process_id_t>(
                             const_cast<CoreSource *>(&source)),
                         &process);
    if (walk.attached == AMD_DBGAPI_STATUS_SUCCESS) {
      readAll(process);
      f.process_detach(process);
    }
    f.finalize();
    return walk;
  }

private:
  bool note(amd_dbgapi_status_t status) {
    ++(status == AMD_DBGAPI_STATUS_SUCCESS ? walk.answers : walk.refusals);
    return status == AMD_DBGAPI_STATUS_SUCCESS;
  }
  template <typename Id, typename F>
  std::vector<Id> list(F function, amd_dbgapi_process_id_t process) {
    size_t count = 0;
    Id *ids = nullptr;
    std::vector<Id> result;
    if (note(function(process, &count, &ids, nullptr)))
      result.assign(ids, ids + count);
    free(ids);
    return result;
  }

  void readAll(amd_dbgapi_process_id_t process) {
    for (int i = 0; i < 10000; ++i) {
      amd_dbgapi_event_id_t event;
      amd_dbgapi_event_kind_t kind = AMD_DBGAPI_EVENT_KIND_NONE;
      if (!note(f.process_next_pending_event(process, &event, &kind)) ||
          kind == AMD_DBGAPI_EVENT_KIND_NONE)
        break;
      f.event_processed(event);
    }
    for (auto id : list<amd_dbgapi_agent_id_t>(f.process_agent_list, process)) {
      char *name = nullptr;
      if (note(f.agent_get_info(id, AMD_DBGAPI_AGENT_INFO_NAME, 8, &name)))
        free(name);
    }
    for (auto id : list<amd_dbgapi_code_object_id_t>(f.process_code_object_list,
                                                     process)) {
      char *uri = nullptr;
      if (note(f.code_object_get_info(id, AMD_DBGAPI_CODE_OBJECT_INFO_URI_NAME,
                                      8, &uri)))
        free(uri);
    }
    for (auto id : list<amd_dbgapi_queue_id_t>(f.process_queue_list, process)) {
      uint64_t read, write;
      size_t size;
      void *packets = nullptr;
      if (note(f.queue_packet_list(id, &read, &write, &size, &packets)))
        free(packets);
    }
    for (auto id :
         list<amd_dbgapi_dispatch_id_t>(f.process_dispatch_list, process)) {
      uint64_t value;
      note(f.dispatch_get_info(
          id, AMD_DBGAPI_DISPATCH_INFO_KERNEL_CODE_ENTRY_ADDRESS, 8, &value));
    }
    list<amd_dbgapi_workgroup_id_t>(f.process_workgroup_list, process);
    const auto waves = list<amd_dbgapi_wave_id_t>(f.process_wave_list, process);
    walk.waves = waves.size();
    constexpr size_t Most = 16;
    for (size_t i = 0; i < waves.size() && i < Most; ++i)
      readWave(process, waves[i]);
  }

  void readWave(amd_dbgapi_process_id_t process, amd_dbgapi_wave_id_t wave) {
    uint64_t words[2];
    uint32_t coordinates[3];
    for (auto query : {AMD_DBGAPI_WAVE_INFO_PC, AMD_DBGAPI_WAVE_INFO_EXEC_MASK,
                       AMD_DBGAPI_WAVE_INFO_LANE_COUNT})
      note(f.wave_get_info(wave, query, 8, words));
    note(f.wave_get_info(wave, AMD_DBGAPI_WAVE_INFO_STOP_REASON, 4, words));
    note(f.wave_get_info(wave, AMD_DBGAPI_WAVE_INFO_WORKGROUP_COORD, 12,
                         coordinates));
    amd_dbgapi_architecture_id_t architecture = {0};
    if (!note(f.wave_get_info(wave, AMD_DBGAPI_WAVE_INFO_ARCHITECTURE,
                              sizeof(architecture), &architecture)))
      return;
    size_t count = 0;
    amd_dbgapi_register_id_t *registers = nullptr;
    if (note(f.wave_register_list(wave, &count, &registers)))
      for (size_t r = 0; r < count; ++r) {
        uint8_t bytes[512];
        uint64_t size = 0;
        if (note(f.register_get_info(registers[r],
                                     AMD_DBGAPI_REGISTER_INFO_SIZE, 8, &size)))
          note(f.read_register(wave, registers[r], 0,
                               std::min<uint64_t>(size, sizeof(bytes)), bytes));
      }
    free(registers);
    // Global, generic, local, private_lane, private_wave.
    for (uint64_t dwarf : {0, 1, 3, 5, 6}) {
      amd_dbgapi_address_space_id_t space = {0};
      if (!note(f.dwarf_address_space_to_address_space(architecture, dwarf,
                                                       &space)))
        continue;
      for (uint64_t address :
           {uint64_t(0), uint64_t(60), uint64_t(0x1000), uint64_t(0x1000040),
            uint64_t(0xffffffff), uint64_t(1) << 48, uint64_t(2) << 48,
            ~uint64_t(0)})
        for (uint32_t lane : {0u, 63u, AMD_DBGAPI_LANE_NONE}) {
          uint8_t bytes[100];
          amd_dbgapi_size_t size = sizeof(bytes);
          note(
              f.read_memory(process, wave, lane, space, address, &size, bytes));
        }
    }
  }

  const debugapi::Functions &f;
  Walk walk;
};

} // namespace wavelane::test

#endif // WAVELANE_TEST_CORES_WALKCORE_H
