//===-- FrameRegisters.cpp ------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FrameRegisters.h"
#include "ABI/AMDGPU/ABIAMDGPU.h"
#include "Core/Lane/LaneFocus.h"
#include "Core/Lane/Wave.h"
#include "Core/Lane/WindowAddress.h"
#include "Core/Support/Processor.h"

#include "lldb/Target/Process.h"
#include "lldb/Target/RegisterContext.h"
#include "lldb/Target/Target.h"
#include "lldb/Utility/RegisterValue.h"
#include "llvm/Support/Endian.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

std::string FrameRegisters::GetName(Register reg) {
  return llvm::formatv("{0}{1}", llvm::StringRef(&reg.file, 1), reg.number)
      .str();
}

std::optional<std::vector<uint8_t>>
FrameRegisters::ReadLive(const RegisterInfo &info) {
  RegisterContextSP reg_ctx_sp = m_wave.GetThread().GetRegisterContext();
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

std::optional<std::vector<uint8_t>> FrameRegisters::Read(uint32_t frame_idx,
                                                         Register reg,
                                                         bool trust,
                                                         uint64_t needed) {
  if (frame_idx == 0) {
    const RegisterInfo *info = m_wave.FindRegister(GetName(reg));
    if (!info)
      return std::nullopt;
    return ReadLive(*info);
  }
  const WaveFrame &callee = m_frames[frame_idx - 1];
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
  // The call itself overwrites the caller's s[30:31].
  if (reg.file == 's' && (reg.number == 30 || reg.number == 31))
    return std::nullopt;
  if (!trust && callee.row.called) {
    const std::string name = GetName(reg);
    // The buffer descriptor of the stack is the same in all functions.
    if (!ABIAMDGPU::IsCalleeSaved(name) && !(reg.file == 's' && reg.number < 4))
      return std::nullopt;
  }
  std::optional<FunctionUnwind::Place> place = callee.row.Find(reg);
  if (!place)
    return std::nullopt;
  // The function that made the copy relies on it.
  return ReadPlace(frame_idx - 1, reg, *place, trust || !place->IsItself(reg),
                   needed);
}

std::optional<std::vector<uint8_t>>
FrameRegisters::ReadByRules(uint32_t frame_idx, const RegisterInfo &info) {
  const WaveFrame &callee = m_frames[frame_idx - 1];
  const uint32_t number = info.kinds[eRegisterKindDWARF];
  if (!callee.rules || number == LLDB_INVALID_REGNUM)
    return std::nullopt;
  // The frame's rules may be replaced during this.
  const std::shared_ptr<CallFrameSection> call_frames = callee.call_frames;
  const ::wavelane::location::CallFrameRow rules = *callee.rules;
  // The stack pointer is the caller's again when the function returns.
  // Registers without a rule keep their values by default.
  if (!rules.Registers.count(number) && callee.entry_sp &&
      llvm::StringRef(info.name) == "s32") {
    std::vector<uint8_t> bytes(4);
    llvm::support::endian::write32le(bytes.data(), uint32_t(*callee.entry_sp));
    return bytes;
  }
  CallFrameEvaluation evaluation = Evaluate(frame_idx - 1, rules);
  return evaluation.ReadCallersRegister(number, info.byte_size);
}

std::optional<uint32_t> FrameRegisters::ReadScalar(uint32_t frame_idx,
                                                   Register reg) {
  std::optional<std::vector<uint8_t>> bytes =
      Read(frame_idx, reg, true, /*needed=*/0);
  if (!bytes || bytes->size() < 4)
    return std::nullopt;
  return uint32_t((*bytes)[0]) | uint32_t((*bytes)[1]) << 8 |
         uint32_t((*bytes)[2]) << 16 | uint32_t((*bytes)[3]) << 24;
}

CallFrameEvaluation
FrameRegisters::Evaluate(uint32_t frame_idx,
                         const ::wavelane::location::CallFrameRow &rules) {
  return CallFrameEvaluation(
      m_wave,
      [this, frame_idx](const RegisterInfo &info) {
        return ReadRegister(frame_idx, info);
      },
      rules);
}

bool FrameRegisters::StackCountsLaneBytes(const ArchSpec &arch) {
  const ::wavelane::gpu::Processor *processor = GetProcessor(arch);
  return processor && processor->family().HasArchitectedScratch;
}

std::optional<uint64_t>
FrameRegisters::GetStackAddress(const WaveFrame &frame,
                                const FunctionUnwind::Place &place) {
  TargetSP target_sp = m_wave.GetThread().CalculateTarget();
  if (!target_sp || !frame.entry_sp)
    return std::nullopt;
  const uint32_t lanes = m_wave.GetLaneCount();
  const uint64_t base = *frame.entry_sp + place.slot_base;
  // In the wave's memory, the dwords of all lanes are interleaved.
  return StackCountsLaneBytes(GetArchitectureAt(*target_sp, frame.pc))
             ? (base + place.offset) * lanes
             : base + place.offset * lanes;
}

// A function saves a vector register for the lanes with which it was entered.
// The other elements, which the saved copy lacks, can't have changed.
std::optional<std::vector<uint8_t>>
FrameRegisters::ReadPlace(uint32_t frame_idx, Register value,
                          const FunctionUnwind::Place &place, bool trust,
                          uint64_t needed) {
  std::optional<std::vector<uint8_t>> bytes =
      ReadWholePlace(frame_idx, place, trust, needed);
  if (!bytes || place.lanes == FunctionUnwind::Lanes::All)
    return bytes;
  const LaneMask entered = m_get_entered(frame_idx);
  const uint32_t lanes = std::min<uint32_t>(bytes->size() / 4, 64);
  std::optional<std::vector<uint8_t>> own;
  for (uint32_t lane = 0; lane < lanes; ++lane) {
    if (!(entered.known >> lane & 1)) {
      // The register has no word for a lane whose value isn't known.
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
FrameRegisters::ReadWholePlace(uint32_t frame_idx,
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
FrameRegisters::ReadSlot(std::optional<uint64_t> address) {
  ProcessSP process_sp = m_wave.GetThread().GetProcess();
  auto *memory = dynamic_cast<AddressSpaceMemory *>(process_sp.get());
  std::vector<uint8_t> bytes(m_wave.GetLaneCount() * 4);
  Status error;
  if (!address || !memory ||
      memory->ReadAddressSpace(m_wave.GetThread().GetProtocolID(), 0,
                               eSpacePrivateWave, *address, bytes.data(),
                               bytes.size(), error) != bytes.size())
    return std::nullopt;
  return bytes;
}

bool FrameRegisters::WriteLive(llvm::StringRef name,
                               llvm::ArrayRef<uint8_t> bytes) {
  RegisterContextSP reg_ctx_sp = m_wave.GetThread().GetRegisterContext();
  const RegisterInfo *info = reg_ctx_sp ? m_wave.FindRegister(name) : nullptr;
  RegisterValue value;
  Status error;
  return info && bytes.size() == info->byte_size &&
         value.SetFromMemoryData(*info, bytes.data(), bytes.size(),
                                 eByteOrderLittle, error) == bytes.size() &&
         reg_ctx_sp->WriteRegister(info, value);
}

bool FrameRegisters::Write(uint32_t frame_idx, Register reg,
                           llvm::ArrayRef<uint8_t> bytes) {
  if (frame_idx == 0)
    return WriteLive(GetName(reg), bytes);
  // The stack pointer is computed, not saved.
  if (reg == Register{'s', 32} ||
      !Read(frame_idx, reg, /*trust=*/false, GetShownLane()))
    return false;
  const WaveFrame &callee = m_frames[frame_idx - 1];
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
    // Lanes that weren't saved in the slot still have their values in the
    // register.
    if (place->lanes != FunctionUnwind::Lanes::All &&
        !Write(frame_idx - 1, reg, bytes))
      return false;
    ProcessSP process_sp = m_wave.GetThread().GetProcess();
    auto *memory = dynamic_cast<AddressSpaceMemory *>(process_sp.get());
    return address && memory &&
           memory->WriteAddressSpace(m_wave.GetThread().GetProtocolID(), 0,
                                     eSpacePrivateWave, *address, bytes.data(),
                                     bytes.size(), error) == bytes.size();
  }
  }
  return false;
}

std::optional<std::vector<uint8_t>>
FrameRegisters::ReadRegister(uint32_t frame_idx, const RegisterInfo &info) {
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
  // A call changes these registers; others aren't changed, or describe the
  // wave.
  if (name == "vcc" || name == "m0" || name == "vcc_lo" || name == "vcc_hi")
    return std::nullopt;
  return ReadLive(info);
}

bool FrameRegisters::WriteRegister(uint32_t frame_idx, const RegisterInfo &info,
                                   llvm::ArrayRef<uint8_t> bytes) {
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

uint64_t FrameRegisters::GetShownLane() {
  return uint64_t(1) << (GetFocusLane(m_wave.GetThread()) & 63);
}
