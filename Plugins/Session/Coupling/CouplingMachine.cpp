//===-- CouplingMachine.cpp -----------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CouplingMachine.h"

#include <array>
#include <optional>

using namespace lldb_private::wavelane;

using State = CouplingMachine::State;
using Event = CouplingMachine::Event;
using Side = CouplingMachine::Side;

//===-- The table ---------------------------------------------------------===//

namespace {
// The table names actions without their class.
struct ActionNames : CouplingMachine {
  struct Line {
    State state;
    Event event;
    Row row;
  };
  static constexpr Line Lines[] = {
#define WHEN(STATE, EVENT, NEXT, ACTIONS, TEXT)                                \
  {State::STATE, Event::EVENT, {State::NEXT, ACTIONS, TEXT}},
#include "CouplingTable.def"
  };

  static constexpr bool HasEachLineOnce() {
    for (size_t i = 0; i < std::size(Lines); ++i)
      for (size_t k = 0; k < i; ++k)
        if (Lines[i].state == Lines[k].state &&
            Lines[i].event == Lines[k].event)
          return false;
    return true;
  }

  using Table = std::array<std::array<std::optional<Row>, GetEventCount()>,
                           GetStateCount()>;

  static Table Make() {
    Table table;
    for (size_t i = 0; i < table.size(); ++i) {
      const State state = State(i);
      auto &row = table[i];
#define REST(STATE, TEXT)                                                      \
  if (state == State::STATE)                                                   \
    row.fill(Row{state, None, TEXT});
#include "CouplingTable.def"
#define NOTHING(EVENT, TEXT) row[size_t(Event::EVENT)] = Row{state, None, TEXT};
#include "CouplingTable.def"
#define ALWAYS(EVENT, NEXT, ACTIONS, TEXT)                                     \
  row[size_t(Event::EVENT)] = Row{State::NEXT, ACTIONS, TEXT};
#include "CouplingTable.def"
    }
    for (const Line &line : Lines)
      table[size_t(line.state)][size_t(line.event)] = line.row;
    return table;
  }
};

static_assert(ActionNames::HasEachLineOnce(),
              "a state and an event have two lines");
} // namespace

const CouplingMachine::Row *CouplingMachine::Find(State state, Event event) {
  static const ActionNames::Table table = ActionNames::Make();
  const std::optional<Row> &row = table[size_t(state)][size_t(event)];
  return row ? &*row : nullptr;
}

const CouplingMachine::StateFacts &CouplingMachine::GetFacts(State state) {
  static constexpr StateFacts Facts[] = {
#define STATE(NAME, LEADER, FOLLOWER, TAKEN, TEXT)                             \
  {#NAME, Motion::LEADER, Motion::FOLLOWER, Taken::TAKEN, TEXT},
#include "CouplingTable.def"
  };
  return Facts[size_t(state)];
}

const char *CouplingMachine::GetName(Event event) {
  static constexpr const char *Names[] = {
#define EVENT(NAME, TEXT) #NAME,
#include "CouplingTable.def"
  };
  return Names[size_t(event)];
}

//===-- Changes -----------------------------------------------------------===//

CouplingMachine::CouplingMachine(Processes &processes)
    : CouplingMachine(processes, Timeouts()) {}

CouplingMachine::CouplingMachine(Processes &processes, Timeouts timeouts,
                                 State state, Side leader)
    : m_processes(processes), m_timeouts(timeouts), m_state(state),
      m_leader(leader) {}

void CouplingMachine::Handle(Event event) { Handle(Lock(m_mutex), event); }

void CouplingMachine::Handle(Side side, Event of_leader, Event of_follower) {
  Lock lock(m_mutex);
  const Event event = side == m_leader ? of_leader : of_follower;
  Handle(std::move(lock), event);
}

void CouplingMachine::Handle(Lock lock, Event event) {
  const Row *row = Find(m_state, event);
  const std::string text = std::string(GetFacts(m_state).name) + ", " +
                           (m_leader == Side::Host ? "the host" : "the GPU") +
                           " leads, " + GetName(event);
  if (!row) {
    lock.unlock();
    m_processes.Log("coupling: " + text + ": impossible here, ignored");
    return;
  }
  const uint32_t actions = row->actions;
  const bool changes = m_state != row->next || actions != None;
  m_state = row->next;
  if (actions & ReturnLeader)
    m_processes.ReturnEvents(m_leader);
  if (actions & ReturnFollower)
    m_processes.ReturnEvents(GetFollower());
  if (actions & HostLeads)
    m_leader = Side::Host;
  if (actions & SwapLeader)
    m_leader = GetFollower();
  const Side leader = m_leader, follower = GetFollower();
  if (actions & TakeLeader)
    m_processes.TakeEvents(leader);
  if (actions & TakeFollower)
    m_processes.TakeEvents(follower);
  if (actions & InterruptLeader)
    m_processes.Interrupt(leader);
  if (actions & InterruptFollower)
    m_processes.Interrupt(follower);
  lock.unlock();

  m_changed.notify_all();
  if (changes)
    m_processes.Log("coupling: " + text + " -> " + GetFacts(row->next).name);
  if ((actions & ResumeLeader && !m_processes.ResumeAfterPause(leader)) ||
      (actions & ResumeFollower && !m_processes.Resume(follower)))
    Handle(Event::ResumeFails);
  if (actions & ResumeFollowerLater)
    m_processes.ResumeLater(follower);
  if (actions & (ShowFollower | ShowFollowerToo))
    m_processes.ShowStop(follower, /*alone=*/actions & ShowFollower);
  if (actions & ShowFollowersEnd)
    m_processes.ShowEnd(follower);
  if (actions & (ShowFollower | ShowFollowerToo | ShowFollowersEnd))
    Handle(Event::Shown);
  if (actions & ReportLeadersStop)
    m_processes.ReportStop(leader);
  if (actions & ReportFollowersStop)
    m_processes.ReportStop(follower);
  if (actions & ReportLeaderStuck)
    m_processes.ReportStuck(leader);
  if (actions & ReportFollowerStuck)
    m_processes.ReportStuck(follower);
  if (actions & FinishGPU)
    m_processes.FinishGPU();
}

template <typename Predicate>
void CouplingMachine::WaitWhile(std::chrono::milliseconds time,
                                Predicate goes_on) {
  Lock lock(m_mutex);
  if (!m_changed.wait_for(lock, time, [&] { return !goes_on(); }))
    Handle(std::move(lock), Event::Stuck);
}

//===-- What has happened -------------------------------------------------===//

void CouplingMachine::Connect() { Handle(Event::Connect); }

void CouplingMachine::ConnectFailed() { Handle(Event::ConnectFails); }

bool CouplingMachine::WaitForConnection(std::chrono::milliseconds time) {
  Lock lock(m_mutex);
  return m_changed.wait_for(lock, time,
                            [&] { return m_state != State::Connecting; });
}

void CouplingMachine::Resumes(Side side, bool by_user) {
  if (side == Side::GPU && by_user) {
    Lock lock(m_mutex);
    m_changed.wait_for(lock, m_timeouts.stop, [&] {
      return m_holder == std::thread::id() ||
             m_holder == std::this_thread::get_id();
    });
  }
  if (by_user)
    Handle(side, Event::UserResumesLeader, Event::UserResumesFollower);
  else
    Handle(side, Event::LLDBResumesLeader, Event::LLDBResumesFollower);
}

void CouplingMachine::Resumed(Side side, bool success) {
  if (success)
    Handle(side, Event::LeaderResumed, Event::FollowerResumed);
  else
    Handle(side, Event::LeaderNotResumed, Event::FollowerNotResumed);
}

void CouplingMachine::StopsPublicly(Side side, bool for_reason) {
  Handle(side, Event::LeaderStopsPublicly,
         for_reason ? Event::FollowerStopsPubliclyForReason
                    : Event::FollowerStopsPublicly);
  auto leads_in = [&](State state) {
    return m_leader == side && m_state == state;
  };
  WaitWhile(m_timeouts.stop, [&] { return leads_in(State::Halting); });
  WaitWhile(m_timeouts.show, [&] { return leads_in(State::ShowingBoth); });
}

void CouplingMachine::Exits(Side side) {
  if (side == Side::Host)
    Handle(side, Event::LeaderHostExits, Event::FollowerHostExits);
  else
    Handle(side, Event::LeaderGPUExits, Event::FollowerGPUExits);
}

void CouplingMachine::HostDestroyed() { Handle(Event::HostDestroyed); }

void CouplingMachine::Detached() { Handle(Event::Detached); }

void CouplingMachine::Close() { Handle(Event::Close); }

void CouplingMachine::Took(Side side, Taking what) {
  switch (what) {
  case Taking::Stop:
    return Handle(side, Event::LeaderStops, Event::FollowerStops);
  case Taking::Interrupt:
    return Handle(side, Event::LeaderStops, Event::FollowerIsInterrupted);
  case Taking::End:
    return Handle(side, Event::LeaderEnds,
                  side == Side::Host ? Event::FollowerHostEnds
                                     : Event::FollowerGPUEnds);
  case Taking::Restart:
  case Taking::Run: {
    Lock lock(m_mutex);
    if (side == m_leader && what == Taking::Run)
      Handle(std::move(lock), Event::LeaderRuns);
    else if (side != m_leader && what == Taking::Restart)
      Handle(std::move(lock), Event::FollowerRestarts);
    return;
  }
  }
}

//===-- The debugger's own work -------------------------------------------===//

bool CouplingMachine::Hold() {
  Handle(Side::GPU, Event::HoldLeader, Event::HoldFollower);
  WaitWhile(m_timeouts.stop, [&] {
    return m_state == State::Pausing ||
           (m_state == State::Halting && m_leader == Side::Host);
  });
  std::lock_guard<std::mutex> guard(m_mutex);
  const StateFacts &facts = GetFacts(m_state);
  if ((m_leader == Side::GPU ? facts.leader : facts.follower) != Motion::Stands)
    return false;
  m_holder = std::this_thread::get_id();
  return true;
}

void CouplingMachine::LetGo(bool gpu_has_reason) {
  {
    Lock lock(m_mutex);
    m_holder = std::thread::id();
    m_changed.notify_all();
    if (m_state != State::Paused)
      return; // it runs with the host
    Handle(std::move(lock),
           gpu_has_reason ? Event::KeepLeaderStopped : Event::LetLeaderRun);
  }
  WaitWhile(m_timeouts.show, [&] { return m_state == State::Unpausing; });
}

void CouplingMachine::ResumeFollowerNow() {
  const Side follower = GetOther(GetLeader());
  if (!m_processes.Resume(follower))
    Handle(Event::ResumeFails);
}

void CouplingMachine::WaitForHostsEnd() {
  Lock lock(m_mutex);
  m_changed.wait_for(lock, m_timeouts.end, [&] {
    return m_leader != Side::GPU ||
           (m_state != State::Running && m_state != State::Rejoining &&
            m_state != State::ShowingEnd);
  });
}

//===-- Questions ---------------------------------------------------------===//

State CouplingMachine::GetState() const {
  std::lock_guard<std::mutex> guard(m_mutex);
  return m_state;
}

Side CouplingMachine::GetLeader() const {
  std::lock_guard<std::mutex> guard(m_mutex);
  return m_leader;
}

bool CouplingMachine::StopsForTheOther(Side side) const {
  std::lock_guard<std::mutex> guard(m_mutex);
  switch (m_state) {
  case State::Showing:
  case State::ShowingBoth:
  case State::Interrupting:
    return side == m_leader;
  case State::Halting:
  case State::Rejoining:
    return side != m_leader;
  default:
    return false;
  }
}

bool CouplingMachine::IsInterrupted(Side side) const {
  std::lock_guard<std::mutex> guard(m_mutex);
  return m_state == State::Halting || m_state == State::Rejoining
             ? side != m_leader
             : m_state == State::Pausing && side == m_leader;
}
