//===-- CouplingThreadsTest.cpp - the machine in a program of threads -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two processes that behave like LLDB's, each with a thread that runs it and
// one that waits for its public stops, and the coupling's own thread. A user
// runs one or the other, both stop at random, and after each stop both must be
// stopped, with every stop seen. Also runs under ThreadSanitizer.
//===----------------------------------------------------------------------===//

#include "Session/Coupling/CouplingMachine.h"
#include "gtest/gtest.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <random>
#include <thread>

using namespace lldb_private::wavelane;

using Machine = CouplingMachine;
using Side = Machine::Side;
using State = Machine::State;
using Taking = Machine::Taking;

namespace {

/// A thread that does its work in order.
class Worker {
public:
  Worker()
      : m_thread([this] {
          while (std::function<void()> work = Pop())
            work();
        }) {}
  ~Worker() { Stop(); }
  void Stop() {
    Push(nullptr);
    if (m_thread.joinable())
      m_thread.join();
  }
  void Push(std::function<void()> work) {
    {
      std::lock_guard<std::mutex> guard(m_mutex);
      m_posted.push_back(std::move(work));
    }
    m_changed.notify_one();
  }
  /// Waits until previously pushed work is done.
  void Drain() {
    std::mutex mutex;
    std::condition_variable changed;
    bool done = false;
    Push([&] {
      std::lock_guard<std::mutex> guard(mutex);
      done = true;
      changed.notify_one();
    });
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [&] { return done; });
  }

private:
  std::function<void()> Pop() {
    std::unique_lock<std::mutex> lock(m_mutex);
    m_changed.wait(lock, [&] { return !m_posted.empty(); });
    std::function<void()> work = std::move(m_posted.front());
    m_posted.pop_front();
    return work;
  }

  std::mutex m_mutex;
  std::condition_variable m_changed;
  std::deque<std::function<void()>> m_posted;
  std::thread m_thread;
};

class Random {
public:
  explicit Random(unsigned seed) : m_engine(seed) {}
  /// True once in \a n times.
  bool Once(unsigned n) {
    std::lock_guard<std::mutex> guard(m_mutex);
    return m_engine() % n == 0;
  }

private:
  std::mutex m_mutex;
  std::mt19937 m_engine;
};

// The machine must not give up waiting.
constexpr Machine::Timeouts Forever = {
    std::chrono::hours(1), std::chrono::hours(1), std::chrono::hours(1)};

class Program : public Machine::Processes {
public:
  explicit Program(unsigned seed)
      : m_random(seed), m_machine(*this, Forever, State::StoppedForLeader) {}
  ~Program() override {
    // Each thread may create work for the others.
    for (int i = 0; i < 3; ++i)
      Drain();
  }

  //===-- What happens from outside ---------------------------------------===//

  /// The user resumes a process whose stop has been shown.
  bool Run(Side side) {
    {
      std::lock_guard<std::mutex> guard(m_mutex);
      if (!Get(side).shown)
        return false;
    }
    return Start(side);
  }
  /// A thread or wave reaches a breakpoint.
  void HitBreakpoint(Side side) {
    Get(side).runner.Push([=] { Stop(side, /*for_reason=*/true, false); });
  }
  /// The host's runtime has loaded code: the host stops at a breakpoint that is
  /// handled on its own thread, with the GPU held.
  void LoadCode() {
    Get(Side::Host).runner.Push([=] {
      {
        std::lock_guard<std::mutex> guard(m_mutex);
        if (!Get(Side::Host).runs)
          return;
        Get(Side::Host).runs = Get(Side::Host).is_resuming = false;
      }
      if (m_machine.Hold()) {
        std::unique_lock<std::mutex> lock(m_mutex);
        EXPECT_FALSE(Get(Side::GPU).runs);
        const bool has_reason = Get(Side::GPU).held_for_reason;
        lock.unlock();
        m_machine.LetGo(has_reason);
      }
      Restart(Side::Host);
    });
  }
  /// Runs pending work, and returns whether both are stopped.
  bool Stands() {
    for (int i = 0; i < 3; ++i)
      Drain();
    const State state = m_machine.GetState();
    std::lock_guard<std::mutex> guard(m_mutex);
    return !m_processes[0].runs && !m_processes[1].runs &&
           (state == State::StoppedForLeader ||
            state == State::StoppedForFollower);
  }
  /// The conditions when both are stopped.
  void Check() {
    std::lock_guard<std::mutex> guard(m_mutex);
    for (Process &process : m_processes) {
      EXPECT_FALSE(process.taken);
      EXPECT_FALSE(process.public_runs);
      EXPECT_EQ(process.unseen, 0);
    }
    EXPECT_TRUE(m_processes[0].shown || m_processes[1].shown);
    // From here on, the user may resume either.
    m_processes[0].shown = m_processes[1].shown = true;
  }
  bool HasShown(Side side) {
    std::lock_guard<std::mutex> guard(m_mutex);
    return Get(side).shown;
  }

  //===-- Machine::Processes ----------------------------------------------===//

  void TakeEvents(Side side) override {
    std::lock_guard<std::mutex> guard(m_mutex);
    Get(side).taken = true;
  }
  void ReturnEvents(Side side) override {
    std::lock_guard<std::mutex> guard(m_mutex);
    Get(side).taken = false;
  }
  void Interrupt(Side side) override {
    Get(side).runner.Push([=] { Stop(side, /*for_reason=*/false, true); });
  }
  bool Resume(Side side) override {
    Start(side); // unless LLDB has just restarted it
    return true;
  }
  bool ResumeAfterPause(Side side) override {
    {
      std::lock_guard<std::mutex> guard(m_mutex);
      Get(side).public_runs = true;
    }
    m_coupling.Push([=] { m_machine.Took(side, Taking::Run); });
    Restart(side);
    return true;
  }
  void ResumeLater(Side) override {
    m_coupling.Push([=] { m_machine.ResumeFollowerNow(); });
  }
  void ShowStop(Side side, bool) override {
    {
      std::lock_guard<std::mutex> guard(m_mutex);
      Get(side).unseen = 0;
      Get(side).shown = true;
    }
    // A stop hook.
    if (m_random.Once(8))
      Start(side);
  }
  void ShowEnd(Side) override { ADD_FAILURE(); }
  void ReportStop(Side side) override {
    std::lock_guard<std::mutex> guard(m_mutex);
    Get(side).unseen = 0;
    Get(side).shown = true;
  }
  void ReportStuck(Side) override { ADD_FAILURE(); }
  void FinishGPU() override { ADD_FAILURE(); }
  void Log(const std::string &text) override {
    if (text.find("impossible here") != text.npos)
      ADD_FAILURE() << text;
  }

private:
  struct Process {
    bool runs = false;
    bool is_resuming = false; ///< and from then on while it runs
    bool public_runs = false; ///< the result of Process::Resume's check
    bool shown = true;        ///< the user has seen its stop
    bool taken = false;
    int unseen = 0; ///< stops with a reason that were taken but not shown
    bool held_for_reason = false;
    Worker runner, listener;
  };
  Process &Get(Side side) { return m_processes[size_t(side)]; }

  void Drain() {
    for (Process &process : m_processes) {
      process.runner.Drain();
      process.listener.Drain();
    }
    m_coupling.Drain();
  }

  /// Process::Resume.
  bool Start(Side side) {
    {
      std::lock_guard<std::mutex> guard(m_mutex);
      if (Get(side).public_runs)
        return false;
      Get(side).public_runs = true;
      Get(side).shown = false;
    }
    PrivateResume(side, /*by_user=*/true);
    return true;
  }
  void Restart(Side side) { PrivateResume(side, /*by_user=*/false); }
  /// Process::PrivateResume. If LLDB and the coupling resume concurrently, only
  /// one does.
  void PrivateResume(Side side, bool by_user) {
    {
      std::lock_guard<std::mutex> guard(m_mutex);
      if (std::exchange(Get(side).is_resuming, true))
        return;
    }
    m_machine.Resumes(side, by_user);
    {
      std::lock_guard<std::mutex> guard(m_mutex);
      Get(side).runs = true;
    }
    std::this_thread::yield();
    m_machine.Resumed(side);
  }
  /// Runs on the process's own thread.
  void Stop(Side side, bool for_reason, bool interrupted) {
    {
      std::lock_guard<std::mutex> guard(m_mutex);
      // An interrupt between two runs is lost.
      if (!Get(side).runs)
        return;
      Get(side).runs = Get(side).is_resuming = false;
    }
    // The step isn't finished.
    if (!interrupted && m_random.Once(3))
      return Restart(side);
    std::lock_guard<std::mutex> guard(m_mutex);
    if (Get(side).taken)
      m_coupling.Push([=] { Take(side, for_reason); });
    else
      Get(side).listener.Push([=] { Show(side, for_reason, interrupted); });
  }
  /// Runs on the coupling's thread.
  void Take(Side side, bool for_reason) {
    // A condition doesn't hold.
    if (for_reason && m_random.Once(3)) {
      Restart(side);
      return m_machine.Took(side, Taking::Restart);
    }
    {
      std::lock_guard<std::mutex> guard(m_mutex);
      Get(side).held_for_reason = for_reason;
      Get(side).public_runs = false;
      Get(side).unseen += for_reason;
    }
    m_machine.Took(side, for_reason ? Taking::Stop : Taking::Interrupt);
  }
  /// Runs on the thread that waits for the process.
  void Show(Side side, bool for_reason, bool interrupted) {
    {
      std::lock_guard<std::mutex> guard(m_mutex);
      Get(side).public_runs = false;
    }
    m_machine.StopsPublicly(side, for_reason);
    // A condition doesn't hold.
    if (!interrupted && m_random.Once(3)) {
      std::unique_lock<std::mutex> lock(m_mutex);
      Get(side).public_runs = true;
      lock.unlock();
      return Restart(side);
    }
    std::lock_guard<std::mutex> guard(m_mutex);
    Get(side).shown = true;
  }

  Random m_random;
  std::mutex m_mutex;
  Process m_processes[2];
  Worker m_coupling;
  Machine m_machine;
};

/// Runs a program with stops of all kinds.
/// \param[in] patient
///     The user resumes when both are stopped; otherwise, as soon as a stop
///     has been shown.
void Debug(unsigned seed, int rounds, bool patient) {
  SCOPED_TRACE(seed);
  Program program(seed);
  Random random(seed + 1);
  auto any = [&] { return random.Once(2) ? Side::Host : Side::GPU; };
  for (int round = 0; round < rounds && !testing::Test::HasFailure(); ++round) {
    ASSERT_TRUE(program.Run(any()));
    int impatience = patient ? 0 : 3;
    do {
      program.HitBreakpoint(any());
      if (random.Once(3))
        program.HitBreakpoint(any());
      if (random.Once(4))
        program.Interrupt(any());
      if (random.Once(4))
        program.LoadCode();
      for (Side side : {Side::Host, Side::GPU})
        if (impatience && program.HasShown(side) && program.Run(side))
          --impatience;
    } while (!program.Stands());
    program.Check();
  }
}

TEST(CouplingThreads, StopsAndRuns) {
  for (unsigned seed = 0; seed < 5; ++seed)
    Debug(seed, 40, /*patient=*/true);
}

TEST(CouplingThreads, TheUserDoesNotWait) {
  for (unsigned seed = 0; seed < 5; ++seed)
    Debug(seed, 40, /*patient=*/false);
}

} // namespace
