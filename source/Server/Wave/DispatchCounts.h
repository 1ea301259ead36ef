//===-- DispatchCounts.h - how far kernels have come ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SERVER_WAVE_DISPATCHCOUNTS_H
#define WAVELANE_SERVER_WAVE_DISPATCHCOUNTS_H

#include "Server/Library/GPUSession.h"
#include "llvm/Support/JSON.h"

#include <map>

namespace wavelane::server {

/// How many workgroups of each dispatch are done, running and waiting.
///
/// ROCdbgapi reports which workgroups are on the GPU, and the simulated device
/// also how many have begun. On other devices, it is only certain that all
/// workgroups up to the last one on the GPU have begun, since they begin in
/// order.
class DispatchProgress {
public:
  explicit DispatchProgress(GPUSession &session);

  /// {"workgroups", "done", "running", "waiting", "exact"}; unless exact, done
  /// is a lower and waiting an upper bound. nullopt if the dispatch's sizes or
  /// the workgroups are unknown.
  std::optional<llvm::json::Object> Get(amd_dbgapi_dispatch_id_t dispatch);

private:
  GPUSession &m_session;
  bool m_is_known = false; ///< which workgroups are on the GPU
  /// The coordinates of workgroups on the GPU, by dispatch.
  std::map<uint64_t, std::vector<std::array<uint32_t, 3>>> m_workgroups;
};

} // namespace wavelane::server

#endif // WAVELANE_SERVER_WAVE_DISPATCHCOUNTS_H
