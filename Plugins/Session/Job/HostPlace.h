//===-- HostPlace.h - where a rank's host thread is -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SESSION_JOB_HOSTPLACE_H
#define WAVELANE_SESSION_JOB_HOSTPLACE_H

#include "lldb/lldb-forward.h"

#include <string>
#include <vector>

namespace lldb_private {
namespace wavelane {

/// Where a host thread is, as its programmer knows it: in the program's own
/// code, or in a call that it has made.
struct HostPlace {
  /// The library's function that the program has called, if any:
  /// "MPI_Barrier".
  std::string call;
  /// The program's innermost function, and its line; empty in a thread of a
  /// library.
  std::string function, line;
  /// The program's functions from the outermost one, and the call.
  std::vector<std::string> stack;

  static HostPlace Find(Thread &thread);
  /// "MPI_Barrier, called by main at ring.hip:41".
  std::string Format() const;
};

/// The innermost frames of a thread, as many as are looked at.
std::vector<lldb::StackFrameSP> GetFrames(Thread &thread);

/// The thread that a user looks at: the selected one if it has stopped for a
/// reason, else the first.
lldb::ThreadSP GetShownThread(Process &process);

} // namespace wavelane
} // namespace lldb_private

#endif
