//===-- LoneWave.h - the wave that runs while others are held ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_PROCESS_AMDGPU_LONEWAVE_H
#define WAVELANE_PLUGINS_PROCESS_AMDGPU_LONEWAVE_H

#include "lldb/Utility/Timeout.h"
#include "lldb/lldb-defines.h"
#include "lldb/lldb-forward.h"
#include "lldb/lldb-types.h"
#include "llvm/ADT/STLFunctionalExtras.h"

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
class HeldWaves;

/// A wave that steps alone. If it has to wait for others, at a barrier or in a
/// loop, they run, too.
class LoneWave {
public:
  /// Called before the process runs, when the threads' plans are settled.
  /// \param[in] by_user Whether a step begins, or the user resumes the
  ///     program.
  /// \param[in] others_may_run False if those that are held stay so however
  ///     long it takes.
  void WillResume(ThreadList &threads, bool by_user, bool others_may_run);

  /// Called when the process has stopped.
  void DidStop() { m_since = 0; }

  /// Whether a wave was to step alone when the process ran last.
  bool IsAlone() const { return m_is_alone; }

  /// Whether waves that LLDB would hold run as well.
  bool OthersRunAlong() const { return m_others_run_along; }

  /// Releases the held waves when the lone wave has run for too long.
  /// \return The time until the next check; none if it isn't needed.
  Timeout<std::micro>
  Check(ThreadList &threads, HeldWaves &held,
        process_gdb_remote::GDBRemoteCommunicationClient &client);

  /// The wave that was to step alone when the process ran last; null without
  /// one.
  lldb::ThreadSP Find(ThreadList &threads) const;

  /// Called after a stop: if the wave has ended, reports it, and stops at
  /// another wave.
  /// \param[in] runs_on Whether a wave that isn't listed runs.
  void ShowEnd(Process &process, llvm::function_ref<bool(lldb::tid_t)> runs_on);

private:
  std::atomic<bool> m_is_alone{false}, m_others_run_along{false};
  std::chrono::steady_clock::time_point m_resumed_by_user;
  /// When a wave was last resumed alone; 0 while none is.
  std::atomic<int64_t> m_since{0};
  lldb::tid_t m_wave = LLDB_INVALID_THREAD_ID;
  std::string m_name;
};

} // namespace wavelane
} // namespace lldb_private

#endif
