//===-- CouplingMachineTest.cpp - the table, and what it does -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Session/Coupling/CouplingMachine.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <set>
#include <vector>

using namespace lldb_private::wavelane;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::IsEmpty;

using Machine = CouplingMachine;
using Side = Machine::Side;
using State = Machine::State;
using Event = Machine::Event;
using Motion = Machine::Motion;
using Taking = Machine::Taking;

namespace {

const char *GetName(Side side) { return side == Side::Host ? "host" : "gpu"; }

/// Fake processes that record their calls.
class Recorder : public Machine::Processes {
public:
  void TakeEvents(Side side) override { Note("take", side); }
  void ReturnEvents(Side side) override { Note("return", side); }
  void Interrupt(Side side) override { Note("interrupt", side); }
  bool Resume(Side side) override {
    Note("resume", side);
    return can_resume;
  }
  bool ResumeAfterPause(Side side) override {
    Note("unpause", side);
    return can_resume;
  }
  void ResumeLater(Side side) override { Note("resume later", side); }
  void ShowStop(Side side, bool alone) override {
    Note(alone ? "show" : "show too", side);
  }
  void ShowEnd(Side side) override { Note("show end", side); }
  void ReportStop(Side side) override { Note("report", side); }
  void ReportStuck(Side side) override { Note("stuck", side); }
  void FinishGPU() override { calls.push_back("finish gpu"); }
  void Log(const std::string &text) override { log.push_back(text); }

  /// The calls since the last GetCalls.
  std::vector<std::string> GetCalls() { return std::exchange(calls, {}); }

  std::vector<std::string> calls, log;
  bool can_resume = true;

private:
  void Note(const char *what, Side side) {
    calls.push_back(std::string(what) + " " + GetName(side));
  }
};

constexpr Machine::Timeouts None = {std::chrono::milliseconds(0),
                                    std::chrono::milliseconds(0),
                                    std::chrono::milliseconds(0)};

template <typename Callback> void ForEachCell(Callback callback) {
  for (size_t state = 0; state < Machine::GetStateCount(); ++state)
    for (size_t event = 0; event < Machine::GetEventCount(); ++event) {
      SCOPED_TRACE(std::string(Machine::GetFacts(State(state)).name) + ", " +
                   Machine::GetName(Event(event)));
      callback(State(state), Event(event));
    }
}

bool Has(const Machine::Row &row, Machine::Actions action) {
  return row.actions & action;
}

//===-- The table ---------------------------------------------------------===//

/// The calls expected for a row's actions, according to the header.
std::vector<std::string> GetExpectedCalls(const Machine::Row &row,
                                          Side leader) {
  std::vector<std::string> calls;
  auto add = [&](Machine::Actions action, const char *what, Side side) {
    if (Has(row, action))
      calls.push_back(std::string(what) + " " + GetName(side));
  };
  add(Machine::ReturnLeader, "return", leader);
  add(Machine::ReturnFollower, "return", Machine::GetOther(leader));
  if (Has(row, Machine::HostLeads))
    leader = Side::Host;
  if (Has(row, Machine::SwapLeader))
    leader = Machine::GetOther(leader);
  const Side follower = Machine::GetOther(leader);
  add(Machine::TakeLeader, "take", leader);
  add(Machine::TakeFollower, "take", follower);
  add(Machine::InterruptLeader, "interrupt", leader);
  add(Machine::InterruptFollower, "interrupt", follower);
  add(Machine::ResumeLeader, "unpause", leader);
  add(Machine::ResumeFollower, "resume", follower);
  add(Machine::ResumeFollowerLater, "resume later", follower);
  add(Machine::ShowFollower, "show", follower);
  add(Machine::ShowFollowerToo, "show too", follower);
  add(Machine::ShowFollowersEnd, "show end", follower);
  add(Machine::ReportLeadersStop, "report", leader);
  add(Machine::ReportFollowersStop, "report", follower);
  add(Machine::ReportLeaderStuck, "stuck", leader);
  add(Machine::ReportFollowerStuck, "stuck", follower);
  if (Has(row, Machine::FinishGPU))
    calls.push_back("finish gpu");
  return calls;
}

/// Actions that show something are followed by Shown.
State GetLast(const Machine::Row &row) {
  if (!(row.actions & (Machine::ShowFollower | Machine::ShowFollowerToo |
                       Machine::ShowFollowersEnd)))
    return row.next;
  const Machine::Row *shown = Machine::Find(row.next, Event::Shown);
  return shown ? shown->next : row.next;
}

TEST(CouplingTable, EveryEventInEveryState) {
  size_t refused = 0;
  ForEachCell([&](State state, Event event) {
    for (Side leader : {Side::Host, Side::GPU}) {
      Recorder processes;
      Machine machine(processes, None, state, leader);
      const Machine::Row *row = Machine::Find(state, event);
      machine.Handle(event);
      if (!row) {
        ++refused;
        EXPECT_EQ(machine.GetState(), state);
        EXPECT_EQ(machine.GetLeader(), leader);
        EXPECT_THAT(processes.calls, IsEmpty());
        EXPECT_THAT(processes.log, ElementsAre(HasSubstr("impossible here")));
        continue;
      }
      EXPECT_EQ(machine.GetState(), GetLast(*row));
      std::vector<std::string> expected = GetExpectedCalls(*row, leader);
      if (row->next == State::Showing && GetLast(*row) == State::Interrupting)
        expected.push_back(std::string("interrupt ") +
                           GetName(machine.GetLeader()));
      EXPECT_THAT(processes.calls, ElementsAreArray(expected));
    }
  });
  EXPECT_GT(refused, 0u);
}

// The following tests check the rows of the table against the states'
// descriptions.

TEST(CouplingTable, EventsAreTakenAndReturned) {
  // From the processes' point of view: put each of them into the state's
  // condition.
  ForEachCell([&](State state, Event event) {
    const Machine::Row *row = Machine::Find(state, event);
    if (!row)
      return;
    using Taken = Machine::Taken;
    const Taken before = Machine::GetFacts(state).taken;
    bool leader = before == Taken::Both, follower = before != Taken::None;
    leader &= !Has(*row, Machine::ReturnLeader);
    follower &= !Has(*row, Machine::ReturnFollower);
    if (Has(*row, Machine::SwapLeader))
      std::swap(leader, follower);
    leader |= Has(*row, Machine::TakeLeader);
    follower |= Has(*row, Machine::TakeFollower);
    const Taken after = Machine::GetFacts(row->next).taken;
    EXPECT_EQ(leader, after == Taken::Both);
    EXPECT_EQ(follower, after != Taken::None);
  });
}

TEST(CouplingTable, OnlyWhatRunsIsInterrupted) {
  ForEachCell([&](State state, Event event) {
    const Machine::Row *row = Machine::Find(state, event);
    if (!row)
      return;
    const Machine::StateFacts &next = Machine::GetFacts(row->next);
    if (Has(*row, Machine::InterruptLeader))
      EXPECT_EQ(next.leader, Motion::Runs);
    if (Has(*row, Machine::InterruptFollower))
      EXPECT_EQ(next.follower, Motion::Runs);
  });
}

TEST(CouplingTable, WhatIsWaitedForIsInterrupted) {
  ForEachCell([&](State state, Event event) {
    const Machine::Row *row = Machine::Find(state, event);
    if (!row || row->next == state)
      return;
    // A process that is about to run is interrupted as soon as it does.
    if (row->next == State::Halting)
      EXPECT_TRUE(Has(*row, Machine::InterruptFollower) ||
                  event == Event::UserResumesFollower ||
                  event == Event::LLDBResumesFollower);
    if (row->next == State::Interrupting || row->next == State::Pausing)
      EXPECT_TRUE(Has(*row, Machine::InterruptLeader) ||
                  event == Event::LLDBResumesLeader);
  });
}

TEST(CouplingTable, AnInterruptThatWasLostIsSentAgain) {
  for (auto [state, event, action] :
       {std::tuple(State::Halting, Event::FollowerResumed,
                   Machine::InterruptFollower),
        std::tuple(State::Interrupting, Event::LeaderResumed,
                   Machine::InterruptLeader),
        std::tuple(State::Pausing, Event::LeaderResumed,
                   Machine::InterruptLeader)}) {
    const Machine::Row *row = Machine::Find(state, event);
    ASSERT_TRUE(row);
    EXPECT_EQ(row->next, state);
    EXPECT_EQ(row->actions, action);
  }
}

TEST(CouplingTable, WhatStandsIsResumedOnce) {
  ForEachCell([&](State state, Event event) {
    const Machine::Row *row = Machine::Find(state, event);
    if (!row)
      return;
    const Machine::StateFacts &facts = Machine::GetFacts(state);
    const Machine::StateFacts &next = Machine::GetFacts(row->next);
    const bool stops = event == Event::FollowerIsInterrupted ||
                       event == Event::FollowerStopsPublicly;
    const Motion follower =
        Has(*row, Machine::SwapLeader) ? facts.leader : facts.follower;
    if (row->actions &
        (Machine::ResumeFollower | Machine::ResumeFollowerLater)) {
      EXPECT_TRUE(follower == Motion::Stands || stops);
      EXPECT_EQ(next.follower, Motion::Runs);
    } else if (follower == Motion::Stands) {
      // It doesn't run without an event for it.
      EXPECT_TRUE(next.follower != Motion::Runs ||
                  event == Event::UserResumesFollower ||
                  event == Event::LLDBResumesFollower ||
                  event == Event::Connect);
    }
    if (Has(*row, Machine::ResumeLeader)) {
      EXPECT_EQ(facts.leader, Motion::Stands);
      EXPECT_EQ(next.leader, Motion::Runs);
    }
  });
}

TEST(CouplingTable, StatesAgreeWithEvents) {
  ForEachCell([&](State state, Event event) {
    const Machine::Row *row = Machine::Find(state, event);
    if (!row || row->next == State::Apart || row->next == State::Closed)
      return;
    Motion leader = Machine::GetFacts(row->next).leader;
    Motion follower = Machine::GetFacts(row->next).follower;
    if (Has(*row, Machine::SwapLeader))
      std::swap(leader, follower);
    switch (event) {
    case Event::UserResumesLeader:
    case Event::LLDBResumesLeader:
    case Event::LeaderRuns:
      EXPECT_EQ(leader, Motion::Runs);
      break;
    case Event::UserResumesFollower:
    case Event::LLDBResumesFollower:
      if (state != State::Connecting || row->next != State::Connecting)
        EXPECT_EQ(follower, Motion::Runs);
      break;
    case Event::LeaderStopsPublicly:
    case Event::LeaderStops:
      EXPECT_EQ(leader, Motion::Stands);
      break;
    case Event::FollowerStops:
      EXPECT_EQ(follower, Motion::Stands);
      break;
    case Event::FollowerIsInterrupted:
      EXPECT_TRUE(follower == Motion::Stands ||
                  Has(*row, Machine::ResumeFollower));
      break;
    case Event::FollowerHostEnds:
      EXPECT_EQ(follower, Motion::Gone);
      break;
    case Event::Stuck:
    case Event::Shown:
    case Event::HoldFollower:
      EXPECT_TRUE(row->next == state || event != Event::Stuck ||
                  leader == Motion::Runs);
      break;
    default:
      break;
    }
  });
}

TEST(CouplingTable, EveryStateIsReachedAndLeft) {
  std::set<State> reached = {State::Apart};
  for (size_t size = 0; size != reached.size();) {
    size = reached.size();
    ForEachCell([&](State state, Event event) {
      const Machine::Row *row = Machine::Find(state, event);
      if (row && reached.count(state))
        reached.insert(row->next);
    });
  }
  EXPECT_EQ(reached.size(), Machine::GetStateCount());
  // The program's end leads back to the initial state.
  std::set<State> left = {State::Apart};
  for (size_t size = 0; size != left.size();) {
    size = left.size();
    ForEachCell([&](State state, Event event) {
      const Machine::Row *row = Machine::Find(state, event);
      if (row && left.count(row->next) && event != Event::Connect)
        left.insert(state);
    });
  }
  left.insert(State::Closed);
  EXPECT_EQ(left.size(), Machine::GetStateCount());
}

//===-- What a session is made of -----------------------------------------===//

class CouplingTest : public testing::Test {
protected:
  /// A machine in a session's initial state.
  void Begin(State state, Side leader = Side::Host) {
    m_machine.emplace(m_processes, None, state, leader);
  }
  /// Goes to the state in which both run, in the same way as sessions.
  void Run(Side leader) {
    Begin(State::StoppedForLeader);
    m_machine->Resumes(leader, true);
    m_processes.GetCalls();
  }
  Machine &machine() { return *m_machine; }
  std::vector<std::string> calls() { return m_processes.GetCalls(); }
  void TearDown() override {
    for (const std::string &text : m_processes.log)
      EXPECT_THAT(text, testing::Not(HasSubstr("impossible here")));
  }

  Recorder m_processes;
  std::optional<Machine> m_machine;
};

TEST_F(CouplingTest, Launch) {
  Begin(State::Apart);
  machine().Resumes(Side::Host, true);
  EXPECT_THAT(calls(), IsEmpty());
  // The host's runtime has loaded code: the host is stopped privately.
  machine().Connect();
  EXPECT_THAT(calls(), ElementsAre("take gpu"));
  machine().Took(Side::GPU, Taking::Stop);
  EXPECT_EQ(machine().GetState(), State::StoppedForLeader);
  EXPECT_THAT(calls(), ElementsAre("return gpu"));
  EXPECT_TRUE(machine().Hold());
  machine().LetGo(false);
  EXPECT_THAT(calls(), IsEmpty());
  machine().Resumes(Side::Host, false);
  EXPECT_EQ(machine().GetState(), State::Running);
  EXPECT_THAT(calls(), ElementsAre("take gpu", "resume gpu"));
  machine().Resumes(Side::GPU, true); // Of the resume
  machine().Resumed(Side::GPU);
  machine().Resumed(Side::Host);
  EXPECT_THAT(calls(), IsEmpty());
}

TEST_F(CouplingTest, LaunchWithoutWaves) {
  Begin(State::Apart);
  machine().Connect();
  calls();
  machine().Resumes(Side::GPU, false);
  machine().Took(Side::GPU, Taking::Restart);
  EXPECT_EQ(machine().GetState(), State::Running);
  machine().Resumes(Side::Host, false);
  EXPECT_THAT(calls(), IsEmpty());
}

TEST_F(CouplingTest, ConnectionFails) {
  Begin(State::Apart);
  machine().Connect();
  calls();
  machine().ConnectFailed();
  EXPECT_EQ(machine().GetState(), State::Apart);
  EXPECT_THAT(calls(), ElementsAre("return gpu"));
}

TEST_F(CouplingTest, Attach) {
  Begin(State::Apart);
  machine().Connect();
  machine().Took(Side::GPU, Taking::Interrupt);
  calls();
  // The stop of the attach is shown while the GPU is already stopped.
  machine().StopsPublicly(Side::Host, false);
  EXPECT_THAT(calls(), IsEmpty());
  machine().Resumes(Side::GPU, true);
  EXPECT_EQ(machine().GetLeader(), Side::GPU);
  EXPECT_THAT(calls(), ElementsAre("take host", "resume host"));
}

TEST_F(CouplingTest, StopOfTheLeader) {
  for (Side leader : {Side::Host, Side::GPU}) {
    Run(leader);
    const Side follower = Machine::GetOther(leader);
    machine().Handle(Event::LeaderStopsPublicly);
    EXPECT_THAT(calls(),
                ElementsAre(std::string("interrupt ") + GetName(follower)));
    EXPECT_TRUE(machine().StopsForTheOther(follower));
    EXPECT_TRUE(machine().IsInterrupted(follower));
    EXPECT_FALSE(machine().StopsForTheOther(leader));
    machine().Took(follower, Taking::Interrupt);
    EXPECT_EQ(machine().GetState(), State::StoppedForLeader);
    EXPECT_THAT(calls(),
                ElementsAre(std::string("return ") + GetName(follower)));
    // A condition doesn't hold.
    machine().Resumes(leader, false);
    EXPECT_EQ(machine().GetState(), State::Running);
    EXPECT_EQ(machine().GetLeader(), leader);
    calls();
  }
}

TEST_F(CouplingTest, StopOfTheFollower) {
  Run(Side::Host);
  machine().Took(Side::GPU, Taking::Stop);
  EXPECT_EQ(machine().GetState(), State::Interrupting);
  EXPECT_THAT(calls(), ElementsAre("return gpu", "show gpu", "interrupt host"));
  EXPECT_TRUE(machine().StopsForTheOther(Side::Host));
  // The interrupt hit a stop that turned out not to be one.
  machine().Resumes(Side::Host, false);
  EXPECT_THAT(calls(), IsEmpty());
  machine().Resumed(Side::Host);
  EXPECT_THAT(calls(), ElementsAre("interrupt host"));
  machine().StopsPublicly(Side::Host, false);
  EXPECT_EQ(machine().GetState(), State::StoppedForFollower);
  // The public stop turned out not to be one either: the GPU's counts.
  machine().Resumes(Side::Host, false);
  EXPECT_EQ(machine().GetState(), State::Interrupting);
  EXPECT_THAT(calls(), ElementsAre("show gpu", "interrupt host"));
  machine().Resumed(Side::Host);
  EXPECT_THAT(calls(), ElementsAre("interrupt host"));
  machine().StopsPublicly(Side::Host, false);
  // The user continues the stopped process.
  machine().Resumes(Side::GPU, true);
  EXPECT_EQ(machine().GetLeader(), Side::GPU);
  EXPECT_THAT(calls(), ElementsAre("take host", "resume host"));
}

TEST_F(CouplingTest, BothStopAtOnce) {
  Run(Side::Host);
  machine().Handle(Event::LeaderStopsPublicly);
  calls();
  machine().Took(Side::GPU, Taking::Stop);
  EXPECT_THAT(calls(), ElementsAre("return gpu", "show too gpu"));
  EXPECT_EQ(machine().GetState(), State::StoppedForFollower);
  // The host's stop wasn't one, and the GPU's was only shown besides it.
  machine().Resumes(Side::Host, false);
  EXPECT_EQ(machine().GetState(), State::Interrupting);
  EXPECT_THAT(calls(), ElementsAre("show gpu", "interrupt host"));
  machine().Resumed(Side::Host);
  EXPECT_THAT(calls(), ElementsAre("interrupt host"));
}

TEST_F(CouplingTest, TheLeaderStopsWhileTheOtherStopIsShown) {
  // Another thread reports the leader's stop in between.
  struct StopsMeanwhile : Recorder {
    void ShowStop(Side side, bool alone) override {
      Recorder::ShowStop(side, alone);
      machine->Handle(Event::LeaderStopsPublicly);
    }
    Machine *machine = nullptr;
  } processes;
  Machine machine(processes, None, State::Running);
  processes.machine = &machine;
  machine.Took(Side::GPU, Taking::Stop);
  EXPECT_EQ(machine.GetState(), State::StoppedForFollower);
  EXPECT_THAT(processes.calls, ElementsAre("return gpu", "show gpu"));
}

TEST_F(CouplingTest, AStopHookRunsTheProgramOn) {
  struct HasHook : Recorder {
    void ShowStop(Side side, bool alone) override {
      Recorder::ShowStop(side, alone);
      machine->Resumes(side, false);
    }
    Machine *machine = nullptr;
  } processes;
  Machine machine(processes, None, State::Running);
  processes.machine = &machine;
  machine.Took(Side::GPU, Taking::Stop);
  EXPECT_EQ(machine.GetState(), State::Running);
  EXPECT_THAT(processes.calls,
              ElementsAre("return gpu", "show gpu", "take gpu"));
  // If the leader has stopped, too, its stop takes precedence.
  processes.calls.clear();
  machine.Handle(Event::LeaderStopsPublicly);
  machine.Took(Side::GPU, Taking::Stop);
  EXPECT_EQ(machine.GetState(), State::Halting);
  EXPECT_THAT(processes.calls, ElementsAre("interrupt gpu", "return gpu",
                                           "show too gpu", "take gpu"));
  machine.Resumed(Side::GPU);
  EXPECT_EQ(processes.calls.back(), "interrupt gpu");
}

TEST_F(CouplingTest, InterruptOfTheFollowerIsOfTheProgram) {
  Run(Side::Host);
  machine().Took(Side::GPU, Taking::Interrupt);
  EXPECT_THAT(calls(), ElementsAre("return gpu", "show gpu", "interrupt host"));
}

TEST_F(CouplingTest, InterruptBetweenTwoRunsIsSentAgain) {
  Run(Side::Host);
  machine().Handle(Event::LeaderStopsPublicly);
  calls();
  // The follower was just being resumed.
  machine().Resumed(Side::GPU);
  EXPECT_THAT(calls(), ElementsAre("interrupt gpu"));
  // It stopped for no reason that counts.
  machine().Resumes(Side::GPU, false);
  machine().Resumed(Side::GPU);
  machine().Took(Side::GPU, Taking::Restart);
  EXPECT_THAT(calls(), ElementsAre("interrupt gpu"));
  machine().Took(Side::GPU, Taking::Interrupt);
  EXPECT_EQ(machine().GetState(), State::StoppedForLeader);
}

TEST_F(CouplingTest, TheUserDoesNotWaitForTheLeader) {
  Run(Side::Host);
  machine().Took(Side::GPU, Taking::Stop);
  calls();
  machine().Resumes(Side::GPU, true);
  EXPECT_EQ(machine().GetState(), State::Rejoining);
  EXPECT_EQ(machine().GetLeader(), Side::GPU);
  EXPECT_THAT(calls(), ElementsAre("take host"));
  machine().Took(Side::Host, Taking::Interrupt);
  EXPECT_EQ(machine().GetState(), State::Running);
  EXPECT_THAT(calls(), ElementsAre("resume host"));
}

TEST_F(CouplingTest, TheLeadersStopWasOnItsWayWhenTheUserGoesOn) {
  for (bool for_reason : {false, true}) {
    Run(Side::Host);
    machine().Took(Side::GPU, Taking::Stop);
    machine().Resumes(Side::GPU, true);
    calls();
    machine().StopsPublicly(Side::Host, for_reason);
    if (for_reason) {
      EXPECT_THAT(calls(), ElementsAre("return host", "interrupt gpu"));
      EXPECT_EQ(machine().GetState(), State::Interrupting);
    } else {
      EXPECT_THAT(calls(), ElementsAre("resume later host"));
      machine().ResumeFollowerNow();
      EXPECT_THAT(calls(), ElementsAre("resume host"));
      EXPECT_EQ(machine().GetState(), State::Running);
    }
  }
}

TEST_F(CouplingTest, TheNewLeaderStopsBeforeTheOldOne) {
  for (bool for_reason : {false, true}) {
    Run(Side::Host);
    machine().Took(Side::GPU, Taking::Stop);
    machine().Resumes(Side::GPU, true);
    machine().Handle(Event::LeaderStopsPublicly);
    EXPECT_EQ(machine().GetState(), State::Halting);
    calls();
    machine().StopsPublicly(Side::Host, for_reason);
    EXPECT_THAT(calls(), ElementsAre("return host"));
    EXPECT_EQ(machine().GetState(),
              for_reason ? State::StoppedForFollower : State::StoppedForLeader);
  }
}

TEST_F(CouplingTest, TheFollowerCannotBeResumed) {
  Begin(State::StoppedForLeader);
  m_processes.can_resume = false;
  machine().Resumes(Side::Host, true);
  EXPECT_THAT(calls(), ElementsAre("take gpu", "resume gpu", "return gpu",
                                   "interrupt host"));
  EXPECT_EQ(machine().GetState(), State::Interrupting);
}

TEST_F(CouplingTest, TheLeaderCannotBeResumed) {
  Begin(State::StoppedForLeader);
  machine().Resumes(Side::GPU, true);
  calls();
  machine().Resumed(Side::GPU, /*success=*/false);
  EXPECT_THAT(calls(), ElementsAre("interrupt host"));
  machine().Took(Side::Host, Taking::Interrupt);
  EXPECT_EQ(machine().GetState(), State::StoppedForLeader);
}

TEST_F(CouplingTest, ReportsAStopBeforeItsResume) {
  Begin(State::StoppedForLeader);
  machine().Resumes(Side::Host, true);
  machine().Resumes(Side::GPU, true);
  machine().Took(Side::GPU, Taking::Stop);
  machine().StopsPublicly(Side::Host, false);
  machine().Resumed(Side::GPU);
  machine().Resumed(Side::Host);
  EXPECT_EQ(machine().GetState(), State::StoppedForFollower);
  EXPECT_EQ(machine().GetLeader(), Side::Host);
}

TEST_F(CouplingTest, TheFollowerDoesNotStop) {
  Run(Side::Host);
  machine().StopsPublicly(Side::Host, true);
  EXPECT_THAT(calls(), ElementsAre("interrupt gpu", "stuck gpu"));
  // It happens later.
  EXPECT_EQ(machine().GetState(), State::Halting);
  machine().Took(Side::GPU, Taking::Interrupt);
  EXPECT_EQ(machine().GetState(), State::StoppedForLeader);
  // The user doesn't wait for it.
  Run(Side::Host);
  machine().StopsPublicly(Side::Host, true);
  machine().Resumes(Side::Host, true);
  calls();
  machine().Took(Side::GPU, Taking::Interrupt);
  EXPECT_THAT(calls(), ElementsAre("resume gpu"));
  EXPECT_EQ(machine().GetState(), State::Running);
}

TEST_F(CouplingTest, CodeIsLoadedWhileTheGPULeads) {
  Run(Side::GPU);
  machine().Handle(Event::HoldLeader);
  EXPECT_THAT(calls(), ElementsAre("take gpu", "interrupt gpu"));
  machine().Resumes(Side::GPU, false);
  machine().Resumed(Side::GPU);
  EXPECT_THAT(calls(), ElementsAre("interrupt gpu"));
  machine().Took(Side::GPU, Taking::Interrupt);
  EXPECT_EQ(machine().GetState(), State::Paused);
  machine().LetGo(/*gpu_has_reason=*/false);
  EXPECT_THAT(calls(), ElementsAre("unpause gpu", "return gpu"));
  EXPECT_EQ(machine().GetState(), State::Running); // the machine gives up
                                                   // waiting
  Begin(State::Unpausing, Side::GPU);
  machine().Resumes(Side::GPU, false);
  machine().Resumed(Side::GPU);
  machine().Took(Side::GPU, Taking::Run);
  EXPECT_THAT(calls(), ElementsAre("return gpu"));
  EXPECT_EQ(machine().GetState(), State::Running);
  // A stop that was already on its way to the coupling.
  machine().Took(Side::GPU, Taking::Stop);
  EXPECT_THAT(calls(), ElementsAre("interrupt host", "report gpu"));
}

TEST_F(CouplingTest, TheGPUStopsWhileCodeIsLoaded) {
  Run(Side::GPU);
  machine().Handle(Event::HoldLeader);
  machine().Took(Side::GPU, Taking::Stop);
  calls();
  machine().LetGo(/*gpu_has_reason=*/true);
  EXPECT_THAT(calls(),
              ElementsAre("return gpu", "interrupt host", "report gpu"));
  // The host leaves its runtime.
  machine().Resumes(Side::Host, false);
  machine().Resumed(Side::Host);
  EXPECT_THAT(calls(), ElementsAre("interrupt host"));
  machine().Took(Side::Host, Taking::Interrupt);
  EXPECT_EQ(machine().GetState(), State::StoppedForLeader);
}

TEST_F(CouplingTest, TheGPUsStopIsShownWhenCodeIsLoaded) {
  Run(Side::GPU);
  machine().Handle(Event::HoldLeader);
  calls();
  machine().Handle(Event::LeaderStopsPublicly);
  EXPECT_THAT(calls(), ElementsAre("return gpu", "interrupt host"));
  EXPECT_TRUE(machine().Hold());
}

TEST_F(CouplingTest, CodeIsLoadedWhileTheHostLeads) {
  Run(Side::Host);
  machine().Handle(Event::HoldFollower);
  EXPECT_THAT(calls(), ElementsAre("interrupt gpu"));
  machine().Took(Side::GPU, Taking::Interrupt);
  EXPECT_TRUE(machine().Hold());
  calls();
  machine().LetGo(false);
  machine().Resumes(Side::Host, false);
  EXPECT_THAT(calls(), ElementsAre("take gpu", "resume gpu"));
  // Its own stop is shown, and the host stops when it leaves its runtime.
  machine().Handle(Event::HoldFollower);
  machine().Took(Side::GPU, Taking::Stop);
  EXPECT_TRUE(machine().Hold());
  calls();
  machine().Resumes(Side::Host, false);
  EXPECT_THAT(calls(), ElementsAre("show gpu", "interrupt host"));
  machine().Resumed(Side::Host);
  EXPECT_THAT(calls(), ElementsAre("interrupt host"));
}

TEST_F(CouplingTest, TheProgramEndsWhileTheHostLeads) {
  Run(Side::Host);
  machine().Exits(Side::Host);
  EXPECT_EQ(machine().GetState(), State::LeaderGone);
  machine().Exits(Side::GPU);
  EXPECT_THAT(calls(), IsEmpty());
  machine().Took(Side::GPU, Taking::End);
  EXPECT_THAT(calls(), ElementsAre("return gpu"));
  EXPECT_EQ(machine().GetState(), State::Apart);
}

TEST_F(CouplingTest, TheProgramEndsWhileTheGPULeads) {
  Run(Side::GPU);
  machine().Exits(Side::Host);
  machine().WaitForHostsEnd();
  machine().Took(Side::Host, Taking::End);
  EXPECT_THAT(calls(), ElementsAre("return host", "show end host"));
  EXPECT_EQ(machine().GetState(), State::FollowerGone);
  machine().Exits(Side::GPU);
  EXPECT_EQ(machine().GetState(), State::Apart);
}

TEST_F(CouplingTest, TheProgramIsKilledFromOutsideWhileItStands) {
  for (State state : {State::StoppedForLeader, State::StoppedForFollower})
    for (Side leader : {Side::Host, Side::GPU}) {
      Begin(state, leader);
      machine().Exits(Side::Host);
      EXPECT_THAT(calls(), ElementsAre("finish gpu"));
      EXPECT_EQ(machine().GetState(), State::Apart);
    }
}

TEST_F(CouplingTest, TheGPUStopsWhenTheHostIsGone) {
  Run(Side::Host);
  machine().Exits(Side::Host);
  machine().Took(Side::GPU, Taking::Stop);
  EXPECT_THAT(calls(), ElementsAre("return gpu", "finish gpu"));
}

TEST_F(CouplingTest, TheDeviceDies) {
  Run(Side::Host);
  machine().Exits(Side::GPU);
  machine().Took(Side::GPU, Taking::End);
  EXPECT_THAT(calls(), ElementsAre("return gpu", "show end gpu"));
  EXPECT_EQ(machine().GetState(), State::Apart);
  Run(Side::GPU);
  machine().Exits(Side::GPU);
  EXPECT_THAT(calls(), ElementsAre("return host"));
  EXPECT_EQ(machine().GetState(), State::Apart);
  // A stop of the host was already on its way to the coupling.
  machine().Took(Side::Host, Taking::Stop);
  EXPECT_THAT(calls(), ElementsAre("report host"));
}

TEST_F(CouplingTest, Kill) {
  // LLDB halts the host to kill it.
  Run(Side::Host);
  machine().Handle(Event::LeaderStopsPublicly);
  machine().Took(Side::GPU, Taking::Interrupt);
  calls();
  machine().Exits(Side::Host);
  EXPECT_THAT(calls(), ElementsAre("finish gpu"));
  machine().HostDestroyed();
  EXPECT_EQ(machine().GetState(), State::Apart);
  // The host follows.
  Run(Side::GPU);
  machine().Exits(Side::Host);
  machine().HostDestroyed();
  EXPECT_THAT(calls(), ElementsAre("finish gpu"));
}

TEST_F(CouplingTest, Detach) {
  Run(Side::Host);
  machine().Handle(Event::HoldFollower);
  machine().Took(Side::GPU, Taking::Interrupt);
  machine().Detached();
  EXPECT_EQ(machine().GetState(), State::Apart);
  EXPECT_THAT(calls(), ElementsAre("interrupt gpu", "return gpu"));
  // The GPU is stopped by its own Detach.
  Run(Side::GPU);
  machine().Handle(Event::LeaderStopsPublicly);
  machine().Detached();
  EXPECT_THAT(calls(), ElementsAre("interrupt host", "return host"));
}

TEST_F(CouplingTest, RunAgain) {
  Run(Side::GPU);
  machine().Connect();
  EXPECT_EQ(machine().GetLeader(), Side::Host);
  EXPECT_EQ(machine().GetState(), State::Connecting);
}

TEST_F(CouplingTest, Close) {
  Run(Side::Host);
  machine().Close();
  EXPECT_THAT(calls(), ElementsAre("return host", "return gpu"));
  machine().StopsPublicly(Side::Host, true);
  machine().Connect();
  EXPECT_EQ(machine().GetState(), State::Closed);
  EXPECT_THAT(calls(), IsEmpty());
}

} // namespace
