//===-- Interrupter.h - Asks a process to stop until it does --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_TOOLS_LLDB_DAP_INTERRUPTER_H
#define WAVELANE_TOOLS_LLDB_DAP_INTERRUPTER_H

#include "lldb/API/SBProcess.h"
#include "lldb/lldb-types.h"
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

namespace lldb_dap::wavelane {

/// The pause that a client has asked for. An interrupt that comes while LLDB is
/// busy with a stop of its own is lost, so it is repeated.
class Interrupter {
public:
  ~Interrupter();

  /// The process that is asked to stop: the one that was resumed last.
  void SetProcess(lldb::SBProcess process);

  /// \p thread is the one that the client wants to see then.
  void Start(lldb::tid_t thread);

  /// \return The thread that the client has asked for, if a pause was due.
  std::optional<lldb::tid_t> Stop();

private:
  void Run();

  std::mutex m_mutex;
  std::condition_variable m_changed;
  std::thread m_thread;
  lldb::SBProcess m_process;
  std::optional<lldb::tid_t> m_pending;
  bool m_is_ending = false;
};

} // namespace lldb_dap::wavelane

#endif
