//===-- StructLayouts.h - structs of host and kernels -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_DYNAMICLOADER_AMDGPU_STRUCTLAYOUTS_H
#define WAVELANE_PLUGINS_DYNAMICLOADER_AMDGPU_STRUCTLAYOUTS_H

#include <set>
#include <string>
#include <vector>

namespace lldb_private {
class Module;

namespace wavelane {

/// Finds structs that the kernels of \a gpu take as arguments, or by pointers,
/// and that have another size in \a host, or a member at another place: each
/// side was compiled from another definition, and the kernel misreads what the
/// host wrote.
/// \param reported  The names of structs that have been reported; found ones
/// are added.
/// \return A sentence for each.
std::vector<std::string> FindLayoutMismatches(Module &gpu, Module &host,
                                              std::set<std::string> &reported);

} // namespace wavelane
} // namespace lldb_private

#endif
