//===-- BarrierGroups.h - Waves that wait for each other --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SERVER_WAVE_BARRIERGROUPS_H
#define WAVELANE_SERVER_WAVE_BARRIERGROUPS_H

#include "GPUMemory.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <map>
#include <set>
#include <unordered_set>

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
  /// Waves that wait for each other: those of a workgroup or of a dispatch.
  using Group = std::pair<Barrier, uint64_t>;
  /// The barrier that a wave waits at.
  Barrier GetWaitedAt(Wave &wave);

  /// Adds the group of a wave that is before a barrier or waits at it.
  void Add(Wave &wave) {
    if (std::optional<Group> group = FindGroup(wave))
      m_groups.insert(*group);
  }
  /// \return Whether the group is new.
  bool Add(Group group) { return m_groups.insert(group).second; }
  /// The group that waits for a wave, which is before a barrier or waits at it.
  std::optional<Group> FindGroup(Wave &wave);
  const std::set<Group> &GetGroups() const { return m_groups; }
  bool Contains(Wave &wave);

  /// The list of waves has another wave.
  void Began(uint64_t id) { m_new_waves.insert(id); }
  /// The list of waves has lost a wave, or all of them.
  void Ended(const Wave &wave);
  void AllEnded();
  /// The waves of \p group.
  const std::set<uint64_t> &
  GetMembers(Group group, llvm::function_ref<Wave *(uint64_t)> find);

  /// Sets traps at the barriers that the wave may reach, and at its end, which
  /// the library doesn't report otherwise. It is on its way to a barrier until
  /// its group has been added.
  void SetTraps(Wave &wave);
  /// The group's waves run, so they need no traps.
  void Cover(const std::set<uint64_t> &members);
  /// Whether no wave is on its way to a barrier whose group isn't known.
  bool IsEveryWaveCovered() const { return m_on_their_way.empty(); }
  /// Whether one of these traps is where waves end.
  bool IsEnd(uint64_t address) const { return m_ends.count(address); }
  bool HasTrap(uint64_t address) const { return m_traps.count(address); }
  /// Whether one of these traps, and no breakpoint of the client, is there.
  bool IsOnlyTrap(uint64_t address) const;
  /// Removes the traps at barriers, but not those at ends, and forgets the
  /// groups.
  void RemoveBarriers();
  /// Removes the traps and forgets the groups.
  void Remove();
  /// Forgets everything if the traps are gone.
  void Forget();

private:
  /// The barrier that a wave is before or waits at.
  Barrier GetAt(Wave &wave);
  /// The barrier instruction at \p address, or the one before it.
  Barrier Decode(Wave &wave, uint64_t address, bool before = false);

  GPUSession &m_session;
  CodeObjects &m_code_objects;
  WaveReader &m_reader;
  GPUMemory &m_memory;
  std::set<Group> m_groups;
  std::set<uint64_t> m_traps, m_ends;
  std::unordered_set<uint64_t> m_on_their_way;
  /// All waves by group, so that a group's waves are found without a look at
  /// all the others. New ones are added when somebody asks.
  std::map<Group, std::set<uint64_t>> m_members;
  std::unordered_set<uint64_t> m_new_waves;
};

} // namespace wavelane::server

#endif // WAVELANE_SERVER_WAVE_BARRIERGROUPS_H
