//===-- UnheldConditions.cpp ----------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "UnheldConditions.h"

#include "lldb/Breakpoint/Breakpoint.h"
#include "lldb/Breakpoint/BreakpointLocation.h"
#include "lldb/Breakpoint/BreakpointSite.h"
#include "lldb/Breakpoint/StoppointCallbackContext.h"
#include "lldb/Target/ExecutionContext.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/StackFrame.h"
#include "lldb/Target/StopInfo.h"
#include "lldb/Target/Thread.h"
#include "lldb/Target/ThreadList.h"
#include <vector>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

/// Whether a breakpoint at \a site stops \a thread. A condition that can't be
/// evaluated stops.
static bool HoldsAny(BreakpointSite &site, Thread &thread) {
  ThreadList::ExpressionExecutionThreadPusher pusher(thread.shared_from_this());
  ExecutionContext context(thread.GetStackFrameAtIndex(0));
  StoppointCallbackContext callback(nullptr, context, /*synchronously=*/false);
  for (size_t i = 0; i < site.GetNumberOfConstituents(); ++i) {
    BreakpointLocationSP location_sp = site.GetConstituentAtIndex(i);
    if (!location_sp || !location_sp->IsEnabled() ||
        !location_sp->GetBreakpoint().IsEnabled() ||
        !location_sp->ValidForThisThread(thread) ||
        !location_sp->GetBreakpoint().EvaluatePrecondition(callback))
      continue;
    Status error;
    if (!location_sp->GetCondition() ||
        location_sp->ConditionSaysStop(context, error) || error.Fail())
      return true;
  }
  return false;
}

void lldb_private::wavelane::ForgetUnheldConditions(Process &process) {
  // A condition may call functions: the list isn't locked meanwhile.
  std::vector<ThreadSP> threads;
  for (const ThreadSP &thread_sp : process.GetThreadList().Threads())
    if (thread_sp->GetStopReason() == eStopReasonBreakpoint)
      threads.push_back(thread_sp);
  for (const ThreadSP &thread_sp : threads) {
    StopInfoSP info_sp = thread_sp->GetStopInfo();
    BreakpointSiteSP site_sp =
        info_sp ? process.GetBreakpointSiteList().FindByID(info_sp->GetValue())
                : nullptr;
    if (site_sp && !HoldsAny(*site_sp, *thread_sp))
      thread_sp->ResetStopInfo();
  }
}
