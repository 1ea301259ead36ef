//===-- LanguageRuntimeHIP.h - C++ on a GPU ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_LANGUAGERUNTIME_HIP_LANGUAGERUNTIMEHIP_H
#define WAVELANE_PLUGINS_LANGUAGERUNTIME_HIP_LANGUAGERUNTIMEHIP_H

#include "Plugins/LanguageRuntime/CPlusPlus/CPPLanguageRuntime.h"

namespace lldb_private {
namespace wavelane {
class FunctionCalls;

/// LLDB's runtime of C++, which reads virtual function tables, with a pass over
/// the code of expressions, so that what they call can be interpreted.
class LanguageRuntimeHIP : public CPPLanguageRuntime {
public:
  /// \param[in] calls The process's; lives as long as the process.
  LanguageRuntimeHIP(Process &process, FunctionCalls &calls);
  ~LanguageRuntimeHIP() override;

  llvm::StringRef GetPluginName() override { return "hip"; }

  bool GetIRPasses(LLVMUserExpression::IRPasses &custom_passes) override;

  llvm::Expected<VTableInfo> GetVTableInfo(ValueObject &in_value,
                                           bool check_type) override;
  bool GetDynamicTypeAndAddress(ValueObject &in_value,
                                lldb::DynamicValueType use_dynamic,
                                TypeAndOrName &class_type_or_name,
                                Address &address, Value::ValueType &value_type,
                                llvm::ArrayRef<uint8_t> &local_buffer) override;
  TypeAndOrName FixUpDynamicType(const TypeAndOrName &type_and_or_name,
                                 ValueObject &static_value) override;
  bool CouldHaveDynamicValue(ValueObject &in_value) override;
  lldb::BreakpointResolverSP
  CreateExceptionResolver(const lldb::BreakpointSP &bkpt, bool catch_bp,
                          bool throw_bp) override;

private:
  FunctionCalls &m_calls;
  std::unique_ptr<LanguageRuntime> m_cpp_up;
};

} // namespace wavelane
} // namespace lldb_private

#endif
