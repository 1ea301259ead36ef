//===-- EntryValues.h - registers when a function was called ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_ENTRYVALUES_H
#define WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_ENTRYVALUES_H

#include "EvaluationContext.h"

namespace lldb_private {
namespace wavelane {

/// The context at the call of a frame's function, for DW_OP_entry_value (DWARF
/// 5, 2.5.1.7): its registers are those described by the call's parameters
/// (DW_TAG_call_site_parameter).
class CallerContext : public location::Context {
public:
  /// \param callee Must outlive this.
  explicit CallerContext(EvaluationContext &callee) : m_callee(callee) {}

  unsigned getAddressSize() override { return m_callee.getAddressSize(); }
  std::optional<location::AddressSpace>
  getAddressSpace(uint64_t number) override {
    return m_callee.getAddressSpace(number);
  }
  std::optional<std::string> getRegisterName(uint64_t number) override {
    return m_callee.getRegisterName(number);
  }
  llvm::Expected<uint64_t> getRegisterSize(uint64_t number) override {
    return m_callee.getRegisterSize(number);
  }
  llvm::Error readRegister(uint64_t number, uint64_t thread, uint64_t offset,
                           llvm::MutableArrayRef<uint8_t> into) override;
  llvm::Error readMemory(uint64_t space, std::optional<uint32_t> lane,
                         uint64_t thread, uint64_t address,
                         llvm::MutableArrayRef<uint8_t> into) override {
    return m_callee.readMemory(space, lane, thread, address, into);
  }
  uint64_t getThread() override { return m_callee.getThread(); }
  std::optional<uint32_t> getLane() override { return m_callee.getLane(); }
  uint32_t getLaneCount() override { return m_callee.getLaneCount(); }
  llvm::Expected<location::Type> getBaseType(uint64_t die_offset) override {
    return m_callee.getBaseType(die_offset);
  }

  /// A parameter of the callee, as the call passes it.
  llvm::Expected<location::DieLocation>
  getDie(location::DieReference reference) override;

private:
  /// A value that the call passes, in the context of the caller.
  struct PassedValue {
    std::shared_ptr<EvaluationContext> context;
    location::Entry entry;
  };
  /// The value in register \a number, or of \a parameter. \a name is for
  /// messages.
  llvm::Expected<PassedValue> Evaluate(std::optional<uint64_t> number,
                                       const plugin::dwarf::DWARFDIE &parameter,
                                       const std::string &name);

  EvaluationContext &m_callee;
  /// The bytes that DieLocation refers to.
  std::vector<uint8_t> m_parameter;
};

} // namespace wavelane
} // namespace lldb_private

#endif
