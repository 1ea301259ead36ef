//===-- WaveRunner.h - The waves of a program, and their runs ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SERVER_WAVE_WAVERUNNER_H
#define WAVELANE_SERVER_WAVE_WAVERUNNER_H

#include "BarrierGroups.h"

#include <deque>
#include <unordered_map>

namespace wavelane::server {

/// Lists waves and runs them. A wave at a breakpoint first steps over it: out
/// of line if the library has a buffer for that, otherwise in line, one wave at
/// a time, with the breakpoint removed.
class WaveRunner {
public:
  WaveRunner(GPUSession &session, WaveReader &reader, GPUMemory &memory,
             BarrierGroups &groups)
      : m_session(session), m_reader(reader), m_memory(memory),
        m_groups(groups) {}

  Waves &GetWaves() { return m_waves; }
  /// Null if the wave has ended.
  Wave *Find(uint64_t id);
  Wave &FindOrAdd(amd_dbgapi_wave_id_t id);
  /// Increases whenever a wave is added or gone.
  uint64_t GetListVersion() const { return m_list_version; }
  /// A wave has ended. A client that steps it waits for a stop.
  void Ended(amd_dbgapi_wave_id_t id);
  /// Updates the list with waves that have begun or ended.
  void ReadList();
  /// Called when the GPU's runtime is gone.
  void Clear();

  // In non-stop mode, a stop holds only the waves that have stopped. A client
  // learns of one that stops meanwhile with its next resume.

  void SetNonStop(bool on) { m_non_stop = on; }
  bool IsNonStop() const { return m_non_stop; }
  /// The waves that a client has resumed by their numbers, if it did.
  /// \param keeps_others  Whether stops of others are kept until these stop.
  void SetNamed(std::set<uint64_t> named, bool keeps_others);
  /// The wave has stopped, and the client doesn't know yet.
  void AddUnshown(const Wave &wave);
  /// Whether the client has been shown where the wave stands.
  bool IsShown(const Wave &wave) const {
    return !wave.running && !wave.waits && !m_unshown.count(wave.id.handle);
  }
  const std::set<uint64_t> &GetUnshown() const { return m_unshown; }
  /// Those for which \p is_shown holds are being reported to the client.
  void Show(llvm::function_ref<bool(const Wave &)> is_shown);
  /// Whether an unshown wave is to be reported now, rather than later.
  bool IsDue(const Wave &wave) const {
    return !m_keeps_others || m_named.count(wave.id.handle);
  }
  bool IsAnyDue();

  // Most stops are of one wave among thousands that are held, so the others
  // aren't looked at.

  void SetRunning(Wave &wave, bool running);
  bool IsAnyRunning() const { return m_running != 0; }
  /// The wave has begun, run, stopped or been moved.
  void NoteChange(Wave &wave);
  /// The waves that have changed since the last ForgetChanges(), in the order
  /// of their numbers; those that are running are among them.
  std::vector<Wave *> GetChanged();
  void ForgetChanges();
  /// Increases with each change.
  uint64_t GetChangeVersion() const { return m_change_version; }

  /// Runs waves, instead of those that were to run before.
  void Begin(std::vector<WaveStart> starts);
  /// Runs further waves beside those already running.
  void BeginMore(std::vector<WaveStart> starts);
  void Run(Wave &wave, bool step);
  /// Runs the wave; if another one is stepping in line, afterwards.
  void RunAfterInLine(Wave &wave, bool step);
  /// Steps the wave over the trap at \p address, then runs it.
  /// \return Whether it runs or waits for a buffer. Otherwise, all waves
  ///     have to be resumed.
  bool StepOver(Wave &wave, uint64_t address);
  /// Runs the waves that \p wave waits for at a barrier. The traps at barriers
  /// are removed once every running wave has its group.
  void RunCompanions(Wave &wave);
  /// The waves of the barriers' groups that neither run nor wait to run.
  std::vector<Wave *> GetHeldCompanions();
  /// Forgets the waves that were to run later.
  void DropStarts();

  bool IsInLine() const { return m_in_line_wave.has_value(); }
  /// The waves that would run past a breakpoint which one steps over in line.
  std::vector<Wave *> GetRunningBesideInLine();
  bool IsSteppingOver(const Wave &wave) const {
    return wave.displaced || m_in_line_wave == wave.id.handle;
  }
  /// A wave that stepped over a breakpoint has stopped.
  void EndStepOver(Wave &wave);

  /// All waves are being stopped: don't start any more.
  void BeginStopping();
  void EndStopping();
  bool IsStopping() const { return m_stopping; }

  /// All waves must stop because of an event.
  void WantStop() { m_stop_wanted = true; }
  /// Whether other waves are held while some run: then the end of those that
  /// run is a stop.
  void SetOthersHeld(bool held) { m_are_others_held = held; }
  bool IsStopWanted() const { return m_stop_wanted; }
  void ClearStopWanted() { m_stop_wanted = false; }

private:
  using Starts = std::deque<WaveStart>;

  std::vector<Wave *> FindChanged();
  void Forget(Waves::iterator wave);
  const std::set<uint64_t> &GetMembers(BarrierGroups::Group group);
  void AddHeld(BarrierGroups::Group group, std::vector<Wave *> &held);
  void Wait(Wave &wave, bool step, Starts &where);
  void Drop(Starts &starts);
  /// The next of \p starts whose wave is still there.
  std::optional<WaveStart> TakeNext(Starts &starts);
  void BeginOne(const WaveStart &start);
  void BeginInLine();
  void EndInLine(Wave &wave);
  amd_dbgapi_status_t StartOutOfLine(Wave &wave, const GPUMemory::Trap &trap);
  void EndOutOfLine(Wave &wave);
  bool IsAnyOutOfLine() const { return m_displaced != 0; }
  const GPUMemory::Trap *GetTrapAt(Wave &wave);

  GPUSession &m_session;
  WaveReader &m_reader;
  GPUMemory &m_memory;
  BarrierGroups &m_groups;
  Waves m_waves;
  /// The same, for Find(). Clients choose the keys: llvm::DenseMap doesn't take
  /// all.
  std::unordered_map<uint64_t, Wave *> m_index;
  uint64_t m_list_version = 0;
  bool m_has_list = false; ///< the library's list was read
  size_t m_running = 0;
  size_t m_displaced = 0; ///< waves that step out of line
  /// The numbers of waves that have changed; some may have ended.
  std::vector<uint64_t> m_changed;
  std::optional<std::vector<Wave *>> m_changed_waves; ///< once asked for
  uint64_t m_change_version = 0;
  bool m_stop_wanted = false;
  bool m_are_others_held = false;
  bool m_stopping = false;
  bool m_non_stop = false;
  bool m_keeps_others = false;
  std::set<uint64_t> m_named, m_unshown;

  /// Waves that step with the breakpoint under them removed, one at a time, and
  /// the waves to run after them.
  Starts m_in_line;
  std::optional<uint64_t> m_in_line_wave;
  uint64_t m_in_line_address = 0;
  Starts m_after_in_line;
  /// Waves that wait for a buffer to step out of line.
  Starts m_waiting;
};

} // namespace wavelane::server

#endif // WAVELANE_SERVER_WAVE_WAVERUNNER_H
