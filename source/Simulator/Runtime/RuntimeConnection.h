//===-- RuntimeConnection.h - the device process ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_RUNTIME_RUNTIMECONNECTION_H
#define WAVELANE_SIMULATOR_RUNTIME_RUNTIMECONNECTION_H

#include "Arena.h"
#include "Simulator/Common/Wire.h"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace wavelane {
namespace runtime {

class Connection {
public:
  /// What happens on the connection's own threads.
  struct Listener {
    std::function<void()> Serve; ///< runs until the device is gone
    std::function<void(const QueueErrorEvent &)> QueueError;
    std::function<void()> Lost; ///< the device is gone
  };
  /// Starts wavelane-gpu, which simulates the GPUs in WAVELANE_PROCESSOR, or \a
  /// Processor if that isn't set.
  /// \return false with \a Error set.
  bool start(Arena &Memory, const char *Processor, Listener Callbacks,
             std::string &Error);
  /// The number of GPUs that the program sees (GPU/VisibleDevices.h).
  unsigned deviceCount() const { return unsigned(Visible.size()); }
  /// \a Index must be below deviceCount().
  const AgentDescription &device(unsigned Index) const {
    return Device.agents[Visible[Index]];
  }
  /// Its number among all GPUs of the device process.
  unsigned agent(unsigned Index) const { return Visible[Index]; }
  uint32_t processId() const { return Device.device_pid; }
  /// Whether kernels are checked, and the device must know of memory.
  bool isChecked() const { return Device.checks != 0; }
  /// Whether races are looked for.
  bool checksOrder() const { return Device.checks & ChecksOrder; }
  bool isAlive() const { return Alive; }

  /// Sends a request and waits for the reply.
  /// \return Its result; -EPIPE if the device is gone.
  /// \param PassFd A descriptor to be sent with it, or -1.
  int request(MessageType Type, const void *Data, size_t Size,
              Message *Reply = nullptr, int PassFd = -1);
  void doorbell(uint32_t QueueId);
  /// Wakes all threads in waitFor().
  void wakeAll();
  /// Waits until \a Done returns true.
  /// \return false if the device is gone.
  bool waitFor(const std::function<bool()> &Done);
  /// The same for the runtime's own threads.
  bool serveUntil(const std::function<bool()> &Done);
  /// Called in a forked child: the device belongs to the parent.
  void disown();

private:
  void readLoop();
  Arena *Memory = nullptr;
  Listener Callbacks;
  int Fd = -1;
  std::atomic<bool> Alive{false};
  HelloReply Device = {};
  std::vector<unsigned> Visible;
  std::mutex SendLock, ReplyLock;
  std::condition_variable ReplyReady;
  uint32_t Sequence = 0;
  std::map<uint32_t, Message> Replies;
  std::set<uint32_t> Awaited;
};

} // namespace runtime
} // namespace wavelane

#endif // WAVELANE_SIMULATOR_RUNTIME_RUNTIMECONNECTION_H
