//===-- ServerProcess.h - an lldb-server of this machine --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_PROCESS_AMDGPU_SERVERPROCESS_H
#define WAVELANE_PLUGINS_PROCESS_AMDGPU_SERVERPROCESS_H

#include "lldb/lldb-types.h"

namespace lldb_private {
namespace wavelane {

/// The process at the other end of a Unix domain socket (unix(7), SO_PEERCRED);
/// LLDB_INVALID_PROCESS_ID for any other socket, and for a pair that this
/// process has made.
lldb::pid_t FindPeerProcess(int socket);

/// Whether a signal, such as SIGSTOP, has stopped the process
/// (proc_pid_stat(5), state T). A process that a debugger has stopped isn't.
/// \param pid  May be LLDB_INVALID_PROCESS_ID, or that of a process that is
/// gone.
bool IsStoppedBySignal(lldb::pid_t pid);

} // namespace wavelane
} // namespace lldb_private

#endif
