//===-- CallerRegisters.h - the registers of a caller -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_UNWIND_AMDGPU_CALLERREGISTERS_H
#define WAVELANE_PLUGINS_UNWIND_AMDGPU_CALLERREGISTERS_H

#include "lldb/Target/RegisterContext.h"
#include "llvm/ADT/ArrayRef.h"

#include <optional>
#include <vector>

namespace lldb_private {
namespace wavelane {

class Wave;

/// The registers of a calling frame, as found by the unwinder. Registers that
/// describe the wave have the same value in every frame.
class CallerRegisters : public RegisterContext {
public:
  /// Implemented by the unwinder.
  class Source {
  public:
    virtual ~Source() = default;
    /// The value of a register in a frame.
    /// \return nullopt if unknown.
    virtual std::optional<std::vector<uint8_t>>
    ReadRegister(uint32_t frame_idx, const RegisterInfo &info) = 0;
    /// \return False if the frame's value isn't saved anywhere.
    virtual bool WriteRegister(uint32_t frame_idx, const RegisterInfo &info,
                               llvm::ArrayRef<uint8_t> bytes) = 0;
  };

  CallerRegisters(Wave &wave, Source &source, uint32_t frame_idx);

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
  Source &m_source;
  lldb::RegisterContextSP m_live_sp;
};

} // namespace wavelane
} // namespace lldb_private

#endif
