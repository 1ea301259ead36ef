//===-- Render.h - DRM's ioctls on a simulated GPU --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Answers libdrm's queries when it opens a render node. Numbers and layouts are
// those of <drm/drm.h> and <drm/amdgpu_drm.h>.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_DRIVER_RENDER_H
#define WAVELANE_SIMULATOR_DRIVER_RENDER_H

namespace wavelane::driver {

/// An ioctl on the device with this minor number. \return 0, or -1 with errno
/// set.
int drmCall(int Minor, unsigned long Request, void *Argument);

} // namespace wavelane::driver

#endif // WAVELANE_SIMULATOR_DRIVER_RENDER_H
