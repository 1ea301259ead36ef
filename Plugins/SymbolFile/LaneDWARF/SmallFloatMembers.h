//===-- SmallFloatMembers.h - conversions of small numbers ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HIP's classes for small floating-point numbers convert to and from C++'s
// numbers by member templates, which debug information has only where a program
// uses them, if at all.
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_SMALLFLOATMEMBERS_H
#define WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_SMALLFLOATMEMBERS_H

namespace lldb_private {
class CompilerType;
namespace wavelane {

/// Declares, in a complete class of one small number, a conversion to each type
/// of numbers, and a constructor from each, that it lacks. Other types stay as
/// they are. The calls are lowered: see CallLowering.
void AddSmallFloatMembers(const CompilerType &type);

} // namespace wavelane
} // namespace lldb_private

#endif
