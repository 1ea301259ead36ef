//===-- LaneEvaluation.cpp ------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LaneEvaluation.h"
#include "ConditionCompiler.h"
#include "Support/WavelaneLog.h"

#include "lldb/Target/Process.h"
#include "lldb/Target/StackFrame.h"
#include "lldb/Target/Target.h"
#include "lldb/Target/Thread.h"
#include "llvm/ADT/MapVector.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

void LaneEvaluation::Ask(llvm::ArrayRef<ThreadSP> threads) {
  struct Place {
    Address address;
    std::vector<tid_t> threads;
  };
  llvm::MapVector<addr_t, Place> places;
  auto *process = threads.empty() ? nullptr
                                  : dynamic_cast<EvaluatesInLanes *>(
                                        threads.front()->GetProcess().get());
  if (!process)
    return;
  for (const ThreadSP &thread_sp : threads) {
    StackFrameSP frame_sp = thread_sp->GetStackFrameAtIndex(0);
    // A frame that a script has made has its own variables.
    if (!frame_sp || frame_sp->IsSynthetic())
      continue;
    const Address &address = frame_sp->GetFrameCodeAddress();
    Place &place =
        places[address.GetLoadAddress(&thread_sp->GetProcess()->GetTarget())];
    place.address = address;
    place.threads.push_back(thread_sp->GetProtocolID());
  }
  for (auto &[pc, place] : places) {
    llvm::Expected<llvm::json::Object> expression =
        CompileCondition(m_text, place.address);
    if (!expression) {
      LLDB_LOG_ERROR(GetLog(WavelaneLog::Expressions), expression.takeError(),
                     "'{1}' is evaluated by LLDB: {0}", m_text);
      continue;
    }
    auto answers =
        process->EvaluateInLanes(std::move(*expression), place.threads);
    if (!answers) {
      LLDB_LOG_ERROR(GetLog(WavelaneLog::Expressions), answers.takeError(),
                     "'{1}' is evaluated by LLDB: {0}", m_text);
      continue;
    }
    LLDB_LOG(GetLog(WavelaneLog::Expressions),
             "'{0}' is evaluated by the server in {1} waves", m_text,
             answers->size());
    m_answers.insert(answers->begin(), answers->end());
  }
}

std::optional<EvaluatesInLanes::Answer> LaneEvaluation::Find(tid_t tid) const {
  auto found = m_answers.find(tid);
  return found == m_answers.end() ? std::nullopt : std::optional(found->second);
}
