//===-- GPUCoupling.h - one program, two processes in LLDB ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that uses a GPU is two targets in LLDB, which share their
// breakpoints. CouplingMachine.h says how their processes run and stop as one;
// this class connects it to LLDB: events of LLDB and of the processes become
// the machine's events, and the machine's actions become calls. A separate
// thread reads the events that are taken.
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SESSION_COUPLING_GPUCOUPLING_H
#define WAVELANE_SESSION_COUPLING_GPUCOUPLING_H

#include "BreakpointMirror.h"
#include "CouplingMachine.h"
#include "Process/GPUHost/ProgramCoupling.h"

#include "lldb/Target/Process.h"
#include "lldb/Target/Target.h"
#include "lldb/Utility/Broadcaster.h"
#include "lldb/Utility/Listener.h"
#include "lldb/Utility/Timeout.h"
#include "llvm/Support/Error.h"

#include <array>
#include <atomic>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace lldb_private {
namespace wavelane {

class ProcessAMDGPU;

class GPUCoupling : public std::enable_shared_from_this<GPUCoupling>,
                    public ProgramCoupling,
                    private CouplingMachine::Processes {
public:
  /// Gives the host processes their couplings.
  static void Initialize();

  /// The coupling of a host target; created on first use, and kept for later
  /// runs.
  static std::shared_ptr<GPUCoupling> GetOrCreate(Target &host_target);
  /// The coupling that has \a target as one side, or null.
  static std::shared_ptr<GPUCoupling> Find(Target &target);
  /// Ends all couplings of a debugger, or of all debuggers.
  static void Clear(Debugger *debugger);

  explicit GPUCoupling(Target &host_target);
  ~GPUCoupling() override;

  /// Gives the events of the GPU's process to a listener that reads those of
  /// the host, too, instead of LLDB's command line. Called before the GPU is
  /// connected.
  void SetReader(const lldb::ListenerSP &listener_sp) {
    m_reader_sp = listener_sp;
  }
  /// \param[in] did_interrupt Called when the user interrupts one of the two
  ///     processes.
  void SetInterrupt(std::function<void()> did_interrupt);
  /// As CountGPUs.
  void SetGPUCount(unsigned count) { m_gpu_count = count; }

  lldb::TargetSP GetGPUTarget() const;
  /// Makes the breakpoints of both targets equal at once, rather than when
  /// LLDB reports a change.
  void SynchronizeBreakpoints();
  /// Whether neither of the two runs, as far as the user sees.
  bool IsStopped() const;

  /// What the last stop that the coupling has shown in synchronous mode says,
  /// for the command that waits for the program; then empty.
  std::string TakeShownStop();

  /// In synchronous mode: if the host has ended, waits until the GPU's process
  /// has as well.
  void WaitForEnd();

  /// Selects the host target, for commands about the program as a whole.
  void SelectHostTarget();

  void
  SetLooks(std::function<void()> end_input, std::function<void()> look_at_link,
           std::function<void(bool stop_is_reported)> look_at_overdue) override;
  std::shared_ptr<ProcessAMDGPU> GetGPU() const override;
  llvm::Error Connect(const ArchSpec &arch, llvm::StringRef url) override;
  llvm::Error OpenCore(const FileSpec &core,
                       const FileSpec &host_core) override;
  void RefreshModules() override;
  bool StopsForTheOther(Process &process) override;
  void DetachGPU() override;
  void HostIsGone() override;
  void HostIsLost(const ReportedEnd &end) override;

  lldb::TargetSP GetHostTarget() const override { return m_host_wp.lock(); }
  lldb::ProcessSP GetHost() const override;
  unsigned CountGPUs() const override { return m_gpu_count; }
  void KillHost() override;
  bool HasReason(Process &process) const override;
  void WillResume(Process &process) override;
  void Resumes(Process &process) override;
  void Resumed(Process &process, bool success) override;
  void WillHalt(Process &process) override;
  void WillPublicStop(Process &process) override;
  void LookAtOverdue() override;
  std::optional<ReportedEnd> WillExit(Process &process) override;
  void DidExit(Process &process) override;

private:
  using Side = CouplingMachine::Side;
  struct KeepAlive;

  /// nullopt for a process of an earlier run.
  std::optional<Side> GetSide(const Process &process) const;
  lldb::ProcessSP GetProcess(Side side) const;
  llvm::Expected<lldb::TargetSP> MakeGPUTarget(Target &host_target,
                                               const ArchSpec &arch);

  void Start();
  void Stop();
  /// The thread's function. Ends when the coupling has ended.
  static void Run(const std::weak_ptr<GPUCoupling> &coupling_wp);
  /// Does what was posted.
  /// \param[out] timeout How long to wait for an event.
  /// \return False if the thread is to end.
  bool RunPosted(Timeout<std::micro> &timeout);
  /// Returns events that ReturnEvents couldn't return.
  /// \return Whether none are left.
  bool ReturnOwedEvents();
  /// Lets the coupling's thread do something after its current work.
  void Post(std::function<void()> work);
  bool IsOwnThread() const { return t_coupling == this; }
  void HandleEvent(const lldb::EventSP &event_sp);
  void HandleStop(Side side, const lldb::ProcessSP &process_sp,
                  const lldb::EventSP &event_sp);
  void PollInput();
  /// Notices the end of the program, the server or the device while everything
  /// is stopped.
  void PollLinks();
  void DeviceEnds(const std::shared_ptr<ProcessAMDGPU> &gpu_sp, int status,
                  const std::string &how);
  void KeepEvent(Side side, const lldb::EventSP &event_sp);
  lldb::EventSP GetEvent(Side side);
  void Show(Process &process, const lldb::EventSP &event_sp);
  /// The user has interrupted the leader, and both are stopped: if there are
  /// waves on the GPU, the stop is shown for them.
  void ShowPause(Side side, Process &process);
  static void FlushOutput(Process &process);
  /// Whether LLDB's command line reads the events of a process, and prints
  /// them.
  bool IsPrinted(Process &process) const;

  void TakeEvents(Side side) override;
  void ReturnEvents(Side side) override;
  void Interrupt(Side side) override;
  bool Resume(Side side) override;
  bool ResumeAfterPause(Side side) override;
  void ResumeLater(Side side) override;
  void ShowStop(Side side, bool alone) override;
  void ShowEnd(Side side) override;
  void ReportStop(Side side) override;
  void ReportStuck(Side side) override;
  void FinishGPU() override;
  void Log(const std::string &text) override;

  /// The coupling whose thread this is.
  static thread_local const GPUCoupling *t_coupling;

  const lldb::TargetWP m_host_wp;
  const lldb::ListenerSP m_listener_sp;
  Broadcaster m_wake;
  std::thread m_thread;
  BreakpointMirror m_mirror;
  CouplingMachine m_machine;

  /// Processes whose events are taken. Only used while the machine is locked.
  std::array<lldb::ProcessWP, 2> m_taken;

  mutable std::mutex m_mutex;
  lldb::TargetWP m_gpu_wp;
  /// The last taken stop or end of each process.
  std::array<lldb::EventSP, 2> m_events;
  /// The last stops that were shown by themselves, and besides another one.
  /// Only used while a stop is shown.
  lldb::EventSP m_shown_alone, m_shown_too;
  std::deque<std::function<void()>> m_posted;
  /// Processes whose events LLDB had taken as well when they were to be
  /// returned.
  std::vector<lldb::ProcessSP> m_owed;
  bool m_exit = false;
  std::function<void()> m_end_input, m_look_at_link, m_did_interrupt;
  std::function<void(bool)> m_look_at_overdue;
  std::optional<ReportedEnd> m_lost_host;
  /// Whether the end of the GPU's process is shown as the program's.
  bool m_gpu_reports_end = false;
  std::string m_shown_stop;
  /// Null if LLDB's command line reads the events.
  lldb::ListenerSP m_reader_sp;
  /// How often the input is still to be looked at. LLDB's main thread may begin
  /// to read input for a process that has just stopped; it then shows no prompt
  /// until the next stop.
  std::atomic<int> m_looks_at_input = 0;
  std::atomic<unsigned> m_gpu_count = 1;
};

} // namespace wavelane
} // namespace lldb_private

#endif
