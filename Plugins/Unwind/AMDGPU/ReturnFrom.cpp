//===-- ReturnFrom.cpp - leaving a device function early ------------------===//

#include "ABI/AMDGPU/ABIAMDGPU.h"
#include "Process/AMDGPU/ThreadAMDGPU.h"
#include "UnwindAMDGPU.h"
#include "Process/AMDGPU/WaveRegisters.h"

#include "lldb/Target/StackFrame.h"
#include "lldb/Utility/RegisterValue.h"

#include "llvm/Support/Endian.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

static std::vector<uint8_t> ToBytes(uint64_t value, size_t size) {
  std::vector<uint8_t> bytes(size);
  for (size_t i = 0; i < size && i < 8; ++i)
    bytes[i] = uint8_t(value >> (8 * i));
  return bytes;
}

std::optional<Status> UnwindAMDGPU::ReturnFrom(StackFrame &frame,
                                               ValueObject *value) {
  Status error;
  auto refuse = [&](const llvm::Twine &why) { return Status(why.str()); };
  std::vector<uint32_t> result;
  if (value) {
    llvm::Expected<std::vector<uint32_t>> words =
        ABIAMDGPU::GetResultWords(frame, *value);
    if (!words)
      return Status::FromError(words.takeError());
    result = std::move(*words);
  }
  const uint32_t index = frame.GetConcreteFrameIndex(), caller = index + 1;
  const std::string function =
      frame.GetSymbolContext(eSymbolContextFunction | eSymbolContextSymbol)
          .GetFunctionName()
          .AsCString("the function");

  std::lock_guard<std::recursive_mutex> guard(m_unwind_mutex);
  while (m_frames.size() <= caller)
    if (!AddFrame())
      return refuse(function + " has no caller to return to");
  if (m_frames[caller].guess)
    return refuse("that " + function + " was called from here is a guess");
  const uint32_t lanes = m_wave.GetLaneCount();
  const uint64_t all = lanes < 64 ? (uint64_t(1) << lanes) - 1 : ~uint64_t(0);
  uint64_t active = 0;
  const RegisterInfo *exec = m_wave.FindRegister("exec");
  if (std::optional<std::vector<uint8_t>> kept =
          exec && m_frames[index].rules ? ReadByRules(caller, *exec)
                                        : std::nullopt) {
    for (size_t i = 0; i < kept->size() && i < 8; ++i)
      active |= uint64_t((*kept)[i]) << (8 * i);
  } else {
    const LaneMask entered = GetEntryLanes(index);
    if ((entered.known & all) != all)
      return refuse("with which lanes " + function +
                    " was entered isn't known: it can't be left early here");
    active = entered.lanes;
  }

  // All are read before the first is written: a frame's registers are kept in
  // those of the frames that it has called.
  std::vector<std::pair<const RegisterInfo *, std::vector<uint8_t>>> writes;
  RegisterContextSP live_sp = m_wave.GetRegisterContext();
  if (!live_sp || !exec)
    return refuse("the wave's registers can't be read");
  for (size_t i = 0; i < live_sp->GetRegisterCount(); ++i) {
    const RegisterInfo *info = live_sp->GetRegisterInfoAtIndex(i);
    if (!info || info->value_regs || WaveRegisters::IsPseudo(*info))
      continue;
    const llvm::StringRef plain = info->name;
    // The wave has no more of some than it was given.
    const std::optional<std::vector<uint8_t>> now = ReadLive(*info);
    if (!now)
      continue;
    std::optional<std::vector<uint8_t>> bytes;
    Register reg{plain.front(), 0};
    if (plain == "pc") {
      bytes = ToBytes(m_frames[caller].pc, info->byte_size);
    } else if (plain == "exec") {
      bytes = ToBytes(active, info->byte_size);
    } else if ((reg.file == 's' || reg.file == 'v' || reg.file == 'a') &&
               !plain.drop_front().getAsInteger(10, reg.number)) {
      bytes = Read(caller, reg, /*trust=*/false, ~uint64_t(0));
      // The call itself has overwritten s[30:31].
      const bool is_return_address =
          reg.file == 's' && (reg.number == 30 || reg.number == 31);
      if (!bytes && ABIAMDGPU::IsCalleeSaved(plain) && !is_return_address)
        return refuse("the value that " + plain + " had before " + function +
                      " was called isn't known here");
      if (reg.file == 'v' && reg.number < result.size()) {
        if (!bytes)
          bytes = now;
        for (uint32_t lane = 0; lane < lanes; ++lane)
          if (active >> lane & 1 && bytes->size() >= (lane + 1) * 4)
            llvm::support::endian::write32le(bytes->data() + lane * 4,
                                             result[reg.number]);
      }
    }
    if (!bytes || bytes->size() != info->byte_size || bytes == now)
      continue;
    writes.emplace_back(info, std::move(*bytes));
  }
  for (const auto &[info, bytes] : writes)
    if (!WriteLive(info->name, bytes))
      return refuse(llvm::Twine(info->name) + " can't be written");
  return error;
}
