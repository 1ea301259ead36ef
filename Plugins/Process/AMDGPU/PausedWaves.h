//===-- PausedWaves.h - what waves did when they were stopped ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_PROCESS_AMDGPU_PAUSEDWAVES_H
#define WAVELANE_PLUGINS_PROCESS_AMDGPU_PAUSEDWAVES_H

#include "lldb/lldb-forward.h"
#include "lldb/lldb-types.h"
#include <string>
#include <vector>

namespace lldb_private {
namespace wavelane {

class ProcessAMDGPU;

/// The waves of a program that the user has interrupted, or attached to: in a
/// kernel that hangs, what they do is what the user wants to see.
class PausedWaves {
public:
  /// Asks the server. Empty where no wave is on the GPU.
  static PausedWaves Read(ProcessAMDGPU &process);

  /// The wave to show: one that waits at a barrier, else any; of several the
  /// selected one; null without waves.
  lldb::ThreadSP Choose(const lldb::ThreadSP &selected_sp) const;
  bool IsWaiting(const Thread &thread) const;
  /// What the other waves do, as "2 wait at a barrier at a.hip:7, 1 is at
  /// a.hip:9"; empty without others.
  std::string DescribeOthers(const Thread &shown) const;

private:
  struct Wave {
    lldb::ThreadSP thread_sp;
    bool is_waiting = false;
    std::string place;
  };
  std::vector<Wave> m_waves;
};

/// Where a host stands, in the program's own code: "thread #1 is in
/// hipDeviceSynchronize, called at a.hip:42".
std::string DescribeHost(Process &host);

} // namespace wavelane
} // namespace lldb_private

#endif
