//===-- HostCoupling.h - a GPU's process and its program's host -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_PROCESS_AMDGPU_HOSTCOUPLING_H
#define WAVELANE_PLUGINS_PROCESS_AMDGPU_HOSTCOUPLING_H

#include "lldb/lldb-forward.h"

#include <optional>
#include <string>

namespace lldb_private {
namespace wavelane {

/// The end of a process, as its server reported it.
struct ReportedEnd {
  int status;
  std::string how;
};

/// What a GPU's process needs from its coupling with the program's host side,
/// and reports to it. Implemented by GPUCoupling.
class HostCoupling {
public:
  virtual ~HostCoupling() = default;

  /// Null if the target is gone.
  virtual lldb::TargetSP GetHostTarget() const = 0;
  /// The live host side; null if there is none, as for a core file.
  virtual lldb::ProcessSP GetHost() const = 0;

  /// How many programs under the debugger, with this one, simulate their GPUs
  /// on the same machine.
  virtual unsigned CountGPUs() const = 0;

  /// Whether a stop of \a process, of either side, is more than an interrupt by
  /// the debugger.
  virtual bool HasReason(Process &process) const = 0;

  /// Called while a resume is being prepared, when breakpoints can still be
  /// set.
  virtual void WillResume(Process &process) = 0;
  /// Called just before a process runs.
  virtual void Resumes(Process &process) = 0;
  virtual void Resumed(Process &process, bool success) = 0;
  /// The user interrupts it.
  virtual void WillHalt(Process &process) = 0;
  virtual void WillPublicStop(Process &process) = 0;
  /// Called again and again while the GPU's server owes an answer that no
  /// command waits for.
  virtual void LookAtOverdue() = 0;
  /// The GPU's process has ended, and is about to report it. It ends with the
  /// program, whose end and last output are shown first.
  /// \return How the program has ended, unless it has ended by itself.
  virtual std::optional<ReportedEnd> WillExit(Process &process) = 0;
  virtual void DidExit(Process &process) = 0;
  virtual void KillHost() = 0;
};

} // namespace wavelane
} // namespace lldb_private

#endif
