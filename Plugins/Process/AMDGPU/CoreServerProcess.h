//===-- CoreServerProcess.h - the lldb-server that opens a core file ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_PROCESS_AMDGPU_CORESERVERPROCESS_H
#define WAVELANE_PLUGINS_PROCESS_AMDGPU_CORESERVERPROCESS_H

#include "lldb/Utility/FileSpec.h"
#include "lldb/lldb-types.h"
#include "llvm/Support/Error.h"

#include <functional>
#include <string>

namespace lldb_private {
namespace process_gdb_remote {
class GDBRemoteCommunicationClient;
}

namespace wavelane {

/// The core file with the host's memory for a GPU's core: the one in the
/// setting, or core.PID beside a gpucore.PID. Empty if there is none.
FileSpec FindHostCore(const FileSpec &core);

/// Starts an lldb-server for a core file and connects \a client to it. The
/// server exits when the connection closes.
/// \param[in] host_core  May be empty.
/// \param[in] ended Called on another thread of LLDB when the server has ended,
/// with the
///     reason as text for users.
/// \return Its process ID.
llvm::Expected<lldb::pid_t>
StartCoreServer(process_gdb_remote::GDBRemoteCommunicationClient &client,
                const FileSpec &core, const FileSpec &host_core,
                std::function<void(lldb::pid_t pid, std::string reason)> ended);

} // namespace wavelane
} // namespace lldb_private

#endif
