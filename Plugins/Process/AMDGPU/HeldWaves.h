//===-- HeldWaves.h - waves that a step leaves where they are ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// At each of the stops of which a step consists, LLDB goes through its list of
// threads a dozen times. While one of thousands of waves steps alone, the list
// has only that wave and one more; the others are listed again for the stop
// that the user sees. Nothing of a held wave changes meanwhile.
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
  static constexpr uint32_t kFewest = 1024;

  /// \param shown, real  The process's lists, which have the same mutex.
  HeldWaves(ThreadList &shown, ThreadList &real)
      : m_shown(shown), m_real(real) {}

  /// Lists only \p lone, which is about to run alone, and another wave.
  /// \return Whether it does: not for few waves.
  bool Hold(Thread &lone);
  /// Whether all waves but \p lone and those listed are held as by LLDB, so
  /// that Hold() takes no time.
  bool AreOthersHeld() const { return m_others_are_held; }
  /// Called before more than one wave runs, and if the waves aren't the same.
  void LetGo();
  /// Lists all waves again; they are still held.
  void ListAll();
  /// The user will see the stop, and then all waves are listed. If no action
  /// runs commands or scripts, that is when LLDB has done the stop's actions,
  /// for which it goes through its list again.
  void WillShow(bool has_acted);
  bool IsHolding() const { return m_is_holding; }

private:
  ThreadList &m_shown, &m_real;
  std::atomic<bool> m_is_holding{false};
  std::atomic<bool> m_others_are_held{false};
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
