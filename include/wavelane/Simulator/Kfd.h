//===-- Kfd.h - a stand-in for KFD's device file ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With it in a debugging process, preloaded (libwavelane-kfd) or linked into
// the executable, AMD's unmodified debugger library works on the simulated
// device: its open and ioctl come before the C library's.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_KFD_H
#define WAVELANE_SIMULATOR_KFD_H

namespace wavelane::simulator {

/// From now on the machine's own /dev/kfd is opened where it has one. Without
/// this call the stand-in is opened there, too.
void standInOnlyWithoutDevice();

} // namespace wavelane::simulator

#endif // WAVELANE_SIMULATOR_KFD_H
