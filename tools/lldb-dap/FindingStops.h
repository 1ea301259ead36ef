//===-- FindingStops.h - What checks of kernels have found ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_LLDB_DAP_FINDINGSTOPS_H
#define WAVELANE_LLDB_DAP_FINDINGSTOPS_H

#include "Protocol/ProtocolRequests.h"
#include "lldb/API/SBThread.h"
#include "wavelane/Protocol/Server/Stop.h"

namespace lldb_dap::wavelane {

/// Adds to an answer about a stop at a finding its kind and its report.
void DescribeFinding(lldb::SBThread thread,
                     const ::wavelane::protocol::Stop &stop,
                     protocol::ExceptionInfoResponseBody &body);

} // namespace lldb_dap::wavelane

#endif
