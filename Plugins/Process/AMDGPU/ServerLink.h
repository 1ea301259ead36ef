//===-- ServerLink.h - messages that a server sends unasked -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_PROCESS_AMDGPU_SERVERLINK_H
#define WAVELANE_PLUGINS_PROCESS_AMDGPU_SERVERLINK_H

#include "GDBRemoteCommunicationClient.h"
#include "HostCoupling.h"
#include "lldb/lldb-forward.h"

#include <optional>

namespace lldb_private {
namespace wavelane {

/// How LLDB calls the end of a connection.
inline constexpr char LostConnection[] = "lost connection";
/// How a program's end by a signal is reported, followed by the signal.
inline constexpr char ProgramWasKilled[] = "the program was killed by ";

/// A client only listens while its process runs: what a server sends while the
/// process is stopped, because it has ended, would wait for the next question.
/// \param asks Whether the server only signals that there is something to ask
///     for, as that of a GPU does (GPUServer::ProcessStateChanged).
/// \return None if the server has sent nothing, or the process runs.
std::optional<ReportedEnd>
ReadUnaskedEnd(process_gdb_remote::GDBRemoteCommunicationClient &client,
               const UnixSignals &signals, bool asks);

/// Reads a stop reply that reports the end of a process.
std::optional<ReportedEnd> ParseEnd(StringExtractorGDBRemote reply,
                                    const UnixSignals &signals);

} // namespace wavelane
} // namespace lldb_private

#endif
