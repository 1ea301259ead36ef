//===-- SettingFilters.h - Exception filters that are settings ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_TOOLS_LLDB_DAP_SETTINGFILTERS_H
#define WAVELANE_TOOLS_LLDB_DAP_SETTINGFILTERS_H

#include "Protocol/ProtocolTypes.h"
#include "lldb/API/SBDebugger.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include <vector>

namespace lldb_dap::wavelane {

/// What the GPU plugin stops for by itself, like a wave's faults, as exception
/// filters of the protocol.
class SettingFilters {
public:
  SettingFilters();

  std::vector<protocol::ExceptionBreakpointsFilter> GetFilters() const;
  bool IsFilter(llvm::StringRef name) const;

  /// Turns on the settings of the filters that are in \p names, and the others
  /// off. One that the client hasn't changed stays as the user has set it.
  void Set(lldb::SBDebugger debugger, const llvm::StringSet<> &names);

private:
  struct Filter {
    const char *name;
    const char *setting;
    const char *label;
    /// What the setting is, as far as the client has said so.
    bool value;
  };
  std::vector<Filter> m_filters;
};

} // namespace lldb_dap::wavelane

#endif
