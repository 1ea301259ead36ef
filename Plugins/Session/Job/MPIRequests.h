//===-- MPIRequests.h - messages that are on their way ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SESSION_JOB_MPIREQUESTS_H
#define WAVELANE_SESSION_JOB_MPIREQUESTS_H

#include "lldb/lldb-forward.h"
#include "lldb/lldb-types.h"

#include <cstdint>
#include <string>
#include <vector>

namespace lldb_private {
namespace wavelane {

/// A message that a request of MPI is about.
struct MPIRequest {
  bool is_send = false;
  /// The other rank in the communicator; a negative number is any.
  int32_t peer = 0;
  /// A negative number is any.
  int32_t tag = 0;
  /// Open MPI's handle.
  lldb::addr_t communicator = 0;
};

/// Reads an array of Open MPI's requests, without those that are complete.
/// Needs the type of requests, which Open MPI's debug information has.
/// \return Nothing if it isn't known.
std::vector<MPIRequest> ReadRequests(Process &process, lldb::addr_t address,
                                     uint32_t count);

} // namespace wavelane
} // namespace lldb_private

#endif
