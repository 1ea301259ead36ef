//===-- DispatchProgress.h - how far kernels have come ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SERVER_DISPATCHPROGRESS_H
#define WAVELANE_SERVER_DISPATCHPROGRESS_H

#include "GPUSession.h"
#include "llvm/Support/JSON.h"

#include <map>

namespace wavelane::server {

/// How many workgroups of each dispatch are done, running and waiting.
///
/// ROCdbgapi tells which workgroups are on the GPU. The simulated device also
/// tells how many have begun. Of another, what is certain is that all up to the
/// last one that is on the GPU have, since they begin in order.
class DispatchProgress {
public:
  explicit DispatchProgress(GPUSession &session);

  /// {"workgroups", "done", "running", "waiting", "exact"}, where done is at
  /// least, and waiting at most, what it says unless exact. Nothing where the
  /// dispatch's sizes can't be told.
  std::optional<llvm::json::Object> Get(amd_dbgapi_dispatch_id_t dispatch);

private:
  GPUSession &m_session;
  /// The coordinates of those on the GPU, by dispatch.
  std::map<uint64_t, std::vector<std::array<uint32_t, 3>>> m_workgroups;
};

} // namespace wavelane::server

#endif // WAVELANE_SERVER_DISPATCHPROGRESS_H
