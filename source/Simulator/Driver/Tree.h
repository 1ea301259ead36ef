//===-- Tree.h - sysfs's files about the GPUs -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// AMD's libraries read KFD's topology and the DRM devices from files. For the
// simulated GPUs, these files are in a private folder, and their paths are
// redirected to it.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_DRIVER_TREE_H
#define WAVELANE_SIMULATOR_DRIVER_TREE_H

#include "wavelane/GPU/Processors.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace wavelane::driver {

/// The first render node's number in DRM.
constexpr unsigned FirstRenderMinor = 128;
/// The major number of DRM's character devices.
constexpr unsigned DrmMajor = 226;

/// A file's path in the folder, and its text. A path that ends in '@' is a
/// symbolic link without the '@', and its text the link's target; a path that
/// ends in '/' is a folder.
using Files = std::map<std::string, std::string>;

/// The files of these GPUs.
Files describe(const std::vector<const gpu::Processor *> &Gpus,
               unsigned ComputeUnits);

/// The GPUs that the environment selects.
struct Selection {
  std::vector<const gpu::Processor *> Gpus;
  unsigned ComputeUnits;
};
Selection selection();

/// The folder, created if missing; empty if this fails, which is reported on
/// standard error.
const std::string &folder();

/// The new location of \a Path; nullopt for paths that aren't GPUs'.
std::optional<std::string> placeOf(const char *Path);

/// The number of the render node, or the card, that \a Path names; -1 if none.
int drmMinor(const char *Path);
bool isKfd(const char *Path);

} // namespace wavelane::driver

#endif // WAVELANE_SIMULATOR_DRIVER_TREE_H
