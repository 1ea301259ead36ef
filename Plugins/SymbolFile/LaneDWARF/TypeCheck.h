//===-- TypeCheck.h - types that clang can't be given -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_TYPECHECK_H
#define WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_TYPECHECK_H

namespace lldb_private {
class Type;

namespace plugin {
namespace dwarf {
class DWARFDIE;
}
} // namespace plugin

namespace wavelane {

/// Damaged debug information has types that LLDB's reader or clang wouldn't
/// survive.
/// \return What is wrong with the type of \a die, to follow its name; null if
///     it can be read.
const char *FindTypeProblem(const plugin::dwarf::DWARFDIE &die);

/// Whether a number's type, as read, has what clang needs to lay it out.
bool IsNumberReadable(Type &type);

} // namespace wavelane
} // namespace lldb_private

#endif
