//===-- EarlyReturn.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "EarlyReturn.h"
#include "ABI/AMDGPU/ABIAMDGPU.h"
#include "Core/Lane/LaneResults.h"
#include "Core/Lane/Wave.h"

#include "lldb/Target/RegisterContext.h"
#include "lldb/Target/StackFrame.h"
#include "lldb/Target/Thread.h"

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

static llvm::Error Refuse(const llvm::Twine &why) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), why);
}

EarlyReturn::EarlyReturn(Wave &wave, StackFrame &frame, uint32_t index,
                         const WaveFrames &frames, FrameRegisters &registers,
                         EntryLanes &lanes)
    : m_wave(wave), m_frame(frame), m_callee(index), m_caller(index + 1),
      m_frames(frames), m_registers(registers), m_lanes(lanes),
      m_function(
          frame.GetSymbolContext(eSymbolContextFunction | eSymbolContextSymbol)
              .GetFunctionName()
              .AsCString("the function")) {}

llvm::Expected<uint64_t> EarlyReturn::GetActiveLanes() {
  const RegisterInfo *exec = m_wave.FindRegister("exec");
  if (std::optional<Bytes> kept = exec && m_frames[m_callee].rules
                                      ? m_registers.ReadByRules(m_caller, *exec)
                                      : std::nullopt) {
    uint64_t active = 0;
    for (size_t i = 0; i < kept->size() && i < 8; ++i)
      active |= uint64_t((*kept)[i]) << (8 * i);
    return active;
  }
  const uint32_t lanes = m_wave.GetLaneCount();
  const uint64_t all = lanes < 64 ? (uint64_t(1) << lanes) - 1 : ~uint64_t(0);
  const LaneMask entered = m_lanes.Get(m_callee);
  if ((entered.known & all) != all)
    return Refuse("the lanes with which " + m_function +
                  " was entered aren't known: it can't be left early here");
  return entered.lanes;
}

llvm::Expected<std::optional<EarlyReturn::Bytes>>
EarlyReturn::GetBytes(const RegisterInfo &info, const Bytes &now,
                      uint64_t active, llvm::ArrayRef<Words> results) {
  const llvm::StringRef plain = info.name;
  if (plain == "pc")
    return ToBytes(m_frames[m_caller].pc, info.byte_size);
  if (plain == "exec")
    return ToBytes(active, info.byte_size);
  FunctionUnwind::Register reg{plain.front(), 0};
  if ((reg.file != 's' && reg.file != 'v' && reg.file != 'a') ||
      plain.drop_front().getAsInteger(10, reg.number))
    return std::nullopt;
  std::optional<Bytes> bytes =
      m_registers.Read(m_caller, reg, /*trust=*/false, ~uint64_t(0));
  // The call itself overwrote s[30:31].
  const bool is_return_address =
      reg.file == 's' && (reg.number == 30 || reg.number == 31);
  if (!bytes && ABIAMDGPU::IsCalleeSaved(plain) && !is_return_address)
    return Refuse("the value that " + plain + " had before " + m_function +
                  " was called isn't known here");
  for (uint32_t lane = 0; reg.file == 'v' && lane < results.size(); ++lane) {
    if (!(active >> lane & 1) || reg.number >= results[lane].size())
      continue;
    if (!bytes)
      bytes = now;
    if (bytes->size() >= (lane + 1) * 4)
      llvm::support::endian::write32le(bytes->data() + lane * 4,
                                       results[lane][reg.number]);
  }
  return bytes;
}

llvm::Expected<std::vector<EarlyReturn::Words>>
EarlyReturn::GetResults(ValueObject *value, uint64_t active) {
  std::vector<Words> results(value ? m_wave.GetLaneCount() : 0);
  const std::vector<LaneResult> *own = LaneResultsScope::Get();
  std::optional<Words> same;
  for (uint32_t lane = 0; lane < results.size(); ++lane) {
    if (!(active >> lane & 1))
      continue;
    const bool has_own = own && lane < own->size();
    if (has_own && !(*own)[lane].value_sp)
      return Refuse("the value can't be computed in lane " + llvm::Twine(lane) +
                    ": " + (*own)[lane].error);
    if (!has_own && same) {
      results[lane] = *same;
      continue;
    }
    llvm::Expected<Words> words = ABIAMDGPU::GetResultWords(
        m_frame, has_own ? *(*own)[lane].value_sp : *value);
    if (!words)
      return words.takeError();
    if (!has_own)
      same = *words;
    results[lane] = std::move(*words);
  }
  return results;
}

Status EarlyReturn::Do(ValueObject *value) {
  if (m_frames.size() <= m_caller)
    return Status(m_function + " has no caller to return to");
  if (m_frames[m_caller].guess)
    return Status("it isn't certain that " + m_function +
                  " was called from here");
  llvm::Expected<uint64_t> active = GetActiveLanes();
  if (!active)
    return Status::FromError(active.takeError());
  RegisterContextSP live_sp = m_wave.GetThread().GetRegisterContext();
  if (!live_sp || !m_wave.FindRegister("exec"))
    return Status("the wave's registers can't be read");
  llvm::Expected<std::vector<Words>> results = GetResults(value, *active);
  if (!results)
    return Status::FromError(results.takeError());

  // Read all before writing any: a frame's registers are saved in registers of
  // its callees.
  std::vector<std::pair<const RegisterInfo *, Bytes>> writes;
  for (size_t i = 0; i < live_sp->GetRegisterCount(); ++i) {
    const RegisterInfo *info = live_sp->GetRegisterInfoAtIndex(i);
    if (!info || info->value_regs || m_wave.IsPseudoRegister(*info))
      continue;
    // The wave may have fewer of these registers.
    const std::optional<Bytes> now = m_registers.ReadLive(*info);
    if (!now)
      continue;
    llvm::Expected<std::optional<Bytes>> bytes =
        GetBytes(*info, *now, *active, *results);
    if (!bytes)
      return Status::FromError(bytes.takeError());
    if (*bytes && (*bytes)->size() == info->byte_size && *bytes != now)
      writes.emplace_back(info, std::move(**bytes));
  }
  for (const auto &[info, bytes] : writes)
    if (!m_registers.WriteLive(info->name, bytes))
      return Status(std::string(info->name) + " can't be written");
  return Status();
}
