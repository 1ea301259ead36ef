//===-- DeviceCall.h - an ioctl that the device performs --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_DRIVER_DEVICECALL_H
#define WAVELANE_SIMULATOR_DRIVER_DEVICECALL_H

#include "wavelane/Simulator/KfdIoctl.h"

#include <cstddef>
#include <functional>

namespace wavelane::driver {

/// \param In The extra bytes that some calls have.
/// \return 0 or -errno.
using DeviceCall =
    std::function<int(kfd::Call Number, void *Argument, size_t Size,
                      const void *In, size_t InSize)>;

} // namespace wavelane::driver

#endif // WAVELANE_SIMULATOR_DRIVER_DEVICECALL_H
