//===-- LaunchGuard.h - a program that ends with the server -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SERVER_HOST_LAUNCHGUARD_H
#define WAVELANE_SERVER_HOST_LAUNCHGUARD_H

#include <sys/types.h>

namespace wavelane::server {

/// Lets the kernel kill a program that this thread launches for debugging if
/// the thread ends and hasn't detached it, as a killed server's does. Until the
/// program is traced, that is PR_SET_PDEATHSIG of prctl(2), which would outlive
/// a detach; from Keep() on it is PTRACE_O_EXITKILL of ptrace(2), which
/// doesn't.
class LaunchGuard {
public:
  /// Programs that this thread starts while it lives die with the thread.
  LaunchGuard();
  ~LaunchGuard();
  LaunchGuard(const LaunchGuard &) = delete;
  LaunchGuard &operator=(const LaunchGuard &) = delete;

  /// \param program  Started since then by NativeProcessLinux, and stopped. It
  ///     makes one system call.
  void Keep(pid_t program);
};

} // namespace wavelane::server

#endif // WAVELANE_SERVER_HOST_LAUNCHGUARD_H
