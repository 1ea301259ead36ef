//===-- GPUProcess.h - The waves of a program as a process ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A process for LLDB's server, over ROCdbgapi: waves are its threads.
//
// Until a client has connected, and after it has disconnected, the process is
// unattended: waves run as if there were no debugger. An attended process is
// all-stop: when one wave stops, all do, and no wave is created while they are
// stopped. In non-stop mode, a stop holds only the waves that have stopped:
// they are its threads, and the others run on.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SERVER_GPU_GPUPROCESS_H
#define WAVELANE_SERVER_GPU_GPUPROCESS_H

#include "Server/Condition/BreakpointConditions.h"
#include "Server/Wave/StopReasons.h"
#include "Server/Wave/TimeTravel.h"
#include "Server/Wave/Watchpoints.h"
#include "Server/Wave/WaveFolds.h"
#include "lldb/Host/common/NativeProcessProtocol.h"
#include "lldb/Utility/ArchSpec.h"

namespace wavelane::server {

class GPUProcess : public lldb_private::NativeProcessProtocol,
                   public GPUSession::Waves {
public:
  GPUProcess(GPUSession &session, NativeDelegate &delegate);

  //===-- For the session -------------------------------------------------===//

  void HandleEvents() override;
  void RuntimeLoaded() override;
  void RuntimeUnloaded() override;
  bool AreHeld() const override {
    return m_attended && !IsRunning() && !IsNonStop();
  }
  /// Removes breakpoints and watchpoints, and lets every wave run unattended.
  void LetGo() override;
  /// The GPU core state of a stopped process: calls \p write with it and with
  /// the original code under breakpoints, while nothing changes.
  llvm::Error
  WithCoreState(llvm::function_ref<llvm::Error(llvm::ArrayRef<uint8_t>,
                                               const MemoryPatches &)>
                    write);
  void DescribeCore() override;
  void SimulationBegan() override;
  void End(llvm::StringRef failure,
           std::optional<lldb_private::WaitStatus> program) override;
  /// Why the process ended; empty for a normal end.
  const std::string &GetFailure() const { return m_failure; }
  bool HasEndedWhileStopped() const { return m_ended_while_stopped; }
  /// Whether the last stop was an interrupt while there was no wave.
  bool IsInterruptOfNone() const { return m_is_interrupt_of_none; }

  //===-- For the server --------------------------------------------------===//

  bool IsNonStop() const { return m_runner.IsNonStop(); }
  /// Before a resume.
  /// \param keeps_others  Whether stops of waves that it doesn't name are kept
  ///     until one that it names stops.
  llvm::Error SetNonStop(bool on, bool keeps_others);
  /// In non-stop mode, after a stop: holds all waves there are, and makes them
  /// its threads.
  void HoldAll();
  /// Keeps running waves from going on for a packet, and lets them go on.
  void BeginPacket();
  void EndPacket();
  /// A client has connected: stops every wave.
  void Attend();
  bool IsAttended() const { return m_attended; }

  GPUSession &GetSession() { return m_session; }
  Agents &GetAgents() { return m_agents; }
  CodeObjects &GetCodeObjects() { return m_code_objects; }
  WaveReader &GetReader() { return m_reader; }
  GPUMemory &GetMemory() { return m_memory; }
  Watchpoints &GetWatchpoints() { return m_watchpoints; }
  BreakpointConditions &GetConditions() { return m_conditions; }
  StopReasons &GetStopReasons() { return m_reasons; }
  BarrierGroups &GetBarriers() { return m_groups; }
  TimeTravel &GetTime() { return m_time; }
  /// Runs the waves of a travel through the recording, and reports where it
  /// ends.
  lldb_private::Status Travel(TimeTravel::Travel travel);
  server::Waves &GetWaves() { return m_runner.GetWaves(); }
  /// The same, with those that have begun or ended while others were held.
  server::Waves &ReadWaves() {
    if (IsNonStop())
      m_runner.ReadList();
    return m_runner.GetWaves();
  }
  /// Whether a stop has shown the wave.
  bool IsShown(const Wave &wave) const { return m_runner.IsShown(wave); }
  /// The waves of the stop.
  WaveFolds &GetFolds();
  /// The waves of which the last stop is: those that have run.
  std::vector<Wave *> GetLastStopped() { return m_runner.GetChanged(); }
  /// Null if the wave has ended.
  Wave *FindWave(lldb::tid_t tid) { return m_runner.Find(tid); }

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
  lldb_private::Status RemoveWatchpoint(lldb::addr_t address) override;
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
  void MakeThreads();
  void SetProgress(amd_dbgapi_progress_t progress);
  void SetCreation(amd_dbgapi_wave_creation_t creation);
  bool IsAllowedToRun() const {
    return !m_travels && !m_time.IsAway() &&
           (!m_attended || IsRunning() || IsNonStop());
  }
  void Drain();
  void WaveStopped(amd_dbgapi_wave_id_t id);
  /// AMD's library has no event for a core's waves that were stopped without a
  /// reason.
  void FindStanding();
  /// Moves a wave that has hit a breakpoint back to its address.
  void MoveToBreakpoint(Wave &wave);
  /// Called for a wave that has just reached a breakpoint. \return Whether no
  /// condition holds, so that the wave runs again (or, while all are being
  /// stopped, hasn't hit it yet).
  bool PassesBreakpoint(Wave &wave);
  /// Forgets waves, code, breakpoints and watchpoints, which are gone.
  void Forget();

  void StopAll();
  void ShowStop();
  /// Lets waves run again that were interrupted, and holds those that would run
  /// past a breakpoint which one steps over in line.
  void LetRun();
  /// Waves are about to run.
  void EndLastStop();
  /// In non-stop mode: resumes waves, all if \p named is empty.
  void BeginSome(std::vector<WaveStart> starts, std::set<uint64_t> named);
  void ContinueTravel();
  /// Whether a wave that ran alone out of the recording is at a breakpoint.
  bool EndsAtBreakpoint(Wave &wave);
  void ShowArrival(const TimeTravel::Arrival &arrival);
  /// The waves are those of another position: forgets what was known of them.
  void ForgetStops();
  void ReturnToPresent();
  Wave *ChooseStopped();

  GPUSession &m_session;
  lldb_private::ArchSpec m_arch;
  Agents m_agents;
  CodeObjects m_code_objects;
  WaveReader m_reader;
  GPUMemory m_memory;
  Watchpoints m_watchpoints;
  BreakpointConditions m_conditions;
  StopReasons m_reasons;
  BarrierGroups m_groups;
  WaveRunner m_runner;
  WaveFolds m_folds;
  uint64_t m_threads_version = 0; ///< the list that m_threads was made from
  TimeTravel m_time;
  bool m_travels = false; ///< a travel has begun
  /// The reasons of waves in the present, while they are in the past.
  std::map<uint64_t, uint32_t> m_present_reasons;

  bool m_attended = false;
  bool m_keeps_others = false;
  amd_dbgapi_progress_t m_progress = AMD_DBGAPI_PROGRESS_NORMAL;
  amd_dbgapi_wave_creation_t m_creation = AMD_DBGAPI_WAVE_CREATION_NORMAL;
  bool m_interrupt_wanted = false;
  bool m_is_interrupt_of_none = false;
  std::string m_failure;
  bool m_ended_while_stopped = false;
};

} // namespace wavelane::server

#endif // WAVELANE_SERVER_GPU_GPUPROCESS_H
