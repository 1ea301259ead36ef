//===-- StopKinds.h - reasons of stops in LLDB's words ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SERVER_WAVE_STOPKINDS_H
#define WAVELANE_SERVER_WAVE_STOPKINDS_H

#include "wavelane/Protocol/Server/Stop.h"
#include "llvm/ADT/ArrayRef.h"
#include <cstdint>

namespace wavelane::server {

/// A kind of exception that stops waves.
struct StopKind {
  uint32_t reasons;
  int signal;
  protocol::StopKind kind;
  const char *detail;
  uint32_t exception; ///< the exception that the program gets when the wave
                      ///< continues
};

/// In the order of precedence.
llvm::ArrayRef<StopKind> GetStopKinds();

/// The kind that a stop is shown as; null if it isn't an exception.
/// \param reasons The wave's AMD_DBGAPI_WAVE_STOP_REASON_* bits.
const StopKind *GetStopKind(uint32_t reasons);

} // namespace wavelane::server

#endif // WAVELANE_SERVER_WAVE_STOPKINDS_H
