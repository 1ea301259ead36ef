//===-- SettingFilters.cpp - Exception filters that are settings ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SettingFilters.h"
#include "lldb/API/SBStringList.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace lldb_dap;
using namespace lldb_dap::wavelane;

namespace {
/// A filter that turns a check on.
struct Check {
  const char *filter;
  const char *check;
  const char *label;
  const char *description;
};
} // namespace

static constexpr Check g_checks[] = {
    {"gpu_check_memory", "memory", "GPU check: memory",
     "Out-of-bounds, use-after-free and misaligned accesses; invalid copies "
     "and frees."},
    {"gpu_check_race", "race", "GPU check: races",
     "Two unsynchronized accesses to the same address, at least one a write."},
    {"gpu_check_init", "init", "GPU check: uninitialized values",
     "Branches, addresses or copies that depend on uninitialized values."},
    {"gpu_check_sync", "sync", "GPU check: barriers and deadlocks",
     "Barriers that some waves don't reach, and waves that wait forever."},
    {"gpu_check_wait", "wait", "GPU check: missing waits",
     "Registers used before the wait for their load, in assembly."},
};

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
  for (const Check &check : g_checks) {
    protocol::ExceptionBreakpointsFilter &entry = filters.emplace_back();
    entry.filter = check.filter;
    entry.label = check.label;
    entry.description = check.description;
  }
  return filters;
}

bool SettingFilters::IsFilter(llvm::StringRef name) const {
  return llvm::any_of(
             m_filters,
             [&](const Filter &filter) { return filter.name == name; }) ||
         llvm::any_of(g_checks,
                      [&](const Check &check) { return check.filter == name; });
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
  for (const Check &check : g_checks)
    if (names.contains(check.filter))
      checks.push_back(check.check);
  if (checks == m_checks)
    return;
  m_checks = checks;
  constexpr char setting[] = "plugin.process.amdgpu.check";
  // Counting is the user's.
  lldb::SBStringList values = lldb::SBDebugger::GetInternalVariableValue(
      setting, debugger.GetInstanceName());
  for (uint32_t i = 0; i < values.GetSize(); ++i)
    if (llvm::StringRef(values.GetStringAtIndex(i)).contains("count"))
      checks.push_back("count");
  lldb::SBDebugger::SetInternalVariable(
      setting, llvm::join(checks, ",").c_str(), debugger.GetInstanceName());
}
