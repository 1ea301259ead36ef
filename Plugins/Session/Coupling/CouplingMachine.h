//===-- CouplingMachine.h - one program, two processes ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that uses a GPU is two processes in LLDB, but the user should see
// one: resuming one resumes the other, and a stop of one stops the other.
//
// The process that the user resumes leads, and the other one follows. Stops of
// the leader are handled like those of any process. The coupling resumes the
// follower and takes its events, so no other listener sees it stop. When the
// leader stops, the follower is interrupted, and the leader's stop is shown
// once both have stopped. When the follower stops first, its stop is shown, and
// then the leader is interrupted, so that a command in synchronous mode or an
// editor, which waits for the leader, returns when everything has been shown.
//
// CouplingTable.def has the states, the events and the transitions. This class
// holds the state, looks up events and performs the actions. It doesn't depend
// on LLDB: GPUCoupling gives it LLDB's processes, and its tests give it fake
// ones.
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SESSION_COUPLING_COUPLINGMACHINE_H
#define WAVELANE_SESSION_COUPLING_COUPLINGMACHINE_H

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace lldb_private {
namespace wavelane {

/// The coupling of one program. Thread-safe.
class CouplingMachine {
public:
  enum class Side : uint8_t { Host, GPU };
  static Side GetOther(Side side) {
    return side == Side::Host ? Side::GPU : Side::Host;
  }

  enum class State : uint8_t {
#define STATE(NAME, LEADER, FOLLOWER, TAKEN, TEXT) NAME,
#include "CouplingTable.def"
  };
  enum class Event : uint8_t {
#define EVENT(NAME, TEXT) NAME,
#include "CouplingTable.def"
  };

  /// What a process does in a state.
  enum class Motion : uint8_t { Runs, Stands, Gone, Unknown };
  /// The process whose events the coupling takes in a state.
  enum class Taken : uint8_t { None, Follower, Both };

  /// The actions of a transition, in this order. Those up to InterruptFollower
  /// are done atomically with the change of state.
  enum Actions : uint32_t {
    None = 0,
    ReturnLeader = 1 << 0,
    ReturnFollower = 1 << 1,
    HostLeads = 1 << 2,  ///< From here on, leader and follower mean the new
                         ///< ones.
    SwapLeader = 1 << 3, ///< Replaces the leader's.
    TakeLeader = 1 << 4,
    TakeFollower = 1 << 5,
    InterruptLeader = 1 << 6,
    InterruptFollower = 1 << 7,
    ResumeLeader = 1 << 8,
    ResumeFollower = 1 << 9,
    ResumeFollowerLater = 1 << 10,
    ShowFollower = 1 << 11,    ///< By itself.
    ShowFollowerToo = 1 << 12, ///< Besides the leader's stop.
    ShowFollowersEnd = 1 << 13,
    ReportLeadersStop = 1 << 14,
    ReportFollowersStop = 1 << 15,
    ReportLeaderStuck = 1 << 16,
    ReportFollowerStuck = 1 << 17,
    FinishGPU = 1 << 18,
  };

  /// A line of the table.
  struct Row {
    State next;
    uint32_t actions;
    const char *text;
  };
  struct StateFacts {
    const char *name;
    Motion leader, follower;
    Taken taken;
    const char *text;
  };
  /// \return The row for an event; null if it can't happen in that state.
  static const Row *Find(State state, Event event);
  static const StateFacts &GetFacts(State state);
  static const char *GetName(Event event);
  static constexpr size_t GetStateCount() { return size_t(State::Closed) + 1; }
  static constexpr size_t GetEventCount() { return size_t(Event::Close) + 1; }

  /// The two processes.
  class Processes {
  public:
    virtual ~Processes() = default;

    // Called while the machine is locked: they must not wait, or call the
    // machine.

    /// From now on, the coupling takes the events of a process.
    virtual void TakeEvents(Side side) = 0;
    /// From now on, events go to their usual listeners. Does nothing if they
    /// already do.
    virtual void ReturnEvents(Side side) = 0;
    /// Stops a running process. An interrupt may be lost if the process has
    /// stopped, or is between two runs.
    virtual void Interrupt(Side side) = 0;

    // Called by the thread that reports the event, while the machine isn't
    // locked.

    /// Resumes the follower, whose events are taken.
    /// \return False if it can't be resumed, after notifying the user.
    virtual bool Resume(Side side) = 0;
    /// Resumes the leader after a pause, without notifying those who wait for
    /// it.
    virtual bool ResumeAfterPause(Side side) = 0;
    /// Has another thread call ResumeFollowerNow.
    virtual void ResumeLater(Side side) = 0;
    /// Shows the follower's last taken stop, unless it has been shown alone.
    /// \param[in] alone The program stopped because of it; otherwise, the
    ///     leader has stopped, too.
    virtual void ShowStop(Side side, bool alone) = 0;
    virtual void ShowEnd(Side side) = 0;
    /// Passes the last taken stop or end on to those who wait for it.
    virtual void ReportStop(Side side) = 0;
    virtual void ReportStuck(Side side) = 0;
    /// Ends the GPU's process if it is alive.
    virtual void FinishGPU() = 0;

    /// Logs each change of state, and each mistake, in LLDB's log.
    virtual void Log(const std::string &text) = 0;
  };

  /// How long the machine waits before it gives up.
  struct Timeouts {
    std::chrono::milliseconds stop = std::chrono::seconds(20);
    std::chrono::milliseconds show = std::chrono::seconds(2);
    std::chrono::milliseconds end = std::chrono::seconds(1);
  };

  explicit CouplingMachine(Processes &processes);
  CouplingMachine(Processes &processes, Timeouts timeouts,
                  State state = State::Apart, Side leader = Side::Host);

  //===-- What has happened -----------------------------------------------===//

  /// Handles an event according to the table. The functions below generate the
  /// events.
  void Handle(Event event);

  /// The GPU is about to be connected: its events are taken.
  void Connect();
  void ConnectFailed();
  /// Waits until the GPU has stopped or ended.
  /// \return False if this takes too long.
  bool WaitForConnection(std::chrono::milliseconds time);

  /// A process is about to be resumed; its next event comes after this.
  void Resumes(Side side, bool by_user);
  /// It has been resumed, or couldn't be.
  void Resumed(Side side, bool success = true);
  /// A stop is about to be shown by something other than the coupling. Waits
  /// until everything before it has been shown, and the other process has
  /// stopped.
  /// \param[in] for_reason It has a reason of its own, and isn't just an
  ///     interrupt.
  void StopsPublicly(Side side, bool for_reason);
  /// A process has ended, as LLDB notices before there is an event.
  void Exits(Side side);
  void HostDestroyed();
  void Detached();
  /// All waits end.
  void Close();

  /// An event that the coupling has taken.
  enum class Taking : uint8_t { Stop, Interrupt, Restart, Run, End };
  void Took(Side side, Taking what);

  //===-- The debugger's own work -----------------------------------------===//

  /// Stops the GPU, without notifying those who wait for it, and waits until it
  /// has stopped. The host must already be stopped.
  /// \return Whether it has stopped. If so, LetGo must follow, on the same
  ///     thread.
  bool Hold();
  /// The work is done.
  /// \param[in] gpu_has_reason If the GPU leads: it has stopped for its own
  /// reason. Otherwise, it is
  ///     resumed.
  void LetGo(bool gpu_has_reason);
  /// Called for Processes::ResumeLater.
  void ResumeFollowerNow();

  /// The GPU is about to report its end: waits until the host's end has been
  /// shown, if the host follows.
  void WaitForHostsEnd();

  //===-- Questions -------------------------------------------------------===//

  State GetState() const;
  Side GetLeader() const;
  /// Whether a process stops, or will stop, because the other one has stopped.
  bool StopsForTheOther(Side side) const;
  /// Whether the machine requested the stop that is taken from the process.
  bool IsInterrupted(Side side) const;

private:
  using Lock = std::unique_lock<std::mutex>;

  void Handle(Side side, Event of_leader, Event of_follower);
  /// Returns with the lock released.
  void Handle(Lock lock, Event event);
  Side GetFollower() const { return GetOther(m_leader); }
  /// Waits while \a goes_on holds; reports Stuck if that takes too long.
  template <typename Predicate>
  void WaitWhile(std::chrono::milliseconds time, Predicate goes_on);

  Processes &m_processes;
  const Timeouts m_timeouts;
  mutable std::mutex m_mutex;
  std::condition_variable m_changed;
  State m_state;
  Side m_leader;
  /// The thread between Hold and LetGo: meanwhile, the user can't resume the
  /// GPU.
  std::thread::id m_holder;
};

} // namespace wavelane
} // namespace lldb_private

#endif
