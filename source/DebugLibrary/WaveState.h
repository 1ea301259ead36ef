//===-- WaveState.h - bits of waves, as a trap handler leaves ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_DEBUGLIBRARY_WAVESTATE_H
#define WAVELANE_DEBUGLIBRARY_WAVESTATE_H

#include "Objects.h"

namespace wavelane::library {

// ttmp6, as set by the trap handler.
inline constexpr uint32_t TrapIdShift = 25, SavedHalt = 1u << 29,
                          Stopped = 1u << 30, NoTtmps = 1u << 31;
inline constexpr uint32_t StatusHalt = 1u << 13, StatusSkipExport = 1u << 18;
inline constexpr uint32_t StatePrivHalt = 1u << 14;
inline constexpr uint32_t ModeStep = 1u << 11, ModeWatch = 1u << 19;
inline constexpr uint32_t TrapCtrlStep = 1u << 9, TrapCtrlWatch = 1u << 7;
inline constexpr unsigned DisplacedBytes = 32;

/// The exceptions that the debugger is notified of.
inline constexpr uint64_t WaveExceptions = 0x3f;
inline constexpr uint64_t RuntimeMask = kfd::exceptionMask(kfd::ProcessRuntime);

inline bool hasStatePriv(const ArchitectureInfo &A) {
  return A.Arch->family().HasStatePriv;
}

} // namespace wavelane::library

#endif // WAVELANE_DEBUGLIBRARY_WAVESTATE_H
