//===-- UnwindAMDGPU.cpp --------------------------------------------------===//

#include "UnwindAMDGPU.h"
#include "WaveRegisters.h"
#include "ABI/AMDGPU/ABIAMDGPU.h"
#include "Lane/WindowAddress.h"
#include "ProcessAMDGPU.h"
#include "ThreadAMDGPU.h"

#include "lldb/Core/Address.h"
#include "lldb/Core/Module.h"
#include "lldb/Core/Section.h"
#include "lldb/Symbol/Function.h"
#include "lldb/Symbol/Symbol.h"
#include "lldb/Target/StackFrame.h"
#include "lldb/Target/Target.h"
#include "lldb/Utility/RegisterValue.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

// LLDB takes a lower address for a younger frame, and the stack of a wave grows
// upwards: so frames are known by their distance from this.
static constexpr addr_t kFrameBase = uint64_t(1) << 32;
// More is no call stack but a loop.
static constexpr size_t kMaxFrames = 10000;
// So much of a function is read to find its caller.
static constexpr uint64_t kMaxFunction = 4 << 20;
// And so much before an address without a symbol.
static constexpr uint64_t kMaxStrippedFunction = 64 << 10;

UnwindAMDGPU::UnwindAMDGPU(ThreadAMDGPU &thread)
    : Unwind(thread), m_wave(thread) {}

UnwindAMDGPU::~UnwindAMDGPU() = default;

void UnwindAMDGPU::DoClear() {
  m_frames.clear();
  m_complete = false;
}

static ProcessAMDGPU *GetProcess(Thread &thread) {
  return dynamic_cast<ProcessAMDGPU *>(thread.GetProcess().get());
}

//===-- Registers ---------------------------------------------------------===//

std::optional<std::vector<uint8_t>>
UnwindAMDGPU::ReadLive(const RegisterInfo &info) {
  RegisterContextSP reg_ctx_sp = m_wave.GetRegisterContext();
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

std::optional<std::vector<uint8_t>>
UnwindAMDGPU::Read(uint32_t frame_idx, Register reg, bool trust) {
  if (frame_idx == 0) {
    const RegisterInfo *info = m_wave.FindRegister(
        llvm::formatv("{0}{1}", llvm::StringRef(&reg.file, 1), reg.number)
            .str());
    if (!info)
      return std::nullopt;
    return ReadLive(*info);
  }
  const Frame &callee = m_frames[frame_idx - 1];
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
    const std::string name =
        llvm::formatv("{0}{1}", llvm::StringRef(&reg.file, 1), reg.number).str();
    // The buffer descriptor of the stack is the same for all.
    if (!ABIAMDGPU::IsCalleeSaved(name) && !(reg.file == 's' && reg.number < 4))
      return std::nullopt;
  }
  std::optional<FunctionUnwind::Place> place = callee.row.Find(reg);
  if (!place)
    return std::nullopt;
  // A copy is relied on by the function that made it.
  return ReadPlace(frame_idx - 1, *place, trust || !place->IsItself(reg));
}

std::optional<uint32_t> UnwindAMDGPU::ReadScalar(uint32_t frame_idx,
                                                 Register reg) {
  std::optional<std::vector<uint8_t>> bytes = Read(frame_idx, reg, true);
  if (!bytes || bytes->size() < 4)
    return std::nullopt;
  return uint32_t((*bytes)[0]) | uint32_t((*bytes)[1]) << 8 |
         uint32_t((*bytes)[2]) << 16 | uint32_t((*bytes)[3]) << 24;
}

/// Whether s32 counts the bytes of one lane (scratch instructions) or of the wave
/// (buffer instructions).
static bool StackCountsLaneBytes(const ArchSpec &arch) {
  switch (arch.GetCore()) {
  case ArchSpec::eCore_amdgcn_gfx940:
  case ArchSpec::eCore_amdgcn_gfx941:
  case ArchSpec::eCore_amdgcn_gfx942:
  case ArchSpec::eCore_amdgcn_gfx11_generic:
  case ArchSpec::eCore_amdgcn_gfx12_generic:
    return true;
  default:
    return arch.GetCore() >= ArchSpec::eCore_amdgcn_gfx1100 &&
           arch.GetCore() <= ArchSpec::eCore_amdgcn_gfx1201;
  }
}

std::optional<uint64_t>
UnwindAMDGPU::GetStackAddress(const Frame &frame,
                              const FunctionUnwind::Place &place) {
  ProcessAMDGPU *process = GetProcess(m_wave);
  if (!process || !frame.entry_sp)
    return std::nullopt;
  const uint32_t lanes = m_wave.GetLaneCount();
  const uint64_t base = *frame.entry_sp + place.slot_base;
  // The wave's memory holds a dword of each lane, then the next dword of each.
  return StackCountsLaneBytes(process->GetArchitectureAt(frame.pc))
             ? (base + place.offset) * lanes
             : base + place.offset * lanes;
}

std::optional<std::vector<uint8_t>>
UnwindAMDGPU::ReadPlace(uint32_t frame_idx, const FunctionUnwind::Place &place,
                        bool trust) {
  switch (place.kind) {
  case FunctionUnwind::Place::InRegister:
    return Read(frame_idx, place.reg, trust);
  case FunctionUnwind::Place::InLane: {
    std::optional<std::vector<uint8_t>> all =
        Read(frame_idx, place.reg, trust);
    const size_t begin = place.lane * 4;
    if (!all || all->size() < begin + 4)
      return std::nullopt;
    return std::vector<uint8_t>(all->begin() + begin, all->begin() + begin + 4);
  }
  case FunctionUnwind::Place::OnStack: {
    ProcessAMDGPU *process = GetProcess(m_wave);
    std::optional<uint64_t> address =
        GetStackAddress(m_frames[frame_idx], place);
    if (!address)
      return std::nullopt;
    std::vector<uint8_t> bytes(m_wave.GetLaneCount() * 4);
    Status error;
    if (process->ReadAddressSpace(m_wave.GetProtocolID(), 0, eSpacePrivateWave,
                                  *address, bytes.data(), bytes.size(),
                                  error) != bytes.size())
      return std::nullopt;
    return bytes;
  }
  }
  return std::nullopt;
}

std::optional<std::vector<uint8_t>>
UnwindAMDGPU::ReadRegister(uint32_t frame_idx, const RegisterInfo &info) {
  std::lock_guard<std::recursive_mutex> guard(m_unwind_mutex);
  if (frame_idx >= m_frames.size())
    return std::nullopt;
  if (frame_idx == 0)
    return ReadLive(info);
  const llvm::StringRef name = ThreadAMDGPU::WithoutWaveSize(info.name);
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
    return Read(frame_idx, reg, /*trust=*/false);
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
  return ReadPlace(frame_idx, *place, /*trust=*/!place->IsItself(reg));
}

bool UnwindAMDGPU::WriteLive(llvm::StringRef name,
                             llvm::ArrayRef<uint8_t> bytes) {
  RegisterContextSP reg_ctx_sp = m_wave.GetRegisterContext();
  const RegisterInfo *info =
      reg_ctx_sp ? m_wave.FindRegister(ThreadAMDGPU::WithoutWaveSize(name))
                 : nullptr;
  RegisterValue value;
  Status error;
  return info && bytes.size() == info->byte_size &&
         value.SetFromMemoryData(*info, bytes.data(), bytes.size(),
                                 eByteOrderLittle, error) == bytes.size() &&
         reg_ctx_sp->WriteRegister(info, value);
}

bool UnwindAMDGPU::Write(uint32_t frame_idx, Register reg,
                         llvm::ArrayRef<uint8_t> bytes) {
  if (frame_idx == 0)
    return WriteLive(
        llvm::formatv("{0}{1}", llvm::StringRef(&reg.file, 1), reg.number).str(),
        bytes);
  // The stack pointer is worked out, not kept.
  if (reg == Register{'s', 32} || !Read(frame_idx, reg, /*trust=*/false))
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
        Read(frame_idx - 1, place->reg, /*trust=*/true);
    const size_t begin = place->lane * 4;
    if (!all || bytes.size() != 4 || all->size() < begin + 4)
      return false;
    std::copy(bytes.begin(), bytes.end(), all->begin() + begin);
    return Write(frame_idx - 1, place->reg, *all);
  }
  case FunctionUnwind::Place::OnStack: {
    std::optional<uint64_t> address = GetStackAddress(callee, *place);
    Status error;
    return address &&
           GetProcess(m_wave)->WriteAddressSpace(
               m_wave.GetProtocolID(), 0, eSpacePrivateWave, *address,
               bytes.data(), bytes.size(), error) == bytes.size();
  }
  }
  return false;
}

bool UnwindAMDGPU::WriteRegister(uint32_t frame_idx, const RegisterInfo &info,
                                 llvm::ArrayRef<uint8_t> bytes) {
  std::lock_guard<std::recursive_mutex> guard(m_unwind_mutex);
  if (frame_idx >= m_frames.size())
    return false;
  const llvm::StringRef name = ThreadAMDGPU::WithoutWaveSize(info.name);
  Register reg;
  reg.file = name.front();
  if ((reg.file == 's' || reg.file == 'v' || reg.file == 'a') &&
      !name.drop_front().getAsInteger(10, reg.number))
    return Write(frame_idx, reg, bytes);
  return frame_idx == 0 && WriteLive(name, bytes);
}

//===-- Frames ------------------------------------------------------------===//

std::shared_ptr<FunctionUnwind> UnwindAMDGPU::GetFunction(addr_t start,
                                                          addr_t end) {
  ProcessAMDGPU *process = GetProcess(m_wave);
  if (!process)
    return nullptr;
  return process->GetFunctionUnwind(start, std::min(end, start + kMaxFunction));
}

std::optional<addr_t> UnwindAMDGPU::GuessFunctionStart(addr_t pc) {
  ProcessAMDGPU *process = GetProcess(m_wave);
  Address address;
  SectionSP section_sp;
  if (!process->GetTarget().ResolveLoadAddress(pc, address) ||
      !(section_sp = address.GetSection()))
    return std::nullopt;
  std::shared_ptr<AMDGPUMachineCode> code = AMDGPUMachineCode::Get(
      process->GetArchitectureAt(pc).GetClangTargetCPU());
  const addr_t section = pc - address.GetOffset();
  const addr_t first =
      std::max(section, pc - std::min<addr_t>(pc, kMaxStrippedFunction));
  std::vector<uint8_t> bytes(pc + 4 - first);
  Status error;
  if (!code || process->ReadMemory(first, bytes.data(), bytes.size(), error) !=
                   bytes.size())
    return std::nullopt;
  auto name_at = [&](addr_t at) {
    std::optional<AMDGPUMachineCode::Instruction> instruction = code->Decode(
        llvm::ArrayRef<uint8_t>(bytes).drop_front(at - first), at);
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
  ProcessAMDGPU *process = GetProcess(m_wave);
  Target &target = process->GetTarget();
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
    frame.is_kernel =
        module_sp && module_sp->FindFirstSymbolWithNameAndType(
                         ConstString(descriptor), eSymbolTypeAny);
  } else if (Function *function = address.CalculateSymbolContextFunction()) {
    start = function->GetAddressRange().GetBaseAddress().GetLoadAddress(&target);
    end = start + function->GetAddressRange().GetByteSize();
  }

  if (frame.is_kernel) {
    // The first frame of the stack, whatever the kernel does with s32.
    frame.entry_sp = 0;
    frame.cfa = kFrameBase;
    return;
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
          function_sp ? function_sp->GetRow(frame.pc) : nullptr)
    frame.row = *row;
  else
    frame.caller_is_guess = true; // Taken to be at its first instruction.
  frame.caller_is_guess |= frame.row.guess;

  // s32 at entry: from where it is now, or from a register set beside it.
  if (frame.row.sp) {
    if (std::optional<uint32_t> sp = ReadScalar(index, {'s', 32}))
      frame.entry_sp = uint32_t(*sp - *frame.row.sp);
  }
  if (!frame.entry_sp)
    for (const auto &[reg, offset] : frame.row.sp_copies)
      if (std::optional<uint32_t> sp = ReadScalar(index, reg)) {
        frame.entry_sp = uint32_t(*sp - offset);
        break;
      }
  frame.cfa = kFrameBase - 1 - frame.entry_sp.value_or(index);
}

bool UnwindAMDGPU::AddFrame() {
  if (m_complete || m_frames.size() >= kMaxFrames || !GetProcess(m_wave))
    return false;
  const uint32_t index = m_frames.size();
  Frame frame;
  if (index == 0) {
    RegisterContextSP reg_ctx_sp = m_wave.GetRegisterContext();
    frame.pc = reg_ctx_sp ? reg_ctx_sp->GetPC() : LLDB_INVALID_ADDRESS;
    if (frame.pc == LLDB_INVALID_ADDRESS) {
      m_complete = true;
      return false;
    }
  } else {
    const Frame &callee = m_frames[index - 1];
    std::optional<FunctionUnwind::Place> low = callee.row.Find({'s', 30});
    std::optional<FunctionUnwind::Place> high = callee.row.Find({'s', 31});
    std::optional<std::vector<uint8_t>> low_bytes, high_bytes;
    if (!callee.is_kernel && low && high) {
      low_bytes = ReadPlace(index - 1, *low, /*trust=*/true);
      high_bytes = ReadPlace(index - 1, *high, /*trust=*/true);
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
    Target &target = GetProcess(m_wave)->GetTarget();
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

bool UnwindAMDGPU::DoGetFrameInfoAtIndex(uint32_t frame_idx, addr_t &cfa,
                                         addr_t &pc,
                                         bool &behaves_like_zeroth_frame) {
  while (m_frames.size() <= frame_idx)
    if (!AddFrame())
      return false;
  cfa = m_frames[frame_idx].cfa;
  pc = m_frames[frame_idx].pc;
  behaves_like_zeroth_frame = frame_idx == 0;
  return true;
}

//===-- The registers of a caller -----------------------------------------===//

namespace {
class RegisterContextAMDGPUFrame : public RegisterContext {
public:
  RegisterContextAMDGPUFrame(ThreadAMDGPU &wave, uint32_t frame_idx)
      : RegisterContext(wave, frame_idx), m_wave(wave),
        m_live_sp(wave.GetRegisterContext()) {}

  void InvalidateAllRegisters() override {}
  size_t GetRegisterCount() override { return m_live_sp->GetRegisterCount(); }
  const RegisterInfo *GetRegisterInfoAtIndex(size_t reg) override {
    return m_live_sp->GetRegisterInfoAtIndex(reg);
  }
  size_t GetRegisterSetCount() override {
    return m_live_sp->GetRegisterSetCount();
  }
  const RegisterSet *GetRegisterSet(size_t reg_set) override {
    return m_live_sp->GetRegisterSet(reg_set);
  }
  uint32_t ConvertRegisterKindToRegisterNumber(RegisterKind kind,
                                               uint32_t num) override {
    return m_live_sp->ConvertRegisterKindToRegisterNumber(kind, num);
  }

  bool ReadRegister(const RegisterInfo *info, RegisterValue &value) override {
    if (!info)
      return false;
    if (WaveRegisters::IsPseudo(*info))
      return m_live_sp->ReadRegister(info, value);
    auto &unwinder = static_cast<UnwindAMDGPU &>(m_wave.GetUnwinder());
    std::optional<std::vector<uint8_t>> bytes =
        unwinder.ReadRegister(m_concrete_frame_idx, *info);
    if (!bytes || bytes->size() != info->byte_size)
      return false;
    Status error;
    return value.SetFromMemoryData(*info, bytes->data(), bytes->size(),
                                   eByteOrderLittle, error) == bytes->size();
  }
  bool WriteRegister(const RegisterInfo *info,
                     const RegisterValue &value) override {
    if (!info)
      return false;
    if (WaveRegisters::IsPseudo(*info))
      return m_live_sp->WriteRegister(info, value);
    std::vector<uint8_t> bytes(info->byte_size);
    Status error;
    if (value.GetAsMemoryData(*info, bytes.data(), bytes.size(),
                              eByteOrderLittle, error) != bytes.size())
      return false;
    auto &unwinder = static_cast<UnwindAMDGPU &>(m_wave.GetUnwinder());
    return unwinder.WriteRegister(m_concrete_frame_idx, *info, bytes);
  }

private:
  ThreadAMDGPU &m_wave;
  RegisterContextSP m_live_sp;
};
} // namespace

RegisterContextSP
UnwindAMDGPU::DoCreateRegisterContextForFrame(StackFrame *frame) {
  const uint32_t index = frame ? frame->GetConcreteFrameIndex() : 0;
  if (index == 0)
    return m_wave.GetRegisterContext();
  while (m_frames.size() <= index)
    if (!AddFrame())
      return nullptr;
  return std::make_shared<RegisterContextAMDGPUFrame>(m_wave, index);
}
