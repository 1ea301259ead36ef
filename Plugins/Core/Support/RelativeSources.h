//===-- RelativeSources.h - sources with relative names ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See wavelane/Formats/Files/SourceFile.h. LLDB and editors find such files by
// a target's setting `source-map`.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_CORE_SUPPORT_RELATIVESOURCES_H
#define WAVELANE_CORE_SUPPORT_RELATIVESOURCES_H

namespace lldb_private {
class Target;

namespace wavelane {

/// Adds the folder of the sources to the map of a target whose program names
/// them relatively. What the user says about relative names remains.
void MapRelativeSources(Target &target);

/// Gives the other side of a program the same map.
void CopySourceMap(Target &from, Target &to);

} // namespace wavelane
} // namespace lldb_private

#endif // WAVELANE_CORE_SUPPORT_RELATIVESOURCES_H
