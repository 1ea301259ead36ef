//===-- LoneWave.h - the wave that runs while others are held ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_PROCESS_AMDGPU_LONEWAVE_H
#define WAVELANE_PLUGINS_PROCESS_AMDGPU_LONEWAVE_H

#include "lldb/Utility/Timeout.h"
#include "lldb/lldb-defines.h"
#include "lldb/lldb-types.h"

#include <atomic>
#include <chrono>
#include <string>

namespace lldb_private {
class Process;
class ThreadList;
namespace process_gdb_remote {
class GDBRemoteCommunicationClient;
}

namespace wavelane {

/// A wave steps alone. It may wait for the others, at a barrier or in a loop:
/// then they run along.
class LoneWave {
public:
  /// Before the process runs, with the threads' plans settled.
  /// \param[in] by_user  A step begins, or the user runs the program.
  void WillResume(ThreadList &threads, bool by_user);

  /// The process has stopped.
  void DidStop() { m_since = 0; }

  /// Whether waves that LLDB would hold run all the same.
  bool OthersRunAlong() const { return m_others_run_along; }

  /// Lets the held waves run when the lone one has run for long.
  /// \return The time until that must be looked at again; none for never.
  Timeout<std::micro>
  Check(ThreadList &threads,
        process_gdb_remote::GDBRemoteCommunicationClient &client);

  /// After a stop: where the wave has ended says so, and stops at another one.
  void ShowEnd(Process &process);

private:
  std::atomic<bool> m_others_run_along{false};
  std::chrono::steady_clock::time_point m_resumed_by_user;
  /// When it was last sent to run alone; 0 while none does.
  std::atomic<int64_t> m_since{0};
  lldb::tid_t m_wave = LLDB_INVALID_THREAD_ID;
  std::string m_name;
};

} // namespace wavelane
} // namespace lldb_private

#endif
