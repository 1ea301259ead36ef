//===-- DynamicLoaderHost.h - the libraries of a host process ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_DYNAMICLOADER_HOST_DYNAMICLOADERHOST_H
#define WAVELANE_PLUGINS_DYNAMICLOADER_HOST_DYNAMICLOADERHOST_H

#include "Plugins/DynamicLoader/POSIX-DYLD/DynamicLoaderPOSIXDYLD.h"

namespace lldb_private {
namespace wavelane {

/// Replaces LLDB's plugin, under its name. Targets that load the same library
/// share its sections, and LLDB lets a second thread use them while the first
/// one is still adding them: the ranks of a job would do that.
class DynamicLoaderHost : public DynamicLoaderPOSIXDYLD {
public:
  static void Initialize();
  static DynamicLoader *CreateInstance(Process *process, bool force);

  using DynamicLoaderPOSIXDYLD::DynamicLoaderPOSIXDYLD;

protected:
  void UpdateLoadedSections(lldb::ModuleSP module_sp,
                            lldb::addr_t link_map_addr, lldb::addr_t base_addr,
                            bool base_addr_is_offset) override;
};

} // namespace wavelane
} // namespace lldb_private

#endif
