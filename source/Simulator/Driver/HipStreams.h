//===-- HipStreams.h - what a program's streams order -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For the check of races: HIP's streams share queues, and the order of their
// work is known from the program's calls alone.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_DRIVER_HIPSTREAMS_H
#define WAVELANE_SIMULATOR_DRIVER_HIPSTREAMS_H

#include <cstdint>

namespace wavelane::driver::streams {

/// A hipStream_t.
using Stream = const void *;

/// The calling thread gives \a S work while this lives, unless nothing is to be
/// known of it.
class SubmitScope {
public:
  explicit SubmitScope(Stream S);
  ~SubmitScope();
  SubmitScope(const SubmitScope &) = delete;
  SubmitScope &operator=(const SubmitScope &) = delete;
};

/// For MemoryNote::queue, of a copy in \a S: notes what it comes after.
uint32_t numberOfCopy(Stream S);
/// The host has waited for \a S.
void hostWaited(Stream S);
/// The host has waited for all streams.
void hostWaitedForAll();
/// Packets are about to be written to the queue with this ring.
void reserved(uint64_t Ring, uint64_t First, uint64_t Count);

} // namespace wavelane::driver::streams

#endif // WAVELANE_SIMULATOR_DRIVER_HIPSTREAMS_H
