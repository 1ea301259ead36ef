//===-- WaveStops.cpp -----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "WaveStops.h"
#include "Core/Support/WavelaneLog.h"
#include "wavelane/Protocol/Server/Packets.h"

#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;
using ::wavelane::server::StoppedWaves;

FoldedStop::FoldedStop(std::vector<StoppedWaves> folds)
    : FoldedStop(nullptr, std::move(folds)) {}

FoldedStop::FoldedStop(std::shared_ptr<const FoldedStop> base,
                       std::vector<StoppedWaves> folds)
    : m_base_sp(std::move(base)), m_folds(std::move(folds)) {
  const bool are_few = m_folds.size() <= kFewFolds;
  for (const auto &[number, fold] : llvm::enumerate(m_folds)) {
    if (are_few && number) {
      const std::vector<uint64_t> before = std::exchange(m_waves, {});
      std::merge(before.begin(), before.end(), fold.threads.begin(),
                 fold.threads.end(), std::back_inserter(m_waves));
      continue;
    }
    m_waves.insert(m_waves.end(), fold.threads.begin(), fold.threads.end());
  }
  if (!llvm::is_sorted(m_waves))
    llvm::sort(m_waves);
  m_waves.erase(std::unique(m_waves.begin(), m_waves.end()), m_waves.end());
  IndexFolds();
}

void FoldedStop::IndexFolds() {
  const bool is_dense =
      !m_waves.empty() && m_waves.back() - m_waves.front() < 2 * m_waves.size();
  if (!is_dense && m_folds.size() <= kFewFolds)
    return;
  if (is_dense)
    m_fold_at.assign(m_waves.back() - m_waves.front() + 1, kNoFold);
  for (const auto &[number, fold] : llvm::enumerate(m_folds))
    for (tid_t wave : fold.threads) {
      if (!is_dense)
        m_fold_of.try_emplace(wave, uint32_t(number));
      else if (uint32_t &at = m_fold_at[wave - m_waves.front()]; at == kNoFold)
        at = uint32_t(number);
    }
}

const StoppedWaves *FoldedStop::Find(tid_t wave) const {
  if (!m_fold_at.empty()) {
    const uint64_t at = wave - m_waves.front();
    if (at < m_fold_at.size() && m_fold_at[at] != kNoFold)
      return &m_folds[m_fold_at[at]];
  } else if (m_folds.size() <= kFewFolds) {
    for (const StoppedWaves &fold : m_folds)
      if (std::binary_search(fold.threads.begin(), fold.threads.end(), wave))
        return &fold;
  } else if (auto found = m_fold_of.find(wave); found != m_fold_of.end()) {
    return &m_folds[found->second];
  }
  return m_base_sp ? m_base_sp->Find(wave) : nullptr;
}

std::vector<FoldedStop::Place> FoldedStop::GetPlaces() const {
  std::vector<Place> places;
  if (m_base_sp)
    for (const StoppedWaves &fold : m_base_sp->m_folds) {
      Place place{fold.address};
      for (tid_t wave : fold.threads)
        if (!std::binary_search(m_waves.begin(), m_waves.end(), wave)) {
          ++place.count;
          place.wave = wave;
        }
      if (place.count)
        places.push_back(place);
    }
  for (const StoppedWaves &fold : m_folds)
    if (!fold.threads.empty())
      places.push_back(
          {fold.address, fold.threads.size(), fold.threads.front()});
  return places;
}

std::optional<std::vector<tid_t>> FoldedStop::Select(
    size_t limit,
    llvm::function_ref<bool(const StoppedWaves &)> is_wanted) const {
  if (m_base_sp)
    return std::nullopt;
  std::vector<tid_t> waves;
  for (const StoppedWaves &fold : m_folds) {
    if (!is_wanted(fold))
      continue;
    if (waves.size() + fold.threads.size() > limit)
      return std::nullopt;
    waves.insert(waves.end(), fold.threads.begin(), fold.threads.end());
  }
  return waves;
}

bool WaveStops::Read(uint32_t stop_id, llvm::StringRef reply) {
  namespace packets = ::wavelane::server::packets;
  std::lock_guard<std::mutex> guard(m_mutex);
  if (stop_id == m_stop_id)
    return true;
  std::optional<llvm::StringRef> all, moved;
  uint64_t number = 0;
  llvm::SmallVector<llvm::StringRef> fields;
  reply.split(fields, ';');
  for (llvm::StringRef field : fields) {
    auto [key, value] = field.split(':');
    if (key == packets::WavesKey)
      all = value;
    else if (key == packets::MovedWavesKey)
      moved = value;
    else if (key == packets::WavesNumberKey && value.getAsInteger(16, number))
      number = 0;
  }
  if (!all && !moved)
    return true;
  if (!all && (!m_base_sp || number != m_base_number))
    return false;
  auto folds = ::wavelane::server::ParseStoppedWaves(all ? *all : *moved);
  if (!folds) {
    // LLDB asks for each wave, then.
    LLDB_LOG_ERROR(GetLog(WavelaneLog::Waves), folds.takeError(), "{0}");
    return true;
  }
  auto stop_sp = std::make_shared<const FoldedStop>(all ? nullptr : m_base_sp,
                                                    std::move(*folds));
  m_has_same_waves = m_stop_sp && m_stop_sp->HasSameWaves(*stop_sp);
  m_stop_sp = std::move(stop_sp);
  m_stop_id = stop_id;
  if (all) {
    m_base_sp = m_stop_sp;
    m_base_number = number;
  }
  return true;
}

void WaveStops::Forget() {
  std::lock_guard<std::mutex> guard(m_mutex);
  m_stop_id = UINT32_MAX;
}

std::shared_ptr<const FoldedStop> WaveStops::Get(uint32_t stop_id) {
  std::lock_guard<std::mutex> guard(m_mutex);
  return stop_id == m_stop_id ? m_stop_sp : nullptr;
}

bool WaveStops::HasSameWaves(uint32_t stop_id) {
  std::lock_guard<std::mutex> guard(m_mutex);
  return stop_id == m_stop_id && m_has_same_waves;
}
