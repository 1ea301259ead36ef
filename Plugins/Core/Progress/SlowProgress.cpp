//===-- SlowProgress.cpp ----------------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SlowProgress.h"
#include "lldb/Core/Debugger.h"

using namespace lldb_private;
using namespace lldb_private::wavelane;
using std::chrono::steady_clock;

static constexpr std::chrono::seconds g_patience(2);
/// Often enough to be seen moving.
static constexpr std::chrono::milliseconds g_interval(100);

SlowProgress::SlowProgress(Debugger &debugger, std::string title,
                           uint64_t steps)
    : m_debugger(debugger), m_title(std::move(title)), m_steps(steps),
      m_begin(steady_clock::now()), m_last(m_begin) {}

SlowProgress::~SlowProgress() = default;

bool SlowProgress::Step() {
  ++m_done;
  const steady_clock::time_point now = steady_clock::now();
  if (now - m_begin >= g_patience &&
      (!m_progress || now - m_last >= g_interval || m_done == m_steps)) {
    if (!m_progress)
      m_progress =
          std::make_unique<Progress>(m_title, "", m_steps, &m_debugger);
    m_progress->Increment(m_done - m_reported);
    m_reported = m_done;
    m_last = now;
  }
  return !INTERRUPT_REQUESTED(m_debugger, "{0}: interrupted after {1} of {2}",
                              m_title, m_done, m_steps);
}

DelayedCall::DelayedCall(std::chrono::milliseconds patience,
                         std::function<void()> report)
    : m_thread([this, patience, report = std::move(report)] {
        std::unique_lock<std::mutex> lock(m_mutex);
        if (m_condition.wait_for(lock, patience, [this] { return m_done; }))
          return;
        lock.unlock();
        report();
      }) {}

DelayedCall::~DelayedCall() {
  {
    std::lock_guard<std::mutex> lock(m_mutex);
    m_done = true;
  }
  m_condition.notify_one();
  m_thread.join();
}

SlowCall::SlowCall(Debugger &debugger, std::string title)
    : m_overdue(g_patience, [this, &debugger, title = std::move(title)] {
        m_progress =
            std::make_unique<Progress>(title, "", std::nullopt, &debugger);
      }) {}
