//===-- UnwindAMDGPU.cpp --------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "UnwindAMDGPU.h"
#include "Core/Lane/LaneSource.h"
#include "Core/Lane/Wave.h"
#include "Core/MachineCode/LoadedCode.h"
#include "Core/MachineCode/StopInstruction.h"
#include "Core/Support/FunctionRange.h"
#include "Core/Support/Processor.h"
#include "EarlyReturn.h"
#include "UnwindCache.h"

#include "lldb/Core/Address.h"
#include "lldb/Core/Module.h"
#include "lldb/Core/Section.h"
#include "lldb/Symbol/Function.h"
#include "lldb/Symbol/LineEntry.h"
#include "lldb/Symbol/Symbol.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/StackFrame.h"
#include "lldb/Target/StopInfo.h"
#include "lldb/Target/Target.h"
#include "llvm/Support/Endian.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;
using ::wavelane::gpu::BarrierStep;
using ::wavelane::gpu::ControlFlow;
using ::wavelane::gpu::InstructionClass;
using ::wavelane::gpu::InstructionFacts;

// A longer call stack is a loop.
static constexpr size_t kMaxFrames = 10000;
// The size of each call instruction.
static constexpr uint64_t kCallSize = 4;
// The maximum code to read to analyze a function.
static constexpr uint64_t kMaxFunction = 4 << 20;
// The maximum code to search before an address without a symbol.
static constexpr uint64_t kMaxStrippedFunction = 64 << 10;

UnwindAMDGPU::UnwindAMDGPU(Wave &wave, std::shared_ptr<UnwindCache> cache_sp)
    : Unwind(wave.GetThread()), m_wave(wave), m_cache_sp(std::move(cache_sp)),
      m_registers(wave, m_frames,
                  [this](uint32_t index) { return m_lanes.Get(index); }),
      m_lanes(wave, m_frames, m_registers) {}

UnwindAMDGPU::~UnwindAMDGPU() = default;

void UnwindAMDGPU::DoClear() {
  m_frames.clear();
  m_complete = false;
  m_lanes.Clear();
}

//===-- Registers ---------------------------------------------------------===//

std::optional<std::vector<uint8_t>>
UnwindAMDGPU::ReadRegister(uint32_t frame_idx, const RegisterInfo &info) {
  std::lock_guard<std::recursive_mutex> guard(m_unwind_mutex);
  return m_registers.ReadRegister(frame_idx, info);
}

bool UnwindAMDGPU::WriteRegister(uint32_t frame_idx, const RegisterInfo &info,
                                 llvm::ArrayRef<uint8_t> bytes) {
  std::lock_guard<std::recursive_mutex> guard(m_unwind_mutex);
  const bool done = m_registers.WriteRegister(frame_idx, info, bytes);
  // Where lanes continue depends on registers.
  m_lanes.Clear();
  return done;
}

std::optional<std::vector<uint8_t>>
UnwindAMDGPU::ReadAtEntry(uint32_t frame_idx, Register reg) {
  std::lock_guard<std::recursive_mutex> guard(m_unwind_mutex);
  while (m_frames.size() <= frame_idx)
    if (!AddFrame())
      return std::nullopt;
  const WaveFrame &frame = m_frames[frame_idx];
  std::optional<FunctionUnwind::Place> place =
      frame.is_kernel ? std::nullopt : frame.row.Find(reg);
  if (!place)
    return std::nullopt;
  return m_registers.ReadPlace(frame_idx, reg, *place,
                               /*trust=*/!place->IsItself(reg),
                               m_registers.GetShownLane());
}

bool UnwindAMDGPU::IsFrameRegister(uint32_t frame_idx, llvm::StringRef name) {
  std::lock_guard<std::recursive_mutex> guard(m_unwind_mutex);
  while (m_frames.size() <= frame_idx)
    if (!AddFrame())
      return true;
  const WaveFrame &frame = m_frames[frame_idx];
  if (name == "s32")
    return true;
  // A kernel's frame is the outermost, whatever its pointers contain.
  if (frame.is_kernel)
    return name == "s33";
  if (!frame.has_row || frame.row.guess)
    return true;
  Register reg{'s', 0};
  if (!name.consume_front("s") || name.getAsInteger(10, reg.number))
    return false;
  // s33 may be aligned. Other registers are set from the stack pointer.
  return frame.row.sp_copies.count(reg) ||
         (reg == Register{'s', 33} && frame.row.clobbered.Has(reg));
}

std::vector<LaneFlow::Outcome> UnwindAMDGPU::GetOutcomes() {
  std::lock_guard<std::recursive_mutex> guard(m_unwind_mutex);
  for (uint32_t index = 0; index < m_frames.size() || AddFrame(); ++index)
    if (m_lanes.FollowThrough(index))
      break;
  return m_lanes.GetOutcomes();
}

std::optional<Status> UnwindAMDGPU::ReturnFrom(StackFrame &frame,
                                               ValueObject *value) {
  std::lock_guard<std::recursive_mutex> guard(m_unwind_mutex);
  const uint32_t index = m_wave.GetUnwoundIndex(frame);
  while (m_frames.size() <= index + 1 && AddFrame())
    ;
  Status error =
      EarlyReturn(m_wave, frame, index, m_frames, m_registers, m_lanes)
          .Do(value);
  m_lanes.Clear();
  return error;
}

//===-- Frames ------------------------------------------------------------===//

std::shared_ptr<FunctionUnwind> UnwindAMDGPU::GetFunction(addr_t start,
                                                          addr_t end) {
  TargetSP target_sp = GetThread().CalculateTarget();
  if (!target_sp)
    return nullptr;
  return m_cache_sp->GetFunction(*target_sp, start,
                                 std::min(end, start + kMaxFunction));
}

std::optional<addr_t> UnwindAMDGPU::GuessFunctionStart(addr_t pc) {
  ProcessSP process_sp = GetThread().GetProcess();
  Target &target = process_sp->GetTarget();
  Address address;
  SectionSP section_sp;
  if (!target.ResolveLoadAddress(pc, address) ||
      !(section_sp = address.GetSection()))
    return std::nullopt;
  std::shared_ptr<AMDGPUMachineCode> code = GetMachineCodeAt(target, pc);
  const addr_t section = pc - address.GetOffset();
  const addr_t first =
      std::max(section, pc - std::min<addr_t>(pc, kMaxStrippedFunction));
  std::vector<uint8_t> bytes(pc + 4 - first);
  Status error;
  if (!code || process_sp->ReadMemory(first, bytes.data(), bytes.size(),
                                      error) != bytes.size())
    return std::nullopt;
  auto facts_at = [&](addr_t at) -> const InstructionFacts & {
    std::optional<AMDGPUMachineCode::Instruction> instruction =
        code->Decode(llvm::ArrayRef<uint8_t>(bytes).drop_front(at - first), at);
    return instruction ? *instruction->facts : InstructionFacts::none();
  };
  // A function that can be called begins with a wait for its caller's memory
  // accesses, and follows the end of another function.
  for (addr_t at = pc & ~addr_t(3); at >= first && at <= pc; at -= 4) {
    if (facts_at(at).Class != InstructionClass::Wait)
      continue;
    const InstructionFacts &before =
        at > first ? facts_at(at - 4) : InstructionFacts::none();
    if (at == section || before.Flow == ControlFlow::Jump ||
        before.Flow == ControlFlow::End ||
        before.Flow == ControlFlow::CodeEnd || before.IsNop)
      return at;
  }
  return std::nullopt;
}

void UnwindAMDGPU::Describe(WaveFrame &frame, uint32_t index) {
  ProcessSP process_sp = GetThread().GetProcess();
  Target &target = process_sp->GetTarget();
  // A return address may be just past the caller's end.
  const addr_t lookup = index == 0 ? frame.pc : frame.pc - 1;
  Address address;
  Symbol *symbol = nullptr;
  if (target.ResolveLoadAddress(lookup, address))
    symbol = address.CalculateSymbolContextSymbol();
  addr_t start = LLDB_INVALID_ADDRESS, end = LLDB_INVALID_ADDRESS;
  if (symbol && symbol->ValueIsAddress()) {
    start = symbol->GetLoadAddress(&target);
    end = start + symbol->GetByteSize();
    // Kernels have a descriptor of the same name.
    ModuleSP module_sp = address.GetModule();
    const std::string descriptor =
        symbol->GetMangled().GetMangledName()
            ? symbol->GetMangled().GetMangledName().GetString() + ".kd"
            : symbol->GetName().GetString() + ".kd";
    frame.is_kernel = module_sp && module_sp->FindFirstSymbolWithNameAndType(
                                       ConstString(descriptor), eSymbolTypeAny);
  } else if (Function *function = address.CalculateSymbolContextFunction()) {
    start = function->GetAddress().GetLoadAddress(&target);
    end = start + GetEntryRange(*function).GetByteSize();
  }

  if (frame.is_kernel) {
    // The outermost frame, whatever the kernel does with s32.
    frame.entry_sp = 0;
    frame.cfa = kWaveFrameBase;
    return;
  }
  // File addresses; for calling frames, an address inside the call.
  if (ModuleSP module_sp = address.GetModule())
    if ((frame.call_frames = m_cache_sp->GetCallFrames(module_sp)))
      frame.rules = frame.call_frames->FindRow(address.GetFileAddress());
  if (frame.rules) {
    // The evaluation reads the frame's registers, which depend on its rules.
    m_frames[index].call_frames = frame.call_frames;
    CallFrameEvaluation evaluation = m_registers.Evaluate(index, *frame.rules);
    if (std::optional<uint64_t> cfa = evaluation.GetCFA())
      frame.entry_sp = FrameRegisters::StackCountsLaneBytes(
                           GetArchitectureAt(target, frame.pc))
                           ? *cfa / std::max<uint32_t>(m_wave.GetLaneCount(), 1)
                           : *cfa;
  }

  std::shared_ptr<FunctionUnwind> function_sp;
  if (start == LLDB_INVALID_ADDRESS || frame.pc < start) {
    frame.caller_is_guess = true;
    start = GuessFunctionStart(frame.pc).value_or(LLDB_INVALID_ADDRESS);
    end = frame.pc;
  }
  if (start != LLDB_INVALID_ADDRESS)
    function_sp = GetFunction(start, std::max(end, frame.pc));
  if (const FunctionUnwind::Row *row =
          function_sp ? function_sp->GetRow(frame.pc) : nullptr) {
    frame.row = *row;
    frame.has_row = true;
    // A caller is at its call, which hasn't returned.
    if (index != 0)
      if (const FunctionUnwind::Row *before =
              function_sp->GetRow(frame.pc - kCallSize))
        frame.row.called = before->called;
  } else {
    frame.caller_is_guess = true; // Assume its first instruction.
  }
  frame.caller_is_guess |= frame.row.guess;

  if (frame.rules)
    frame.caller_is_guess = false;
  // s32 at entry: computed from its current value, or from a register set from
  // it.
  if (!frame.entry_sp && frame.row.sp) {
    if (std::optional<uint32_t> sp = m_registers.ReadScalar(index, {'s', 32}))
      frame.entry_sp = uint32_t(*sp - *frame.row.sp);
  }
  if (!frame.entry_sp)
    for (const auto &[reg, offset] : frame.row.sp_copies)
      if (std::optional<uint32_t> sp = m_registers.ReadScalar(index, reg)) {
        frame.entry_sp = uint32_t(*sp - offset);
        break;
      }
  frame.cfa = kWaveFrameBase - 1 - frame.entry_sp.value_or(index);
}

std::optional<addr_t> UnwindAMDGPU::ReadReturnAddress() {
  using llvm::support::endian::read32le;
  using llvm::support::endian::read64le;
  const uint32_t index = m_frames.size() - 1;
  const WaveFrame &callee = m_frames.back();
  if (callee.is_kernel)
    return std::nullopt;
  if (callee.rules) {
    std::optional<std::vector<uint8_t>> pc =
        m_registers.Evaluate(index, *callee.rules)
            .ReadCallersRegister(kReturnAddressNumber, 8);
    if (!pc || pc->size() < 8)
      return std::nullopt;
    return read64le(pc->data());
  }
  addr_t pc = 0;
  for (unsigned half = 0; half < 2; ++half) {
    const Register reg{'s', 30 + half};
    std::optional<FunctionUnwind::Place> place = callee.row.Find(reg);
    std::optional<std::vector<uint8_t>> bytes =
        place ? m_registers.ReadPlace(index, reg, *place, /*trust=*/true,
                                      /*needed=*/0)
              : std::nullopt;
    if (!bytes || bytes->size() < 4)
      return std::nullopt;
    pc |= addr_t(read32le(bytes->data())) << 32 * half;
  }
  return pc;
}

/// Whether \a pc can be a return address: it follows a call in loaded code.
static bool IsAfterCode(Target &target, addr_t pc) {
  Address address;
  if (pc & 3 || !target.ResolveLoadAddress(pc - 1, address))
    return false;
  SectionSP section_sp = address.GetSection();
  return section_sp && section_sp->GetPermissions() & ePermissionsExecutable;
}

bool UnwindAMDGPU::AddFrame() {
  if (m_complete || m_frames.size() >= kMaxFrames || !GetThread().GetProcess())
    return false;
  const uint32_t index = m_frames.size();
  WaveFrame frame;
  if (index == 0) {
    RegisterContextSP reg_ctx_sp = GetThread().GetRegisterContext();
    frame.pc = reg_ctx_sp ? reg_ctx_sp->GetPC() : LLDB_INVALID_ADDRESS;
    m_complete = frame.pc == LLDB_INVALID_ADDRESS;
  } else {
    const WaveFrame &callee = m_frames[index - 1];
    frame.guess = callee.guess || callee.caller_is_guess;
    std::optional<addr_t> pc = ReadReturnAddress();
    m_complete = !pc || !IsAfterCode(*GetThread().CalculateTarget(), *pc);
    frame.pc = pc.value_or(LLDB_INVALID_ADDRESS);
  }
  if (m_complete)
    return false;
  // Add the new frame first, since its own registers are read.
  m_frames.push_back(frame);
  Describe(frame, index);
  m_frames.back() = frame;
  m_complete = frame.is_kernel;
  return true;
}

bool UnwindAMDGPU::IsGuess(uint32_t frame_idx) {
  std::lock_guard<std::recursive_mutex> guard(m_unwind_mutex);
  while (m_frames.size() <= frame_idx)
    if (!AddFrame())
      return false;
  return m_frames[frame_idx].guess;
}

uint32_t UnwindAMDGPU::DoGetFrameCount() {
  while (AddFrame())
    ;
  return m_frames.size();
}

/// Whether \a pc is just past a function: a wave that executed s_trap is at the
/// next instruction, and a function that never returns can end with it.
static bool IsBehindFunction(Target &target, addr_t pc) {
  auto is_in_function = [&](addr_t address) {
    Address resolved;
    if (!target.ResolveLoadAddress(address, resolved))
      return false;
    return resolved.CalculateSymbolContextFunction() ||
           resolved.CalculateSymbolContextSymbol();
  };
  return pc && !is_in_function(pc) && is_in_function(pc - 1);
}

/// A waiting wave is behind its barrier. Code without a line there, by which
/// optimized lanes join, says nothing; the barrier does.
static bool IsBehindBarrier(Target &target, addr_t pc) {
  constexpr addr_t kBarrierSize = 4;
  Address address;
  LineEntry line;
  if (!target.ResolveLoadAddress(pc, address) ||
      (address.CalculateSymbolContextLineEntry(line) && line.line))
    return false;
  std::optional<AMDGPUMachineCode::Instruction> before =
      DecodeAt(target, pc - kBarrierSize);
  return before && before->facts->Barrier != BarrierStep::None &&
         before->facts->Barrier != BarrierStep::Grid;
}

/// The next instruction, where the wave is, may have any line.
static bool IsBehindStop(Thread &thread, Target &target, addr_t pc) {
  StopInfoSP stop_sp = thread.GetPrivateStopInfo(/*calculate=*/false);
  if (!stop_sp)
    return false;
  std::optional<StopInstruction> stop =
      FindStopInstruction(target, *stop_sp, pc);
  return stop && stop->is_last;
}

bool UnwindAMDGPU::DoGetFrameInfoAtIndex(uint32_t frame_idx, addr_t &cfa,
                                         addr_t &pc,
                                         bool &behaves_like_zeroth_frame) {
  while (m_frames.size() <= frame_idx)
    if (!AddFrame())
      return false;
  cfa = m_frames[frame_idx].cfa;
  pc = m_frames[frame_idx].pc;
  TargetSP target_sp = GetThread().CalculateTarget();
  behaves_like_zeroth_frame =
      frame_idx == 0 &&
      !(target_sp &&
        (IsBehindFunction(*target_sp, pc) || IsBehindBarrier(*target_sp, pc) ||
         IsBehindStop(GetThread(), *target_sp, pc)));
  return true;
}

RegisterContextSP
UnwindAMDGPU::DoCreateRegisterContextForFrame(StackFrame *frame) {
  const uint32_t index = frame ? frame->GetConcreteFrameIndex() : 0;
  if (index == 0)
    return GetThread().GetRegisterContext();
  while (m_frames.size() <= index)
    if (!AddFrame())
      return nullptr;
  return std::make_shared<CallerRegisters>(m_wave, *this, index);
}
