//===-- JobSessions.h - A client's sessions with the ranks of a job -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_TOOLS_LLDB_DAP_JOBSESSIONS_H
#define WAVELANE_TOOLS_LLDB_DAP_JOBSESSIONS_H

#include "Core/Record/JobEvent.h"
#include "Protocol/ProtocolRequests.h"
#include "lldb/API/SBTarget.h"
#include "llvm/Support/Error.h"
#include <condition_variable>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace lldb_dap::wavelane {

class ClientSession;
using lldb_private::wavelane::JobEvent;

/// The sessions of a job: the parent, which has started it, whose target has no
/// process and keeps the breakpoints; and a child for each rank, which the
/// client begins when it is asked to. A child has its rank's host and GPU.
///
/// All share a debugger, whose commands work for one thread at a time: the
/// mutex is held while a request or an event of any of them is handled.
class JobSessions : public std::enable_shared_from_this<JobSessions> {
public:
  /// Those of a debugger; null if no session has started a job in it.
  static std::shared_ptr<JobSessions> Find(lldb::user_id_t debugger);

  /// Answers the request that starts a job, with all ranks at their beginning.
  static llvm::Error Launch(ClientSession &parent,
                            const protocol::LaunchRequestArguments &arguments,
                            const std::vector<std::string> &launcher);
  /// Answers the request that attaches to a job that runs, or opens the cores
  /// of its ranks.
  /// \param words What `job attach` or `job core` takes.
  static llvm::Error Attach(ClientSession &parent,
                            const protocol::Configuration &configuration,
                            const std::vector<std::string> &words);

  std::mutex &GetMutex() { return m_mutex; }

  // With the mutex locked:

  /// Null if it has ended.
  ClientSession *GetParent() const { return m_parent; }
  void Add(ClientSession &child);
  /// The session ends. It is not to be called by its destructor: LLDB's list of
  /// sessions is locked then.
  void Leave(ClientSession &session);
  /// Asks the client for a session for each rank. The ranks run when all
  /// sessions are configured, except those that the client fails to begin.
  void StartChildren();
  void Configured(ClientSession &child);
  /// Gives all ranks the breakpoints of the parent.
  void ShareBreakpoints();
  /// Interrupts the ranks.
  void Pause();
  llvm::Error Kill();
  /// Whether the job ends with the parent unless the client says.
  bool EndsByDefault() const { return m_origin == Origin::Launched; }
  /// The parent ends: ends the job, or lets it go, and ends the children.
  void End(bool terminates);

  // With the mutex unlocked:

  void HandleEvent(const JobEvent &event);
  /// Called before a child is gone.
  void Gone();
  /// Waits until all children are gone: LLDB's thread of events, which they
  /// share, uses what the parent has. LLDB's list of sessions mustn't be
  /// locked.
  void WaitForChildren();
  /// The client hasn't begun the session of a rank's target.
  void Missing(lldb::user_id_t target, const std::string &why);

private:
  enum class Origin { Launched, AttachedTo, Cores };

  JobSessions(ClientSession &parent, Origin origin)
      : m_parent(&parent), m_origin(origin) {}
  /// Becomes the parent's job, and runs the commands that begin it.
  static llvm::Error Begin(ClientSession &parent, Origin origin,
                           llvm::ArrayRef<std::string> commands);
  /// A rank as `rank list` reports it.
  struct Rank {
    int64_t number = 0;
    lldb::SBTarget target; ///< its host side
    bool has_reason = false;
  };
  /// In the order of their numbers; empty if the job is gone.
  std::vector<Rank> ListRanks() const;
  ClientSession *FindChild(lldb::user_id_t target) const;
  /// Asks the client for a rank's session.
  void StartChild(lldb::SBTarget rank);
  void RunIfComplete();
  /// Lets a rank that came late do what the others do.
  void FollowOthers(ClientSession &late);
  /// Reports that all ranks stand, the first with a reason shown.
  void ShowStanding();
  void HandleStop(const JobEvent &event);

  std::mutex m_mutex;
  ClientSession *m_parent;
  const Origin m_origin;
  std::vector<ClientSession *> m_children;
  /// The targets whose sessions the client was asked for, and those of them
  /// that aren't configured yet.
  std::set<lldb::user_id_t> m_asked_for, m_awaited;
  bool m_is_started = false, m_runs = false;
  /// How many children aren't gone.
  std::mutex m_alive_mutex;
  std::condition_variable m_alive_changed;
  size_t m_alive = 0;
};

} // namespace lldb_dap::wavelane

#endif
