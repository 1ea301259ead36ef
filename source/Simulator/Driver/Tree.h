//===-- Tree.h - what sysfs tells of the GPUs -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// AMD's libraries read facts from files: KFD's topology, and the DRM devices.
// For the simulated GPUs these files are in a private folder, and a path of
// theirs leads there.
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

/// The first render node's number, as DRM counts.
constexpr unsigned FirstRenderMinor = 128;
/// Of a character device that DRM has.
constexpr unsigned DrmMajor = 226;

/// A file's path below the folder, and its text; for one that ends in '@', what
/// the symbolic link without the '@' leads to; for one that ends in '/',
/// nothing.
using Files = std::map<std::string, std::string>;

/// The files of these GPUs.
Files describe(const std::vector<const gpu::Processor *> &Gpus,
               unsigned ComputeUnits);

/// The GPUs that the environment asks for.
struct Selection {
  std::vector<const gpu::Processor *> Gpus;
  unsigned ComputeUnits;
};
Selection selection();

/// The folder, made if it is missing; empty if it can't be made, which is said
/// on standard error.
const std::string &folder();

/// Where \a Path is instead; nullopt for all but paths of GPUs.
std::optional<std::string> placeOf(const char *Path);

/// The number of the render node, or the card, that \a Path names; -1 if none.
int drmMinor(const char *Path);
bool isKfd(const char *Path);

} // namespace wavelane::driver

#endif // WAVELANE_SIMULATOR_DRIVER_TREE_H
