//===-- StepBack.cpp ------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StepBack.h"
#include "Core/Lane/LaneFocus.h"
#include "Core/MachineCode/LineOfCode.h"
#include "Core/MachineCode/LoadedCode.h"
#include "Core/Support/LibraryCode.h"
#include "JSONPackets.h"
#include "Unwind/AMDGPU/UnwindCache.h"
#include "WaveProcess.h"
#include "wavelane/Protocol/Server/Packets.h"

#include "lldb/Symbol/Block.h"
#include "lldb/Symbol/Function.h"
#include "lldb/Symbol/LineEntry.h"
#include "lldb/Symbol/Symbol.h"
#include "lldb/Symbol/SymbolContext.h"
#include "lldb/Target/StopInfo.h"
#include "lldb/Target/Target.h"
#include "lldb/Target/ThreadPlan.h"
#include "llvm/ADT/DenseMap.h"

#include <vector>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;
namespace packets = ::wavelane::server::packets;
namespace protocol = ::wavelane::protocol;

llvm::Expected<llvm::json::Value>
lldb_private::wavelane::SendTimePacket(WaveProcess &process,
                                       const protocol::TimeRequest &request) {
  return AskServer(process.GetGDBRemote(), packets::Time, toJSON(request));
}

//===-- The plan ----------------------------------------------------------===//

namespace {
/// Runs one wave backwards until it stops.
class ThreadPlanBack : public ThreadPlan {
public:
  ThreadPlanBack(Thread &thread, std::string name)
      : ThreadPlan(eKindGeneric, "Going back", thread, eVoteNoOpinion,
                   eVoteNoOpinion),
        m_name(std::move(name)) {}

  void GetDescription(Stream *s, DescriptionLevel level) override {
    s->PutCString(m_name);
  }
  bool ValidatePlan(Stream *error) override { return true; }
  bool ShouldStop(Event *event_ptr) override { return true; }
  bool StopOthers() override { return true; }
  StateType GetPlanRunState() override { return eStateStepping; }
  RunDirection GetDirection() const override { return eRunReverse; }
  bool WillStop() override { return true; }
  bool MischiefManaged() override {
    ThreadPlan::MischiefManaged();
    return true;
  }

protected:
  bool DoPlanExplainsStop(Event *event_ptr) override {
    StopInfoSP info_sp = GetThread().GetPrivateStopInfo();
    if (info_sp && info_sp->GetStopReason() != eStopReasonTrace)
      return false; // the beginning of what is recorded
    SetPlanComplete();
    return true;
  }

private:
  const std::string m_name;
};
} // namespace

llvm::Error
lldb_private::wavelane::PrepareTravel(WaveProcess &process, ThreadAMDGPU &wave,
                                      int64_t position, const char *name,
                                      std::optional<int64_t> number) {
  if (position >= 0) {
    protocol::TargetRequest request;
    request.Position = uint64_t(position);
    request.Wave = wave.GetID();
    if (number)
      request.Number = uint32_t(*number);
    auto answer = AskTime(process, request);
    if (!answer)
      return answer.takeError();
  }
  ThreadPlanSP plan_sp = std::make_shared<ThreadPlanBack>(wave, name);
  plan_sp->SetIsControllingPlan(true);
  plan_sp->SetOkayToDiscard(true);
  return wave.QueueThreadPlan(plan_sp, /*abort_other_plans=*/true).takeError();
}

//===-- What was executed before ------------------------------------------===//

namespace {
/// The source place of an instruction.
struct Place {
  bool calls = false;
  bool jumps_far = false;   ///< it returns, or jumps to any address
  bool exec_is_real = true; ///< EXEC has the lanes that really execute
  uint32_t line = 0;        ///< 0: no line of the program
  FileSpec file;
  uint32_t inline_depth = 0;
};

class Places {
public:
  explicit Places(WaveProcess &process)
      : m_process(process), m_target(process.GetTarget()) {}

  const Place &Get(addr_t address) {
    auto [entry, is_new] = m_places.try_emplace(address);
    if (is_new)
      entry->second = Find(address);
    return entry->second;
  }

private:
  Place Find(addr_t address) {
    Place place;
    Address resolved;
    if (!m_target.ResolveLoadAddress(address, resolved))
      return place;
    SymbolContext context;
    resolved.CalculateSymbolContext(&context, eSymbolContextEverything);
    // Library code that is inlined belongs to the line that calls it.
    ClimbToOwnCode(resolved, context);
    if (context.line_entry.IsValid() &&
        !IsLibraryFile(context.line_entry.GetFile())) {
      place.line = context.line_entry.line;
      place.file = context.line_entry.GetFile();
    }
    for (Block *block = context.block
                            ? context.block->GetContainingInlinedBlock()
                            : nullptr;
         block; block = block->GetInlinedParent())
      ++place.inline_depth;
    if (std::optional<AMDGPUMachineCode::Instruction> instruction =
            DecodeAt(m_target, address)) {
      place.calls = instruction->calls;
      place.jumps_far =
          instruction->facts->Flow == ::wavelane::gpu::ControlFlow::Jump;
    }
    place.exec_is_real = m_process.GetUnwindCache()
                             ->GetExecutingMask(m_target, address)
                             .isInExec();
    return place;
  }

  WaveProcess &m_process;
  Target &m_target;
  llvm::DenseMap<addr_t, Place> m_places;
};

/// The instructions of one wave, backwards from the present position.
class Trace {
public:
  struct Step {
    addr_t pc;
    int64_t position;
    uint64_t exec;
  };

  Trace(WaveProcess &process, tid_t wave) : m_process(process), m_wave(wave) {}

  /// The \a index-th instruction before the present position; null at the
  /// beginning of the wave, or of the recording.
  llvm::Expected<const Step *> Get(size_t index) {
    while (index >= m_steps.size() && !m_is_complete)
      if (llvm::Error error = Read())
        return std::move(error);
    return index < m_steps.size() ? &m_steps[index] : nullptr;
  }

private:
  llvm::Error Read() {
    constexpr int64_t kFirst = 2000, kMost = 200000;
    m_most = m_most ? std::min(m_most * 10, kMost) : kFirst;
    protocol::TraceRequest request;
    request.Wave = m_wave;
    request.Most = uint64_t(m_most);
    if (m_before >= 0)
      request.Before = uint64_t(m_before);
    auto answer = AskTime(m_process, request);
    if (!answer)
      return answer.takeError();
    if (!answer->Trace)
      return llvm::createStringError("the recording's answer is incomplete");
    const protocol::HistoryTrace &trace = *answer->Trace;
    std::vector<Step> steps;
    for (addr_t pc : trace.PCs)
      steps.push_back({pc, 0, 0});
    auto for_runs = [&](const auto &runs, auto set) {
      size_t next = 0;
      for (const auto &run : runs)
        for (uint64_t n = 0; n < run.Count && next < steps.size(); ++n)
          set(run, n, steps[next++]);
    };
    for_runs(trace.Positions,
             [](const protocol::PositionRun &run, uint64_t n, Step &to) {
               to.position = int64_t(run.First + n);
             });
    for_runs(trace.Exec, [](const protocol::ExecRun &run, uint64_t, Step &to) {
      to.exec = run.Exec.Bits;
    });
    m_steps.insert(m_steps.end(), steps.rbegin(), steps.rend());
    m_before = trace.Complete || steps.empty() ? int64_t(answer->From)
                                               : steps.front().position;
    m_is_complete = m_before <= int64_t(answer->Begin);
    return llvm::Error::success();
  }

  WaveProcess &m_process;
  const tid_t m_wave;
  int64_t m_most = 0;
  int64_t m_before = -1;
  bool m_is_complete = false;
  std::vector<Step> m_steps;
};

/// Searches the trace for the end of a step.
class LineSearch {
public:
  LineSearch(WaveProcess &process, ThreadAMDGPU &wave, BackStep kind)
      : m_trace(process, wave.GetID()), m_places(process), m_kind(kind),
        m_lane(GetFocusLane(wave)), m_pc(wave.GetAddress()) {}

  /// The position to go to; nullopt if there is nothing before.
  llvm::Expected<std::optional<int64_t>> Find() {
    const Place start = m_places.Get(m_pc);
    // The place that is visited, and its first instruction seen so far.
    std::optional<Place> visited;
    int visited_depth = 0;
    std::optional<int64_t> first;
    bool is_inside = false;
    if (m_kind != BackStep::Out)
      visited = start;
    int depth = 0;
    addr_t later = m_pc;
    // If the lane has done nothing before, the wave goes to its beginning.
    std::optional<int64_t> oldest;
    for (size_t i = 0;; ++i) {
      llvm::Expected<const Trace::Step *> step = m_trace.Get(i);
      if (!step)
        return step.takeError();
      if (!*step)
        return m_kind == BackStep::Out && m_oldest ? m_oldest
               : first                             ? first
                                                   : oldest;
      const addr_t pc = (*step)->pc;
      depth += GetChange(pc, later);
      later = pc;
      const Place place = m_places.Get(pc);
      if (m_kind == BackStep::InstructionOver) {
        if (depth <= 0)
          return (*step)->position;
        continue;
      }
      const int64_t position = (*step)->position;
      oldest = position;
      llvm::Expected<bool> is_active = IsActive(i);
      if (!is_active)
        return is_active.takeError();
      if (!*is_active)
        continue;
      m_oldest = position;
      if (m_kind == BackStep::Out) {
        if (depth < 0 ||
            (depth == 0 && place.inline_depth < start.inline_depth))
          return m_oldest;
        continue;
      }
      const int level = depth * 100 + int(place.inline_depth);
      const bool is_deeper =
          level > visited_depth * 100 + int(visited->inline_depth);
      if (is_deeper && (m_kind == BackStep::Over || is_inside))
        continue; // a function that the line has called
      if (!place.line)
        continue; // code without a line belongs to what follows
      if (is_deeper) {
        // The end of a function that the line has called.
        is_inside = true;
        visited = place;
        visited_depth = depth;
        first = m_oldest;
        continue;
      }
      const bool is_same = depth == visited_depth &&
                           place.line == visited->line &&
                           place.file == visited->file;
      if (is_same) {
        first = m_oldest;
        continue;
      }
      if (first)
        return first;
      // At the beginning of its line: the line before is visited now.
      visited = place;
      visited_depth = depth;
      first = m_oldest;
    }
  }

private:
  /// Whether the lane really executed an instruction. While the code has
  /// changed EXEC to save or load registers, these are the lanes before.
  llvm::Expected<bool> IsActive(size_t index) {
    uint64_t lanes = 0;
    for (;; ++index) {
      llvm::Expected<const Trace::Step *> step = m_trace.Get(index);
      if (!step)
        return step.takeError();
      if (!*step)
        break; // The recording begins in the middle of such code.
      lanes = (*step)->exec;
      if (m_places.Get((*step)->pc).exec_is_real)
        break;
    }
    return lanes >> m_lane & 1;
  }

  /// The change of depth from \a later back to \a earlier: 1 if a function has
  /// returned in between, -1 if one was called.
  int GetChange(addr_t earlier, addr_t later) {
    constexpr addr_t kCallSize = 4;
    const Place from = m_places.Get(earlier);
    if (from.calls)
      return later == earlier + kCallSize ? 0 : -1;
    // A jump into another function is a call at its end; one within a function
    // goes too far for a branch. Neither goes behind a call.
    return from.jumps_far && m_places.Get(later - kCallSize).calls ? 1 : 0;
  }

  Trace m_trace;
  Places m_places;
  const BackStep m_kind;
  const uint32_t m_lane;
  const addr_t m_pc;
  /// The first instruction of the lane that was seen.
  std::optional<int64_t> m_oldest;
};
} // namespace

llvm::Error lldb_private::wavelane::PrepareStepBack(WaveProcess &process,
                                                    ThreadAMDGPU &wave,
                                                    BackStep kind) {
  int64_t position = -1;
  // Code without a line of its own isn't part of the line that it leads to.
  ExactLines exact;
  if (kind != BackStep::Instruction) {
    llvm::Expected<std::optional<int64_t>> found =
        LineSearch(process, wave, kind).Find();
    if (!found)
      return found.takeError();
    // With nothing before, the server tells that.
    if (*found)
      position = **found;
  }
  const char *name = kind == BackStep::Out    ? "step back out"
                     : kind == BackStep::Over ? "step back over"
                     : kind == BackStep::Into ? "step back into"
                                              : "instruction step back";
  return PrepareTravel(process, wave, position, name);
}
