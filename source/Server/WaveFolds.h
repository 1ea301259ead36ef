//===-- WaveFolds.h - The stop of all waves, kept folded --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SERVER_WAVEFOLDS_H
#define WAVELANE_SERVER_WAVEFOLDS_H

#include "StopReasons.h"
#include "WaveRunner.h"
#include "wavelane/Server/StoppedWaves.h"

namespace wavelane::server {

/// Folds the stopped waves by address and reason. At most stops nearly all
/// waves are as they were, so only those that have changed are folded anew.
class WaveFolds {
public:
  WaveFolds(WaveRunner &runner, WaveReader &reader, StopReasons &reasons,
            GPUMemory &memory)
      : m_runner(runner), m_reader(reader), m_reasons(reasons),
        m_memory(memory) {}

  /// Everything may have changed.
  void Forget() { m_is_known = false; }
  /// Whether waves that haven't changed since are as they were at the last
  /// Update(): neither the list of waves nor a breakpoint at one of them is
  /// new.
  bool AreOthersSame() const;
  bool IsUpToDate() const {
    return AreOthersSame() && m_change_version == m_runner.GetChangeVersion();
  }
  void Update();
  /// In the order of each fold's first wave.
  std::vector<StoppedWaves> Get() const;

private:
  struct Fold : StoppedWaves {
    bool has_trap = false; ///< at its address, when it was made
  };
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
  using Key =
      std::tuple<std::optional<uint64_t>, std::string, std::string, int>;
  std::map<Key, uint32_t> m_known;
};

} // namespace wavelane::server

#endif // WAVELANE_SERVER_WAVEFOLDS_H
