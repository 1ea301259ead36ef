//===-- HostCoupling.h - a GPU's process and its program's host -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_PROCESS_AMDGPU_HOSTCOUPLING_H
#define WAVELANE_PLUGINS_PROCESS_AMDGPU_HOSTCOUPLING_H

#include "lldb/lldb-forward.h"

namespace lldb_private {
namespace wavelane {

/// What a GPU's process asks of its coupling with the program's host side, and
/// tells it. GPUCoupling implements it.
class HostCoupling {
public:
  virtual ~HostCoupling() = default;

  /// Null when the target is gone.
  virtual lldb::TargetSP GetHostTarget() const = 0;
  /// The running host side; null where there is none, as of a core file.
  virtual lldb::ProcessSP GetHost() const = 0;

  /// A resume is being prepared: breakpoints can be set.
  virtual void WillResume(Process &process) = 0;
  /// The last thing before a process runs, and the first one after.
  virtual void Resumes(Process &process) = 0;
  virtual void Resumed(Process &process, bool success) = 0;
  virtual void WillPublicStop(Process &process) = 0;
  /// The GPU's process has ended, and is about to tell so. Its end is the
  /// program's, which is shown first, with its last output.
  virtual void WillExit(Process &process) = 0;
  virtual void DidExit(Process &process) = 0;
  virtual void KillHost() = 0;
};

} // namespace wavelane
} // namespace lldb_private

#endif
