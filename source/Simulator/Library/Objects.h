//===-- Objects.h - What ROCdbgapi's handles stand for ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_LIBRARY_OBJECTS_H
#define WAVELANE_SIMULATOR_LIBRARY_OBJECTS_H

#include "Instructions.h"
#include "Registers.h"
#include "wavelane/DebugAPI/amd-dbgapi.h"
#include "wavelane/Simulator/Protocol.h"
#include "wavelane/Simulator/SaveArea.h"
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace wavelane::library {

using Status = amd_dbgapi_status_t;
inline constexpr Status Success = AMD_DBGAPI_STATUS_SUCCESS;
inline constexpr Status Fatal = AMD_DBGAPI_STATUS_FATAL;
class Process;

struct Agent {
  uint64_t id = 0;
  kfd::DeviceSnapshotEntry entry = {};
  unsigned archIndex = 0; ///< in allArchitectures(); valid if known
  bool known = false, supported = false;
};

struct Queue {
  uint64_t id = 0;
  Agent *agent = nullptr;
  kfd::QueueSnapshotEntry entry = {};
  bool suspended = false;
  bool destroyed = false;
  uint64_t readPacket = 0, writePacket = 0;
  uint32_t tmpring = 0;
  uint64_t scratchLocation = 0, scratchBytes = 0;
  uint64_t debuggerMemory = 0; ///< address of the displaced-step buffers
  uint32_t debuggerMemorySize = 0;
  std::vector<bool> buffersUsed;
  uint32_t startedGroups =
      0;             ///< of its dispatch, at the suspension; 0: unknown
  uint64_t mark = 0; ///< what it has now has the same
  bool isCompute() const {
    return entry.queue_type == kfd::QueueTypeComputeAql;
  }
};

struct Dispatch {
  uint64_t id = 0;
  Queue *queue = nullptr;
  uint64_t packetId = 0;
  uint8_t packet[64] = {};
  uint64_t mark = 0;
};

struct Workgroup {
  uint64_t id = 0;
  Queue *queue = nullptr;
  Dispatch *dispatch = nullptr; ///< null if unknown
  uint32_t coordinates[3] = {};
  uint64_t lds = 0; ///< address
  uint32_t ldsBytes = 0;
  uint64_t mark = 0;
};

struct DisplacedStep {
  uint64_t id = 0;
  uint64_t wave = 0;
  uint64_t from = 0;
  uint64_t buffer = 0; ///< 0: simulated
  unsigned slot = 0;
  std::optional<Instruction> simulate;
};

struct Wave {
  uint64_t id = 0;
  Queue *queue = nullptr;
  Workgroup *group = nullptr;
  savearea::WaveRecord record;
  uint64_t area = 0; ///< address of the save area (of its XCC)
  uint32_t hw[16] = {}, ttmps[16] = {};
  uint32_t saved[32] = {};     ///< hw and ttmps as the area has them
  bool changed = false;        ///< they may differ: WaveRegisters::saveAll()
  std::vector<uint32_t> sgprs; ///< cached while stopped
  amd_dbgapi_wave_state_t state = AMD_DBGAPI_WAVE_STATE_RUN;
  uint32_t reasons = 0;
  uint32_t watches = 0;   ///< hardware watch registers that hit
  bool reported = false;  ///< its WAVE_STOP has been fetched
  bool processed = false; ///< and processed
  bool hidden = false;    ///< halted at launch by creation mode STOP
  bool ending = false;    ///< stepped onto its last instruction
  bool visible() const { return !hidden && !ending; }
  bool identified = false; ///< group ids and position are known
  uint32_t indexInGroup = 0;
  DisplacedStep *displaced = nullptr;
  uint64_t mark = 0;
};

struct CodeObject {
  uint64_t id = 0;
  std::string uri;
  int64_t bias = 0;
  uint64_t mark = 0;
};

struct Watchpoint {
  uint64_t id = 0;
  uint64_t address = 0, size = 0;
  std::map<uint32_t, uint32_t> hardware; ///< gpu id -> watch register
};

struct Event {
  uint64_t id = 0;
  amd_dbgapi_event_kind_t kind = AMD_DBGAPI_EVENT_KIND_NONE;
  uint64_t wave = 0;
  amd_dbgapi_breakpoint_id_t breakpoint = {0};
  amd_dbgapi_client_thread_id_t thread = nullptr;
  amd_dbgapi_runtime_state_t runtime = AMD_DBGAPI_RUNTIME_STATE_UNLOADED;
  bool fetched = false;
};

enum ListKind {
  CodeObjectList,
  AgentList,
  QueueList,
  DispatchList,
  WorkgroupList,
  WaveList,
  ListKinds
};

/// What all processes of the library share.
struct Library {
  bool initialized = false;
  amd_dbgapi_callbacks_t callbacks = {};
  amd_dbgapi_log_level_t logLevel = AMD_DBGAPI_LOG_LEVEL_NONE;
  uint64_t nextId[16] = {};
  std::map<uint64_t, std::unique_ptr<Process>> processes;

  void log(amd_dbgapi_log_level_t level, const std::string &text) const;
  /// Ids of one kind start at 1 and are never used again.
  enum IdKind {
    ProcessId,
    AgentId,
    QueueId,
    DispatchId,
    WorkgroupId,
    WaveId,
    CodeObjectId,
    WatchpointId,
    EventId,
    BreakpointId,
    StepId
  };
  uint64_t newId(IdKind kind) { return ++nextId[kind]; }
};
Library &library();

template <typename T> using Table = std::map<uint64_t, std::unique_ptr<T>>;

/// The objects of one process.
struct Objects {
  Table<Agent> agents;
  Table<Queue> queues;
  Table<Dispatch> dispatches;
  Table<Workgroup> groups;
  Table<Wave> waves;
  Table<CodeObject> codeObjects;
  Table<Watchpoint> watchpoints;
  Table<DisplacedStep> steps;
  Table<Event> events;
  bool listChanged[ListKinds] = {true, true, true, true, true, true};

  /// A mark for what a look at the program finds: what has another one is gone.
  uint64_t newMark() { return ++lastMark; }

private:
  uint64_t lastMark = 0;
};

/// What the classes that read waves must know of the process.
struct ProcessFacts {
  bool core = false; ///< a core file's, which nothing can be written to
  kfd::RuntimeInfo runtime = {};
  uint32_t rdebugVersion = 0;
  amd_dbgapi_wave_creation_t creation = AMD_DBGAPI_WAVE_CREATION_NORMAL;
};

inline const ArchitectureInfo &archOf(const Wave &wave) {
  return allArchitectures()[wave.queue->agent->archIndex];
}

} // namespace wavelane::library

#endif // WAVELANE_SIMULATOR_LIBRARY_OBJECTS_H
