//===-- CopyEngine.h - SDMA queues ------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executes packets of the engines that copy memory (SDMA 4 to 6: gfx9 to
// gfx11). A queue's indices count bytes and never wrap.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_DEVICE_COPYENGINE_H
#define WAVELANE_SIMULATOR_DEVICE_COPYENGINE_H

#include "FileMemory.h"
#include "Scheduler.h"

#include <cstdint>
#include <functional>
#include <string>

namespace wavelane::simulator {

class CopyEngine {
public:
  CopyEngine(FileMemory &Memory, Scheduler &Waves, PageRetry &Retry)
      : Memory(Memory), Waves(Waves), Retry(Retry) {}

  /// Executes packets of \a Q until one has to wait.
  Scheduler::Round run(Queue &Q);

  /// Executes the packets of a buffer, which isn't part of a ring.
  /// \return false if one of them has to wait; call it again.
  bool runBuffer(Queue &Q, uint64_t Address, uint64_t Bytes);

  /// Called after a copy, or a fill if \p From is 0.
  std::function<void(uint64_t To, uint64_t From, uint64_t Size)> OnCopy =
      [](uint64_t, uint64_t, uint64_t) {};
  /// Called after an access to a page that doesn't allow it.
  std::function<void(const Queue &Q, uint64_t Address, bool Write)>
      OnViolation = [](const Queue &, uint64_t, bool) {};

private:
  enum class Outcome { Done, Wait, Error };
  /// The location of packets: the ring, or an indirect buffer, which doesn't
  /// wrap.
  struct Source {
    uint64_t Base, Size; ///< bytes
    uint64_t Limit;      ///< end of the packets
  };
  /// Executes the packet at \a At, and moves \a At past it.
  Outcome packet(Queue &Q, const Source &S, uint64_t &At, unsigned Depth);
  bool word(Queue &Q, const Source &S, uint64_t At, uint32_t &Out);

  Outcome findPages(Queue &Q, uint64_t Begin, uint64_t Size, isa::Access Kind);
  Outcome copy(Queue &Q, uint64_t From, uint64_t To, uint64_t Size);
  Outcome copyRectangle(Queue &Q, const uint32_t *W);
  Outcome fill(Queue &Q, const uint32_t *W);
  Outcome poll(Queue &Q, const uint32_t *W);
  Outcome atomic(Queue &Q, const uint32_t *W);
  Outcome store(Queue &Q, uint64_t Address, const void *Data, uint64_t Size);
  Outcome fault(Queue &Q, uint64_t Address, bool Write);
  Outcome refuse(Queue &Q, const std::string &Why);

  FileMemory &Memory;
  Scheduler &Waves;
  PageRetry &Retry;
};

} // namespace wavelane::simulator

#endif // WAVELANE_SIMULATOR_DEVICE_COPYENGINE_H
