//===-- VisibleDevices.h - which GPUs a program sees ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ROCR_VISIBLE_DEVICES chooses among the GPUs, and HIP_VISIBLE_DEVICES, or
// without it CUDA_VISIBLE_DEVICES, among these. Each is a list of numbers, or
// of GPU-UUID, in the order in which the program sees them. The ranks of a job
// have lists of their own.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_GPU_VISIBLEDEVICES_H
#define WAVELANE_GPU_VISIBLEDEVICES_H

#include "wavelane/GPU/Processors.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace wavelane::gpu {

/// The value of an environment variable; nullopt if it isn't set.
using Environment = std::function<std::optional<std::string>(const char *)>;

/// The GPUs, of those with the numbers \a UniqueIds, that the environment
/// leaves to the program: indices, in its order. A list ends at the first word
/// that isn't valid, as it does for AMD's runtime.
std::vector<unsigned> visibleDevices(const std::vector<uint64_t> &UniqueIds,
                                     const Environment &Get);

/// How many GPUs there can be.
constexpr unsigned MaxDevices = 8;

/// The GPUs that can be simulated: "gfx900, gfx902".
std::string modeledProcessors();
/// Parses "gfx90a,gfx1100", GPUs that can be simulated.
/// \return false with \a Error set.
bool parseProcessors(const std::string &List,
                     std::vector<const Processor *> &Out, std::string &Error);

/// As many GPUs of a kind as the lists have numbers for: "gfx90a,gfx90a" if
/// there is a 1 in one.
std::string enoughDevices(const std::string &Processor, const Environment &Get);

} // namespace wavelane::gpu

#endif // WAVELANE_GPU_VISIBLEDEVICES_H
