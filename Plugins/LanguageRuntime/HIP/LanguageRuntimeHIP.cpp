//===-- LanguageRuntimeHIP.cpp --------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LanguageRuntimeHIP.h"

#include "ExpressionPass.h"
#include "lldb/Breakpoint/BreakpointResolver.h"
#include "lldb/Target/Process.h"
#include "llvm/IR/LegacyPassManager.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

LanguageRuntimeHIP::LanguageRuntimeHIP(Process &process, FunctionCalls &calls)
    : CPPLanguageRuntime(&process), m_calls(calls),
      m_cpp_up(
          LanguageRuntime::FindPlugin(&process, eLanguageTypeC_plus_plus)) {}

LanguageRuntimeHIP::~LanguageRuntimeHIP() = default;

bool LanguageRuntimeHIP::GetIRPasses(
    LLVMUserExpression::IRPasses &custom_passes) {
  custom_passes.EarlyPasses = std::make_shared<llvm::legacy::PassManager>();
  custom_passes.EarlyPasses->add(new ExpressionPass(*m_process, m_calls));
  return true;
}

llvm::Expected<LanguageRuntime::VTableInfo>
LanguageRuntimeHIP::GetVTableInfo(ValueObject &in_value, bool check_type) {
  return m_cpp_up ? m_cpp_up->GetVTableInfo(in_value, check_type)
                  : LanguageRuntime::GetVTableInfo(in_value, check_type);
}

bool LanguageRuntimeHIP::GetDynamicTypeAndAddress(
    ValueObject &in_value, DynamicValueType use_dynamic,
    TypeAndOrName &class_type_or_name, Address &address,
    Value::ValueType &value_type, llvm::ArrayRef<uint8_t> &local_buffer) {
  return m_cpp_up && m_cpp_up->GetDynamicTypeAndAddress(
                         in_value, use_dynamic, class_type_or_name, address,
                         value_type, local_buffer);
}

TypeAndOrName
LanguageRuntimeHIP::FixUpDynamicType(const TypeAndOrName &type_and_or_name,
                                     ValueObject &static_value) {
  return m_cpp_up ? m_cpp_up->FixUpDynamicType(type_and_or_name, static_value)
                  : type_and_or_name;
}

bool LanguageRuntimeHIP::CouldHaveDynamicValue(ValueObject &in_value) {
  return m_cpp_up && m_cpp_up->CouldHaveDynamicValue(in_value);
}

BreakpointResolverSP
LanguageRuntimeHIP::CreateExceptionResolver(const BreakpointSP &bkpt,
                                            bool catch_bp, bool throw_bp) {
  return nullptr;
}
