//===-- LaneSearch.cpp ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LaneSearch.h"
#include "Commands/Base/CommandUtil.h"
#include "Core/Format/LaneExpression.h"
#include "Core/Format/LaneReader.h"
#include "Core/Format/LaneView.h"
#include "Core/Progress/SlowProgress.h"
#include "LaneEvaluation.h"
#include "lldb/Interpreter/CommandReturnObject.h"
#include "lldb/Target/StackFrame.h"
#include "lldb/Target/Target.h"
#include "lldb/Target/Thread.h"
#include "lldb/ValueObject/ValueObject.h"
#include "llvm/ADT/STLExtras.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

const char *LaneSearch::DescribeNone(bool all_threads) {
  return all_threads
             ? "no active lane of any wave in this function satisfies it"
             : "no active lane satisfies it; --all-waves also searches the "
               "other waves in this function";
}

const LanesFound *LaneSearch::GetFirst() const {
  const auto first = llvm::find_if(
      found, [](const LanesFound &thread) { return !thread.lanes.empty(); });
  return first == found.end() ? nullptr : &*first;
}

bool LaneSearch::Check(CommandReturnObject &result) const {
  if (!m_is_hopeless && (!m_looked_at || m_errors < m_looked_at))
    return true;
  result.AppendError(m_last_error);
  return false;
}

void LaneSearch::Note(CommandReturnObject &result) const {
  if (!m_fixed.empty())
    result.AppendNoteWithFormat("evaluated after applying fix-its: %s\n",
                                m_fixed.c_str());
  if (!m_stale.empty())
    NoteStale(result, m_stale);
}

void LaneSearch::Warn(CommandReturnObject &result) const {
  if (m_was_interrupted)
    result.AppendWarningWithFormat("interrupted after %zu lanes\n",
                                   m_looked_at);
  if (m_errors)
    result.AppendWarningWithFormat(
        "it can't be evaluated in %zu of %zu lanes: %s\n", m_errors,
        m_looked_at, m_last_error.c_str());
}

bool LaneSearch::LookAt(const LaneView &view, uint32_t frame_index,
                        const LaneEvaluation &evaluation,
                        LaneExpression &expression) {
  Thread &thread = view.GetThread();
  LanesFound lanes;
  lanes.thread = thread.GetIndexID();
  lanes.tid = thread.GetID();
  lanes.wave = view.GetWaveName();
  const auto answer = evaluation.Find(thread.GetProtocolID());
  llvm::BitVector unknown = view.GetActive();
  if (answer)
    for (uint32_t lane : view.GetActive().set_bits())
      if (lane < 64 && answer->known >> lane & 1)
        unknown.reset(lane);
  LaneReader reader(thread, frame_index, expression, unknown);
  for (uint32_t lane : view.GetActive().set_bits()) {
    if (!unknown.test(lane)) {
      ++m_looked_at;
      if (answer->holds >> lane & 1)
        lanes.lanes.push_back(lane);
      continue;
    }
    std::optional<bool> holds;
    if (!reader.Visit(lane, [&](StackFrame &frame) {
          llvm::Expected<ValueObjectSP> value = expression.Evaluate(frame);
          Status error;
          const bool is_true = value && (*value)->IsLogicalTrue(error);
          if (value && error.Success())
            holds = is_true;
          else
            m_last_error =
                value ? error.AsCString("its value is neither true nor false")
                      : llvm::toString(value.takeError());
        }))
      break;
    ++m_looked_at;
    if (holds.value_or(false))
      lanes.lanes.push_back(lane);
    if (holds)
      continue;
    lanes.unknown.push_back(lane);
    ++m_errors;
    m_is_hopeless = expression.IsHopeless();
    if (m_is_hopeless)
      return false;
  }
  lanes.stale = expression.GetStale();
  if (!lanes.lanes.empty() || !lanes.unknown.empty())
    found.push_back(std::move(lanes));
  return true;
}

LaneSearch LaneSearch::Run(ExecutionContext &exe_ctx,
                           llvm::StringRef expression, bool all_threads) {
  LaneSearch search;
  const uint32_t frame_index = exe_ctx.GetFrameRef().GetFrameIndex();
  std::vector<LaneView> views;
  if (all_threads) {
    views = GetViewsInFunction(exe_ctx);
  } else if (llvm::Expected<LaneView> view =
                 LaneView::Get(exe_ctx.GetFrameRef())) {
    views.push_back(std::move(*view));
  } else {
    search.m_last_error = llvm::toString(view.takeError());
    search.m_is_hopeless = true;
    return search;
  }
  LaneExpression compiled(expression);
  LaneEvaluation evaluation(expression);
  if (frame_index == 0) {
    std::vector<ThreadSP> threads;
    for (const LaneView &view : views)
      threads.push_back(view.GetThread().shared_from_this());
    evaluation.AskWhere(threads);
  }
  SlowProgress progress(exe_ctx.GetTargetRef().GetDebugger(),
                        "Looking at waves", std::max<size_t>(views.size(), 1));
  for (const LaneView &view : views) {
    if (!search.LookAt(view, frame_index, evaluation, compiled))
      break;
    search.m_was_interrupted = !progress.Step();
    if (search.m_was_interrupted)
      break;
  }
  search.m_fixed = compiled.GetFixed();
  search.m_stale = compiled.GetStale();
  return search;
}
