//===-- Objects.h - What ROCdbgapi's handles stand for ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_DEBUGLIBRARY_OBJECTS_H
#define WAVELANE_DEBUGLIBRARY_OBJECTS_H

#include "Instructions.h"
#include "Registers.h"
#include "wavelane/Formats/SaveArea/SaveArea.h"
#include "wavelane/Protocol/Device/DeviceMessages.h"
#include "wavelane/Protocol/Library/amd-dbgapi.h"
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace wavelane::library {

using Status = amd_dbgapi_status_t;
inline constexpr Status Success = AMD_DBGAPI_STATUS_SUCCESS;
inline constexpr Status Fatal = AMD_DBGAPI_STATUS_FATAL;
class Process;

struct Agent {
  uint64_t Id = 0;
  kfd::DeviceSnapshotEntry Entry = {};
  unsigned ArchIndex = 0; ///< index in allArchitectures(), if known
  bool Known = false, Supported = false;
};

struct Wave;

struct Queue {
  uint64_t Id = 0;
  Agent *A = nullptr;
  /// Its waves, in the order of their records in the save areas.
  std::vector<Wave *> Waves;
  size_t MovingWaves = 0; ///< those that aren't stopped
  kfd::QueueSnapshotEntry Entry = {};
  bool TheSuspended = false;
  bool Destroyed = false;
  uint64_t ReadPacket = 0, WritePacket = 0;
  uint32_t Tmpring = 0;
  uint64_t ScratchLocation = 0, ScratchBytes = 0;
  uint64_t DebuggerMemory = 0; ///< address of the displaced-step buffers
  uint32_t DebuggerMemorySize = 0;
  std::vector<bool> BuffersUsed;
  uint32_t StartedGroups =
      0;             ///< for its dispatch, at the suspension; 0 if unknown
  uint64_t Mark = 0; ///< objects that still exist have the same mark
  /// The device's numbers of the last update (simulator::WavesSavedReply); 0 if
  /// they aren't known.
  uint64_t Layout = 0, Saves = 0;
  /// The positions of waves whose records were changed since the queue ran.
  std::vector<uint32_t> Written;
  bool AreaWritten = false; ///< by the client, as memory
  uint32_t xccs() const {
    return std::max(1u, std::min(64u, A->Entry.num_xcc));
  }
  /// Of the waves, in all XCCs.
  uint64_t saveAreaBytes() const {
    return uint64_t(xccs()) * Entry.ctx_save_restore_area_size;
  }
  bool isCompute() const {
    return Entry.queue_type == kfd::QueueTypeComputeAql;
  }
  /// All of its waves are stopped, so its dispatch stands still, and the
  /// packets after it wait: nothing happens if it is resumed.
  bool standsStill() const { return !Waves.empty() && !MovingWaves; }
};

struct Dispatch {
  uint64_t Id = 0;
  Queue *Q = nullptr;
  uint64_t PacketId = 0;
  uint8_t Packet[64] = {};
  uint64_t Mark = 0;
};

struct Workgroup {
  uint64_t Id = 0;
  Queue *Q = nullptr;
  Dispatch *D = nullptr; ///< null if unknown
  uint32_t Coordinates[3] = {};
  uint64_t Lds = 0; ///< address
  uint32_t LdsBytes = 0;
  uint64_t Mark = 0;
};

struct DisplacedStep {
  uint64_t Id = 0;
  uint64_t W = 0;
  uint64_t From = 0;
  uint64_t Buffer = 0; ///< 0: simulated
  unsigned Slot = 0;
  std::optional<Instruction> Simulate;
};

struct Wave {
  uint64_t Id = 0;
  Queue *Q = nullptr;
  Workgroup *Group = nullptr;
  savearea::WaveRecord Record;
  unsigned Index = 0;        ///< of the record among those of its queue
  uint32_t Position = 0;     ///< in the queue's Waves
  bool Written = false;      ///< it is in the queue's Written
  bool HasRegisters = false; ///< see WaveRegisters::fetch()
  uint64_t Area = 0;         ///< address of the save area (of its XCC)
  uint32_t Hw[16] = {}, Ttmps[16] = {};
  uint32_t Saved[32] = {};     ///< hardware registers and ttmps in the save
                               ///< area
  bool Changed = false;        ///< they may differ from the area:
                               ///< WaveRegisters::saveAll()
  std::vector<uint32_t> Sgprs; ///< cached while stopped
  amd_dbgapi_wave_state_t State = AMD_DBGAPI_WAVE_STATE_RUN;
  /// Sets the state of a wave that is in the table.
  void setState(amd_dbgapi_wave_state_t New) {
    Q->MovingWaves += (New != AMD_DBGAPI_WAVE_STATE_STOP);
    Q->MovingWaves -= (State != AMD_DBGAPI_WAVE_STATE_STOP);
    State = New;
  }
  uint32_t Reasons = 0;
  uint32_t Watches = 0;   ///< hardware watch registers that hit
  bool Reported = false;  ///< its WAVE_STOP has been fetched
  bool Processed = false; ///< and processed
  bool Hidden = false;    ///< halted at launch by creation mode STOP
  bool Ending = false;    ///< stepped onto its last instruction
  bool visible() const { return !Hidden && !Ending; }
  bool Identified = false; ///< group ids and position are known
  uint32_t IndexInGroup = 0;
  DisplacedStep *Displaced = nullptr;
  uint64_t Mark = 0;
};

struct CodeObject {
  uint64_t Id = 0;
  std::string Uri;
  int64_t Bias = 0;
  uint64_t Mark = 0;
};

struct Watchpoint {
  uint64_t Id = 0;
  uint64_t Address = 0, Size = 0;
  std::map<uint32_t, uint32_t> Hardware; ///< watch registers by GPU id
};

struct Event {
  uint64_t Id = 0;
  amd_dbgapi_event_kind_t Kind = AMD_DBGAPI_EVENT_KIND_NONE;
  uint64_t W = 0;
  amd_dbgapi_breakpoint_id_t Breakpoint = {0};
  amd_dbgapi_client_thread_id_t Thread = nullptr;
  amd_dbgapi_runtime_state_t Runtime = AMD_DBGAPI_RUNTIME_STATE_UNLOADED;
  bool Fetched = false;
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

/// The state that all processes of the library share.
struct Library {
  bool Initialized = false;
  amd_dbgapi_callbacks_t Callbacks = {};
  amd_dbgapi_log_level_t LogLevel = AMD_DBGAPI_LOG_LEVEL_NONE;
  uint64_t NextId[16] = {};
  std::map<uint64_t, std::unique_ptr<Process>> Processes;

  void log(amd_dbgapi_log_level_t Level, const std::string &Text) const;
  /// Ids of each kind start at 1 and are never reused.
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
  uint64_t newId(IdKind Kind) { return ++NextId[Kind]; }
};
Library &library();

/// Objects by number, in its order. There may be 100,000, and each request
/// looks for one, so an index finds them.
template <typename T> class Table {
  using Map = std::map<uint64_t, std::unique_ptr<T>>;

public:
  using iterator = typename Map::iterator;
  using const_iterator = typename Map::const_iterator;

  iterator begin() { return Rows.begin(); }
  iterator end() { return Rows.end(); }
  const_iterator begin() const { return Rows.begin(); }
  const_iterator end() const { return Rows.end(); }
  size_t size() const { return Rows.size(); }
  bool empty() const { return Rows.empty(); }

  iterator find(uint64_t Id) {
    auto Match = Index.find(Id);
    return Match == Index.end() ? end() : Match->second;
  }
  const_iterator find(uint64_t Id) const {
    auto Match = Index.find(Id);
    return Match == Index.end() ? end() : const_iterator(Match->second);
  }
  size_t count(uint64_t Id) const { return Index.count(Id); }
  /// The object with a number, which is null if it is new.
  std::unique_ptr<T> &operator[](uint64_t Id) {
    auto [Entry, IsNew] = Index.try_emplace(Id);
    if (IsNew) // usually the highest number yet
      Entry->second = Rows.try_emplace(Rows.end(), Id);
    return Entry->second->second;
  }
  iterator erase(iterator Row) {
    Index.erase(Row->first);
    return Rows.erase(Row);
  }
  size_t erase(uint64_t Id) {
    auto Row = find(Id);
    if (Row == end())
      return 0;
    erase(Row);
    return 1;
  }
  void clear() {
    Index.clear();
    Rows.clear();
  }

private:
  Map Rows;
  // The numbers come from clients: llvm::DenseMap doesn't take all.
  std::unordered_map<uint64_t, iterator> Index;
};

/// The objects of one process.
struct Objects {
  Table<Agent> Agents;
  Table<Queue> Queues;
  Table<Dispatch> Dispatches;
  Table<Workgroup> Groups;
  Table<Wave> Waves;
  Table<CodeObject> CodeObjects;
  Table<Watchpoint> TheWatchpoints;
  Table<DisplacedStep> Steps;
  Table<Event> TheEvents;
  bool ListChanged[ListKinds] = {true, true, true, true, true, true};

  /// A new mark for an update: objects that keep an older one are gone.
  uint64_t newMark() { return ++LastMark; }

private:
  uint64_t LastMark = 0;
};

/// The facts of a process for the classes that read waves.
struct ProcessFacts {
  bool Core = false; ///< a core file, which is read-only
  /// The device has gone back or forward: waves that have ended may be there
  /// again, with the ids that they had.
  bool Traveled = false;
  kfd::RuntimeInfo Runtime = {};
  uint32_t RdebugVersion = 0;
  amd_dbgapi_wave_creation_t Creation = AMD_DBGAPI_WAVE_CREATION_NORMAL;
};

inline const ArchitectureInfo &archOf(const Wave &W) {
  return allArchitectures()[W.Q->A->ArchIndex];
}

} // namespace wavelane::library

#endif // WAVELANE_DEBUGLIBRARY_OBJECTS_H
