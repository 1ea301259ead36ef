//===-- DeviceConnection.h - The device of a debugged program ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_DEBUGLIBRARY_DEVICECONNECTION_H
#define WAVELANE_DEBUGLIBRARY_DEVICECONNECTION_H

#include "wavelane/Protocol/Device/DeviceMessages.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <sys/types.h>
#include <vector>

namespace wavelane::simulator {
struct Message;
}

namespace wavelane::library {

/// The debugger's socket of a program's simulated device, which exists as long
/// as the program's GPU runtime, and the descriptor that wakes the client on
/// events.
class Connection {
public:
  Connection() = default;
  ~Connection();
  Connection(const Connection &) = delete;
  Connection &operator=(const Connection &) = delete;

  /// Creates the notifier.
  /// \return false if there are no descriptors left.
  bool create();
  /// Wakes the client when the device of \p pid appears.
  /// \return false if its socket can't exist.
  bool watchFor(pid_t Pid);
  /// Opens the socket if it exists.
  void open();
  /// Uses the socket of a device that this process has started.
  /// \return false if it doesn't answer; the socket is closed then.
  bool adopt(int Socket);
  void close();
  /// The same, for a device that has ended.
  void closeEnded();
  bool isOpen() const { return SocketFd >= 0; }
  /// Whether the device has closed it.
  bool hasHungUp() const;
  /// Whether the device disappeared during a request; its objects still exist.
  bool wasLost() const { return Lost; }

  int notifier() const { return EpollFd; }
  void notify();
  /// Consumes the notifications that woke the client.
  void drain();
  /// The client is asking for events, so don't wake it.
  bool Quiet = false;

  /// Performs one of KFD's operations. \p in and \p out are the data that the
  /// arguments' pointer points to; as in the kernel, the notifier's descriptor
  /// is passed along if it is used.
  /// \return Its result or -errno.
  int trap(kfd::DebugTrapArguments &Arguments, llvm::ArrayRef<uint8_t> In = {},
           std::vector<uint8_t> *Out = nullptr, bool PassNotifier = false);
  /// Asks what the last suspension of a queue has written
  /// (simulator::WavesSavedReply).
  /// \return The number of \p Waves, or -errno.
  int askSaved(uint32_t QueueId, simulator::WavesSavedReply &Reply,
               std::vector<uint32_t> &Waves);
  /// Says that no other waves of a suspended queue were changed.
  int markChanged(uint32_t QueueId, llvm::ArrayRef<uint32_t> Waves);
  /// Asks for the VGPRs and local memory of waves of a suspended queue to be
  /// written to the save area; without waves, for those of all.
  int askRegisters(uint32_t QueueId, llvm::ArrayRef<uint32_t> Waves = {});
  /// Sends a request of JSON to the device's checks.
  /// \return Its result or -errno.
  int askChecks(llvm::StringRef Request, std::string &Answer);
  /// The same, to its history.
  int askHistory(llvm::StringRef Request, std::string &Answer);
  /// The same, for a core (simulator::CoreAnswerLimit).
  int loadCore(llvm::StringRef Request, std::string &Answer);
  /// Reads or writes memory of a device that simulates a core. Exactly one
  /// buffer must be given.
  /// \return The number of bytes or -errno.
  int transfer(uint64_t Address, uint64_t Size, void *Read, const void *Write);

private:
  int askOfWaves(uint32_t Type, uint32_t QueueId,
                 llvm::ArrayRef<uint32_t> Waves, std::string &Answer);
  int ask(uint32_t Type, llvm::StringRef Request, std::string &Answer);
  bool greet(int Fd);
  /// \param Sent Whether the request could be sent.
  /// \return false if the device is gone, which is then noted.
  bool receiveReply(bool Sent, simulator::Message &Reply);

  pid_t Pid = 0;
  int EpollFd = -1, InotifyFd = -1, SocketFd = -1;
  int PipeRead = -1, PipeWrite = -1;
  uint32_t Sequence = 0;
  std::string SocketPath;
  bool Lost = false;
};

} // namespace wavelane::library

#endif // WAVELANE_DEBUGLIBRARY_DEVICECONNECTION_H
