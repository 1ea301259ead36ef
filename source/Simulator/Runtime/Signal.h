//===-- Signal.h - what queues and waves wait for ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_RUNTIME_SIGNAL_H
#define WAVELANE_SIMULATOR_RUNTIME_SIGNAL_H

#include <cstdint>

namespace wavelane {
namespace runtime {

/// amd_signal_t.
struct alignas(64) Signal {
  int64_t Kind;
  int64_t Value;
  uint64_t Mailbox;
  uint32_t EventId, Reserved1;
  uint64_t Start, End;
  uint64_t Reserved2[2];
};
static_assert(sizeof(Signal) == 64);

} // namespace runtime
} // namespace wavelane

#endif // WAVELANE_SIMULATOR_RUNTIME_SIGNAL_H
