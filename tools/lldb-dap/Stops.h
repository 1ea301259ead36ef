//===-- Stops.h - Why a thread has stopped ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_TOOLS_LLDB_DAP_STOPS_H
#define WAVELANE_TOOLS_LLDB_DAP_STOPS_H

#include "lldb/API/SBThread.h"
#include "wavelane/Protocol/Server/Stop.h"

namespace lldb_dap::wavelane {

/// The record of a thread's stop; nullopt if LLDB's own reason is all there is.
std::optional<::wavelane::protocol::Stop> GetStop(lldb::SBThread thread);

/// Whether that is its kind.
bool StopsBy(lldb::SBThread thread, ::wavelane::protocol::StopKind kind);

} // namespace lldb_dap::wavelane

#endif
