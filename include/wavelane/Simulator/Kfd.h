//===-- Kfd.h - a stand-in for KFD's device file ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Preloaded into a debugging process (libwavelane-kfd) or linked into its
// executable, it makes AMD's unmodified debugger library work on the simulated
// device: its open and ioctl take precedence over the C library's.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_KFD_H
#define WAVELANE_SIMULATOR_KFD_H

namespace wavelane::simulator {

/// Makes later opens of /dev/kfd use the machine's own device, if there is one.
/// Without this call, they always open the stand-in.
void standInOnlyWithoutDevice();

} // namespace wavelane::simulator

#endif // WAVELANE_SIMULATOR_KFD_H
