//===-- UnwindCache.h - what a process's code says of frames ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_UNWIND_AMDGPU_UNWINDCACHE_H
#define WAVELANE_PLUGINS_UNWIND_AMDGPU_UNWINDCACHE_H

#include "CallFrameSection.h"
#include "FunctionUnwind.h"

#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace lldb_private {
class Target;

namespace wavelane {

/// How functions save their callers' registers and change EXEC, and the
/// call-frame information of modules, read once for all waves of a process.
/// Thread-safe.
class UnwindCache {
public:
  /// How the function at the load address \a start saves its caller's
  /// registers.
  /// \param[in] end A load address; only code up to it is needed.
  /// \return Null if its code can't be read.
  std::shared_ptr<FunctionUnwind>
  GetFunction(Target &target, lldb::addr_t start, lldb::addr_t end);

  /// \return Null if the module has none.
  std::shared_ptr<CallFrameSection>
  GetCallFrames(const lldb::ModuleSP &module_sp);

  /// Where the mask of the lanes is that really execute the instruction at a
  /// load address.
  ::wavelane::gpu::ExecutingMask GetExecutingMask(Target &target,
                                                  lldb::addr_t pc);

  /// Forgets everything; called when modules have been loaded or unloaded.
  void Clear();

private:
  std::mutex m_mutex;
  /// By start, with the end.
  std::map<lldb::addr_t,
           std::pair<lldb::addr_t, std::shared_ptr<FunctionUnwind>>>
      m_functions;
  std::map<lldb::ModuleSP, std::shared_ptr<CallFrameSection>> m_call_frames;
  /// By start, with the end.
  std::map<lldb::addr_t,
           std::pair<lldb::addr_t, ::wavelane::gpu::ExecutingLanes>>
      m_executing_lanes;
};

} // namespace wavelane
} // namespace lldb_private

#endif
