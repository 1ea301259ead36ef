//===-- DynamicLoaderHost.cpp ---------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DynamicLoaderHost.h"

#include "lldb/Core/Module.h"
#include "lldb/Core/PluginManager.h"
#include "lldb/Symbol/ObjectFile.h"
#include "lldb/Target/Process.h"

#include <memory>
#include <mutex>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

void DynamicLoaderHost::Initialize() {
  if (PluginManager::UnregisterPlugin(DynamicLoaderPOSIXDYLD::CreateInstance))
    PluginManager::RegisterPlugin(
        DynamicLoaderPOSIXDYLD::GetPluginNameStatic(),
        DynamicLoaderPOSIXDYLD::GetPluginDescriptionStatic(), CreateInstance);
}

DynamicLoader *DynamicLoaderHost::CreateInstance(Process *process, bool force) {
  // LLDB's says for which programs it is.
  const std::unique_ptr<DynamicLoader> stock_up(
      DynamicLoaderPOSIXDYLD::CreateInstance(process, force));
  return stock_up ? new DynamicLoaderHost(process) : nullptr;
}

void DynamicLoaderHost::UpdateLoadedSections(ModuleSP module_sp,
                                             addr_t link_map_addr,
                                             addr_t base_addr,
                                             bool base_addr_is_offset) {
  {
    // Not destroyed: threads may outlive main.
    static std::mutex &mutex = *new std::mutex;
    std::lock_guard<std::mutex> guard(mutex);
    if (ObjectFile *object_file = module_sp->GetObjectFile())
      object_file->GetSectionList();
  }
  DynamicLoaderPOSIXDYLD::UpdateLoadedSections(module_sp, link_map_addr,
                                               base_addr, base_addr_is_offset);
}
