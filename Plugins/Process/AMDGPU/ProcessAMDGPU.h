//===-- ProcessAMDGPU.h - the waves of a program's GPUs ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_PROCESS_AMDGPU_PROCESSAMDGPU_H
#define WAVELANE_PLUGINS_PROCESS_AMDGPU_PROCESSAMDGPU_H

#include "CheckStops.h"
#include "Core/Call/FunctionCalls.h"
#include "Core/Lane/LaneSource.h"
#include "HeldWaves.h"
#include "KernelEntries.h"
#include "LoneWave.h"
#include "NonStop.h"
#include "NotedReads.h"
#include "OpenedCore.h"
#include "PauseReport.h"
#include "RecordingPosition.h"
#include "SegmentMemory.h"
#include "ServerConditions.h"
#include "StepBreakpoints.h"
#include "StopLanes.h"
#include "WaveFacts.h"
#include "WaveProcess.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>

namespace lldb_private {
namespace wavelane {

struct OwedAnswers;

/// The GPU side of a program, served by the lldb-server that traces its host
/// side: its threads are waves, its modules are code objects. A core file gets
/// its own lldb-server, and a process that can't run.
class ProcessAMDGPU : public WaveProcess,
                      public AddressSpaceMemory,
                      public CallsFunctions,
                      public EvaluatesInLanes,
                      public ReadsTogether {
public:
  static void Initialize();
  static void DebuggerInitialize(Debugger &debugger);
  static llvm::StringRef GetPluginNameStatic() { return "amdgpu"; }
  static lldb::ProcessSP CreateInstance(lldb::TargetSP target_sp,
                                        lldb::ListenerSP listener_sp,
                                        const FileSpec *crash_file_path,
                                        bool can_connect);

  ProcessAMDGPU(lldb::TargetSP target_sp, lldb::ListenerSP listener_sp,
                const FileSpec &core_file);
  ~ProcessAMDGPU() override;

  llvm::StringRef GetPluginName() override { return GetPluginNameStatic(); }
  bool CanDebug(lldb::TargetSP target_sp,
                bool plugin_specified_by_name) override;

  /// A core is live from when its waves run on.
  bool IsLiveDebugSession() const override { return m_core.IsLive(); }
  FileSpec GetCoreFile() const override { return m_core.GetFile(); }
  OwedAnswers &GetOwedAnswers() { return *m_owed_sp; }
  /// Whether a core has run on until its last wave's end.
  bool HasEndedSimulation();
  /// Sets the file with the memory that the core file lacks.
  void SetHostCore(const FileSpec &host_core) { m_core.SetHostCore(host_core); }
  Status DoLoadCore() override;
  /// Saves the whole program, host and GPU.
  llvm::Expected<bool> SaveCore(llvm::StringRef outfile) override;
  Status DoConnectRemote(llvm::StringRef remote_url) override;
  void DidAttach(ArchSpec &process_arch) override;
  Status WillHalt() override;
  Status WillResume() override;
  Status DoResume(lldb::RunDirection direction) override;
  Status DoHalt(bool &caused_stop) override;
  Status EnableBreakpointSite(BreakpointSite *bp_site) override;
  Status DisableBreakpointSite(BreakpointSite *bp_site) override;
  Status EnableWatchpoint(lldb::WatchpointSP wp_sp, bool notify) override;
  Status DisableWatchpoint(lldb::WatchpointSP wp_sp, bool notify) override;
  /// Hundreds of waves stop together: of those with a stop reason, describes
  /// the selected one and counts the others.
  size_t GetThreadStatus(Stream &strm, bool only_threads_with_stop_reason,
                         uint32_t start_frame, uint32_t num_frames,
                         uint32_t num_frames_with_source,
                         bool stop_format) override;
  /// Called after an interrupt by the user, or an attach: selects the most
  /// informative wave, and gives it the reason. See PausedWaves.
  /// In non-stop mode, holds all waves first.
  /// \return False if there are no waves on the GPU.
  bool SelectPausedWave();
  /// Whether waves may run while LLDB's process is stopped.
  bool IsNonStop() const override { return m_non_stop.IsOn(); }
  /// In non-stop mode, at a stop: holds all waves there are, which are threads
  /// from then on.
  Status HoldAll();
  void WillPublicStop() override;
  /// The GPU stops with its program, which reports the reason.
  bool TellsStopInBackground() override;
  void RefreshStateAfterStop() override;
  bool SetExitStatus(int exit_status, llvm::StringRef reason) override;
  void DidExit() override;
  /// The program is what is killed.
  bool DestroyRequiresHalt() override;
  Status DoDestroy() override;
  Status WillDetach() override;
  bool WarnBeforeDetach() const override { return false; }
  /// Asks for what the checks have found, before the program is killed or left.
  void KeepFindings();
  /// What they had found when the program ended, or was left; null if nobody
  /// knows.
  StructuredData::ArraySP GetLastFindings() const;
  DynamicLoader *GetDynamicLoader() override;
  /// LLDB would ask a Linux server for its link map and load the program's host
  /// libraries; a GPU's modules are its code objects, see DynamicLoaderAMDGPU.
  llvm::Error LoadModules() override { return llvm::Error::success(); }
  void ModulesDidLoad(ModuleList &module_list) override;
  Status DoGetMemoryRegionInfo(lldb::addr_t addr,
                               MemoryRegionInfo &info) override;
  size_t ReadMemory(lldb::addr_t addr, void *buf, size_t size,
                    Status &error) override;
  size_t DoReadMemory(lldb::addr_t addr, void *buf, size_t size,
                      Status &error) override;
  size_t DoWriteMemory(lldb::addr_t addr, const void *buf, size_t size,
                       Status &error) override;

  size_t ReadAddressSpace(lldb::tid_t tid, uint32_t lane, uint64_t space,
                          uint64_t address, void *buf, size_t size,
                          Status &error) override;
  size_t WriteAddressSpace(lldb::tid_t tid, uint32_t lane, uint64_t space,
                           uint64_t address, const void *buf, size_t size,
                           Status &error) override;

  StructuredData::ObjectSP GetWaveInfo(lldb::tid_t tid) override {
    return m_facts.GetInfo(tid);
  }
  void NameWaves(WaveThread &wave) override { m_facts.Name(wave); }
  void FindOrigins() override { m_facts.FindOrigins(); }

  lldb::addr_t GetCallAddress(const ExecutionContext &exe_ctx,
                              uint64_t offset) override {
    return m_calls.GetAddress(*this, exe_ctx, offset);
  }

  uint64_t GetReadCount() const override { return m_reads.GetCount(); }
  void BeginNoting() override { m_reads.Begin(); }
  size_t ReadNoted() override;

  llvm::Expected<llvm::DenseMap<lldb::tid_t, Answer>>
  EvaluateInLanes(Question question) override;

  uint64_t GetStopLanes(lldb::tid_t tid) const override {
    return m_stop_lanes.Get(tid);
  }
  bool SetStopInfoOf(WaveThread &wave) override;
  std::optional<lldb::addr_t> GetStopAddress(lldb::tid_t tid) override;
  lldb::OptionValuePropertiesSP
  ShareWaveSettings(const lldb::OptionValuePropertiesSP &settings_sp) override {
    if (lldb::OptionValuePropertiesSP shared_sp = m_wave_settings_wp.lock())
      return shared_sp;
    m_wave_settings_wp = settings_sp;
    return settings_sp;
  }
  lldb::ThreadSP FindWave(lldb::tid_t tid) override {
    return m_held_waves.Find(tid);
  }
  std::shared_ptr<const FoldedStop> GetFoldedStop() override {
    return m_stops.Get(GetStopID());
  }

  std::shared_ptr<UnwindCache> GetUnwindCache() override {
    return m_unwind_cache_sp;
  }

  /// Reads the list of code objects again.
  void RefreshModules();

  llvm::Expected<StructuredData::ObjectSP>
  SendJSONPacket(llvm::StringRef packet) override;
  /// Sends a packet also while all waves run: they stop for it, and run on.
  /// LLDB doesn't see that stop; its threads are those of the last one.
  /// \param[out] did_run Whether the waves ran.
  llvm::Expected<StructuredData::ObjectSP>
  SendWhileRunning(llvm::StringRef packet, bool &did_run);

  std::shared_ptr<HostCoupling> GetCoupling() override {
    return m_coupling_wp.lock();
  }
  void SetCoupling(const std::shared_ptr<HostCoupling> &coupling_sp) {
    m_coupling_wp = coupling_sp;
  }

  /// Called when the program has ended, since the server may not report that
  /// for its GPU side.
  void Finish(llvm::StringRef reason);

  /// Resumes a process that the coupling has stopped, without notifying
  /// listeners.
  Status ResumeAfterPause();

  RecordingPosition &GetRecordingPosition() { return m_position; }
  Status PrepareWrite() override;

  bool OthersRunAlong() const override { return m_lone_wave.OthersRunAlong(); }
  bool LeavesStepsOver() const override {
    return m_preparing_resume && !m_position.Travels() &&
           !m_lone_wave.IsAlone();
  }
  /// \return The time until this must be called again; none if never.
  Timeout<std::micro> CheckLoneWave();

  lldb::StateType GetRealState() override { return GetPrivateState(); }

protected:
  std::shared_ptr<process_gdb_remote::ThreadGDBRemote>
  CreateThread(lldb::tid_t tid) override;
  bool DoUpdateThreadList(ThreadList &old_thread_list,
                          ThreadList &new_thread_list) override;

private:
  /// Reads the last stop reply. See WaveStops.
  void ReadStop();
  /// Watching changes a mode of each wave.
  void ForgetRegisters();
  void HandleAsyncStructuredDataPacket(llvm::StringRef data) override;
  Status StartServer();
  /// HoldAll(), but for LLDB's list.
  Status AskToHoldAll();
  /// Sends the device what the settings say about recording, if that is new.
  void SendRecordSettings();
  void KeepDirection();
  /// Whether the next resume goes back.
  bool WillGoBack();
  /// Whether the stop is of a listed wave, and no wave has begun or ended,
  /// while waves are held.
  bool IsStopOfLoneWave();
  /// Lists only the waves with a reason or at a breakpoint, if few of many are,
  /// until the stop's actions are done.
  void ListFirst();
  /// Says of which waves the focus lane may have become inactive.
  void DoubtFocus(ProcessLanes &lanes);
  /// The wave that LLDB is about to run alone; null if it isn't known.
  lldb::ThreadSP FindLoneWave();
  /// Expressions of C++ call functions, see LanguageRuntimeHIP.
  void AddLanguageRuntimes();
  void CoreServerEnded(lldb::pid_t pid, llvm::StringRef reason);

  /// Lets the waves of a core run on, on a simulated GPU, and says so once.
  Status BeginSimulation();
  /// After a travel.
  void RefreshWatchedValues();
  void ShowDestination(Thread &wave,
                       const RecordingPosition::Destination &destination);
  /// At a stop.
  void SelectAgain();

  const std::shared_ptr<OwedAnswers> m_owed_sp;
  std::weak_ptr<OptionValueProperties> m_wave_settings_wp;
  OpenedCore m_core;
  std::weak_ptr<HostCoupling> m_coupling_wp;
  WaveStops m_stops;
  WaveFacts m_facts;
  StopLanes m_stop_lanes;
  LoneWave m_lone_wave;
  HeldWaves m_held_waves{m_thread_list, m_thread_list_real};
  SegmentMemory m_memory;
  KernelEntries m_kernel_entries;
  ServerConditions m_conditions;
  CheckStops m_check_stops;
  NonStop m_non_stop;
  mutable std::mutex m_findings_mutex;
  StructuredData::ArraySP m_last_findings;
  FunctionCalls m_calls;
  const std::shared_ptr<UnwindCache> m_unwind_cache_sp;
  NotedReads m_reads;
  RecordingPosition m_position;
  PauseReport m_pause;
  StepBreakpoints m_step_breakpoints;
  /// The stop at which the server had no waves.
  uint32_t m_no_waves_at_stop = UINT32_MAX;
  /// The selected wave when the process ran last.
  lldb::tid_t m_selected = LLDB_INVALID_THREAD_ID;
  std::atomic<bool> m_is_halting{false}; ///< it was asked to stop
  std::atomic<bool> m_user_halts{false}; ///< by the user
  /// Held while the waves are stopped and resumed for a packet. LLDB would lose
  /// an interrupt meanwhile.
  std::mutex m_sample_mutex;
  /// The last resume was of all waves, forward, without steps or signals.
  std::atomic<bool> m_all_run{false};
  /// A resume is being prepared; its packet hasn't been sent yet.
  std::atomic<bool> m_preparing_resume{false};
};

} // namespace wavelane
} // namespace lldb_private

#endif
