//===-- WaveStops.cpp -----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "WaveStops.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

void WaveStops::SetAddresses(uint32_t stop_id, const std::vector<tid_t> &waves,
                             const std::vector<addr_t> &addresses) {
  std::lock_guard<std::mutex> guard(m_mutex);
  m_stop_id = stop_id;
  m_addresses.clear();
  if (waves.size() != addresses.size())
    return;
  m_addresses.reserve(waves.size());
  for (size_t i = 0; i < waves.size(); ++i)
    if (addresses[i] != LLDB_INVALID_ADDRESS)
      m_addresses[waves[i]] = addresses[i];
}

std::optional<addr_t> WaveStops::GetAddress(uint32_t stop_id, tid_t wave) {
  std::lock_guard<std::mutex> guard(m_mutex);
  auto found = m_addresses.find(wave);
  if (stop_id != m_stop_id || found == m_addresses.end())
    return std::nullopt;
  return found->second;
}

StructuredData::Dictionary *
WaveStops::FindReason(const StructuredData::ObjectSP &infos_sp, tid_t wave) {
  std::lock_guard<std::mutex> guard(m_mutex);
  if (infos_sp != m_infos_sp) {
    m_infos_sp = infos_sp;
    m_reasons.clear();
    StructuredData::Array *infos = infos_sp ? infos_sp->GetAsArray() : nullptr;
    if (infos)
      infos->ForEach([&](StructuredData::Object *item) {
        StructuredData::Dictionary *info =
            item ? item->GetAsDictionary() : nullptr;
        tid_t tid = LLDB_INVALID_THREAD_ID;
        if (info && info->GetValueForKeyAsInteger("tid", tid))
          m_reasons[tid] = info;
        return true;
      });
  }
  auto found = m_reasons.find(wave);
  return found == m_reasons.end() ? nullptr : found->second;
}
