//===-- CallerRegisters.h - the registers of a caller -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_UNWIND_AMDGPU_CALLERREGISTERS_H
#define WAVELANE_PLUGINS_UNWIND_AMDGPU_CALLERREGISTERS_H

#include "lldb/Target/RegisterContext.h"

namespace lldb_private {
namespace wavelane {

class UnwindAMDGPU;
class Wave;

/// The registers of a frame that has called another one, as UnwindAMDGPU finds
/// them. What says what the wave is has the same value in every frame.
class CallerRegisters : public RegisterContext {
public:
  CallerRegisters(Wave &wave, UnwindAMDGPU &unwind, uint32_t frame_idx);

  void InvalidateAllRegisters() override {}
  size_t GetRegisterCount() override;
  const RegisterInfo *GetRegisterInfoAtIndex(size_t reg) override;
  size_t GetRegisterSetCount() override;
  const RegisterSet *GetRegisterSet(size_t reg_set) override;
  uint32_t ConvertRegisterKindToRegisterNumber(lldb::RegisterKind kind,
                                               uint32_t num) override;
  bool ReadRegister(const RegisterInfo *info, RegisterValue &value) override;
  bool WriteRegister(const RegisterInfo *info,
                     const RegisterValue &value) override;

private:
  Wave &m_wave;
  UnwindAMDGPU &m_unwind;
  lldb::RegisterContextSP m_live_sp;
};

} // namespace wavelane
} // namespace lldb_private

#endif
