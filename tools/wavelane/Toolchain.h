//===-- Toolchain.h - compilers for GPU programs ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compilers of this machine that can make HIP programs, from ROCm and from
// the distribution, and what the others lack.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_TOOLS_WAVELANE_TOOLCHAIN_H
#define WAVELANE_TOOLS_WAVELANE_TOOLCHAIN_H

#include "wavelane/GPU/Processors.h"
#include "llvm/ADT/ArrayRef.h"
#include <string>
#include <vector>

namespace wavelane::command {

struct Toolchain {
  /// The compiler's path.
  std::string Compiler;
  /// Clang's version; 0 for ROCm's.
  unsigned Version = 0;
  /// ROCm's folder, or "/usr".
  std::string Root;
  /// The folder of the device libraries (ocml.bc and others); empty for ROCm's,
  /// whose compiler finds them.
  std::string DeviceLibraries;
  /// The Debian packages that it lacks; empty if it can compile.
  std::vector<std::string> Lacks;

  /// Whether the headers are those of HIP 5.
  bool hasOldHeaders() const;
  /// Whether they are, and it needs help with them.
  bool isTooNew() const;

  /// Whether it has the device libraries for a GPU.
  bool knows(const gpu::Processor &Processor) const;

  /// The arguments before the user's own.
  std::vector<std::string> arguments(const gpu::Processor &Processor) const;
};

/// The best one first. Those that lack something come last.
std::vector<Toolchain> findToolchains();

/// ROCm's folders: $ROCM_PATH, /opt/rocm, /opt/rocm-VERSION; newest first.
std::vector<std::string> rocmFolders();

/// A GPU of this machine, by KFD's topology.
struct FoundGPU {
  unsigned TargetVersion;
  /// Null for one that Wavelane doesn't know.
  const gpu::Processor *Known;
  /// The number of its /dev/dri/renderD; 0 if the driver doesn't say.
  unsigned RenderMinor;
};
std::vector<FoundGPU> findGPUs();

} // namespace wavelane::command

#endif // WAVELANE_TOOLS_WAVELANE_TOOLCHAIN_H
