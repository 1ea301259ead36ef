//===-- StopKinds.h - reasons of stops as LLDB tells them -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SERVER_STOPKINDS_H
#define WAVELANE_SERVER_STOPKINDS_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>

namespace wavelane::server {

/// A kind of exception for which waves stop.
struct StopKind {
  uint32_t reasons;
  int signal;
  const char *text;
  uint32_t exception; ///< what the program is told when the wave goes on
};

/// In the order in which one of several is shown.
llvm::ArrayRef<StopKind> GetStopKinds();

/// The kind that a stop is shown as, or null for those that are no exception.
/// \param reasons AMD_DBGAPI_WAVE_STOP_REASON_* of the wave.
const StopKind *GetStopKind(uint32_t reasons);

} // namespace wavelane::server

#endif // WAVELANE_SERVER_STOPKINDS_H
