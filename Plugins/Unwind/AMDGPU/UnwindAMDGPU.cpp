//===-- UnwindAMDGPU.cpp --------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "UnwindAMDGPU.h"
#include "ABI/AMDGPU/ABIAMDGPU.h"
#include "CallerRegisters.h"
#include "EarlyReturn.h"
#include "EntryLanes.h"
#include "Lane/LaneFocus.h"
#include "Lane/Wave.h"
#include "Lane/WindowAddress.h"
#include "MachineCode/LoadedCode.h"
#include "Support/FunctionRange.h"
#include "Support/Processor.h"
#include "UnwindCache.h"

#include "lldb/Core/Address.h"
#include "lldb/Core/Module.h"
#include "lldb/Core/Section.h"
#include "lldb/Symbol/Function.h"
#include "lldb/Symbol/Symbol.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/StackFrame.h"
#include "lldb/Target/Target.h"
#include "lldb/Utility/RegisterValue.h"
#include "llvm/Support/Endian.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

// More is no call stack but a loop.
static constexpr size_t kMaxFrames = 10000;
// Bytes of each instruction that calls.
static constexpr uint64_t kCallSize = 4;
// So much of a function is read to find its caller.
static constexpr uint64_t kMaxFunction = 4 << 20;
// And so much before an address without a symbol.
static constexpr uint64_t kMaxStrippedFunction = 64 << 10;

UnwindAMDGPU::UnwindAMDGPU(Wave &wave, std::shared_ptr<UnwindCache> cache_sp)
    : Unwind(wave.GetThread()), m_wave(wave), m_cache_sp(std::move(cache_sp)),
      m_lanes_up(std::make_unique<EntryLanes>(*this)) {}

UnwindAMDGPU::~UnwindAMDGPU() = default;

void UnwindAMDGPU::DoClear() {
  m_frames.clear();
  m_complete = false;
  m_lanes_up->Clear();
}

//===-- Registers ---------------------------------------------------------===//

std::string UnwindAMDGPU::GetName(Register reg) {
  return llvm::formatv("{0}{1}", llvm::StringRef(&reg.file, 1), reg.number)
      .str();
}

std::optional<std::vector<uint8_t>>
UnwindAMDGPU::ReadLive(const RegisterInfo &info) {
  RegisterContextSP reg_ctx_sp = GetThread().GetRegisterContext();
  RegisterValue value;
  const RegisterInfo *live =
      reg_ctx_sp ? reg_ctx_sp->GetRegisterInfoByName(info.name) : nullptr;
  if (!live || !reg_ctx_sp->ReadRegister(live, value))
    return std::nullopt;
  std::vector<uint8_t> bytes(live->byte_size);
  Status error;
  if (value.GetAsMemoryData(*live, bytes.data(), bytes.size(), eByteOrderLittle,
                            error) != bytes.size())
    return std::nullopt;
  return bytes;
}

std::optional<std::vector<uint8_t>> UnwindAMDGPU::Read(uint32_t frame_idx,
                                                       Register reg, bool trust,
                                                       uint64_t needed) {
  if (frame_idx == 0) {
    const RegisterInfo *info = m_wave.FindRegister(GetName(reg));
    if (!info)
      return std::nullopt;
    return ReadLive(*info);
  }
  const Frame &callee = m_frames[frame_idx - 1];
  if (callee.rules) {
    const RegisterInfo *info = m_wave.FindRegister(GetName(reg));
    return info ? ReadByRules(frame_idx, *info) : std::nullopt;
  }
  if (reg == Register{'s', 32}) {
    if (!callee.entry_sp)
      return std::nullopt;
    const uint32_t sp = *callee.entry_sp;
    return std::vector<uint8_t>{uint8_t(sp), uint8_t(sp >> 8),
                                uint8_t(sp >> 16), uint8_t(sp >> 24)};
  }
  // The call itself overwrites s[30:31] of the caller.
  if (reg.file == 's' && (reg.number == 30 || reg.number == 31))
    return std::nullopt;
  if (!trust && callee.row.called) {
    const std::string name = GetName(reg);
    // The buffer descriptor of the stack is the same for all.
    if (!ABIAMDGPU::IsCalleeSaved(name) && !(reg.file == 's' && reg.number < 4))
      return std::nullopt;
  }
  std::optional<FunctionUnwind::Place> place = callee.row.Find(reg);
  if (!place)
    return std::nullopt;
  // A copy is relied on by the function that made it.
  return ReadPlace(frame_idx - 1, reg, *place, trust || !place->IsItself(reg),
                   needed);
}

std::optional<std::vector<uint8_t>>
UnwindAMDGPU::ReadByRules(uint32_t frame_idx, const RegisterInfo &info) {
  const Frame &callee = m_frames[frame_idx - 1];
  const uint32_t number = info.kinds[eRegisterKindDWARF];
  if (!callee.rules || number == LLDB_INVALID_REGNUM)
    return std::nullopt;
  // The rules of the frame may be replaced while it is described.
  const std::shared_ptr<CallFrameSection> call_frames = callee.call_frames;
  const ::wavelane::location::CallFrameRow rules = *callee.rules;
  // The stack pointer is the caller's again when the function returns. Of
  // registers without a rule the default is that they are left alone.
  if (!rules.Registers.count(number) && callee.entry_sp &&
      llvm::StringRef(info.name) == "s32") {
    std::vector<uint8_t> bytes(4);
    llvm::support::endian::write32le(bytes.data(), uint32_t(*callee.entry_sp));
    return bytes;
  }
  CallFrameEvaluation evaluation = Evaluate(frame_idx - 1, rules);
  return evaluation.ReadCallersRegister(number, info.byte_size);
}

std::optional<uint32_t> UnwindAMDGPU::ReadScalar(uint32_t frame_idx,
                                                 Register reg) {
  std::optional<std::vector<uint8_t>> bytes =
      Read(frame_idx, reg, true, /*needed=*/0);
  if (!bytes || bytes->size() < 4)
    return std::nullopt;
  return uint32_t((*bytes)[0]) | uint32_t((*bytes)[1]) << 8 |
         uint32_t((*bytes)[2]) << 16 | uint32_t((*bytes)[3]) << 24;
}

CallFrameEvaluation
UnwindAMDGPU::Evaluate(uint32_t frame_idx,
                       const ::wavelane::location::CallFrameRow &rules) {
  return CallFrameEvaluation(
      m_wave,
      [this, frame_idx](const RegisterInfo &info) {
        return ReadRegister(frame_idx, info);
      },
      rules);
}

/// Whether s32 counts the bytes of one lane (scratch instructions) or of the
/// wave (buffer instructions).
static bool StackCountsLaneBytes(const ArchSpec &arch) {
  const ::wavelane::gpu::Processor *processor = GetProcessor(arch);
  return processor && processor->family().HasArchitectedScratch;
}

std::optional<uint64_t>
UnwindAMDGPU::GetStackAddress(const Frame &frame,
                              const FunctionUnwind::Place &place) {
  TargetSP target_sp = GetThread().CalculateTarget();
  if (!target_sp || !frame.entry_sp)
    return std::nullopt;
  const uint32_t lanes = m_wave.GetLaneCount();
  const uint64_t base = *frame.entry_sp + place.slot_base;
  // The wave's memory holds a dword of each lane, then the next dword of each.
  return StackCountsLaneBytes(GetArchitectureAt(*target_sp, frame.pc))
             ? (base + place.offset) * lanes
             : base + place.offset * lanes;
}

// A function saves a vector register for the lanes that it was entered with. It
// can't change it for others, of which the place has nothing.
std::optional<std::vector<uint8_t>>
UnwindAMDGPU::ReadPlace(uint32_t frame_idx, Register value,
                        const FunctionUnwind::Place &place, bool trust,
                        uint64_t needed) {
  std::optional<std::vector<uint8_t>> bytes =
      ReadWholePlace(frame_idx, place, trust, needed);
  if (!bytes || place.lanes == FunctionUnwind::Lanes::All)
    return bytes;
  const EntryLanes::Mask entered = m_lanes_up->Get(frame_idx);
  const uint32_t lanes = std::min<uint32_t>(bytes->size() / 4, 64);
  std::optional<std::vector<uint8_t>> own;
  for (uint32_t lane = 0; lane < lanes; ++lane) {
    if (!(entered.known >> lane & 1)) {
      // A register has no word for a lane whose value isn't known.
      if (needed >> lane & 1)
        return std::nullopt;
      continue;
    }
    if (entered.lanes >> lane & 1)
      continue;
    if (!own)
      own = Read(frame_idx, value, /*trust=*/true, needed);
    if (!own || own->size() != bytes->size())
      return std::nullopt;
    std::copy_n(own->begin() + lane * 4, 4, bytes->begin() + lane * 4);
  }
  return bytes;
}

std::optional<std::vector<uint8_t>>
UnwindAMDGPU::ReadWholePlace(uint32_t frame_idx,
                             const FunctionUnwind::Place &place, bool trust,
                             uint64_t needed) {
  switch (place.kind) {
  case FunctionUnwind::Place::InRegister:
    return Read(frame_idx, place.reg, trust, needed);
  case FunctionUnwind::Place::InLane: {
    std::optional<std::vector<uint8_t>> all =
        Read(frame_idx, place.reg, trust, uint64_t(1) << (place.lane & 63));
    const size_t begin = place.lane * 4;
    if (!all || all->size() < begin + 4)
      return std::nullopt;
    return std::vector<uint8_t>(all->begin() + begin, all->begin() + begin + 4);
  }
  case FunctionUnwind::Place::OnStack: {
    return ReadSlot(GetStackAddress(m_frames[frame_idx], place));
  }
  }
  return std::nullopt;
}

std::optional<std::vector<uint8_t>>
UnwindAMDGPU::ReadSlot(std::optional<uint64_t> address) {
  ProcessSP process_sp = GetThread().GetProcess();
  auto *memory = dynamic_cast<AddressSpaceMemory *>(process_sp.get());
  std::vector<uint8_t> bytes(m_wave.GetLaneCount() * 4);
  Status error;
  if (!address || !memory ||
      memory->ReadAddressSpace(GetThread().GetProtocolID(), 0,
                               eSpacePrivateWave, *address, bytes.data(),
                               bytes.size(), error) != bytes.size())
    return std::nullopt;
  return bytes;
}

std::optional<std::vector<uint8_t>>
UnwindAMDGPU::ReadRegister(uint32_t frame_idx, const RegisterInfo &info) {
  std::lock_guard<std::recursive_mutex> guard(m_unwind_mutex);
  if (frame_idx >= m_frames.size())
    return std::nullopt;
  if (frame_idx == 0)
    return ReadLive(info);
  const llvm::StringRef name = info.name;
  if (name == "pc") {
    std::vector<uint8_t> bytes(8);
    for (size_t i = 0; i < 8; ++i)
      bytes[i] = m_frames[frame_idx].pc >> 8 * i;
    return bytes;
  }
  Register reg;
  reg.file = name.front();
  if ((reg.file == 's' || reg.file == 'v' || reg.file == 'a') &&
      !name.drop_front().getAsInteger(10, reg.number))
    return Read(frame_idx, reg, /*trust=*/false, GetShownLane());
  if (m_frames[frame_idx - 1].rules &&
      (name == "exec" || m_frames[frame_idx - 1].rules->Registers.count(
                             info.kinds[eRegisterKindDWARF])))
    return ReadByRules(frame_idx, info);
  // What a call doesn't change, and what says where the wave is.
  if (name == "vcc" || name == "m0" || name == "vcc_lo" || name == "vcc_hi")
    return std::nullopt;
  return ReadLive(info);
}

std::optional<std::vector<uint8_t>>
UnwindAMDGPU::ReadAtEntry(uint32_t frame_idx, Register reg) {
  std::lock_guard<std::recursive_mutex> guard(m_unwind_mutex);
  while (m_frames.size() <= frame_idx)
    if (!AddFrame())
      return std::nullopt;
  const Frame &frame = m_frames[frame_idx];
  std::optional<FunctionUnwind::Place> place =
      frame.is_kernel ? std::nullopt : frame.row.Find(reg);
  if (!place)
    return std::nullopt;
  return ReadPlace(frame_idx, reg, *place, /*trust=*/!place->IsItself(reg),
                   GetShownLane());
}

bool UnwindAMDGPU::IsFrameRegister(uint32_t frame_idx, llvm::StringRef name) {
  std::lock_guard<std::recursive_mutex> guard(m_unwind_mutex);
  while (m_frames.size() <= frame_idx)
    if (!AddFrame())
      return true;
  const Frame &frame = m_frames[frame_idx];
  if (name == "s32")
    return true;
  // A kernel's frame is the first of the stack, where its pointers say so or
  // not.
  if (frame.is_kernel)
    return name == "s33";
  if (!frame.has_row || frame.row.guess)
    return true;
  Register reg{'s', 0};
  if (!name.consume_front("s") || name.getAsInteger(10, reg.number))
    return false;
  // s33 may have been aligned. Other registers are set beside the stack
  // pointer.
  return frame.row.sp_copies.count(reg) ||
         (reg == Register{'s', 33} && frame.row.clobbered.Has(reg));
}

bool UnwindAMDGPU::WriteLive(llvm::StringRef name,
                             llvm::ArrayRef<uint8_t> bytes) {
  RegisterContextSP reg_ctx_sp = GetThread().GetRegisterContext();
  const RegisterInfo *info = reg_ctx_sp ? m_wave.FindRegister(name) : nullptr;
  RegisterValue value;
  Status error;
  // Where lanes go on follows from registers.
  m_lanes_up->Clear();
  return info && bytes.size() == info->byte_size &&
         value.SetFromMemoryData(*info, bytes.data(), bytes.size(),
                                 eByteOrderLittle, error) == bytes.size() &&
         reg_ctx_sp->WriteRegister(info, value);
}

bool UnwindAMDGPU::Write(uint32_t frame_idx, Register reg,
                         llvm::ArrayRef<uint8_t> bytes) {
  if (frame_idx == 0)
    return WriteLive(GetName(reg), bytes);
  // The stack pointer is worked out, not kept.
  if (reg == Register{'s', 32} ||
      !Read(frame_idx, reg, /*trust=*/false, GetShownLane()))
    return false;
  const Frame &callee = m_frames[frame_idx - 1];
  std::optional<FunctionUnwind::Place> place = callee.row.Find(reg);
  if (!place)
    return false;
  switch (place->kind) {
  case FunctionUnwind::Place::InRegister:
    return Write(frame_idx - 1, place->reg, bytes);
  case FunctionUnwind::Place::InLane: {
    std::optional<std::vector<uint8_t>> all =
        Read(frame_idx - 1, place->reg, /*trust=*/true,
             uint64_t(1) << (place->lane & 63));
    const size_t begin = place->lane * 4;
    if (!all || bytes.size() != 4 || all->size() < begin + 4)
      return false;
    std::copy(bytes.begin(), bytes.end(), all->begin() + begin);
    return Write(frame_idx - 1, place->reg, *all);
  }
  case FunctionUnwind::Place::OnStack: {
    std::optional<uint64_t> address = GetStackAddress(callee, *place);
    Status error;
    // What the callee's lanes don't have there they have in the register.
    if (place->lanes != FunctionUnwind::Lanes::All &&
        !Write(frame_idx - 1, reg, bytes))
      return false;
    ProcessSP process_sp = GetThread().GetProcess();
    auto *memory = dynamic_cast<AddressSpaceMemory *>(process_sp.get());
    return address && memory &&
           memory->WriteAddressSpace(GetThread().GetProtocolID(), 0,
                                     eSpacePrivateWave, *address, bytes.data(),
                                     bytes.size(), error) == bytes.size();
  }
  }
  return false;
}

bool UnwindAMDGPU::WriteRegister(uint32_t frame_idx, const RegisterInfo &info,
                                 llvm::ArrayRef<uint8_t> bytes) {
  std::lock_guard<std::recursive_mutex> guard(m_unwind_mutex);
  if (frame_idx >= m_frames.size())
    return false;
  const llvm::StringRef name = info.name;
  Register reg;
  reg.file = name.front();
  if ((reg.file == 's' || reg.file == 'v' || reg.file == 'a') &&
      !name.drop_front().getAsInteger(10, reg.number))
    return Write(frame_idx, reg, bytes);
  return frame_idx == 0 && WriteLive(name, bytes);
}

std::vector<LaneFlow::Fate> UnwindAMDGPU::GetFates() {
  std::lock_guard<std::recursive_mutex> guard(m_unwind_mutex);
  for (uint32_t index = 0; index < m_frames.size() || AddFrame(); ++index)
    if (m_lanes_up->FollowThrough(index))
      break;
  return m_lanes_up->GetFates();
}

std::optional<Status> UnwindAMDGPU::ReturnFrom(StackFrame &frame,
                                               ValueObject *value) {
  std::lock_guard<std::recursive_mutex> guard(m_unwind_mutex);
  return EarlyReturn(*this, frame).Do(value);
}

uint64_t UnwindAMDGPU::GetShownLane() {
  return uint64_t(1) << (GetFocusLane(GetThread()) & 63);
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
  auto name_at = [&](addr_t at) {
    std::optional<AMDGPUMachineCode::Instruction> instruction =
        code->Decode(llvm::ArrayRef<uint8_t>(bytes).drop_front(at - first), at);
    return instruction ? instruction->name : std::string();
  };
  // A function that can be called waits for what its caller has under way, and
  // stands behind the end of another one.
  for (addr_t at = pc & ~addr_t(3); at >= first && at <= pc; at -= 4) {
    if (!llvm::StringRef(name_at(at)).starts_with("S_WAIT"))
      continue;
    const std::string before = at > first ? name_at(at - 4) : "";
    if (at == section || llvm::StringRef(before).starts_with("S_SETPC") ||
        llvm::StringRef(before).starts_with("S_ENDPGM") ||
        llvm::StringRef(before).starts_with("S_CODE_END") ||
        llvm::StringRef(before).starts_with("S_NOP"))
      return at;
  }
  return std::nullopt;
}

void UnwindAMDGPU::Describe(Frame &frame, uint32_t index) {
  ProcessSP process_sp = GetThread().GetProcess();
  Target &target = process_sp->GetTarget();
  // A return address may be the first one past the caller.
  const addr_t lookup = index == 0 ? frame.pc : frame.pc - 1;
  Address address;
  Symbol *symbol = nullptr;
  if (target.ResolveLoadAddress(lookup, address))
    symbol = address.CalculateSymbolContextSymbol();
  addr_t start = LLDB_INVALID_ADDRESS, end = LLDB_INVALID_ADDRESS;
  if (symbol && symbol->ValueIsAddress()) {
    start = symbol->GetLoadAddress(&target);
    end = start + symbol->GetByteSize();
    // A kernel has a descriptor of its name.
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
    // The first frame of the stack, whatever the kernel does with s32.
    frame.entry_sp = 0;
    frame.cfa = kWaveFrameBase;
    return;
  }
  // Addresses of the file: an address in the call, for frames that called.
  if (ModuleSP module_sp = address.GetModule())
    if ((frame.call_frames = m_cache_sp->GetCallFrames(module_sp)))
      frame.rules = frame.call_frames->FindRow(address.GetFileAddress());
  if (frame.rules) {
    // Evaluation reads the frame's registers: it must know of its rules.
    m_frames[index].call_frames = frame.call_frames;
    CallFrameEvaluation evaluation = Evaluate(index, *frame.rules);
    if (std::optional<uint64_t> cfa = evaluation.GetCFA())
      frame.entry_sp = StackCountsLaneBytes(GetArchitectureAt(target, frame.pc))
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
    // A caller stands at its call, which hasn't returned.
    if (index != 0)
      if (const FunctionUnwind::Row *before =
              function_sp->GetRow(frame.pc - kCallSize))
        frame.row.called = before->called;
  } else {
    frame.caller_is_guess = true; // Taken to be at its first instruction.
  }
  frame.caller_is_guess |= frame.row.guess;

  if (frame.rules)
    frame.caller_is_guess = false;
  // s32 at entry: from where it is now, or from a register set beside it.
  if (!frame.entry_sp && frame.row.sp) {
    if (std::optional<uint32_t> sp = ReadScalar(index, {'s', 32}))
      frame.entry_sp = uint32_t(*sp - *frame.row.sp);
  }
  if (!frame.entry_sp)
    for (const auto &[reg, offset] : frame.row.sp_copies)
      if (std::optional<uint32_t> sp = ReadScalar(index, reg)) {
        frame.entry_sp = uint32_t(*sp - offset);
        break;
      }
  frame.cfa = kWaveFrameBase - 1 - frame.entry_sp.value_or(index);
}

bool UnwindAMDGPU::AddFrame() {
  if (m_complete || m_frames.size() >= kMaxFrames || !GetThread().GetProcess())
    return false;
  const uint32_t index = m_frames.size();
  Frame frame;
  if (index == 0) {
    RegisterContextSP reg_ctx_sp = GetThread().GetRegisterContext();
    frame.pc = reg_ctx_sp ? reg_ctx_sp->GetPC() : LLDB_INVALID_ADDRESS;
    if (frame.pc == LLDB_INVALID_ADDRESS) {
      m_complete = true;
      return false;
    }
  } else {
    const Frame &callee = m_frames[index - 1];
    std::optional<std::vector<uint8_t>> low_bytes, high_bytes;
    if (callee.rules && !callee.is_kernel) {
      CallFrameEvaluation evaluation = Evaluate(index - 1, *callee.rules);
      if (std::optional<std::vector<uint8_t>> pc =
              evaluation.ReadCallersRegister(kReturnAddressNumber, 8)) {
        low_bytes.emplace(pc->begin(), pc->begin() + 4);
        high_bytes.emplace(pc->begin() + 4, pc->end());
      }
    }
    std::optional<FunctionUnwind::Place> low = callee.row.Find({'s', 30});
    std::optional<FunctionUnwind::Place> high = callee.row.Find({'s', 31});
    if (!callee.rules && !callee.is_kernel && low && high) {
      low_bytes =
          ReadPlace(index - 1, {'s', 30}, *low, /*trust=*/true, /*needed=*/0);
      high_bytes =
          ReadPlace(index - 1, {'s', 31}, *high, /*trust=*/true, /*needed=*/0);
    }
    if (!low_bytes || !high_bytes || low_bytes->size() < 4 ||
        high_bytes->size() < 4) {
      m_complete = true;
      return false;
    }
    for (int i = 0; i < 4; ++i) {
      frame.pc |= addr_t((*low_bytes)[i]) << 8 * i;
      frame.pc |= addr_t((*high_bytes)[i]) << (32 + 8 * i);
    }
    // A return address follows a call in code that is loaded.
    Target &target = *GetThread().CalculateTarget();
    Address address;
    SectionSP section_sp;
    if (frame.pc & 3 || !target.ResolveLoadAddress(frame.pc - 1, address) ||
        !(section_sp = address.GetSection()) ||
        !(section_sp->GetPermissions() & ePermissionsExecutable)) {
      m_complete = true;
      return false;
    }
    frame.guess = callee.guess || callee.caller_is_guess;
  }
  // The new frame's own registers are asked for, so it must be in the list.
  m_frames.push_back(frame);
  Describe(frame, index);
  m_frames.back() = frame;
  Frame &added = m_frames.back();
  if (added.is_kernel)
    m_complete = true;
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

/// Whether \a pc is just behind a function: a wave that has done s_trap stands
/// at the next instruction, and a function that never returns can end with it.
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
      frame_idx == 0 && !(target_sp && IsBehindFunction(*target_sp, pc));
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
