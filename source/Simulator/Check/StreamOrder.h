//===-- StreamOrder.h - what a program's calls order ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels and copies are ordered by their stream, by events, and by what the
// host has waited for before it let a stream do them.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_CHECK_STREAMORDER_H
#define WAVELANE_SIMULATOR_CHECK_STREAMORDER_H

#include "wavelane/Protocol/Device/DeviceMessages.h"

#include "llvm/ADT/DenseMap.h"

#include <cstdint>
#include <map>
#include <utility>

namespace wavelane::check {

class StreamOrder {
public:
  /// By queue: how many of its operations have happened.
  using Time = llvm::DenseMap<uint32_t, uint64_t>;
  /// A kernel or a copy. One without a number comes after and before all.
  struct Operation {
    uint32_t Queue = 0;
    uint64_t Number = 0;
    Time Before; ///< what it comes after
  };

  /// \param N Its ring is replaced by the number of the ring's queue, plus 1.
  /// \return false if the note is malformed.
  bool note(const simulator::OrderNote &N);
  /// A copy in \a Queue; without a number if there is no such queue.
  Operation copy(uint32_t Queue) {
    return Queue < OfHost ? begin(Queue) : Operation();
  }
  /// What the host itself does now.
  Operation host();
  /// Whether a kernel has been launched that hasn't begun.
  bool hasLaunched() const { return !Launched.empty(); }
  /// From now on, what the host does itself matters.
  void followHost() { FollowsHost = true; }
  bool followsHost() const { return FollowsHost; }
  /// The kernel of a packet; without a number if the program hasn't reported
  /// it.
  Operation kernel(uint32_t Queue, uint64_t Packet);
  /// Whether \a A has ended when \a B begins.
  static bool isBefore(const Operation &A, const Operation &B) {
    return !A.Number || !B.Number || B.Before.lookup(A.Queue) >= A.Number;
  }
  /// Whether everything so far has ended before anything else.
  bool isSettled() const;

private:
  Operation begin(uint32_t Queue);
  static void join(Time &To, const Time &From);

  /// The host's own number in times. It and greater ones are no queues', and
  /// llvm::DenseMap doesn't take all of these.
  static constexpr uint32_t OfHost = UINT32_MAX - 2;
  static constexpr uint64_t MostOther = UINT64_MAX - 2; ///< as an event

  bool FollowsHost = false;
  Time Host;
  llvm::DenseMap<uint32_t, Time> Streams; ///< by queue
  llvm::DenseMap<uint64_t, Time> Events;
  /// By queue and packet: kernels that haven't begun.
  std::map<std::pair<uint32_t, uint64_t>, Operation> Launched;
};

} // namespace wavelane::check

#endif // WAVELANE_SIMULATOR_CHECK_STREAMORDER_H
