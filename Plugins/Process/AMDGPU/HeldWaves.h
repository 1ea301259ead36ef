//===-- HeldWaves.h - waves that LLDB doesn't list --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// At each stop, LLDB goes through its list of threads a dozen times. While one
// of many waves steps alone, the list has only that wave and one more;
// the others are listed again for the stop that the user sees. Nothing of a
// held wave changes meanwhile. When all waves have run, the list has those with
// a reason to stop until the stop's actions are done.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PLUGINS_PROCESS_AMDGPU_HELDWAVES_H
#define WAVELANE_PLUGINS_PROCESS_AMDGPU_HELDWAVES_H

#include "lldb/Target/ThreadList.h"

#include <atomic>
#include <vector>

namespace lldb_private {
namespace wavelane {

/// Thread-safe.
class HeldWaves {
public:
  /// With fewer waves, LLDB is fast enough.
  static constexpr uint32_t kFewest = 64;

  /// \param shown, real  The process's lists, which have the same mutex.
  HeldWaves(ThreadList &shown, ThreadList &real)
      : m_shown(shown), m_real(real) {}

  /// Lists only \p lone, which is about to run alone, and another wave.
  /// \return Whether it does: not for few waves.
  bool Hold(Thread &lone);
  /// Whether all waves but \p lone and those listed are held as by LLDB, so
  /// that Hold() takes no time.
  bool AreOthersHeld() const { return m_others_are_held; }
  /// Lists only these waves, and those with plans, at a stop of waves that have
  /// run. Without effect for few waves.
  /// \param shown  At least two, in any order.
  void ListFirst(std::vector<lldb::tid_t> shown);
  /// Called when all waves are about to run.
  void NotePlans();
  /// A wave of the process, listed or not; up to date. May be null.
  lldb::ThreadSP Find(lldb::tid_t tid);
  /// Called before more than one wave runs, and if the waves aren't the same.
  void LetGo();
  /// Lists all waves again; held ones are still held.
  void ListAll();
  /// The user will see the stop, and then all waves are listed. If no action
  /// runs commands or scripts, that is when LLDB has done the stop's actions,
  /// for which it goes through its list again.
  void WillShow(bool has_acted);
  /// Whether only some of the waves are listed.
  bool IsShort() const { return m_is_short; }

private:
  ThreadList &m_shown, &m_real;
  std::atomic<bool> m_is_short{false};
  /// The waves that aren't listed have run, so they must be refreshed.
  bool m_have_others_run = false;
  std::atomic<bool> m_others_are_held{false};
  /// Waves that were in the middle of something when all began to run.
  std::vector<lldb::tid_t> m_with_plans;
  /// The last wave that ran alone.
  lldb::tid_t m_last = LLDB_INVALID_THREAD_ID;
  /// The contents of the two lists, while they are short.
  std::vector<lldb::ThreadSP> m_all_shown, m_all_real;
  /// What was listed last; empty if the waves aren't the same any more.
  std::vector<lldb::ThreadSP> m_listed;
};

} // namespace wavelane
} // namespace lldb_private

#endif
