//===-- SettingFilters.cpp - Exception filters that are settings ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SettingFilters.h"
#include "llvm/ADT/STLExtras.h"

using namespace lldb_dap;
using namespace lldb_dap::wavelane;

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
  return filters;
}

bool SettingFilters::IsFilter(llvm::StringRef name) const {
  return llvm::any_of(
      m_filters, [&](const Filter &filter) { return filter.name == name; });
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
}
