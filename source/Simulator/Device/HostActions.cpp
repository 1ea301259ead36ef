//===-- HostActions.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HostActions.h"

#include "wavelane/Protocol/Device/DeviceMessages.h"

#include <algorithm>
#include <cstring>
#include <iterator>

using namespace wavelane;
using namespace wavelane::simulator;

bool HostActions::Action::wrote(uint64_t Address, uint64_t Count) const {
  if (Is == Launch || !Size)
    return false;
  const uint64_t Step = Rows > 1 ? Pitch : Size;
  // Rows may be far apart; the first that can reach the address.
  uint64_t Row = Address > To && Step ? (Address - To) / Step : 0;
  for (; Row < Rows; ++Row) {
    const uint64_t Begin = To + Row * Step;
    if (Begin >= Address + Count)
      return false;
    if (Address < Begin + Size)
      return true;
  }
  return false;
}

protocol::HostAction HostActions::Action::describe() const {
  protocol::HostAction R;
  R.Position = Position;
  R.What = Is == Launch ? protocol::HostActionKind::Launch
           : Is == Fill ? protocol::HostActionKind::Fill
                        : protocol::HostActionKind::Copy;
  R.To = To;
  if (Is == Launch) {
    R.Packet = PacketId;
    R.Queue = Queue;
  } else {
    R.Size = Size * Rows;
  }
  if (Is == Copy)
    R.From = From;
  R.Callers = Callers;
  return R;
}

uint64_t HostActions::bytesOf(const Action &A) {
  return sizeof(A) + A.Callers.size() * sizeof(uint64_t);
}

void HostActions::add(Action A) {
  Bytes += bytesOf(A);
  Actions.push_back(std::move(A));
}

void HostActions::prepend(std::vector<Action> Before) {
  for (const Action &A : Before)
    Bytes += bytesOf(A);
  Actions.insert(Actions.begin(), std::make_move_iterator(Before.begin()),
                 std::make_move_iterator(Before.end()));
}

bool HostActions::addNote(llvm::ArrayRef<uint8_t> Payload, uint64_t Position) {
  constexpr size_t MostCallers = 64;
  MemoryNote N;
  if (Payload.size() < sizeof(N) || (Payload.size() - sizeof(N)) % 8)
    return false;
  memcpy(&N, Payload.data(), sizeof(N));
  // The other kinds are for checks.
  if (N.what != MemoryNote::Copied || !N.rows || !N.size)
    return true;
  if (N.size > UINT64_MAX / N.rows)
    return false;
  Action A;
  A.Position = Position;
  A.Is = N.from ? Action::Copy : Action::Fill;
  A.To = N.address;
  A.From = N.from;
  A.Size = N.size;
  A.Rows = N.rows;
  A.Pitch = N.pitch;
  A.Queue = N.queue;
  A.Callers.resize(
      std::min(MostCallers, (Payload.size() - sizeof(N)) / sizeof(uint64_t)));
  if (!A.Callers.empty())
    memcpy(A.Callers.data(), Payload.data() + sizeof(N),
           A.Callers.size() * sizeof(uint64_t));
  add(std::move(A));
  return true;
}

void HostActions::dropBefore(uint64_t Position) {
  while (!Actions.empty() && Actions.front().Position < Position) {
    Bytes -= bytesOf(Actions.front());
    Actions.pop_front();
  }
}

void HostActions::dropAfter(uint64_t Position) {
  while (!Actions.empty() && Actions.back().Position > Position) {
    Bytes -= bytesOf(Actions.back());
    Actions.pop_back();
  }
}

void HostActions::clear() {
  Actions.clear();
  Bytes = 0;
}

size_t HostActions::find(uint64_t Position) const {
  return size_t(std::lower_bound(Actions.begin(), Actions.end(), Position,
                                 [](const Action &A, uint64_t At) {
                                   return A.Position < At;
                                 }) -
                Actions.begin());
}
