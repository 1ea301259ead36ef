//===-- MessageReceiver.h - messages that come in pieces --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A peer may stop anywhere in a message: a debugger has stopped it, or it is
// hostile. The device doesn't wait for the rest, but receives what is there.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SOURCE_SIMULATOR_DEVICE_MESSAGERECEIVER_H
#define WAVELANE_SOURCE_SIMULATOR_DEVICE_MESSAGERECEIVER_H

#include "Simulator/Common/Wire.h"

namespace wavelane::simulator {

class MessageReceiver {
public:
  enum class Outcome { Whole, Partial, Gone };

  MessageReceiver() = default;
  MessageReceiver(const MessageReceiver &) = delete;
  MessageReceiver &operator=(const MessageReceiver &) = delete;
  ~MessageReceiver();

  /// Receives what the stream socket \a Fd has, without waiting, up to the end
  /// of a message. \a Out is only set by Whole. Gone: the peer has closed the
  /// socket, or announces a message that is too large.
  Outcome receive(int Fd, Message &Out);

private:
  Outcome receivePart(int Fd, void *Data, size_t Size);

  Message Current;
  size_t Have = 0; ///< bytes of the header and the payload
};

} // namespace wavelane::simulator

#endif // WAVELANE_SOURCE_SIMULATOR_DEVICE_MESSAGERECEIVER_H
