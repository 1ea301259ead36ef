//===-- WaveFolds.cpp - The stop of all waves, kept folded ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "WaveFolds.h"
#include "StopKinds.h"

namespace wavelane::server {

/// A reason as LLDB's stop replies tell it; empty if there is none.
static const char *GetReasonName(lldb::StopReason reason) {
  switch (reason) {
  case lldb::eStopReasonException:
    return "exception";
  case lldb::eStopReasonWatchpoint:
    return "watchpoint";
  case lldb::eStopReasonBreakpoint:
    return "breakpoint";
  case lldb::eStopReasonTrace:
    return "trace";
  case lldb::eStopReasonSignal:
    return "signal";
  default:
    return "";
  }
}

uint32_t WaveFolds::FindFold(Wave &wave) {
  lldb_private::ThreadStopInfo info;
  Fold fold;
  m_reasons.Get(wave, info, fold.description);
  fold.address = m_reader.GetPC(wave);
  fold.reason = GetReasonName(info.reason);
  fold.signal = uint8_t(info.signo);
  auto [at, is_new] = m_known.try_emplace(
      {fold.address, fold.reason, fold.description, info.signo},
      uint32_t(m_folds.size()));
  if (is_new) {
    fold.has_trap = IsAtTrap(fold);
    m_folds.push_back(std::move(fold));
  }
  return at->second;
}

void WaveFolds::MakeAll() {
  m_folds.clear();
  m_known.clear();
  for (auto &[id, wave] : m_runner.GetWaves()) {
    if (wave.running)
      continue;
    wave.fold = FindFold(wave);
    m_folds[wave.fold].threads.push_back(id);
  }
  m_list_version = m_runner.GetListVersion();
  m_is_known = true;
}

bool WaveFolds::AreOthersSame() const {
  return m_is_known && m_list_version == m_runner.GetListVersion() &&
         llvm::none_of(m_folds, [this](const Fold &fold) {
           return !fold.threads.empty() && fold.has_trap != IsAtTrap(fold);
         });
}

void WaveFolds::Update() {
  if (IsUpToDate())
    return;
  m_change_version = m_runner.GetChangeVersion();
  const std::vector<Wave *> changed = m_runner.GetChanged();
  if (!AreOthersSame() || changed.size() > m_runner.GetWaves().size() / 4)
    return MakeAll();
  for (Wave *wave : changed) {
    const uint64_t id = wave->id.handle;
    if (wave->fold < m_folds.size()) {
      std::vector<uint64_t> &from = m_folds[wave->fold].threads;
      auto at = llvm::lower_bound(from, id);
      if (at != from.end() && *at == id)
        from.erase(at);
    }
    if (wave->running)
      continue;
    wave->fold = FindFold(*wave);
    std::vector<uint64_t> &to = m_folds[wave->fold].threads;
    to.insert(llvm::lower_bound(to, id), id);
  }
}

std::vector<StoppedWaves> WaveFolds::Get() const {
  std::vector<StoppedWaves> folds;
  for (const Fold &fold : m_folds)
    if (!fold.threads.empty())
      folds.push_back(fold);
  llvm::sort(folds, [](const StoppedWaves &a, const StoppedWaves &b) {
    return a.threads.front() < b.threads.front();
  });
  return folds;
}

} // namespace wavelane::server
