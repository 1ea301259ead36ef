//===-- Session.h - A client's session with host and GPU ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_TOOLS_LLDB_DAP_SESSION_H
#define WAVELANE_TOOLS_LLDB_DAP_SESSION_H

#include "BreakpointNotes.h"
#include "ClientSession.h"
#include "JobSessions.h"
#include "SettingFilters.h"
#include "ThreadLanes.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <atomic>
#include <map>

namespace lldb_dap::wavelane {

/// LLDB's session of a client, with all targets of its debugger in it: a GPU's
/// waves are threads beside the host's. Numbers of threads and frames include
/// the target (ClientId).
class Session final : public ClientSession {
public:
  Session(Log &log, ReplMode repl_mode,
          std::vector<std::string> pre_init_commands, bool no_lldbinit,
          llvm::StringRef client_name, DAPTransport &transport,
          lldb_private::MainLoop &loop);
  ~Session() override;

  using DAP::GetLLDBFrame;
  using DAP::GetLLDBThread;
  using DAP::RegisterRequest;

  /// Selects the lane of \p id, if it has one.
  lldb::SBThread GetLLDBThread(lldb::tid_t id) override;
  lldb::SBFrame GetLLDBFrame(uint64_t id) override;
  bool HandleObject(const protocol::Message &message) override;
  protocol::Id Send(const protocol::Message &message) override;
  bool HandleEvent(const lldb::SBEvent &event) override;
  std::optional<std::string>
  FormatLogMessage(lldb::SBFrame frame, llvm::StringRef condition,
                   llvm::ArrayRef<LogMessagePart> parts) override;
  void OnError(llvm::Error error) override;
  void OnClosed() override;

  /// Called when the client's target exists.
  void Begin();
  /// Waits until the threads that read LLDB's events listen. A stop that is
  /// sent to them before is lost, and the adapter would wait for their end.
  void WaitForThreads();

  uint64_t GetThreadId(lldb::SBThread thread) override;
  /// \p frame_id is LLDB's number of a frame of \p thread.
  uint64_t GetFrameId(uint64_t frame_id, lldb::SBThread thread,
                      std::optional<uint32_t> lane);

  /// Makes LLDB's commands work on a frame of any target.
  void SelectFrame(lldb::SBFrame frame);

  /// Resumes a process with \p resume. The client takes the program to be
  /// running from now until the next reported stop.
  llvm::Error Resume(lldb::SBProcess process,
                     llvm::function_ref<llvm::Error()> resume);
  /// Makes the client show a thread that has been selected at this stop.
  void ReportSelection(lldb::SBThread thread);
  /// Reports a stop of another target's thread, such as a wave's in a core
  /// file.
  void ReportStopOfWave();
  void SetRunning(bool running) { m_client_sees_running = running; }
  bool IsRunning() const override {
    return m_client_sees_running || targets.IsAnyRunning();
  }

  /// Locks the job's sessions, if this is one of them.
  std::unique_lock<std::mutex> LockJob() const;
  bool IsParentOfJob() const { return job && !targets.IsChild(); }
  /// This becomes the session of a rank.
  void JoinJob(std::shared_ptr<JobSessions> of,
               protocol::AttachRequestArguments &arguments);
  /// The session whose target keeps the breakpoints: a job's parent.
  ClientSession &GetBreakpointOwner();
  lldb::SBTarget FindStopped() const override;
  void RankStopped(lldb::SBTarget shown, bool is_shown,
                   bool is_interrupted) override;
  void RankRuns() override;
  void RankEnded() override;

  /// The client is notified at the next stop that this memory may have changed.
  void AddReadMemory(const protocol::ReadMemoryArguments &memory);

  /// How many threads of \p target are listed: a GPU has thousands of waves.
  uint32_t GetNumListedThreads(lldb::SBTarget target) const;

  Lanes lanes;
  SettingFilters setting_filters;
  BreakpointNotes notes;

  /// The thread that is reported to the client at the next stop, if it has a
  /// reason.
  std::atomic<lldb::tid_t> focus{LLDB_INVALID_THREAD_ID};
  /// Threads that the client knows.
  llvm::DenseSet<lldb::tid_t> known_threads;
  /// The scope of the local variables of the frame that the client shows.
  int64_t locals_scope = 0;

private:
  friend class TargetView;

  /// LLDB's session of a target: this one for the client's.
  DAP &GetDAP(lldb::SBTarget target);
  lldb::SBThread FindThread(lldb::tid_t id) const;
  /// \return Why a request can't be answered now or at all.
  std::optional<std::string> GetRefusal(const protocol::Request &request) const;

  bool HandleProcessEvent(const lldb::SBEvent &event);
  bool HandleBreakpointEvent(const lldb::SBEvent &event);
  bool HandleThreadEvent(const lldb::SBEvent &event);
  void ReportRunning();
  void ReportExit(lldb::SBProcess process);
  void ReportStop();
  void ReportThread(lldb::SBThread thread, uint32_t stop_id, bool is_paused);
  void ReportExitedThreads();
  void ReportMemory();
  void ReportRecording();
  lldb::SBThread FindThreadToReport(lldb::SBProcess process) const;

  bool m_is_initialized = false;
  /// What was last reported to the client.
  bool m_is_recorded = false;
  std::atomic<bool> m_is_ending{false};
  std::atomic<bool> m_is_closed{false};
  std::atomic<bool> m_client_sees_running{false};
  /// Of a job's sessions, one is shown at a stop.
  bool m_is_shown = true;
  bool m_rank_is_interrupted = false;
  /// The stops of all processes that were last reported to the client.
  std::vector<std::pair<uint32_t, uint32_t>> m_reported_stops;
  /// What the client has read since the last stop.
  std::vector<protocol::ReadMemoryArguments> m_read_memory;
  /// Held while an event is handled, and while LLDB waits for a process to end:
  /// LLDB holds its lock as long, and an event handler that waits for that lock
  /// would keep the process from being reported as stopped.
  std::mutex m_event_mutex;
  /// By the targets' numbers. Their loops never run.
  std::map<uint32_t, std::unique_ptr<DAP>> m_target_daps;
  lldb_private::MainLoop m_target_loop;
};

/// LLDB's handlers work on the one target of a DAP object. This gives them one
/// for any target of a session, with the session's variables, while it lives.
class TargetView {
public:
  TargetView(Session &session, lldb::SBTarget target);
  ~TargetView();
  TargetView(const TargetView &) = delete;
  TargetView &operator=(const TargetView &) = delete;

  DAP &GetDAP() { return m_dap; }

private:
  Session &m_session;
  DAP &m_dap;
};

} // namespace lldb_dap::wavelane

#endif
