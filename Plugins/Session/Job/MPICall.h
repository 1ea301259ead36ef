//===-- MPICall.h - the call of MPI that a thread waits in ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SESSION_JOB_MPICALL_H
#define WAVELANE_SESSION_JOB_MPICALL_H

#include "lldb/lldb-forward.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lldb_private {
namespace wavelane {

/// A call of MPI that may wait for other ranks. What can't be determined is
/// left out: MPI's libraries have no debug information.
struct MPICall {
  enum class Kind { Send, Receive, Exchange, Collective, Completion };

  /// "MPI_Recv".
  std::string name;
  Kind kind = Kind::Completion;
  /// The other rank of a message, or the root; a negative number is a constant
  /// of MPI.
  std::optional<int32_t> peer;
  /// A message from any rank, or with any tag.
  bool from_any = false, any_tag = false;
  /// The peer is none: the call does nothing.
  bool is_null = false;
  std::optional<int32_t> tag;
  /// How many requests are waited for.
  std::optional<int32_t> count;
  /// "MPI_COMM_WORLD", or a number.
  std::string communicator;
  bool of_world = false;
  /// What the incomplete requests of a completion are, as far as debug
  /// information shows.
  struct Message {
    bool is_send = false;
    /// nullopt: from any rank, with any tag.
    std::optional<int32_t> peer, tag;
    std::string communicator;
    bool of_world = false;

    /// "receive from rank 3, tag 7, MPI_COMM_WORLD".
    std::string Format() const;
  };
  std::vector<Message> messages;

  /// The outermost call of MPI of a thread; nullopt if it isn't in one that
  /// waits.
  static std::optional<MPICall> Find(Thread &thread);
  /// "MPI_Recv from rank 3, tag 7, MPI_COMM_WORLD".
  std::string Format() const;
};

} // namespace wavelane
} // namespace lldb_private

#endif
