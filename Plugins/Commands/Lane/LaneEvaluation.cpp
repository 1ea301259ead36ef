//===-- LaneEvaluation.cpp ------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LaneEvaluation.h"
#include "Core/Support/WavelaneLog.h"
#include "SymbolFile/LaneDWARF/ConditionCompiler.h"

#include "lldb/Target/Process.h"
#include "lldb/Target/StackFrame.h"
#include "lldb/Target/Target.h"
#include "lldb/Target/Thread.h"
#include "lldb/Utility/DataExtractor.h"
#include "lldb/ValueObject/ValueObjectConstResult.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

/// A packet's answer has to arrive within LLDB's limit, of some seconds.
static constexpr size_t kMostAtOnce = 1024;

void LaneEvaluation::AskWhere(llvm::ArrayRef<ThreadSP> threads) {
  Ask(threads, std::nullopt, /*wants_values=*/false);
}

void LaneEvaluation::AskValues(Thread &thread, const llvm::BitVector &lanes) {
  uint64_t mask = 0;
  for (unsigned lane : lanes.set_bits())
    if (lane < 64)
      mask |= uint64_t(1) << lane;
  Ask(thread.shared_from_this(), mask, /*wants_values=*/true);
}

void LaneEvaluation::Ask(llvm::ArrayRef<ThreadSP> threads,
                         std::optional<uint64_t> lanes, bool wants_values) {
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
    m_known.erase(thread_sp->GetProtocolID());
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
  Log *log = GetLog(WavelaneLog::Expressions);
  for (auto &[pc, place] : places) {
    llvm::Expected<ServerExpression> compiled =
        CompileForServer(m_text, place.address);
    if (!compiled) {
      LLDB_LOG_ERROR(log, compiled.takeError(),
                     "'{1}' is evaluated by LLDB: {0}", m_text);
      continue;
    }
    if (wants_values && (!compiled->type.IsValid() || compiled->has_marks))
      continue;
    size_t count = 0;
    for (llvm::ArrayRef<tid_t> left = place.threads; !left.empty();
         left = left.drop_front(std::min(kMostAtOnce, left.size()))) {
      auto answers = process->EvaluateInLanes(
          {compiled->object, left.take_front(kMostAtOnce).vec(), lanes,
           wants_values});
      if (!answers) {
        LLDB_LOG_ERROR(log, answers.takeError(),
                       "'{1}' is evaluated by LLDB: {0}", m_text);
        break;
      }
      count += answers->size();
      const uint64_t size = llvm::expectedToOptional(compiled->type.GetByteSize(
                                                         threads.front().get()))
                                .value_or(0);
      for (auto &[tid, answer] : *answers)
        m_known[tid] = {std::move(answer), lanes.value_or(0), compiled->type,
                        size};
    }
    LLDB_LOG(log, "'{0}' is evaluated by the server in {1} wave(s)", m_text,
             count);
  }
}

std::optional<EvaluatesInLanes::Answer> LaneEvaluation::Find(tid_t tid) const {
  auto found = m_known.find(tid);
  return found == m_known.end() ? std::nullopt
                                : std::optional(found->second.answer);
}

std::optional<uint64_t> LaneEvaluation::FindValue(const Thread &thread,
                                                  uint32_t lane) const {
  auto found = m_known.find(thread.GetProtocolID());
  if (found == m_known.end() || lane >= 64)
    return std::nullopt;
  const Known &known = found->second;
  if (!((known.lanes & known.answer.known) >> lane & 1))
    return std::nullopt;
  const size_t index = size_t(
      llvm::popcount(known.lanes & llvm::maskTrailingOnes<uint64_t>(lane)));
  if (index >= known.answer.values.size() || known.size == 0 ||
      known.size > sizeof(uint64_t))
    return std::nullopt;
  // The server's order is that of GPUs and of their hosts.
  return known.answer.values[index];
}

ValueObjectSP LaneEvaluation::MakeValue(Thread &thread, uint64_t bits) const {
  const Known &known = m_known.find(thread.GetProtocolID())->second;
  const DataExtractor data(&bits, known.size, endian::InlHostByteOrder(),
                           sizeof(addr_t));
  return ValueObjectConstResult::Create(&thread, known.type,
                                        ConstString(m_text), data);
}
