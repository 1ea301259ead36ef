//===-- PausedWaves.h - what waves did when they were stopped ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_PROCESS_AMDGPU_PAUSEDWAVES_H
#define WAVELANE_PLUGINS_PROCESS_AMDGPU_PAUSEDWAVES_H

#include "lldb/lldb-forward.h"
#include "lldb/lldb-types.h"
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace lldb_private {
namespace wavelane {

class WaveProcess;

/// The waves of a program that the user has interrupted or attached to, to show
/// what waves in a hanging kernel are doing.
class PausedWaves {
public:
  /// Asks the server. Empty if there are no waves on the GPU.
  static PausedWaves Read(WaveProcess &process);

  /// The wave to show: one that waits at a barrier, else any; the selected one
  /// if possible. Null if there are no waves.
  lldb::ThreadSP Choose(const lldb::ThreadSP &selected_sp) const;
  bool IsWaiting(const Thread &thread) const;
  /// What the other waves do, such as "2 wait at a barrier at a.hip:7, 1 is at
  /// a.hip:9"; empty if there are no others.
  std::string DescribeOthers(const Thread &shown) const;

private:
  /// Whether a wave waits, and where it is.
  using What = std::pair<bool, std::string>;
  struct Wave {
    lldb::ThreadSP thread_sp;
    What what;
  };
  const Wave *Find(const Thread &thread) const;

  std::vector<Wave> m_waves;       ///< those that LLDB lists
  std::map<What, size_t> m_counts; ///< of all
};

/// Where the host is in the program's own code: "thread #1 is in
/// hipDeviceSynchronize, called at a.hip:42".
std::string DescribeHost(Process &host);

/// Reports that a process has stopped for a reason of its own while the other
/// side of the program is selected.
void ReportBackgroundStop(Process &process);

} // namespace wavelane
} // namespace lldb_private

#endif
