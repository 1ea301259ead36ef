//===-- ABIAMDGPU.h - calling convention of amdgcn --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_ABI_AMDGPU_ABIAMDGPU_H
#define WAVELANE_PLUGINS_ABI_AMDGPU_ABIAMDGPU_H

#include "Core/Call/FunctionCall.h"
#include "lldb/Target/ABI.h"

#include <optional>
#include <vector>

namespace lldb_private {
namespace wavelane {

/// The convention of device functions (LLVM's "User Guide for AMDGPU Backend",
/// "Non-Kernel Functions"): values of lanes in v0 and up, s[30:31] the return
/// address, s32 the stack pointer, s33 the frame pointer.
class ABIAMDGPU : public MCBasedABI {
public:
  static void Initialize();
  static llvm::StringRef GetPluginNameStatic() { return "amdgpu"; }
  static lldb::ABISP CreateInstance(lldb::ProcessSP process_sp,
                                    const ArchSpec &arch);

  llvm::StringRef GetPluginName() override { return GetPluginNameStatic(); }

  size_t GetRedZoneSize() const override { return 0; }
  bool PrepareTrivialCall(Thread &thread, lldb::addr_t sp,
                          lldb::addr_t function_address,
                          lldb::addr_t return_address,
                          llvm::ArrayRef<lldb::addr_t> args) const override {
    return false;
  }
  bool GetArgumentValues(Thread &thread, ValueList &values) const override {
    return false;
  }
  Status SetReturnValueObject(lldb::StackFrameSP &frame_sp,
                              lldb::ValueObjectSP &new_value) override;
  lldb::UnwindPlanSP CreateFunctionEntryUnwindPlan() override {
    return nullptr;
  }
  lldb::UnwindPlanSP CreateDefaultUnwindPlan() override { return nullptr; }
  bool RegisterIsVolatile(const RegisterInfo *reg_info) override;
  bool CallFrameAddressIsValid(lldb::addr_t cfa) override { return true; }
  bool CodeAddressIsValid(lldb::addr_t pc) override { return (pc & 3) == 0; }

  void AugmentRegisterInfo(
      std::vector<DynamicRegisterInfo::Register> &regs) override;

  /// Whether a function must preserve the register.
  /// \param[in] name "s33", "v40" or "a32".
  static bool IsCalleeSaved(llvm::StringRef name);

  /// Clang flattens structs into so many registers of arguments.
  static constexpr uint64_t kArgumentRegisters = 16;
  /// For an argument of \a type.
  /// \param[in,out] registers_left  Of kArgumentRegisters, for all arguments.
  /// \return nullopt for types that aren't understood.
  static std::optional<Passing> GetArgumentPassing(CompilerType type,
                                                   Thread &thread,
                                                   uint64_t &registers_left);
  static std::optional<Passing> GetResultPassing(CompilerType type,
                                                 Thread &thread);

  /// The contents of v0 and the following registers in a lane when the function
  /// of \a frame returns \a value, converted to the function's own type if both
  /// are numbers.
  static llvm::Expected<std::vector<uint32_t>>
  GetResultWords(StackFrame &frame, ValueObject &value);

protected:
  lldb::ValueObjectSP
  GetReturnValueObjectImpl(Thread &thread, CompilerType &type) const override;
  uint32_t GetGenericNum(llvm::StringRef reg) override;

private:
  using MCBasedABI::MCBasedABI;
};

} // namespace wavelane
} // namespace lldb_private

#endif
