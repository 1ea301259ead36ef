//===-- SettingFilters.cpp - Exception filters that are settings ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SettingFilters.h"
#include "lldb/API/SBStringList.h"
#include "wavelane/Protocol/Device/Checks.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace lldb_dap;
using namespace lldb_dap::wavelane;

namespace check = ::wavelane::check;

/// The filter that turns a check on.
static std::string GetFilter(check::CheckId id) {
  return "gpu_check_" + check::name(id).str();
}

SettingFilters::SettingFilters()
    : m_filters{
          {"gpu_memory", "stop-on-memory-violation", "GPU: memory violation",
           true},
          {"gpu_illegal", "stop-on-illegal-instruction",
           "GPU: illegal instruction", true},
          {"gpu_arithmetic", "stop-on-arithmetic-exception",
           "GPU: arithmetic exception", true},
          {"gpu_abort", "stop-on-abort", "GPU: assertion or abort", true},
          {"gpu_trap", "stop-on-trap", "GPU: trap", true},
          {"gpu_kernel", "stop-on-kernel-entry", "GPU: kernel entry", false},
          {"gpu_module", "stop-on-module-load", "GPU: code loaded or unloaded",
           false},
      } {}

std::vector<protocol::ExceptionBreakpointsFilter>
SettingFilters::GetFilters() const {
  std::vector<protocol::ExceptionBreakpointsFilter> filters;
  for (const Filter &filter : m_filters) {
    protocol::ExceptionBreakpointsFilter &entry = filters.emplace_back();
    entry.filter = filter.name;
    entry.label = filter.label;
    entry.defaultState = filter.value;
  }
  for (check::CheckId id : check::AllChecks) {
    protocol::ExceptionBreakpointsFilter &entry = filters.emplace_back();
    entry.filter = GetFilter(id);
    entry.label = "GPU check: " + check::label(id).str();
    entry.description = check::help(id).str();
  }
  return filters;
}

bool SettingFilters::IsFilter(llvm::StringRef name) const {
  return llvm::any_of(
             m_filters,
             [&](const Filter &filter) { return filter.name == name; }) ||
         llvm::any_of(check::AllChecks,
                      [&](check::CheckId id) { return GetFilter(id) == name; });
}

void SettingFilters::Set(lldb::SBDebugger debugger,
                         const llvm::StringSet<> &names) {
  for (Filter &filter : m_filters) {
    const bool value = names.contains(filter.name);
    if (value == filter.value)
      continue;
    filter.value = value;
    const std::string setting =
        std::string("plugin.process.amdgpu.") + filter.setting;
    lldb::SBDebugger::SetInternalVariable(
        setting.c_str(), value ? "true" : "false", debugger.GetInstanceName());
  }
  SetChecks(debugger, names);
}

void SettingFilters::SetChecks(lldb::SBDebugger debugger,
                               const llvm::StringSet<> &names) {
  std::vector<std::string> checks;
  for (check::CheckId id : check::AllChecks)
    if (names.contains(GetFilter(id)))
      checks.push_back(check::name(id).str());
  if (checks == m_checks)
    return;
  m_checks = checks;
  constexpr char setting[] = "plugin.process.amdgpu.check";
  // Counting is the user's.
  lldb::SBStringList values = lldb::SBDebugger::GetInternalVariableValue(
      setting, debugger.GetInstanceName());
  for (uint32_t i = 0; i < values.GetSize(); ++i)
    if (llvm::StringRef(values.GetStringAtIndex(i)).contains(check::CountName))
      checks.push_back(check::CountName);
  lldb::SBDebugger::SetInternalVariable(
      setting, llvm::join(checks, ",").c_str(), debugger.GetInstanceName());
}
