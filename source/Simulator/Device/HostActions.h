//===-- HostActions.h - what the program did meanwhile ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The calls of a program that a recording knows: copies, fills and launches,
// each at a position of the recording. They aren't repeated; waves that go back
// or forward cross them.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_DEVICE_HOSTACTIONS_H
#define WAVELANE_SIMULATOR_DEVICE_HOSTACTIONS_H

#include "wavelane/Protocol/Device/HistoryMessages.h"

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace wavelane::simulator {

class HostActions {
public:
  struct Action {
    uint64_t Position = 0;
    enum What : uint8_t { Copy, Fill, Launch } Is = Copy;
    uint64_t To = 0, From = 0; ///< Launch: To is the kernel's entry
    uint64_t Size = 0;
    uint64_t Rows = 1, Pitch = 0; ///< of To
    uint64_t PacketId = 0;
    uint32_t Queue = 0;
    std::vector<uint64_t> Callers; ///< innermost first

    /// Whether it wrote any of these bytes.
    bool wrote(uint64_t Address, uint64_t Bytes) const;
    protocol::HostAction describe() const;
  };

  void add(Action A);
  /// Adds what was before all others, in the order of positions.
  void prepend(std::vector<Action> Before);
  /// Adds what a program says about a copy (simulator::MemoryNote).
  /// \return false if it is malformed.
  bool addNote(llvm::ArrayRef<uint8_t> Payload, uint64_t Position);
  void dropBefore(uint64_t Position);
  void dropAfter(uint64_t Position);
  void clear();
  uint64_t bytes() const { return Bytes; }
  size_t size() const { return Actions.size(); }
  /// In the order of positions.
  const Action &operator[](size_t Index) const { return Actions[Index]; }
  /// The first action at or after \a Position.
  size_t find(uint64_t Position) const;

private:
  static uint64_t bytesOf(const Action &A);
  std::deque<Action> Actions;
  uint64_t Bytes = 0;
};

} // namespace wavelane::simulator

#endif // WAVELANE_SIMULATOR_DEVICE_HOSTACTIONS_H
