//===-- ClientSession.h - A session, for its lanes and its job ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_TOOLS_LLDB_DAP_CLIENTSESSION_H
#define WAVELANE_TOOLS_LLDB_DAP_CLIENTSESSION_H

#include "DAP.h"
#include "Interrupter.h"
#include "Targets.h"
#include <atomic>
#include <memory>

namespace lldb_dap::wavelane {

class JobSessions;

/// What the lanes of a thread and the job of a session need from it.
/// Implemented by Session.
class ClientSession : public DAP {
public:
  using DAP::DAP;

  virtual uint64_t GetThreadId(lldb::SBThread thread) = 0;
  virtual bool IsRunning() const = 0;

  /// The target with a thread that stands for a reason of its own, waves first;
  /// an invalid one if there is none.
  virtual lldb::SBTarget FindStopped() const = 0;
  /// What a rank does is reported.
  /// \param[in] shown Its target that is shown.
  /// \param[in] is_shown Whether its session is the one that is shown.
  /// \param[in] is_interrupted Whether only another one's stop has stopped it.
  virtual void RankStopped(lldb::SBTarget shown, bool is_shown,
                           bool is_interrupted) = 0;
  virtual void RankRuns() = 0;
  virtual void RankEnded() = 0;

  Targets targets{*this};
  Interrupter interrupter;

  /// The sessions of the job that this one belongs to.
  std::shared_ptr<JobSessions> job;
  std::atomic<bool> has_left_job{false};
  /// Lanes of the selected thread are threads of their own.
  bool lanes_as_threads = false;
  /// How many waves are listed as threads.
  uint64_t wave_limit = 256;
};

} // namespace lldb_dap::wavelane

#endif
