//===-- WaveFolds.cpp - The stop of all waves, kept folded ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "WaveFolds.h"

namespace wavelane::server {

static bool IsAlike(const StoppedWaves &a, const StoppedWaves &b) {
  return a.address == b.address && a.stop == b.stop;
}

uint32_t WaveFolds::FindFold(Wave &wave) {
  Fold fold;
  fold.stop = m_reasons.Get(wave);
  fold.address = m_reader.GetPC(wave);
  // Most waves have stopped as the one before.
  if (m_last < m_folds.size() && IsAlike(m_folds[m_last], fold))
    return m_last;
  auto [at, is_new] =
      m_known.try_emplace({fold.address, fold.stop}, uint32_t(m_folds.size()));
  if (is_new) {
    fold.has_trap = IsAtTrap(fold);
    m_folds.push_back(std::move(fold));
  }
  return m_last = at->second;
}

void WaveFolds::MakeAll() {
  m_folds.clear();
  m_known.clear();
  m_moved.clear();
  m_has_listed = false;
  for (auto &[id, wave] : m_runner.GetWaves()) {
    if (!m_runner.IsShown(wave))
      continue;
    wave.fold = FindFold(wave);
    m_folds[wave.fold].threads.push_back(id);
  }
  m_list_version = m_runner.GetListVersion();
  m_is_known = true;
}

std::vector<Wave *> WaveFolds::GetAffected() const {
  if (!HasList()) {
    std::vector<Wave *> all;
    for (auto &[id, wave] : m_runner.GetWaves())
      all.push_back(&wave);
    return all;
  }
  std::vector<Wave *> affected = m_runner.GetChanged();
  for (const Fold &fold : m_folds)
    if (HasNewTrap(fold))
      for (uint64_t id : fold.threads)
        if (Wave *wave = m_runner.Find(id); wave && !wave->changed)
          affected.push_back(wave);
  return affected;
}

void WaveFolds::Update() {
  constexpr size_t MostEmpty = 1024;
  if (HasAllChanges() && llvm::none_of(m_folds, [this](const Fold &fold) {
        return HasNewTrap(fold);
      }))
    return;
  m_change_version = m_runner.GetChangeVersion();
  const std::vector<Wave *> affected = GetAffected();
  const size_t waves = m_runner.GetWaves().size();
  // Each new place of a wave that steps leaves an empty fold behind.
  if (!HasList() || affected.size() > waves / 4 ||
      m_folds.size() > 2 * waves + MostEmpty)
    return MakeAll();
  for (Fold &fold : m_folds)
    fold.has_trap = IsAtTrap(fold);
  for (Wave *wave : affected) {
    const uint64_t id = wave->id.handle;
    m_moved.insert(id);
    if (wave->fold < m_folds.size()) {
      std::vector<uint64_t> &from = m_folds[wave->fold].threads;
      auto at = llvm::lower_bound(from, id);
      if (at != from.end() && *at == id)
        from.erase(at);
    }
    if (!m_runner.IsShown(*wave))
      continue;
    wave->fold = FindFold(*wave);
    std::vector<uint64_t> &to = m_folds[wave->fold].threads;
    to.insert(llvm::lower_bound(to, id), id);
  }
}

static void SortFolds(std::vector<StoppedWaves> &folds) {
  llvm::sort(folds, [](const StoppedWaves &a, const StoppedWaves &b) {
    return a.threads.front() < b.threads.front();
  });
}

std::vector<StoppedWaves> WaveFolds::GetAll() {
  ++m_number;
  m_has_listed = true;
  m_moved.clear();
  std::vector<StoppedWaves> folds;
  for (const Fold &fold : m_folds)
    if (!fold.threads.empty())
      folds.push_back(fold);
  SortFolds(folds);
  return folds;
}

std::optional<std::vector<StoppedWaves>> WaveFolds::GetMoved() const {
  constexpr size_t Few = 16; // one of so many
  if (!m_has_listed || !HasList() ||
      m_moved.size() > m_runner.GetWaves().size() / Few)
    return std::nullopt;
  std::map<uint32_t, std::vector<uint64_t>> threads;
  for (uint64_t id : m_moved) {
    const Wave *wave = m_runner.Find(id);
    if (!wave || !m_runner.IsShown(*wave))
      return std::nullopt;
    threads[wave->fold].push_back(id);
  }
  std::vector<StoppedWaves> folds;
  for (auto &[number, ids] : threads) {
    const Fold &fold = m_folds[number];
    StoppedWaves &moved = folds.emplace_back();
    moved.address = fold.address;
    moved.stop = fold.stop;
    moved.threads = std::move(ids);
  }
  SortFolds(folds);
  return folds;
}

} // namespace wavelane::server
