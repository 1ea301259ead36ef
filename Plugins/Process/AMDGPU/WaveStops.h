//===-- WaveStops.h - what a stop tells of each wave ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stop reply has the address of every wave, and the reasons of those that
// have one. LLDB searches both for each thread, which takes minutes with
// thousands of waves; here, each lookup takes constant time.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PLUGINS_PROCESS_AMDGPU_WAVESTOPS_H
#define WAVELANE_PLUGINS_PROCESS_AMDGPU_WAVESTOPS_H

#include "lldb/Utility/StructuredData.h"
#include "lldb/lldb-defines.h"
#include "lldb/lldb-types.h"
#include "llvm/ADT/DenseMap.h"

#include <mutex>
#include <optional>
#include <vector>

namespace lldb_private {
namespace wavelane {

/// Thread-safe.
class WaveStops {
public:
  /// Sets the addresses of a stop; without effect unless both lists have the
  /// same length.
  void SetAddresses(uint32_t stop_id, const std::vector<lldb::tid_t> &waves,
                    const std::vector<lldb::addr_t> &addresses);

  /// Where a wave stopped.
  /// \return nullopt if the stop didn't say, or it was a different stop.
  std::optional<lldb::addr_t> GetAddress(uint32_t stop_id, lldb::tid_t wave);

  /// The stop's description of a wave.
  /// \param[in] infos_sp An array of dictionaries with the key "tid"; the
  ///     last one is cached.
  /// \return The dictionary, which lives as long as \a infos_sp, or null.
  StructuredData::Dictionary *
  FindReason(const StructuredData::ObjectSP &infos_sp, lldb::tid_t wave);

private:
  std::mutex m_mutex;
  uint32_t m_stop_id = UINT32_MAX;
  llvm::DenseMap<lldb::tid_t, lldb::addr_t> m_addresses;
  StructuredData::ObjectSP m_infos_sp;
  llvm::DenseMap<lldb::tid_t, StructuredData::Dictionary *> m_reasons;
};

} // namespace wavelane
} // namespace lldb_private

#endif
