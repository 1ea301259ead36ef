//===-- StreamOrder.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StreamOrder.h"

#include <algorithm>
#include <iterator>

using namespace wavelane::check;
using wavelane::simulator::OrderNote;

void StreamOrder::join(Time &To, const Time &From) {
  for (const auto &[Queue, Number] : From) {
    uint64_t &Mine = To[Queue];
    Mine = std::max(Mine, Number);
  }
}

StreamOrder::Operation StreamOrder::begin(uint32_t Queue) {
  Time &Stream = Streams[Queue];
  join(Stream, Host);
  Operation Op;
  Op.Queue = Queue;
  Op.Before = Stream;
  Op.Number = ++Stream[Queue];
  return Op;
}

StreamOrder::Operation StreamOrder::host() {
  Operation Op;
  Op.Queue = OfHost;
  Op.Before = Host;
  Op.Number = ++Host[OfHost];
  return Op;
}

StreamOrder::Operation StreamOrder::kernel(uint32_t Queue, uint64_t Packet) {
  // Packets before it that aren't kernels' were reported, too.
  const auto First = Launched.lower_bound({Queue, 0});
  const auto It = Launched.find({Queue, Packet});
  if (It == Launched.end())
    return Operation();
  Operation Op = std::move(It->second);
  Launched.erase(First, std::next(It));
  return Op;
}

bool StreamOrder::isSettled() const {
  // One stream orders everything itself.
  if (Streams.size() < 2 && !FollowsHost)
    return true;
  for (const auto &[Queue, Stream] : Streams)
    if (Host.lookup(Queue) < Stream.lookup(Queue))
      return false;
  return true;
}

bool StreamOrder::note(const OrderNote &N) {
  const bool IsOfStream = N.what == OrderNote::StreamAfterStream;
  if (N.queue >= OfHost || (IsOfStream && uint32_t(N.other) >= OfHost) ||
      N.other > MostOther)
    return false;
  // References into a map don't outlive an insertion.
  const auto Of = [&](uint32_t Queue) { return Streams.lookup(Queue); };
  switch (N.what) {
  case OrderNote::HostAfterStream:
    join(Host, Of(N.queue));
    return true;
  case OrderNote::HostAfterAll:
    for (const auto &Entry : Streams)
      join(Host, Entry.second);
    return true;
  case OrderNote::HostAfterEvent:
    join(Host, Events.lookup(N.other));
    return true;
  case OrderNote::StreamAfterStream:
    if (const Time Other = Of(uint32_t(N.other)); !Other.empty())
      join(Streams[N.queue], Other);
    return true;
  case OrderNote::StreamAfterEvent:
    join(Streams[N.queue], Events.lookup(N.other));
    return true;
  case OrderNote::EventAfterStream:
    Events[N.other] = Of(N.queue);
    join(Events[N.other], Host);
    return true;
  case OrderNote::Launched:
    Launched[{N.ring ? uint32_t(N.ring - 1) : N.queue, N.other}] =
        begin(N.queue);
    return true;
  default:
    return false;
  }
}
