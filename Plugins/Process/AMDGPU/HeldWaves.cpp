//===-- HeldWaves.cpp -----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HeldWaves.h"

#include "lldb/Breakpoint/Breakpoint.h"
#include "lldb/Breakpoint/BreakpointLocation.h"
#include "lldb/Breakpoint/BreakpointSite.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/StopInfo.h"
#include "lldb/Target/Thread.h"
#include "lldb/Target/ThreadPlan.h"
#include "llvm/ADT/STLExtras.h"
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
  if (m_is_short && lone.GetID() == m_last)
    return true;
  ListAll();
  std::vector<ThreadSP> &threads = Threads::Of(m_shown);
  if (m_listed.empty() || lone.GetID() != m_last) {
    auto find = [&](tid_t tid) {
      return std::find_if(
          threads.begin(), threads.end(),
          [&](const ThreadSP &thread_sp) { return thread_sp->GetID() == tid; });
    };
    const auto found = find(lone.GetID());
    if (threads.size() < kFewest || found == threads.end() ||
        Threads::Of(m_real).size() != threads.size())
      return false;
    // With one thread in the list, LLDB would let the whole process run. The
    // wave that ran before is held by LLDB itself.
    auto other = m_last == lone.GetID() ? threads.end() : find(m_last);
    if (other == threads.end())
      other = found == threads.begin() ? found + 1 : found - 1;
    m_listed = {*std::min(found, other), *std::max(found, other)};
  }
  if (!m_others_are_held)
    for (const ThreadSP &thread_sp : threads)
      if (thread_sp != m_listed.front() && thread_sp != m_listed.back())
        thread_sp->ShouldResume(eStateSuspended);
  m_all_shown = std::exchange(threads, m_listed);
  m_all_real = std::exchange(Threads::Of(m_real), m_listed);
  m_last = lone.GetID();
  m_is_short = m_others_are_held = true;
  return true;
}

void HeldWaves::NotePlans() {
  std::lock_guard<std::recursive_mutex> guard(m_shown.GetMutex());
  m_with_plans.clear();
  for (const ThreadSP &thread_sp : Threads::Of(m_shown))
    if (!thread_sp->GetCurrentPlan()->IsBasePlan())
      m_with_plans.push_back(thread_sp->GetProtocolID());
}

void HeldWaves::ListFirst(std::vector<tid_t> shown) {
  std::lock_guard<std::recursive_mutex> guard(m_shown.GetMutex());
  std::vector<ThreadSP> &threads = Threads::Of(m_shown);
  if (m_is_short || threads.size() < kFewest ||
      Threads::Of(m_real).size() != threads.size())
    return;
  llvm::append_range(shown, m_with_plans);
  std::vector<ThreadSP> first;
  for (tid_t tid : shown)
    if (ThreadSP thread_sp =
            m_shown.FindThreadByProtocolID(tid, /*can_update=*/false))
      first.push_back(thread_sp);
  llvm::sort(first, [](const ThreadSP &a, const ThreadSP &b) {
    return a->GetIndexID() < b->GetIndexID();
  });
  first.erase(std::unique(first.begin(), first.end()), first.end());
  if (first.size() < 2)
    return;
  m_all_shown = std::exchange(threads, first);
  m_all_real = std::exchange(Threads::Of(m_real), std::move(first));
  m_listed.clear();
  m_last = LLDB_INVALID_THREAD_ID;
  m_is_short = m_have_others_run = true;
}

ThreadSP HeldWaves::Find(tid_t tid) {
  std::lock_guard<std::recursive_mutex> guard(m_shown.GetMutex());
  ThreadSP thread_sp =
      m_shown.FindThreadByProtocolID(tid, /*can_update=*/false);
  if (thread_sp || !m_is_short)
    return thread_sp;
  // IDs usually ascend, but nothing guarantees it.
  auto found = llvm::lower_bound(m_all_shown, tid,
                                 [](const ThreadSP &wave_sp, tid_t id) {
                                   return wave_sp->GetProtocolID() < id;
                                 });
  if (found == m_all_shown.end() || (*found)->GetProtocolID() != tid)
    found = llvm::find_if(m_all_shown, [&](const ThreadSP &wave_sp) {
      return wave_sp->GetProtocolID() == tid;
    });
  if (found == m_all_shown.end())
    return nullptr;
  if (m_have_others_run)
    (*found)->RefreshStateAfterStop();
  return *found;
}

void HeldWaves::ListAll() {
  std::lock_guard<std::recursive_mutex> guard(m_shown.GetMutex());
  if (!m_is_short.exchange(false))
    return;
  if (std::exchange(m_have_others_run, false)) {
    auto listed = Threads::Of(m_shown).begin();
    const auto end = Threads::Of(m_shown).end();
    for (const ThreadSP &thread_sp : m_all_shown)
      if (listed != end && *listed == thread_sp)
        ++listed;
      else
        thread_sp->RefreshStateAfterStop();
  }
  Threads::Of(m_shown) = std::exchange(m_all_shown, {});
  Threads::Of(m_real) = std::exchange(m_all_real, {});
}

/// Whether LLDB runs nothing at such a stop that a user has written.
static bool HasNoActions(Thread &thread) {
  StopInfoSP info_sp = thread.GetStopInfo();
  if (!info_sp)
    return false;
  switch (info_sp->GetStopReason()) {
  case eStopReasonPlanComplete:
  case eStopReasonTrace:
    return true;
  case eStopReasonBreakpoint:
    break;
  default:
    return false;
  }
  BreakpointSiteSP site_sp =
      thread.GetProcess()->GetBreakpointSiteList().FindByID(
          break_id_t(info_sp->GetValue()));
  // A step's own breakpoint is gone when the step has ended.
  if (!site_sp)
    return true;
  for (size_t i = 0; i < site_sp->GetNumberOfConstituents(); ++i) {
    BreakpointLocationSP location_sp = site_sp->GetConstituentAtIndex(i);
    // LLDB's own actions, as those of a step, aren't a user's.
    if (!location_sp ||
        (!location_sp->GetBreakpoint().IsInternal() &&
         location_sp->GetOptionsSpecifyingKind(BreakpointOptions::eCallback)
             .HasCallback()))
      return false;
  }
  return true;
}

void HeldWaves::WillShow(bool has_acted) {
  std::lock_guard<std::recursive_mutex> guard(m_shown.GetMutex());
  if (!m_is_short)
    return;
  if (m_have_others_run && !has_acted) {
    if (!llvm::all_of(Threads::Of(m_shown), [](const ThreadSP &thread_sp) {
          StopInfoSP info_sp = thread_sp->GetStopInfo();
          return !info_sp || info_sp->GetStopReason() == eStopReasonSignal ||
                 HasNoActions(*thread_sp);
        }))
      ListAll();
    return;
  }
  ThreadSP lone_sp = m_shown.FindThreadByID(m_last, /*can_update=*/false);
  if (has_acted || !lone_sp || !HasNoActions(*lone_sp))
    ListAll();
}

void HeldWaves::LetGo() {
  ListAll();
  m_others_are_held = false;
  m_listed.clear();
}
