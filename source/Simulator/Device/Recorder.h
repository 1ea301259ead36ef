//===-- Recorder.h - the scheduler's side of a recording --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_DEVICE_RECORDER_H
#define WAVELANE_SIMULATOR_DEVICE_RECORDER_H

#include "Queue.h"

namespace wavelane::simulator {

class Recorder {
public:
  virtual ~Recorder() = default;

  virtual bool isRecording() const = 0;
  /// Forgets everything, in the present.
  virtual void stop() = 0;
  /// A dispatch is about to create its first workgroups.
  virtual void starts(Queue &Q) = 0;
  /// A wave is about to run, and has run.
  virtual void begins(Queue &Q, Wave &W) = 0;
  virtual void ends(Wave &W, const isa::StepResult &R) = 0;
  /// A wave has passed the instruction at which an access of it failed.
  virtual void passes(Wave &W, const isa::StepResult &R) = 0;
  /// Its last instruction has to be executed again.
  virtual void goesBack(Wave &W) = 0;
  /// Workgroups of \a Q are about to be removed, and others created.
  virtual void reaps(const Queue &Q) = 0;
  /// What a wave has stored late is in memory now.
  virtual void arrives(const Wave &W) = 0;
  /// The work of \a Q is about to be dropped.
  virtual void abandons(const Queue &Q) = 0;
  /// loadWave(), which notes what a debugger has changed.
  virtual bool load(Queue &Q, Wave &W) = 0;
  /// Between runs of waves: makes a snapshot if it is time for one.
  virtual void makeDueSnapshot() = 0;
};

} // namespace wavelane::simulator

#endif // WAVELANE_SIMULATOR_DEVICE_RECORDER_H
