//===-- FaultNotes.h - what a device notes of a violation -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A wave whose access fails stops behind the instruction, as on hardware: right
// behind it with precise memory, otherwise it may have gone on.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PROTOCOL_DEVICE_FAULTNOTES_H
#define WAVELANE_PROTOCOL_DEVICE_FAULTNOTES_H

#include <cstdint>

namespace wavelane::simulator {

/// After a memory violation or an address error, ttmp2 has the difference
/// between the wave's PC and the address of the instruction, in bytes.
constexpr unsigned StopDistanceTtmp = 2;

/// How many instructions a wave that is debugged without precise memory
/// executes, at most, until a violation stops it. The device's option, and the
/// variable from which the program's runtime takes it.
constexpr char LateFaultsOption[] = "--late-faults";
constexpr char LateFaultsVariable[] = "WAVELANE_LATE_FAULTS";
constexpr unsigned MostLateFaults = 1 << 20;

} // namespace wavelane::simulator

#endif // WAVELANE_PROTOCOL_DEVICE_FAULTNOTES_H
