//===-- CallerRegisters.cpp -----------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CallerRegisters.h"
#include "Core/Lane/Wave.h"

#include "lldb/Target/Thread.h"
#include "lldb/Utility/RegisterValue.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

CallerRegisters::CallerRegisters(Wave &wave, Source &source, uint32_t frame_idx)
    : RegisterContext(wave.GetThread(), frame_idx), m_wave(wave),
      m_source(source), m_live_sp(wave.GetThread().GetRegisterContext()) {}

size_t CallerRegisters::GetRegisterCount() {
  return m_live_sp->GetRegisterCount();
}

const RegisterInfo *CallerRegisters::GetRegisterInfoAtIndex(size_t reg) {
  return m_live_sp->GetRegisterInfoAtIndex(reg);
}

size_t CallerRegisters::GetRegisterSetCount() {
  return m_live_sp->GetRegisterSetCount();
}

const RegisterSet *CallerRegisters::GetRegisterSet(size_t reg_set) {
  return m_live_sp->GetRegisterSet(reg_set);
}

uint32_t CallerRegisters::ConvertRegisterKindToRegisterNumber(RegisterKind kind,
                                                              uint32_t num) {
  return m_live_sp->ConvertRegisterKindToRegisterNumber(kind, num);
}

bool CallerRegisters::ReadRegister(const RegisterInfo *info,
                                   RegisterValue &value) {
  if (!info)
    return false;
  if (m_wave.IsPseudoRegister(*info))
    return m_live_sp->ReadRegister(info, value);
  std::optional<std::vector<uint8_t>> bytes =
      m_source.ReadRegister(m_concrete_frame_idx, *info);
  if (!bytes || bytes->size() != info->byte_size)
    return false;
  Status error;
  return value.SetFromMemoryData(*info, bytes->data(), bytes->size(),
                                 eByteOrderLittle, error) == bytes->size();
}

bool CallerRegisters::WriteRegister(const RegisterInfo *info,
                                    const RegisterValue &value) {
  if (!info)
    return false;
  if (m_wave.IsPseudoRegister(*info))
    return m_live_sp->WriteRegister(info, value);
  std::vector<uint8_t> bytes(info->byte_size);
  Status error;
  return value.GetAsMemoryData(*info, bytes.data(), bytes.size(),
                               eByteOrderLittle, error) == bytes.size() &&
         m_source.WriteRegister(m_concrete_frame_idx, *info, bytes);
}
