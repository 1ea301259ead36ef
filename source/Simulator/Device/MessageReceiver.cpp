//===-- MessageReceiver.cpp - messages that come in pieces ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MessageReceiver.h"

#include <utility>

using namespace wavelane::simulator;

MessageReceiver::~MessageReceiver() {
  if (Current.Fd >= 0)
    close(Current.Fd);
}

MessageReceiver::Outcome MessageReceiver::receivePart(int Fd, void *Data,
                                                      size_t Size) {
  const ssize_t N =
      receiveSome(Fd, Data, Size, &Current.Fd, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (N > 0) {
    Have += size_t(N);
    return size_t(N) == Size ? Outcome::Whole : Outcome::Partial;
  }
  return N < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) ? Outcome::Partial
                                                            : Outcome::Gone;
}

MessageReceiver::Outcome MessageReceiver::receive(int Fd, Message &Out) {
  constexpr size_t HeaderSize = sizeof(MessageHeader);
  if (Have < HeaderSize) {
    const Outcome Got =
        receivePart(Fd, reinterpret_cast<char *>(&Current.Header) + Have,
                    HeaderSize - Have);
    if (Got != Outcome::Whole)
      return Got;
    if (Current.Header.size > MaxMessageSize)
      return Outcome::Gone;
    Current.Payload.resize(Current.Header.size);
  }
  const size_t At = Have - HeaderSize;
  if (At < Current.Payload.size()) {
    const Outcome Got = receivePart(Fd, Current.Payload.data() + At,
                                    Current.Payload.size() - At);
    if (Got != Outcome::Whole)
      return Got;
  }
  Have = 0;
  Out = std::exchange(Current, Message());
  return Outcome::Whole;
}
