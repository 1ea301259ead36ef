//===-- BarrierGroups.h - Waves that wait for each other --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SERVER_BARRIERGROUPS_H
#define WAVELANE_SERVER_BARRIERGROUPS_H

#include "GPUMemory.h"
#include <set>

namespace wavelane::server {

/// While some waves run and others are held, those that a running one waits for
/// at a barrier must run, too. These are the workgroups and grids of such
/// waves. A wave that runs can't be asked where it is, so there are traps at
/// the barriers that it may come to.
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

  /// Sets traps at the barriers that the wave may come to.
  void SetTraps(Wave &wave);
  bool HasTrap(uint64_t address) const { return m_traps.count(address); }
  /// Whether there is a trap of these, and no breakpoint of the client.
  bool IsOnlyTrap(uint64_t address) const;
  /// Removes the traps and forgets the groups.
  void Remove();
  /// Forgets all where the traps are gone.
  void Forget();

private:
  struct Group {
    Barrier barrier;
    uint64_t id; ///< of the workgroup or dispatch
  };

  /// The barrier that a wave is before or waits at.
  Barrier GetAt(Wave &wave);
  /// Of the instruction at \p address, or of the one before it.
  Barrier Decode(Wave &wave, uint64_t address, bool before = false);

  GPUSession &m_session;
  CodeObjects &m_code_objects;
  WaveReader &m_reader;
  GPUMemory &m_memory;
  std::vector<Group> m_groups;
  std::set<uint64_t> m_traps;
};

} // namespace wavelane::server

#endif // WAVELANE_SERVER_BARRIERGROUPS_H
