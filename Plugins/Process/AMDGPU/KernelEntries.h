//===-- KernelEntries.h - breakpoints where kernels begin -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_PROCESS_AMDGPU_KERNELENTRIES_H
#define WAVELANE_PLUGINS_PROCESS_AMDGPU_KERNELENTRIES_H

#include "lldb/lldb-defines.h"
#include "lldb/lldb-forward.h"
#include "lldb/lldb-types.h"
#include "llvm/ADT/StringRef.h"

#include <atomic>
#include <map>

namespace lldb_private {
class BreakpointLocation;
class Module;
class Target;

namespace wavelane {

/// The internal breakpoints for the setting stop-on-kernel-entry.
class KernelEntries {
public:
  /// Called before the process runs: sets or removes them.
  void Update(Target &target, bool wanted);

  /// Called when modules have been loaded or unloaded.
  void ModulesChanged() { m_modules_changed = true; }

  /// Whether \a location belongs to one of them.
  static bool Owns(BreakpointLocation &location);

  /// The reason that a user sees of a stop at one of them: LLDB shows no stop
  /// at internal breakpoints.
  /// \return Null if \a info is another stop, or a user's breakpoint is there.
  static lldb::StopInfoSP MakeStopInfo(Thread &wave, const StopInfo &info);

private:
  using Entries = std::map<lldb::addr_t, lldb::break_id_t>;

  void Add(Target &target, Module &module, llvm::StringRef kernel,
           Entries &entries);

  Entries m_entries;
  /// Since the last search for kernel entries.
  std::atomic<bool> m_modules_changed{true};
};

} // namespace wavelane
} // namespace lldb_private

#endif
