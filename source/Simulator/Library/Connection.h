//===-- Connection.h - The device of a debugged program ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_LIBRARY_CONNECTION_H
#define WAVELANE_SIMULATOR_LIBRARY_CONNECTION_H

#include "wavelane/Simulator/Protocol.h"
#include "llvm/ADT/ArrayRef.h"
#include <string>
#include <sys/types.h>
#include <vector>

namespace wavelane::library {

/// The debugger's socket of a program's simulated device, which comes and goes
/// with the program's GPU runtime, and the descriptor that wakes the client
/// when something happens.
class Connection {
public:
  Connection() = default;
  ~Connection();
  Connection(const Connection &) = delete;
  Connection &operator=(const Connection &) = delete;

  /// Makes the notifier. \return false if there are no descriptors left.
  bool create();
  /// Wakes the client when the device of \p pid appears. \return false where
  /// its socket can't be anywhere.
  bool watchFor(pid_t pid);
  /// Opens the socket if it is there.
  void open();
  void close();
  bool isOpen() const { return socketFd >= 0; }
  /// Whether the device has closed it.
  bool hasHungUp() const;
  /// Whether the device went while it was asked something; what it had is still
  /// there.
  bool wasLost() const { return lost; }
  void forgetLoss() { lost = false; }

  int notifier() const { return epollFd; }
  void notify();
  /// Takes in what has woken the client.
  void drain();
  /// The client is asking for events: it needn't be woken.
  bool quiet = false;

  /// One of KFD's operations. \p in and \p out are what the arguments' pointer
  /// leads to; the kernel would take the notifier's descriptor where it is
  /// passed. \return its result or -errno.
  int trap(kfd::DebugTrapArguments &arguments, llvm::ArrayRef<uint8_t> in = {},
           std::vector<uint8_t> *out = nullptr, bool passNotifier = false);

private:
  pid_t pid = 0;
  int epollFd = -1, inotifyFd = -1, socketFd = -1;
  int pipeRead = -1, pipeWrite = -1;
  uint32_t sequence = 0;
  std::string socketPath;
  bool lost = false;
};

} // namespace wavelane::library

#endif // WAVELANE_SIMULATOR_LIBRARY_CONNECTION_H
