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
#include <tuple>
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

//===-- Inlined functions -------------------------------------------------===//

/// The blocks of the inlined functions that a block is in, the innermost first.
static std::vector<Block *> GetInlined(Block *block) {
  std::vector<Block *> inlined;
  block = block ? block->GetContainingInlinedBlock() : nullptr;
  for (; block; block = block->GetInlinedParent())
    inlined.push_back(block);
  return inlined;
}

/// How many of them, the innermost ones, begin at an address.
static uint32_t CountBeginning(llvm::ArrayRef<Block *> inlined,
                               const Address &address) {
  uint32_t count = 0;
  AddressRange range;
  while (count < inlined.size() &&
         inlined[count]->GetRangeContainingAddress(address, range) &&
         range.GetBaseAddress() == address)
    ++count;
  return count;
}

namespace {
/// The inlined functions at a wave's address, and what the user sees of them.
class InlinedFrames {
public:
  explicit InlinedFrames(ThreadAMDGPU &wave) : m_wave(wave) {
    wave.CalculateTarget()->ResolveLoadAddress(wave.GetAddress(), m_address);
    m_inlined = GetInlined(m_address.CalculateSymbolContextBlock());
  }

  /// In how many of them the user sees the wave.
  uint32_t CountShown() const {
    const uint32_t all = uint32_t(m_inlined.size()),
                   hidden = m_wave.GetCurrentInlinedDepth();
    return hidden == UINT32_MAX ? all : all - std::min(hidden, all);
  }

  /// Shows the wave in that many; those that don't begin here can't be hidden.
  void Show(uint32_t count) {
    const uint32_t all = uint32_t(m_inlined.size());
    m_wave.HideInlinedFrames(std::min(all - std::min(count, all),
                                      CountBeginning(m_inlined, m_address)));
  }

private:
  ThreadAMDGPU &m_wave;
  Address m_address;
  std::vector<Block *> m_inlined;
};
} // namespace

//===-- The plan ----------------------------------------------------------===//

namespace {
/// Runs one wave backwards until it stops.
class ThreadPlanBack : public ThreadPlan {
public:
  /// \param inlined  In how many inlined functions it is shown then.
  /// \param stays  Only that changes, so it doesn't run.
  ThreadPlanBack(ThreadAMDGPU &wave, std::string name,
                 std::optional<uint32_t> inlined, bool stays)
      : ThreadPlan(eKindGeneric, "Going back", wave, eVoteNoOpinion,
                   eVoteNoOpinion),
        m_wave(wave), m_name(std::move(name)), m_inlined(inlined),
        m_stays(stays) {}

  void GetDescription(Stream *s, DescriptionLevel level) override {
    s->PutCString(m_name);
  }
  bool ValidatePlan(Stream *error) override { return true; }
  bool ShouldStop(Event *event_ptr) override {
    if (m_inlined)
      InlinedFrames(m_wave).Show(*m_inlined);
    return true;
  }
  bool IsVirtualStep() override { return m_stays; }
  bool StopOthers() override { return true; }
  StateType GetPlanRunState() override { return eStateStepping; }
  RunDirection GetDirection() const override { return eRunReverse; }
  bool WillStop() override { return true; }
  bool MischiefManaged() override {
    ThreadPlan::MischiefManaged();
    return true;
  }

protected:
  bool DoWillResume(StateType resume_state, bool current_plan) override {
    if (!m_stays || !current_plan)
      return true;
    SetStopInfo(StopInfo::CreateStopReasonToTrace(GetThread()));
    return false;
  }

  bool DoPlanExplainsStop(Event *event_ptr) override {
    StopInfoSP info_sp = GetThread().GetPrivateStopInfo();
    if (info_sp && info_sp->GetStopReason() != eStopReasonTrace)
      return false; // the beginning of what is recorded
    SetPlanComplete();
    return true;
  }

private:
  ThreadAMDGPU &m_wave;
  const std::string m_name;
  const std::optional<uint32_t> m_inlined;
  const bool m_stays;
};
} // namespace

static llvm::Error QueueBack(ThreadAMDGPU &wave, const char *name,
                             std::optional<uint32_t> inlined = std::nullopt,
                             bool stays = false) {
  ThreadPlanSP plan_sp =
      std::make_shared<ThreadPlanBack>(wave, name, inlined, stays);
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
    AddLevels(resolved, code);
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

  /// Adds the functions that an instruction is in.
  void AddLevels(const Address &address, protocol::CodeRun &code) {
    SymbolContext context;
    address.CalculateSymbolContext(&context, eSymbolContextEverything);
    // Library code that is inlined belongs to the line that calls it.
    ClimbToOwnCode(address, context);
    const std::vector<Block *> inlined = GetInlined(context.block);
    code.Begins = CountBeginning(inlined, address);
    code.Levels.clear();
    FileSpec file;
    uint32_t line = 0;
    if (context.line_entry.IsValid()) {
      file = context.line_entry.GetFile();
      line = context.line_entry.line;
    }
    for (Block *block : inlined) {
      code.Levels.push_back({Number(block, file, line), Number(block)});
      const InlineFunctionInfo *info = block->GetInlinedFunctionInfo();
      file = info->GetCallSite().GetFile();
      line = info->GetCallSite().GetLine();
    }
    code.Levels.push_back({Number(nullptr, file, line), 0});
    std::reverse(code.Levels.begin(), code.Levels.end());
  }

  uint32_t Number(Block *function) {
    return m_functions.try_emplace(function, uint32_t(m_functions.size() + 1))
        .first->second;
  }
  /// \param function  Null for one that isn't inlined.
  uint32_t Number(Block *function, const FileSpec &file, uint32_t line) {
    if (!line || IsLibraryFile(file))
      return 0;
    return m_lines
        .try_emplace({function, file, line}, uint32_t(m_lines.size() + 1))
        .first->second;
  }

  /// Adds what follows, if it is alike to the last run.
  static void Add(std::vector<protocol::CodeRun> &runs,
                  const protocol::CodeRun &next) {
    if (!runs.empty() && !next.Begins) {
      protocol::CodeRun alike = next;
      alike.Begin = runs.back().Begin;
      alike.Size = runs.back().Size;
      alike.Begins = runs.back().Begins;
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
  std::map<std::tuple<Block *, FileSpec, uint32_t>, uint32_t> m_lines;
  std::map<Block *, uint32_t> m_functions;
};
} // namespace

static llvm::Expected<protocol::BackAnswer>
FindTarget(WaveProcess &process, ThreadAMDGPU &wave, protocol::BackKind kind) {
  CodeDescription code(process);
  protocol::BackRequest request;
  request.Wave = wave.GetID();
  request.Kind = kind;
  request.Lane = GetFocusLane(wave);
  request.PC = wave.GetAddress();
  // A step over instructions asks for no lines.
  if (kind != protocol::BackKind::InstructionOver) {
    request.Depth = InlinedFrames(wave).CountShown();
    request.Code = code.Describe(request.PC);
  }
  for (;;) {
    auto answer = AskTime(process, request);
    if (!answer || answer->Done)
      return answer;
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
    auto found = FindTarget(process, wave, kind);
    if (!found)
      return found.takeError();
    // With nothing before, the server says so.
    return QueueBack(wave, name, found->Depth,
                     /*stays=*/!found->Target && found->Depth);
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
