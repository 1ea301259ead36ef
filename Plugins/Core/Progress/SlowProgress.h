//===-- SlowProgress.h - progress of what takes long ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLDB's progress events, which its terminal shows as a line and editors as a
// bar. Work of less than two seconds sends none, so that the terminal doesn't
// flicker.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_CORE_PROGRESS_SLOWPROGRESS_H
#define WAVELANE_CORE_PROGRESS_SLOWPROGRESS_H

#include "lldb/Core/Progress.h"
#include "lldb/lldb-forward.h"
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace lldb_private {
namespace wavelane {

/// The progress of a loop, which reports each step.
class SlowProgress {
public:
  /// \param title  What is being done, such as "Reading lanes".
  /// \param steps  The number of steps; not 0.
  SlowProgress(Debugger &debugger, std::string title, uint64_t steps);
  ~SlowProgress();
  SlowProgress(const SlowProgress &) = delete;
  SlowProgress &operator=(const SlowProgress &) = delete;

  /// Reports that another step is done.
  /// \return False if the user wants to interrupt the work, with Ctrl-C.
  bool Step();

private:
  Debugger &m_debugger;
  const std::string m_title;
  const uint64_t m_steps;
  uint64_t m_done = 0, m_reported = 0;
  const std::chrono::steady_clock::time_point m_begin;
  std::chrono::steady_clock::time_point m_last;
  std::unique_ptr<Progress> m_progress;
};

/// Does something if it still exists after a while.
class DelayedCall {
public:
  /// \param[in] report  Called once, on a thread of its own.
  DelayedCall(std::chrono::milliseconds patience, std::function<void()> report);
  /// Waits for \a report, if it has been called.
  ~DelayedCall();
  DelayedCall(const DelayedCall &) = delete;
  DelayedCall &operator=(const DelayedCall &) = delete;

private:
  std::mutex m_mutex;
  std::condition_variable m_condition;
  bool m_done = false;
  std::thread m_thread;
};

/// The progress of one call, such as a packet that the server takes long to
/// answer.
class SlowCall {
public:
  SlowCall(Debugger &debugger, std::string title);

private:
  std::unique_ptr<Progress> m_progress;
  /// The last member: it fills the one before.
  DelayedCall m_overdue;
};

} // namespace wavelane
} // namespace lldb_private

#endif
