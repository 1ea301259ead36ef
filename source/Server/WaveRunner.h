//===-- WaveRunner.h - The waves of a program, and their runs ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SERVER_WAVERUNNER_H
#define WAVELANE_SERVER_WAVERUNNER_H

#include "BarrierGroups.h"

namespace wavelane::server {

/// Lists waves and runs them. A wave that is at a breakpoint first steps over
/// it: out of line as long as the library has room for that, else in line, one
/// wave at a time, with the breakpoint taken out.
class WaveRunner {
public:
  WaveRunner(GPUSession &session, WaveReader &reader, GPUMemory &memory,
             BarrierGroups &groups)
      : m_session(session), m_reader(reader), m_memory(memory),
        m_groups(groups) {}

  Waves &GetWaves() { return m_waves; }
  /// Null if it has ended.
  Wave *Find(uint64_t id);
  Wave &FindOrAdd(amd_dbgapi_wave_id_t id) {
    return m_waves.try_emplace(id.handle, id).first->second;
  }
  /// The wave has ended. A client that steps it waits for a stop.
  void Ended(amd_dbgapi_wave_id_t id);
  /// Learns of waves that have begun, and of those that have ended.
  void ReadList();
  /// The GPU's runtime has gone.
  void Clear();

  /// Runs waves, in place of what was to run before.
  void Begin(std::vector<WaveStart> starts);
  void Run(Wave &wave, bool step);
  /// Runs the wave, after the one that steps in line if there is one.
  void RunAfterInLine(Wave &wave, bool step);
  /// Steps the wave over the trap at \p address, then runs it.
  /// \return Whether it runs or waits for room. Otherwise all waves have to be
  ///     resumed.
  bool StepOver(Wave &wave, uint64_t address);
  /// Runs the waves for which \p wave waits at a barrier. The traps at barriers
  /// are removed once every running wave has its group.
  void RunCompanions(Wave &wave);
  /// Forgets what was to run later.
  void DropStarts();

  bool IsInLine() const { return m_in_line_wave.has_value(); }
  bool IsSteppingOver(const Wave &wave) const {
    return wave.displaced || m_in_line_wave == wave.id.handle;
  }
  /// A wave that stepped over a breakpoint has stopped.
  void EndStepOver(Wave &wave);

  /// All waves are being stopped: nothing new begins.
  void BeginStopping();
  void EndStopping();
  bool IsStopping() const { return m_stopping; }

  /// Something has happened that all waves must stop for.
  void WantStop() { m_stop_wanted = true; }
  bool IsStopWanted() const { return m_stop_wanted; }
  void ClearStopWanted() { m_stop_wanted = false; }

private:
  void Forget(Waves::iterator wave);
  /// Runs further waves beside those that were begun.
  void BeginMore(std::vector<WaveStart> starts);
  void BeginOne(const WaveStart &start);
  void BeginInLine();
  void EndInLine(Wave &wave);
  amd_dbgapi_status_t StartOutOfLine(Wave &wave, const GPUMemory::Trap &trap);
  void EndOutOfLine(Wave &wave);
  bool IsAnyOutOfLine() const;
  const GPUMemory::Trap *GetTrapAt(Wave &wave);

  GPUSession &m_session;
  WaveReader &m_reader;
  GPUMemory &m_memory;
  BarrierGroups &m_groups;
  Waves m_waves;
  bool m_stop_wanted = false;
  bool m_stopping = false;

  /// Waves that step with the breakpoint under them taken out, one at a time,
  /// and what runs after them.
  std::vector<WaveStart> m_in_line;
  std::optional<uint64_t> m_in_line_wave;
  uint64_t m_in_line_address = 0;
  std::vector<WaveStart> m_after_in_line;
  /// Waves that wait for a place to step out of line.
  std::vector<WaveStart> m_waiting;
};

} // namespace wavelane::server

#endif // WAVELANE_SERVER_WAVERUNNER_H
