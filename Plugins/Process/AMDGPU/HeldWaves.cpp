//===-- HeldWaves.cpp -----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HeldWaves.h"

#include "lldb/Target/Thread.h"
#include <algorithm>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

namespace {
/// Gives access to the threads of a list, which LLDB's own functions only copy.
struct Threads : ThreadList {
  static std::vector<ThreadSP> &Of(ThreadList &list) {
    return list.*(&Threads::m_threads);
  }
};
} // namespace

bool HeldWaves::Hold(Thread &lone) {
  std::lock_guard<std::recursive_mutex> guard(m_shown.GetMutex());
  if (m_is_holding && lone.GetID() == m_last)
    return true;
  ListAll();
  std::vector<ThreadSP> &threads = Threads::Of(m_shown);
  auto find = [&](tid_t tid) {
    return std::find_if(
        threads.begin(), threads.end(),
        [&](const ThreadSP &thread_sp) { return thread_sp->GetID() == tid; });
  };
  const auto found = find(lone.GetID());
  if (threads.size() < kFewest || found == threads.end() ||
      Threads::Of(m_real).size() != threads.size())
    return false;
  // With one thread in the list, LLDB would let the whole process run. The wave
  // that ran before is held by LLDB itself.
  auto other = m_last == lone.GetID() ? threads.end() : find(m_last);
  if (other == threads.end())
    other = found == threads.begin() ? found + 1 : found - 1;
  std::vector<ThreadSP> listed = {*std::min(found, other),
                                  *std::max(found, other)};
  if (!m_others_are_held)
    for (const ThreadSP &thread_sp : threads)
      if (thread_sp != listed.front() && thread_sp != listed.back())
        thread_sp->ShouldResume(eStateSuspended);
  m_all_shown = std::exchange(threads, listed);
  m_all_real = std::exchange(Threads::Of(m_real), std::move(listed));
  m_last = lone.GetID();
  m_is_holding = m_others_are_held = true;
  return true;
}

void HeldWaves::ListAll() {
  std::lock_guard<std::recursive_mutex> guard(m_shown.GetMutex());
  if (!m_is_holding.exchange(false))
    return;
  Threads::Of(m_shown) = std::exchange(m_all_shown, {});
  Threads::Of(m_real) = std::exchange(m_all_real, {});
}

void HeldWaves::LetGo() {
  ListAll();
  m_others_are_held = false;
}
