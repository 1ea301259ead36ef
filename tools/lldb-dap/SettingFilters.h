//===-- SettingFilters.h - Exception filters that are settings ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_TOOLS_LLDB_DAP_SETTINGFILTERS_H
#define WAVELANE_TOOLS_LLDB_DAP_SETTINGFILTERS_H

#include "Protocol/ProtocolTypes.h"
#include "lldb/API/SBDebugger.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include <string>
#include <vector>

namespace lldb_dap::wavelane {

/// Stops by the GPU plugin itself, such as those at a wave's faults and at the
/// findings of checks, as exception filters of the protocol.
class SettingFilters {
public:
  SettingFilters();

  std::vector<protocol::ExceptionBreakpointsFilter> GetFilters() const;
  bool IsFilter(llvm::StringRef name) const;

  /// Turns on the settings of the filters in \p names, and the others off.
  /// Settings that the client hasn't changed keep the user's values.
  void Set(lldb::SBDebugger debugger, const llvm::StringSet<> &names);

private:
  struct Filter {
    const char *name;
    const char *setting;
    const char *label;
    /// The setting's value, if the client has set it.
    bool value;
  };
  /// Sets plugin.process.amdgpu.check.
  void SetChecks(lldb::SBDebugger debugger, const llvm::StringSet<> &names);

  std::vector<Filter> m_filters;
  /// The checks that the client has chosen.
  std::vector<std::string> m_checks;
};

} // namespace lldb_dap::wavelane

#endif
