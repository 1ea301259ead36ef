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
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <map>
#include <utility>
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

static llvm::Error QueueBack(ThreadAMDGPU &wave, const char *name) {
  ThreadPlanSP plan_sp = std::make_shared<ThreadPlanBack>(wave, name);
  plan_sp->SetIsControllingPlan(true);
  plan_sp->SetOkayToDiscard(true);
  return wave.QueueThreadPlan(plan_sp, /*abort_other_plans=*/true).takeError();
}

llvm::Error
lldb_private::wavelane::PrepareTravel(WaveProcess &process, ThreadAMDGPU &wave,
                                      int64_t position, const char *name,
                                      std::optional<int64_t> number) {
  protocol::TargetRequest request;
  request.Position = uint64_t(position);
  request.Wave = wave.GetID();
  if (number)
    request.Number = uint32_t(*number);
  auto answer = AskTime(process, request);
  return answer ? QueueBack(wave, name) : answer.takeError();
}

//===-- Code --------------------------------------------------------------===//

namespace {
/// Describes code to the device, which looks for where a step ends.
class CodeDescription {
public:
  explicit CodeDescription(WaveProcess &process)
      : m_process(process), m_target(process.GetTarget()) {}

  /// What is around an instruction; with each call more.
  std::vector<protocol::CodeRun> Describe(addr_t address) {
    const addr_t reach = m_reach;
    m_reach *= 4;
    std::vector<protocol::CodeRun> runs;
    const AddressRange range = GetRange(address, reach);
    if (range.IsValid())
      ForEachInstruction(
          m_target, range.GetBaseAddress(), range.GetByteSize(),
          [&](AMDGPUMachineCode &, addr_t at,
              const AMDGPUMachineCode::Instruction *instruction) {
            Add(runs, Find(at, instruction));
            return true;
          });
    if (llvm::none_of(runs, [&](const protocol::CodeRun &run) {
          return address - run.Begin < run.Size;
        })) {
      const auto instruction = DecodeAt(m_target, address);
      runs.push_back(Find(address, instruction ? &*instruction : nullptr));
    }
    return runs;
  }

private:
  /// Code that begins with an instruction.
  AddressRange GetRange(addr_t address, addr_t reach) {
    std::optional<AddressRange> symbol = GetSymbolRange(m_target, address);
    if (!symbol)
      return AddressRange();
    const addr_t begin = symbol->GetBaseAddress().GetLoadAddress(&m_target);
    addr_t from = begin, to = begin + symbol->GetByteSize();
    to = std::min(to, address + reach);
    // A line begins with an instruction, too.
    Address nearby;
    LineEntry line;
    if (address - begin > reach &&
        m_target.ResolveLoadAddress(address - reach, nearby) &&
        nearby.CalculateSymbolContextLineEntry(line))
      from = std::max(begin,
                      line.range.GetBaseAddress().GetLoadAddress(&m_target));
    Address start;
    return m_target.ResolveLoadAddress(from, start)
               ? AddressRange(start, to - from)
               : AddressRange();
  }

  protocol::CodeRun Find(addr_t address,
                         const AMDGPUMachineCode::Instruction *instruction) {
    constexpr uint64_t size_of_data = 4;
    protocol::CodeRun code;
    code.Begin = address;
    code.Size = instruction ? instruction->size : size_of_data;
    Address resolved;
    if (!m_target.ResolveLoadAddress(address, resolved))
      return code;
    SymbolContext context;
    resolved.CalculateSymbolContext(&context, eSymbolContextEverything);
    // Library code that is inlined belongs to the line that calls it.
    ClimbToOwnCode(resolved, context);
    if (context.line_entry.IsValid() && context.line_entry.line &&
        !IsLibraryFile(context.line_entry.GetFile()))
      code.Line = m_lines
                      .try_emplace({context.line_entry.GetFile(),
                                    context.line_entry.line},
                                   uint32_t(m_lines.size() + 1))
                      .first->second;
    for (Block *block = context.block
                            ? context.block->GetContainingInlinedBlock()
                            : nullptr;
         block; block = block->GetInlinedParent())
      ++code.Depth;
    if (instruction) {
      code.Calls = instruction->calls;
      code.JumpsFar =
          instruction->facts->Flow == ::wavelane::gpu::ControlFlow::Jump;
    }
    code.SavesExec = !m_process.GetUnwindCache()
                          ->GetExecutingMask(m_target, address)
                          .isInExec();
    return code;
  }

  /// Adds what follows, if it is alike to the last run.
  static void Add(std::vector<protocol::CodeRun> &runs,
                  const protocol::CodeRun &next) {
    if (!runs.empty()) {
      protocol::CodeRun alike = next;
      alike.Begin = runs.back().Begin;
      alike.Size = runs.back().Size;
      if (alike == runs.back()) {
        runs.back().Size += next.Size;
        return;
      }
    }
    runs.push_back(next);
  }

  WaveProcess &m_process;
  Target &m_target;
  /// The bytes of code on each side that are described next.
  addr_t m_reach = 1024;
  std::map<std::pair<FileSpec, uint32_t>, uint32_t> m_lines;
};
} // namespace

static llvm::Error FindTarget(WaveProcess &process, ThreadAMDGPU &wave,
                              protocol::BackKind kind) {
  CodeDescription code(process);
  protocol::BackRequest request;
  request.Wave = wave.GetID();
  request.Kind = kind;
  request.Lane = GetFocusLane(wave);
  request.PC = wave.GetAddress();
  // A step over instructions asks for no lines.
  if (kind != protocol::BackKind::InstructionOver)
    request.Code = code.Describe(request.PC);
  for (;;) {
    auto answer = AskTime(process, request);
    if (!answer)
      return answer.takeError();
    if (answer->Done)
      return llvm::Error::success();
    request.Continues = true;
    request.Code.clear();
    if (answer->Unknown)
      request.Code = code.Describe(*answer->Unknown);
  }
}

llvm::Error lldb_private::wavelane::PrepareStepBack(WaveProcess &process,
                                                    ThreadAMDGPU &wave,
                                                    BackStep kind) {
  // Code without a line of its own isn't part of the line that it leads to.
  ExactLines exact;
  auto go = [&](protocol::BackKind kind, const char *name) -> llvm::Error {
    // With nothing before, the server tells that.
    if (llvm::Error error = FindTarget(process, wave, kind))
      return error;
    return QueueBack(wave, name);
  };
  switch (kind) {
  case BackStep::Instruction:
    return QueueBack(wave, "instruction step back");
  case BackStep::InstructionOver:
    return go(protocol::BackKind::InstructionOver, "instruction step back");
  case BackStep::Into:
    return go(protocol::BackKind::Into, "step back into");
  case BackStep::Over:
    return go(protocol::BackKind::Over, "step back over");
  case BackStep::Out:
    return go(protocol::BackKind::Out, "step back out");
  }
  llvm_unreachable("covered");
}
