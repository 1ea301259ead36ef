//===-- WaveFolds.h - The stop of all waves, kept folded --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SERVER_WAVE_WAVEFOLDS_H
#define WAVELANE_SERVER_WAVE_WAVEFOLDS_H

#include "StopReasons.h"
#include "WaveRunner.h"
#include "wavelane/Protocol/Server/StoppedWaves.h"

#include <map>
#include <set>

namespace wavelane::server {

/// Folds the stopped waves by address and reason. At most stops nearly all
/// waves are as they were, so only those that have changed are folded again.
class WaveFolds {
public:
  WaveFolds(WaveRunner &runner, WaveReader &reader, StopReasons &reasons,
            GPUMemory &memory)
      : m_runner(runner), m_reader(reader), m_reasons(reasons),
        m_memory(memory) {}

  /// Everything may have changed.
  void Forget() { m_is_known = false; }
  /// Whether no wave has changed since the last Update().
  bool HasAllChanges() const {
    return HasList() && m_change_version == m_runner.GetChangeVersion();
  }
  /// The waves that may not be as they were at the last Update(): those that
  /// have changed, and those at whose address a breakpoint is new or gone.
  std::vector<Wave *> GetAffected() const;
  void Update();
  /// In the order of each fold's first wave.
  std::vector<StoppedWaves> GetAll();
  /// Counts the calls of GetAll().
  uint64_t GetNumber() const { return m_number; }
  /// Only the waves that aren't where the last GetAll() said. None if these
  /// aren't few, or the list of waves is new.
  std::optional<std::vector<StoppedWaves>> GetMoved() const;

private:
  struct Fold : StoppedWaves {
    bool has_trap = false; ///< at its address, when it was made
  };
  /// Whether the folds have all waves and no others.
  bool HasList() const {
    return m_is_known && m_list_version == m_runner.GetListVersion();
  }
  bool HasNewTrap(const Fold &fold) const {
    return !fold.threads.empty() && fold.has_trap != IsAtTrap(fold);
  }
  void MakeAll();
  uint32_t FindFold(Wave &wave);
  bool IsAtTrap(const Fold &fold) const {
    return fold.address && m_memory.FindTrap(*fold.address);
  }

  WaveRunner &m_runner;
  WaveReader &m_reader;
  StopReasons &m_reasons;
  GPUMemory &m_memory;
  bool m_is_known = false;
  uint64_t m_list_version = 0, m_change_version = 0;
  /// Some may be empty.
  std::vector<Fold> m_folds;
  uint64_t m_number = 0;
  bool m_has_listed = false;  ///< GetAll() was of this list
  std::set<uint64_t> m_moved; ///< since then
  using Key = std::pair<std::optional<uint64_t>, std::optional<protocol::Stop>>;
  std::map<Key, uint32_t> m_known;
  uint32_t m_last = 0; ///< what FindFold() has found
};

} // namespace wavelane::server

#endif // WAVELANE_SERVER_WAVE_WAVEFOLDS_H
