//===-- CouplingMachine.h - one program, two processes ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that uses a GPU is two processes in LLDB, and the user is to see
// one: what runs one runs the other, what stops one stops the other.
//
// The process that the user resumes leads, and the other one follows. Stops of
// the leader go where stops of any process go. The follower is resumed by the
// coupling, which takes its events, so that nobody else sees it stop. When the
// leader stops, the follower is interrupted, and the leader's stop is shown
// once both stand. When the follower stops first, its stop is shown, and then
// the leader is interrupted, so that whoever waits for the leader (a command in
// synchronous mode, an editor) comes back when everything that is to be seen is
// there.
//
// CouplingTable.def has the states, the events and what follows of them. This
// class holds the state, looks events up and has the actions done. It knows
// nothing of LLDB: GPUCoupling gives it LLDB's processes, its tests give it
// others.
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_DEBUGGER_COUPLING_COUPLINGMACHINE_H
#define WAVELANE_DEBUGGER_COUPLING_COUPLINGMACHINE_H

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace lldb_private {
namespace wavelane {

/// The coupling of one program. Safe to use from several threads.
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
  /// Whose events the coupling takes in a state.
  enum class Taken : uint8_t { None, Follower, Both };

  /// What is done when the state changes, in this order. Those up to
  /// InterruptFollower are one with the change of the state.
  enum Actions : uint32_t {
    None = 0,
    ReturnLeader = 1 << 0,
    ReturnFollower = 1 << 1,
    HostLeads = 1 << 2, ///< Leader and follower mean the new ones from here on.
    SwapLeader = 1 << 3, ///< So they do here.
    TakeLeader = 1 << 4,
    TakeFollower = 1 << 5,
    InterruptLeader = 1 << 6,
    InterruptFollower = 1 << 7,
    ResumeLeader = 1 << 8,
    ResumeFollower = 1 << 9,
    ResumeFollowerLater = 1 << 10,
    ShowFollower = 1 << 11,    ///< Alone.
    ShowFollowerToo = 1 << 12, ///< Beside the leader's stop.
    ShowFollowersEnd = 1 << 13,
    TellLeadersStop = 1 << 14,
    TellFollowersStop = 1 << 15,
    TellLeaderStuck = 1 << 16,
    TellFollowerStuck = 1 << 17,
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
  /// \return What follows of an event, or null for one that can't come in that
  /// state.
  static const Row *Find(State state, Event event);
  static const StateFacts &GetFacts(State state);
  static const char *GetName(Event event);
  static constexpr size_t GetStateCount() { return size_t(State::Closed) + 1; }
  static constexpr size_t GetEventCount() { return size_t(Event::Close) + 1; }

  /// The two processes.
  class Processes {
  public:
    virtual ~Processes() = default;

    // Done while the machine is locked: they don't wait, and tell the machine
    // nothing.

    /// From now on the events of a process are taken by the coupling.
    virtual void TakeEvents(Side side) = 0;
    /// From now on they go where they went before. Does nothing if they do
    /// already.
    virtual void ReturnEvents(Side side) = 0;
    /// Has a running process stop. An interrupt of one that stands, or is
    /// between two runs, may be lost.
    virtual void Interrupt(Side side) = 0;

    // Done by the thread that tells of the event, while the machine isn't
    // locked.

    /// Resumes the follower, whose events are taken.
    /// \return False if it can't be resumed, which the user has been told.
    virtual bool Resume(Side side) = 0;
    /// Resumes the leader after a pause, unseen by whoever waits for it.
    virtual bool ResumeAfterPause(Side side) = 0;
    /// Has another thread call ResumeFollowerNow.
    virtual void ResumeLater(Side side) = 0;
    /// Shows the stop of the follower that has been taken last.
    /// \param[in] alone It is what the program has stopped for; else the leader
    ///     has stopped, too.
    virtual void ShowStop(Side side, bool alone) = 0;
    virtual void ShowEnd(Side side) = 0;
    /// Gives the stop, or the end, that has been taken last to whoever waits
    /// for it.
    virtual void TellStop(Side side) = 0;
    virtual void TellStuck(Side side) = 0;
    /// Has the GPU's process end, if it lives.
    virtual void FinishGPU() = 0;

    /// For LLDB's log: each change of the state, and each mistake.
    virtual void Log(const std::string &text) = 0;
  };

  /// How long the machine waits before it goes on without.
  struct Patience {
    std::chrono::milliseconds stop = std::chrono::seconds(20);
    std::chrono::milliseconds show = std::chrono::seconds(2);
    std::chrono::milliseconds end = std::chrono::seconds(1);
  };

  explicit CouplingMachine(Processes &processes);
  CouplingMachine(Processes &processes, Patience patience,
                  State state = State::Apart, Side leader = Side::Host);

  //===-- What has happened -----------------------------------------------===//

  /// Does what the table says. The functions below make the events.
  void Tell(Event event);

  /// The GPU is about to be connected to: its events are taken.
  void Connect();
  void ConnectFailed();
  /// Waits until the GPU has been seen to stop, or to end.
  /// \return False if neither has come in time.
  bool WaitForConnection(std::chrono::milliseconds time);

  /// A process is about to be resumed; whatever it does next comes after this.
  void Resumes(Side side, bool by_user);
  /// It has been resumed, or couldn't be.
  void Resumed(Side side, bool success = true);
  /// A stop is about to be shown by somebody else than the coupling. Waits
  /// until everything that is to be shown before has been shown, and the other
  /// process stands.
  /// \param[in] for_reason
  ///     It has a reason of its own, not just an interrupt.
  void StopsPublicly(Side side, bool for_reason);
  /// A process has ended, as LLDB notices it before there is an event.
  void Exits(Side side);
  void HostDestroyed();
  void Detached();
  /// All waits end.
  void Close();

  /// An event that the coupling has taken.
  enum class Taking : uint8_t { Stop, Interrupt, Restart, Run, End };
  void Took(Side side, Taking what);

  //===-- The debugger's own work -----------------------------------------===//

  /// Has the GPU stand, unseen by whoever waits for it, and waits for it.
  /// Whoever calls it has the host stand already.
  /// \return Whether it stands. If so, LetGo must follow, by the same thread.
  bool Hold();
  /// The work is done.
  /// \param[in] gpu_has_reason Where the GPU leads: it has stopped for a reason
  ///     of its own. Else it runs on.
  void LetGo(bool gpu_has_reason);
  /// For Processes::ResumeLater.
  void ResumeFollowerNow();

  /// The GPU is about to tell its end: waits until the host's has been shown,
  /// if the host follows.
  void WaitForHostsEnd();

  //===-- Questions -------------------------------------------------------===//

  State GetState() const;
  Side GetLeader() const;
  /// Whether a stop of a process is, or will be, for a stop of the other.
  bool StopsForTheOther(Side side) const;
  /// Whether a stop that is taken from the process was asked for by the
  /// machine.
  bool IsInterrupted(Side side) const;

private:
  using Lock = std::unique_lock<std::mutex>;

  void Tell(Side side, Event of_leader, Event of_follower);
  /// \return With the lock released.
  void Tell(Lock lock, Event event);
  Side GetFollower() const { return GetOther(m_leader); }
  /// Waits as long as \a goes_on; tells Stuck if that is too long.
  template <typename Predicate>
  void WaitWhile(std::chrono::milliseconds time, Predicate goes_on);

  Processes &m_processes;
  const Patience m_patience;
  mutable std::mutex m_mutex;
  std::condition_variable m_changed;
  State m_state;
  Side m_leader;
  /// The thread between Hold and LetGo: the user can't resume the GPU
  /// meanwhile.
  std::thread::id m_holder;
};

} // namespace wavelane
} // namespace lldb_private

#endif
