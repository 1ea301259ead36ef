//===-- Job.h - the ranks of a job as one program ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A job is what a launcher (mpirun, srun) starts: many processes, its ranks.
// Each reports at the job's socket, and becomes a host target of the debugger,
// with a GPU target once it uses its GPU (GPUCoupling). The job reads the
// events of all these processes, on a thread for each rank, instead of LLDB's
// command line, so that many stops are shown as one: when a rank stops, the
// others are interrupted, and the stop is shown when all have stopped.
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SESSION_JOB_JOB_H
#define WAVELANE_SESSION_JOB_JOB_H

#include "AttachStarts.h"
#include "Core/Record/JobEvent.h"
#include "JobBreakpoints.h"
#include "JobSocket.h"
#include "Launcher.h"
#include "Rank.h"
#include "RankWatchpoints.h"

#include "lldb/Utility/Broadcaster.h"
#include "lldb/Utility/Listener.h"
#include "llvm/ADT/ArrayRef.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace lldb_private {
class Debugger;
class FileSpec;
class Stream;

namespace wavelane {

using RankSP = std::shared_ptr<Rank>;

/// Its events are JobEvents.
class JobBroadcaster : public Broadcaster {
public:
  explicit JobBroadcaster(Debugger &debugger);
  llvm::StringRef GetBroadcasterClass() const override {
    return JobEvent::BroadcasterClass;
  }
};

class Job : private JobSocket::Client, private Launcher::Client {
public:
  /// The last job of a debugger, which may have ended; null if there was none.
  static std::shared_ptr<Job> Find(Debugger &debugger);
  /// A new one, which listens; the one before must have ended.
  /// \param[in] target_sp The target that its breakpoints come from.
  /// \param[in] address As JobSocket::Create.
  static llvm::Expected<std::shared_ptr<Job>>
  Create(const lldb::TargetSP &target_sp, llvm::StringRef address);
  /// Ends the jobs of a debugger that goes, or all.
  static void Clear(Debugger *debugger);
  ~Job() override;

  /// Starts the launcher, with the job's variables.
  llvm::Error Launch(const std::vector<std::string> &words);
  struct Attached {
    /// Empty for this machine.
    std::string host;
    lldb::pid_t pid = 0;
    uint32_t rank = 0;
  };
  /// Lets lldb-servers attach to processes.
  /// \param[in] shell What starts a command on the host that follows it, such
  /// as
  ///     ssh.
  llvm::Error Attach(const std::string &rank_program,
                     llvm::ArrayRef<Attached> processes,
                     llvm::ArrayRef<std::string> shell);
  /// Adds the rank that has left a core file.
  llvm::Error OpenCore(const FileSpec &file);
  /// Selects the first core that has stopped for a reason.
  /// \return "ranks 0-3": those that have cores.
  std::string SelectCore();
  const JobSocket &GetSocket() const { return *m_socket; }
  /// The launcher's, as it was typed; empty without one.
  const std::string &GetCommand() const { return m_command; }

  /// Waits until \a count ranks, or as many as they say that there are, are
  /// there and stopped.
  /// \return False, with the reason in \a why, if a launcher ends before, if no
  ///     rank comes for \a patience, or after Ctrl-C.
  bool WaitForRanks(uint32_t count, std::chrono::seconds patience,
                    std::string &why);

  /// In the order of their numbers.
  std::vector<RankSP> GetRanks() const;
  RankSP FindRank(uint32_t number) const;
  /// The rank that has \a target as one of its sides, or null.
  RankSP FindRank(const Target &target) const;
  /// How many ranks there are, as they say; 0 if they don't.
  uint32_t GetSize() const;
  /// Parses "0-3,7", "all" or "*". Fails for ranks that don't exist.
  llvm::Expected<std::vector<RankSP>> ParseRanks(llvm::StringRef text) const;
  bool IsAlive() const;
  /// All ranks have ended; the launcher may not have.
  bool HasEnded() const;
  bool IsRunning() const;

  /// Gives all ranks the breakpoints of each. Events do that too, but LLDB
  /// sends none for options that are set by `breakpoint set` or `modify`.
  void SynchronizeBreakpoints();
  /// As JobBreakpoints::Hold.
  void HoldBreakpoints(bool holds) { m_breakpoints.Hold(holds); }
  /// Watchpoints that were set in several ranks at once.
  RankWatchpoints &GetWatchpoints() { return m_watchpoints; }

  /// Resumes those of \a ranks that are stopped.
  llvm::Error Resume(llvm::ArrayRef<RankSP> ranks);
  /// Resumes all. From now on, ranks that come run at once.
  llvm::Error Resume();
  /// Ranks that come later are left at their beginning, whatever the others do.
  void HoldLateRanks() { m_holds_late = true; }
  /// Interrupts all ranks that run.
  void Interrupt();
  /// The caller will resume the job, wait for its stop, and show it.
  void Expect();
  /// Waits until no rank runs. Ctrl-C interrupts the job.
  void WaitForStop();
  /// Shows the last stop; does nothing if that was done.
  void ShowStop(Stream &out);
  /// Prints at once.
  void Print(const std::string &text);
  /// Selects a rank's target.
  void Select(Rank &rank);

  /// Ends the ranks and the launcher.
  void Kill();
  void Detach();
  /// The debugger ends: ranks that it has attached to go on, others end.
  void Leave();

  Debugger &GetDebugger() const { return m_debugger; }
  /// The target that its breakpoints come from; null if it is gone.
  lldb::TargetSP GetHub() const { return m_hub_wp.lock(); }

private:
  explicit Job(const lldb::TargetSP &target_sp);

  llvm::Expected<::wavelane::job::Terms>
  Admit(const ::wavelane::job::Registration &registration) override;
  void Joined(const ::wavelane::job::Registration &registration,
              int fd) override;
  void Refused(const std::string &why) override;
  void Printed(llvm::StringRef text) override;
  void LauncherEnded(const std::string &how) override;

  std::string DescribeUnattached();
  llvm::Error Connect(const RankSP &rank);
  /// Lets the ranks of a host share what one program may use.
  void CountNeighbors(const std::string &host);
  /// Reads the events of breakpoints.
  void Run();
  /// Reads the events of a rank.
  void Run(const RankSP &rank);
  void HandleEvent(const RankSP &rank, const lldb::EventSP &event_sp);
  void HandleStop(const RankSP &rank);
  bool IsNewStop(Rank &rank);
  bool IsStray(Rank &rank, bool has_reason);
  void HandleEnd(const RankSP &rank, Process &process);
  /// The event of a rank's stop may come before both sides have taken it: no
  /// other follows.
  void LookAtStanding(const RankSP &rank);
  /// Interrupts again what was between two runs.
  void LookAtOverdue();
  void InterruptRunning();
  /// Nothing runs any more, or nothing is awaited: shows the stop, or lets the
  /// command that waits do that.
  void AllStopped();
  /// Until it is known of all ranks that they have ended or been let go.
  void WaitForEnds();
  /// "rank 1 runs b, and rank 0 runs a", once; empty if all run one program.
  std::string DescribeOtherProgram(const Rank &rank);
  RankSP ChooseShown();
  /// Notifies the listeners of the broadcaster.
  void Announce(const JobEvent &event);
  void Announce(JobEvent::Kind kind, llvm::ArrayRef<RankSP> ranks);
  /// Announces the ranks that stand, the shown one first.
  void AnnounceStop();
  /// Announces it if nothing of the job is left.
  void LookIfOver();
  void End();
  template <typename Condition> bool HasAny(Condition condition) const;

  Debugger &m_debugger;
  const lldb::TargetWP m_hub_wp;
  /// Of breakpoints.
  const lldb::ListenerSP m_listener_sp;
  JobBroadcaster m_broadcaster;
  JobBreakpoints m_breakpoints;
  RankWatchpoints m_watchpoints;
  std::string m_command;

  mutable std::mutex m_mutex;
  std::condition_variable m_changed;
  std::map<uint32_t, RankSP> m_ranks;
  /// How many there are, as they say.
  uint32_t m_size = 0;
  /// Ranks that come run at once.
  bool m_runs = false;
  bool m_reported_programs = false;
  std::atomic<bool> m_holds_late{false};
  /// The others are being stopped.
  bool m_stops = false;
  std::chrono::steady_clock::time_point m_stop_began, m_interrupted;
  uint64_t m_stop_count = 0;
  /// A command waits, and shows the stop.
  bool m_is_awaited = false;
  bool m_has_news = false;
  /// Ranks that have ended well since the last stop: reported together.
  std::vector<uint32_t> m_ended_well;
  std::string m_launcher_end;
  /// What happens now is the debugger's doing, and isn't reported.
  bool m_is_killed = false;
  /// Ranks that end have been let go.
  bool m_is_detached = false;
  bool m_exit = false;

  /// Those that were given to Attach.
  std::vector<Attached> m_attached;
  AttachStarts m_attach_starts;

  std::unique_ptr<JobSocket> m_socket;
  std::unique_ptr<Launcher> m_launcher;
  std::thread m_thread;
};

} // namespace wavelane
} // namespace lldb_private

#endif
