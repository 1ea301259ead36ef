//===-- GPUProcess.h - The waves of a program as a process ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What LLDB's server needs of a process, over ROCdbgapi: waves are threads.
//
// Until a client has connected, and after it has gone, the process is
// unattended: waves run as if there were no debugger. An attended process is
// all-stop: when one wave stops all do, and no wave is created while they
// stand.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SERVER_GPUPROCESS_H
#define WAVELANE_SERVER_GPUPROCESS_H

#include "CodeObjects.h"
#include "Condition.h"
#include "CoreWriter.h"
#include "GPURegisters.h"
#include "GPUSession.h"
#include "lldb/Host/common/NativeProcessProtocol.h"
#include "lldb/Utility/ArchSpec.h"
#include "llvm/Support/JSON.h"
#include <map>
#include <set>

namespace wavelane::server {

/// What is the same for all waves of a workgroup.
struct WorkgroupFacts {
  uint64_t agent = 0, queue = 0, dispatch = 0, workgroup_id = 0;
  size_t lane_count = 0;
  /// Not known of waves that began before the debugger came.
  bool has_position = false;
  uint32_t workgroup[3] = {};
  std::string kernel;
};

/// What is the same for a wave as long as it lives.
struct WaveFacts : WorkgroupFacts {
  uint32_t wave_in_workgroup = 0;
  std::string name;
};

/// Sizes of a dispatch, in work-items.
struct DispatchShape {
  std::array<uint16_t, 3> workgroup;
  std::array<uint32_t, 3> grid;
};

struct Wave {
  explicit Wave(amd_dbgapi_wave_id_t id) : id(id) {}

  const amd_dbgapi_wave_id_t id;
  bool running = true;
  /// The client wants one instruction of it.
  bool stepping = false;
  /// It has stopped since the process was last resumed: the reasons are new.
  bool stopped_now = false;
  /// Of its last stop: amd_dbgapi_wave_stop_reasons_t bits.
  uint32_t reasons = 0;
  /// It was chosen to show an interrupt.
  bool interrupted = false;
  /// The user has moved it away from where a fault was.
  bool fault_ignored = false;
  /// Steps an instruction out of line, at this address.
  std::optional<amd_dbgapi_displaced_stepping_id_t> displaced;
  uint64_t displaced_from = 0;
  /// The lanes that its stop is about, where that is known: for which a
  /// condition holds, that touched what is watched, that faulted.
  uint64_t stop_lanes = 0;
  /// Of a watchpoint stop: the address that the client asked to watch.
  std::optional<uint64_t> watch_address;
  /// Computed when asked for, until it runs again.
  std::optional<std::string> description;
  std::optional<uint64_t> pc;
  std::optional<amd_dbgapi_architecture_id_t> architecture;
  std::shared_ptr<const WorkgroupFacts> workgroup;
  std::unique_ptr<WaveFacts> facts;
};

class GPUProcess : public lldb_private::NativeProcessProtocol {
public:
  GPUProcess(GPUSession &session, NativeDelegate &delegate);

  //===-- For the session -------------------------------------------------===//

  /// Takes all events that there are, and does what follows from them.
  void HandleEvents();
  void RuntimeLoaded();
  void RuntimeUnloaded();
  /// Takes breakpoints and watchpoints out and lets every wave run, unattended.
  void LetGo();
  /// The GPU core state of a process that has stopped, while nothing moves:
  /// \p write is called with it and with the code that breakpoints hide.
  llvm::Error
  WithCoreState(llvm::function_ref<llvm::Error(llvm::ArrayRef<uint8_t>,
                                               const MemoryPatches &)>
                    write);
  /// Tells the session what a core file lacks.
  void DescribeCore();
  /// The process is over; \p failure says why if that is no ordinary end.
  void End(llvm::StringRef failure,
           std::optional<lldb_private::WaitStatus> program = std::nullopt);
  /// Why it is over, if that was no ordinary end.
  const std::string &GetFailure() const { return m_failure; }

  //===-- For the server --------------------------------------------------===//

  /// A client has come: stops every wave and is stopped.
  void Attend();
  bool IsAttended() const { return m_attended; }

  GPUSession &GetSession() { return m_session; }
  CodeObjects &GetCodeObjects() { return m_code_objects; }
  amd_dbgapi_architecture_id_t GetArchitectureOf(Wave &wave);
  /// Of the first agent: "gfx90a"; empty where there is none.
  std::string GetProcessor();
  /// Why code for the GPU \p processor, \p machine in ELF flags, isn't for any
  /// of the agents; empty where it may be.
  std::string DescribeForeignCode(uint32_t machine, llvm::StringRef processor);
  /// Of a wave's agent.
  std::string GetProcessorOf(Wave &wave);
  /// Not known of waves that began before the debugger came.
  std::optional<DispatchShape> GetDispatchShape(Wave &wave);
  /// The registers that waves have; null where there is no agent.
  const GPURegisters *GetRegisters();
  Wave *FindWave(lldb::tid_t tid);
  const WaveFacts &GetFacts(Wave &wave);
  std::optional<uint64_t> GetPC(Wave &wave);
  void PCWritten(Wave &wave);

  /// Memory of an address space, by its DWARF number.
  llvm::Expected<size_t> TransferSpace(uint64_t space, Wave *wave,
                                       uint32_t lane, uint64_t address,
                                       size_t size, void *read,
                                       const void *write);
  llvm::json::Array GetAddressSpaces();
  /// Has the breakpoint at an address stop waves for which one of \p conditions
  /// holds; for every wave if there is none.
  llvm::Error SetConditions(uint64_t address,
                            const llvm::json::Array &conditions);

  /// The stop of one wave, as LLDB's server tells it.
  void GetStopInfo(Wave &wave, lldb_private::ThreadStopInfo &info,
                   std::string &description);

  //===-- NativeProcessProtocol -------------------------------------------===//

  lldb_private::Status
  Resume(const lldb_private::ResumeActionList &actions) override;
  lldb_private::Status Halt() override { return Interrupt(); }
  lldb_private::Status Interrupt() override;
  lldb_private::Status Detach() override;
  lldb_private::Status Signal(int signo) override;
  lldb_private::Status Kill() override;
  lldb_private::Status ReadMemory(lldb::addr_t address, void *buffer,
                                  size_t size, size_t &bytes_read) override;
  lldb_private::Status WriteMemory(lldb::addr_t address, const void *buffer,
                                   size_t size, size_t &bytes_written) override;
  lldb::addr_t GetSharedLibraryInfoAddress() override {
    return LLDB_INVALID_ADDRESS;
  }
  size_t UpdateThreads() override { return m_threads.size(); }
  const lldb_private::ArchSpec &GetArchitecture() const override {
    return m_arch;
  }
  lldb_private::Status SetBreakpoint(lldb::addr_t address, uint32_t size,
                                     bool hardware) override;
  lldb_private::Status RemoveBreakpoint(lldb::addr_t address,
                                        bool hardware) override;
  std::optional<std::pair<uint32_t, uint32_t>>
  GetHardwareDebugSupportInfo() const override;
  lldb_private::Status SetWatchpoint(lldb::addr_t address, size_t size,
                                     uint32_t flags, bool hardware) override;
  lldb_private::Status RemoveWatchpoint(lldb::addr_t address) override;
  /// Watches memory of an address space other than the global one.
  /// \param key  What stops and RemoveWatchpoint call it.
  lldb_private::Status SetSpaceWatchpoint(lldb::addr_t key, uint64_t space,
                                          Wave *wave, uint32_t lane,
                                          uint64_t offset, size_t size,
                                          uint32_t flags);
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>>
  GetAuxvData() const override {
    return std::make_error_code(std::errc::not_supported);
  }
  lldb_private::Status
  GetLoadedModuleFileSpec(const char *path,
                          lldb_private::FileSpec &spec) override;
  lldb_private::Status GetFileLoadAddress(const llvm::StringRef &name,
                                          lldb::addr_t &address) override;

private:
  friend class ObjectLists;

  struct Breakpoint {
    uint32_t users = 0;
    std::vector<uint8_t> original, trap;
    bool inserted = false;
  };
  struct Watchpoint {
    /// Several where what is watched doesn't lie together.
    std::vector<amd_dbgapi_watchpoint_id_t> ids;
    /// Local memory is this workgroup's, where it isn't 0.
    uint64_t workgroup = 0;
  };
  /// A wave that is to run.
  struct Start {
    amd_dbgapi_wave_id_t wave;
    bool step;
  };
  using Waves = std::map<uint64_t, Wave>;

  const debugapi::Functions &fn() const { return m_session.fn(); }
  /// Success for a live program; \p what can't be done to a core file.
  llvm::Error CheckLive(const char *what) const;
  void MakeThreads();
  void SetProgress(amd_dbgapi_progress_t progress);
  void SetCreation(amd_dbgapi_wave_creation_t creation);
  bool IsAllowedToRun() const { return !m_attended || IsRunning(); }
  void Drain();
  void WaveStopped(amd_dbgapi_wave_id_t id);
  void WaveEnded(amd_dbgapi_wave_id_t id);
  /// Learns of waves that have begun, and of those that have ended.
  void ReadWaveList();
  /// AMD's library has no event for a core's waves that stood for no reason of
  /// their own.
  void FindStanding();
  void Forget(Waves::iterator wave);
  void EndDisplacedStep(Wave &wave);
  /// A wave stands at a breakpoint that it has just come to.
  /// \return Whether no condition holds, and the wave is on its way again (or,
  ///     while all are being stopped, has not come to it yet).
  bool PassesBreakpoint(Wave &wave);

  void StopAll();
  void ShowStop();
  Wave *ChooseStopped();

  void Begin(std::vector<Start> starts);
  /// Runs further waves beside those that were begun.
  void BeginMore(std::vector<Start> starts);
  void BeginOne(const Start &start);
  void BeginInLine();
  void EndInLine(Wave &wave);
  void RunWave(Wave &wave, bool step);
  /// What a fault of the wave is for the program when it goes on.
  static uint32_t GetExceptions(const Wave &wave);
  bool IsAtBreakpoint(Wave &wave);
  enum class Barrier { None, Workgroup, Grid };
  /// The barrier that a wave is before or waits at.
  Barrier GetBarrierAt(Wave &wave);
  /// The barrier that a wave waits at.
  Barrier GetBarrierWaitedAt(Wave &wave);
  /// Of the instruction at \p address; that before it with \p before.
  Barrier GetBarrier(Wave &wave, uint64_t address, bool before = false);
  /// The waves that one waits for at a barrier: of its workgroup, or its grid.
  struct Companions {
    Barrier barrier;
    uint64_t id; ///< of the workgroup or dispatch
  };
  std::optional<Companions> GetCompanions(Wave &wave);
  bool IsCompanion(Wave &wave, llvm::ArrayRef<Companions> groups);
  /// While some waves run and others are held, those that a running one waits
  /// for at a barrier run along. A wave that runs can't be asked where it is,
  /// so it comes to a trap of the server's own at each barrier that it may come
  /// to.
  void SetBarrierTraps(llvm::ArrayRef<Start> starts);
  void RemoveBarrierTraps();
  /// Whether there is a trap of SetBarrierTraps, and no breakpoint of the
  /// client.
  bool IsBarrierTrapOnly(uint64_t address) const;
  /// Lets the waves run that \p wave, at a barrier, waits for. When every wave
  /// that runs has its companions the traps go.
  void RunCompanions(Wave &wave);
  /// Watches a range of addresses, with one of the device's registers.
  llvm::Expected<amd_dbgapi_watchpoint_id_t> Watch(uint64_t address,
                                                   size_t size, uint32_t flags);
  /// Which of the client's watchpoints a stop is about. What nobody watches is
  /// no reason to stop.
  void FindWatchpoint(Wave &wave);

  llvm::Expected<size_t> Transfer(amd_dbgapi_address_space_id_t space,
                                  amd_dbgapi_wave_id_t wave, uint32_t lane,
                                  uint64_t address, size_t size, void *read,
                                  const void *write);
  bool WriteCode(uint64_t address, llvm::ArrayRef<uint8_t> bytes);
  /// Of the first agent that has one.
  std::optional<amd_dbgapi_architecture_id_t> GetGPUArchitecture();
  /// The breakpoint instruction of the GPU whose code is at \p address.
  llvm::ArrayRef<uint8_t> GetTrapAt(uint64_t address);
  std::vector<amd_dbgapi_agent_id_t> GetAgents();
  std::string Describe(Wave &wave);
  std::string DescribeInstruction(Wave &wave);
  std::string DescribeViolation(Wave &wave);
  std::vector<uint8_t> ReadRegisterByName(Wave &wave, llvm::StringRef name);
  const std::string &GetKernelName(amd_dbgapi_dispatch_id_t dispatch);
  /// Asks the library once for each workgroup.
  std::shared_ptr<const WorkgroupFacts> GetWorkgroupFacts(Wave &wave);
  GPUSession &m_session;
  lldb_private::ArchSpec m_arch;
  CodeObjects m_code_objects;
  std::unique_ptr<GPURegisters> m_registers;
  std::string m_processor;
  /// One kind of GPU among the agents.
  struct Architecture {
    amd_dbgapi_architecture_id_t id;
    std::string name;
    uint32_t machine = 0;      ///< in ELF flags
    std::vector<uint8_t> trap; ///< the breakpoint instruction
  };
  std::vector<Architecture> m_architectures;
  /// How far past a breakpoint a wave stands that hit it.
  uint64_t m_trap_adjust = 0;

  bool m_attended = false;
  amd_dbgapi_progress_t m_progress = AMD_DBGAPI_PROGRESS_NORMAL;
  amd_dbgapi_wave_creation_t m_creation = AMD_DBGAPI_WAVE_CREATION_NORMAL;
  Waves m_waves;
  /// Something has happened that all waves must stop for.
  bool m_stop_wanted = false;
  bool m_interrupt_wanted = false;
  /// No stop is told while all are being stopped.
  bool m_stopping = false;

  /// Waves that step with the breakpoint under them taken out, one at a time,
  /// and what runs after them.
  std::vector<Start> m_in_line;
  std::optional<uint64_t> m_in_line_wave;
  uint64_t m_in_line_address = 0;
  std::vector<Start> m_after_in_line;
  /// Waves that wait for a place to step out of line.
  std::vector<Start> m_waiting;

  std::map<uint64_t, Breakpoint> m_breakpoints;
  std::map<uint64_t, std::vector<Condition>> m_conditions;
  /// Addresses of m_breakpoints that SetBarrierTraps is one user of.
  std::set<uint64_t> m_barrier_traps;
  /// The groups whose waves run, since one of them waits for the others.
  std::vector<Companions> m_groups;
  std::map<uint64_t, Watchpoint> m_watchpoints;
  std::map<uint64_t, std::string> m_kernels;
  std::map<uint64_t, std::shared_ptr<const WorkgroupFacts>> m_workgroups;
  std::string m_failure;
};

} // namespace wavelane::server

#endif // WAVELANE_SERVER_GPUPROCESS_H
