//===-- GPUProgram.h - the program that waves belong to --------*- C++ -*-===//

#ifndef WAVELANE_PLUGINS_PROCESS_AMDGPU_GPUPROGRAM_H
#define WAVELANE_PLUGINS_PROCESS_AMDGPU_GPUPROGRAM_H

#include "lldb/lldb-forward.h"

namespace lldb_private {
namespace wavelane {

/// The program whose waves a ProcessAMDGPU shows. Its processes tell it what LLDB's own
/// classes tell nobody.
class GPUProgram {
public:
  virtual ~GPUProgram() = default;

  /// Null when it is gone.
  virtual lldb::TargetSP GetHostTarget() const = 0;
  /// The host's process; null when there is none that can run.
  virtual lldb::ProcessSP GetHost() const = 0;
  /// The GPU is asked to be killed: kills the program.
  virtual void KillHost() = 0;

  /// A resume is being prepared: breakpoints can be set.
  virtual void WillResume(Process &process) = 0;
  /// The last thing before a process runs, and the first one after.
  virtual void Resumes(Process &process) = 0;
  virtual void Resumed(Process &process, bool success) = 0;
  virtual void WillPublicStop(Process &process) = 0;
  /// The GPU's process has ended, and is about to tell so.
  virtual void WillExit(Process &process) = 0;
  virtual void DidExit(Process &process) = 0;
};

} // namespace wavelane
} // namespace lldb_private

#endif
