//===-- Process.h - A program whose GPU waves are debugged ------*- C++ -*-===//
//
// The objects behind ROCdbgapi's handles. A process is live, over the debugger
// socket of its simulated device, or a core, over a note and memory that the
// client reads. Everything known of waves comes from the context save areas, in
// both.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_LIBRARY_PROCESS_H
#define WAVELANE_SIMULATOR_LIBRARY_PROCESS_H

#include "Instructions.h"
#include "Registers.h"
#include "wavelane/DebugAPI/amd-dbgapi.h"
#include "wavelane/Simulator/Protocol.h"
#include "wavelane/Simulator/SaveArea.h"
#include "llvm/ADT/ArrayRef.h"
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace wavelane::embedded {

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
  uint64_t debuggerMemory = 0;   ///< address of the displaced-step buffers
  uint32_t debuggerMemorySize = 0;
  std::vector<bool> buffersUsed;
  uint32_t startedGroups = 0;    ///< of its dispatch, at the suspension; 0: unknown
  uint64_t mark = 0;             ///< what it has now has the same
  bool isCompute() const { return entry.queue_type == kfd::QueueTypeComputeAql; }
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
  uint64_t area = 0;              ///< address of the save area (of its XCC)
  uint32_t hw[16] = {}, ttmps[16] = {};
  uint32_t saved[32] = {};        ///< hw and ttmps as the area has them
  bool changed = false;           ///< they may differ: Process::save()
  std::vector<uint32_t> sgprs;    ///< cached while stopped
  amd_dbgapi_wave_state_t state = AMD_DBGAPI_WAVE_STATE_RUN;
  uint32_t reasons = 0;
  uint32_t watches = 0;           ///< hardware watch registers that hit
  bool reported = false;          ///< its WAVE_STOP has been fetched
  bool processed = false;         ///< and processed
  bool stopRequested = false;
  bool hidden = false;            ///< halted at launch by creation mode STOP
  bool ending = false;            ///< stepped onto its last instruction
  bool visible() const { return !hidden && !ending; }
  bool identified = false;        ///< group ids and position are known
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
  Process *process = nullptr;
  amd_dbgapi_event_kind_t kind = AMD_DBGAPI_EVENT_KIND_NONE;
  uint64_t wave = 0;
  amd_dbgapi_breakpoint_id_t breakpoint = {0};
  amd_dbgapi_client_thread_id_t thread = nullptr;
  amd_dbgapi_runtime_state_t runtime = AMD_DBGAPI_RUNTIME_STATE_UNLOADED;
  bool fetched = false;
};

enum ListKind { CodeObjectList, AgentList, QueueList, DispatchList, WorkgroupList, WaveList, ListKinds };

/// What all processes of the library share.
struct Library {
  bool initialized = false;
  amd_dbgapi_callbacks_t callbacks = {};
  amd_dbgapi_log_level_t logLevel = AMD_DBGAPI_LOG_LEVEL_NONE;
  uint64_t nextId[16] = {};
  std::map<uint64_t, std::unique_ptr<Process>> processes;

  void log(amd_dbgapi_log_level_t level, const std::string &text) const;
  /// Ids of one kind start at 1 and are never used again.
  enum IdKind { ProcessId, AgentId, QueueId, DispatchId, WorkgroupId, WaveId,
                CodeObjectId, WatchpointId, EventId, BreakpointId, StepId };
  uint64_t newId(IdKind kind) { return ++nextId[kind]; }
};
Library &library();

template <typename T> using Table = std::map<uint64_t, std::unique_ptr<T>>;

class Process {
public:
  Process(uint64_t id, amd_dbgapi_client_process_id_t client)
      : id(id), client(client) {}
  ~Process();

  const uint64_t id;
  const amd_dbgapi_client_process_id_t client;

  Status attach();
  void detach();

  Table<Agent> agents;
  Table<Queue> queues;
  Table<Dispatch> dispatches;
  Table<Workgroup> groups;
  Table<Wave> waves;
  Table<CodeObject> codeObjects;
  Table<Watchpoint> watchpoints;
  Table<DisplacedStep> steps;
  Table<Event> events;
  std::deque<uint64_t> pending;
  bool listChanged[ListKinds] = {true, true, true, true, true, true};

  int notifier() const { return epollFd; }
  bool isCore() const { return core; }
  pid_t osPid() const { return pid; }
  bool ended() const { return exited; }
  bool frozen = false;
  uint64_t breakpoint = 0; ///< on r_brk; 0: none

  Status setProgress(amd_dbgapi_progress_t mode);
  Status setWaveCreation(amd_dbgapi_wave_creation_t mode);
  Status freeze();
  Status unfreeze();
  Status coreState(std::vector<uint8_t> &note);
  Status nextEvent(Event *&event);
  Status eventProcessed(Event &event);
  Status breakpointHit(amd_dbgapi_client_thread_id_t thread,
                       amd_dbgapi_breakpoint_action_t &action);
  /// Brings waves, groups and dispatches up to date.
  Status refresh();

  Status stopWave(uint64_t wave);
  Status resumeWave(uint64_t wave, amd_dbgapi_resume_mode_t mode,
                    uint32_t exceptions);
  Status startDisplaced(uint64_t wave, const void *saved, uint64_t &step);
  Status completeDisplaced(uint64_t wave, DisplacedStep &step);

  Status setWatchpoint(uint64_t address, uint64_t size,
                       amd_dbgapi_watchpoint_kind_t kind, uint64_t &id);
  Status removeWatchpoint(uint64_t id);
  size_t watchpointCount() const;
  bool canPreciseMemory() const { return allAgentsCan(1u << 18); }
  bool canPreciseAlu() const { return allAgentsCan(1u << 30); }
  Status setFlag(uint32_t flag, bool on);

  const ArchitectureInfo &archOf(const Wave &wave) const {
    return allArchitectures()[wave.queue->agent->archIndex];
  }
  uint64_t pc(const Wave &wave) const;
  uint64_t exec(const Wave &wave) const;
  bool exists(const Wave &wave, const Register &reg) const;
  Status readRegister(uint64_t wave, const Register &reg, uint64_t offset,
                      uint64_t size, void *value);
  Status writeRegister(uint64_t wave, const Register &reg, uint64_t offset,
                       uint64_t size, const void *value);

  /// Program memory; \p size is what was done. Exactly one buffer.
  Status transfer(uint64_t address, uint64_t &size, void *read,
                  const void *write);
  /// Cuts a range of global memory down to what of it, from its start, a device
  /// could reach; ERROR_MEMORY_ACCESS if nothing. The program's mapping of device
  /// memory reads as zeros where nothing is allocated.
  Status limitToAllocated(uint64_t address, uint64_t &size);
  Status readAll(uint64_t address, void *data, uint64_t size);
  /// Reads \p size bytes at each of many places, one behind the other into \p data.
  Status readEach(llvm::ArrayRef<uint64_t> addresses, void *data, uint64_t size);
  Status writeAll(uint64_t address, const void *data, uint64_t size);

  /// Which space a wave's address is in; spaces by their DWARF number.
  enum Space { Global = 0, Generic = 1, Local = 3, PrivateLane = 5, PrivateWave = 6 };
  Status transferSegment(uint64_t wave, uint32_t lane, Space space,
                         uint64_t address, uint64_t &size, void *read,
                         const void *write);
  std::optional<savearea::ScratchSlot> scratch(const Wave &wave);

private:
  friend class Suspended;

  Status attachCore();
  void openDevice();
  Status enableDebug();
  void deviceEnded();
  Status pump();
  Status loadRuntime();
  void unloadRuntime();
  Status readCodeObjects(bool &consistent);
  Status loadAgents();
  void addAgent(const kfd::DeviceSnapshotEntry &entry);
  Status loadQueues();
  void removeQueue(uint64_t queue);
  Status suspend();
  Status resume();
  Status updateQueue(Queue &queue);
  Status updateArea(Queue &queue, uint64_t area);
  /// Drops what the last look at its queue hasn't found again.
  void removeGone();
  void removeWave(uint64_t wave);
  void noteStop(Wave &wave);
  uint64_t kernelEntry(const Dispatch &dispatch);
  Event &post(amd_dbgapi_event_kind_t kind);
  void notify();
  bool allAgentsCan(uint32_t capability) const;
  bool ttmpsValid(const Wave &wave) const;
  Dispatch *dispatchOf(Queue &queue, const Wave &wave, uint64_t epoch,
                       Status &status);

  uint32_t hw(const Wave &wave, savearea::HwReg reg) const;
  /// Changes reach the area when it matters (save()): a wave that is stopped and let
  /// go again while its queue is suspended costs no access to memory.
  Status setHw(Wave &wave, savearea::HwReg reg, uint32_t value);
  Status setTtmp(Wave &wave, unsigned index, uint32_t value);
  void noteChange(Wave &wave);
  Status save(Wave &wave);
  /// Before anyone else reads the areas.
  Status saveAll();
  Status setPC(Wave &wave, uint64_t pc);
  Status haltWave(Wave &wave);
  Status unhaltWave(Wave &wave, bool step);
  Status readSgpr(Wave &wave, unsigned index, unsigned count, uint32_t *value);
  Status registerPlace(Wave &wave, const Register &reg, uint64_t &address);

  /// One of KFD's operations. Returns its result or -errno.
  int trap(kfd::DebugTrapArguments &arguments, llvm::ArrayRef<uint8_t> in,
           std::vector<uint8_t> *out, int passFd = -1);

  bool core = false, exited = false, suspendedAll = false, pumping = false;
  /// The device went while it was asked something; what it had is still there.
  bool deviceLost = false;
  pid_t pid = 0;
  std::vector<uint64_t> changedWaves;
  int memoryFd = -1, epollFd = -1, inotifyFd = -1, socketFd = -1;
  int pipeRead = -1, pipeWrite = -1;
  uint32_t sequence = 0;
  std::string socketPath;
  kfd::RuntimeInfo runtime = {};
  bool runtimeUp = false, runtimeWaits = false;
  uint32_t rdebugVersion = 0;
  amd_dbgapi_progress_t progress = AMD_DBGAPI_PROGRESS_NORMAL;
  amd_dbgapi_wave_creation_t creation = AMD_DBGAPI_WAVE_CREATION_NORMAL;
  uint32_t flags = 0;
  uint64_t epoch = 0;
};

/// Keeps the queues suspended, and waves up to date, in a scope; lets them run
/// afterwards if the client wants progress.
class Suspended {
public:
  explicit Suspended(Process &process)
      : process(process), status(process.suspend()) {}
  ~Suspended() {
    if (process.progress == AMD_DBGAPI_PROGRESS_NORMAL && !process.frozen)
      (void)process.resume();
  }
  Suspended(const Suspended &) = delete;
  Suspended &operator=(const Suspended &) = delete;
  Process &process;
  const Status status;
};

} // namespace wavelane::embedded

#endif // WAVELANE_SIMULATOR_LIBRARY_PROCESS_H
