//===-- FindingStops.h - What checks of kernels have found ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_LLDB_DAP_FINDINGSTOPS_H
#define WAVELANE_LLDB_DAP_FINDINGSTOPS_H

#include "Protocol/ProtocolRequests.h"
#include "lldb/API/SBThread.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>

namespace lldb_dap::wavelane {

/// A stop's description: "finding 1: Invalid global write of size 4 bytes,
/// out[64] (lanes 0-31)".
struct FindingStop {
  uint64_t number = 0;
  llvm::StringRef text; ///< without number and lanes
};
/// \return nullopt if \p description is of another stop.
std::optional<FindingStop> ParseFinding(llvm::StringRef description);

/// Adds to an answer about a stop at a finding its kind and its report.
void DescribeFinding(lldb::SBThread thread, const FindingStop &finding,
                     protocol::ExceptionInfoResponseBody &body);

} // namespace lldb_dap::wavelane

#endif
