//===-- OwedAnswers.h - what a server hasn't answered yet -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_PROCESS_AMDGPU_OWEDANSWERS_H
#define WAVELANE_PLUGINS_PROCESS_AMDGPU_OWEDANSWERS_H

#include "lldb/Utility/Status.h"
#include "lldb/lldb-defines.h"
#include "lldb/lldb-forward.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>

namespace lldb_private {
namespace wavelane {

/// A message about what happens to several connections at once: a server has
/// several, and a job several servers. It is printed once.
class SharedMessage {
public:
  void Print(Debugger &debugger, llvm::StringRef text);

private:
  std::atomic<std::chrono::steady_clock::rep> m_last{0};
};

/// What a server still owes to a client that has given up waiting, and the end
/// that it has reported.
struct OwedAnswers {
  /// The server is asked nothing until its late answers have come.
  std::atomic<bool> are_owed{false};
  /// They have come, but the process still has what was read meanwhile, which
  /// may be incomplete.
  std::atomic<bool> have_come{false};
  /// An answer is late, no command waits for it, and it may still come.
  std::atomic<bool> is_overdue{false};
  /// The process that simulates the GPU, on the server's machine, for whose
  /// answers the server may wait; or LLDB_INVALID_PROCESS_ID.
  std::atomic<lldb::pid_t> device{LLDB_INVALID_PROCESS_ID};

  /// \return An error if a process can't be resumed for them.
  Status CheckResume() const;
  /// Lets the process forget incomplete values once the answers have come, and
  /// notifies the user.
  void LookAt(Process &process);

  /// Waits until \a is_over, which is asked at first and after each Changed().
  /// \return Whether it is.
  bool WaitUntil(std::chrono::milliseconds limit,
                 llvm::function_ref<bool()> is_over);
  /// Answers are awaited, or are not.
  void Changed();

  /// The last packet that has come, if it reports the program's end, whoever
  /// has read it; otherwise empty.
  std::string GetEnd() const;
  void SetEnd(llvm::StringRef packet);

private:
  mutable std::mutex m_end_mutex;
  std::string m_end;
  std::mutex m_change_mutex;
  std::condition_variable m_change;
};

} // namespace wavelane
} // namespace lldb_private

#endif
