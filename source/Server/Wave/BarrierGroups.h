//===-- BarrierGroups.h - Waves that wait for each other --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SERVER_WAVE_BARRIERGROUPS_H
#define WAVELANE_SERVER_WAVE_BARRIERGROUPS_H

#include "GPUMemory.h"
#include <set>

namespace wavelane::server {

/// While some waves run and others are held, those that a running wave waits
/// for at a barrier must run, too. This class collects the workgroups and grids
/// of such waves. A running wave can't be queried, so it sets traps at the
/// barriers that the wave may reach.
class BarrierGroups {
public:
  BarrierGroups(GPUSession &session, CodeObjects &code_objects,
                WaveReader &reader, GPUMemory &memory)
      : m_session(session), m_code_objects(code_objects), m_reader(reader),
        m_memory(memory) {}

  enum class Barrier { None, Workgroup, Grid };
  /// The barrier that a wave waits at.
  Barrier GetWaitedAt(Wave &wave);

  /// Adds the group of a wave that is before a barrier or waits at it.
  void Add(Wave &wave);
  bool IsEmpty() const { return m_groups.empty(); }
  bool Contains(Wave &wave);

  /// Sets traps at the barriers that the wave may reach.
  void SetTraps(Wave &wave);
  bool HasTrap(uint64_t address) const { return m_traps.count(address); }
  /// Whether one of these traps, and no breakpoint of the client, is there.
  bool IsOnlyTrap(uint64_t address) const;
  /// Removes the traps and forgets the groups.
  void Remove();
  /// Forgets everything if the traps are gone.
  void Forget();

private:
  struct Group {
    Barrier barrier;
    uint64_t id; ///< id of the workgroup or dispatch
  };

  /// The barrier that a wave is before or waits at.
  Barrier GetAt(Wave &wave);
  /// The barrier instruction at \p address, or the one before it.
  Barrier Decode(Wave &wave, uint64_t address, bool before = false);

  GPUSession &m_session;
  CodeObjects &m_code_objects;
  WaveReader &m_reader;
  GPUMemory &m_memory;
  std::vector<Group> m_groups;
  std::set<uint64_t> m_traps;
};

} // namespace wavelane::server

#endif // WAVELANE_SERVER_WAVE_BARRIERGROUPS_H
