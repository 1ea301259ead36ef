//===-- WaveStops.cpp -----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "WaveStops.h"
#include "Support/WavelaneLog.h"
#include "wavelane/Server/Packets.h"

#include "llvm/ADT/STLExtras.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;
using ::wavelane::server::StoppedWaves;

FoldedStop::FoldedStop(std::vector<StoppedWaves> folds)
    : m_folds(std::move(folds)) {
  for (const auto &[number, fold] : llvm::enumerate(m_folds))
    for (tid_t wave : fold.threads)
      if (m_fold_of.try_emplace(wave, uint32_t(number)).second)
        m_waves.push_back(wave);
  llvm::sort(m_waves);
}

const StoppedWaves *FoldedStop::Find(tid_t wave) const {
  auto found = m_fold_of.find(wave);
  return found == m_fold_of.end() ? nullptr : &m_folds[found->second];
}

void WaveStops::Read(uint32_t stop_id, llvm::StringRef reply) {
  std::lock_guard<std::mutex> guard(m_mutex);
  if (stop_id == m_stop_id)
    return;
  llvm::SmallVector<llvm::StringRef> fields;
  reply.split(fields, ';');
  for (llvm::StringRef field : fields) {
    auto [key, value] = field.split(':');
    if (key != ::wavelane::server::packets::WavesKey)
      continue;
    auto folds = ::wavelane::server::ParseStoppedWaves(value);
    if (!folds) {
      // LLDB asks for each wave, then.
      LLDB_LOG_ERROR(GetLog(WavelaneLog::Waves), folds.takeError(), "{0}");
      return;
    }
    m_stop_sp = std::make_shared<const FoldedStop>(std::move(*folds));
    m_stop_id = stop_id;
    return;
  }
}

std::shared_ptr<const FoldedStop> WaveStops::Get(uint32_t stop_id) {
  std::lock_guard<std::mutex> guard(m_mutex);
  return stop_id == m_stop_id ? m_stop_sp : nullptr;
}
