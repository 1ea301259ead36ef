//===-- ShadowedVariables.h - a GPU's variables on the host -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HIP's compiler makes an object on the host for each of the GPU's global
// variables, so that the host can name it. It has the variable's name and debug
// information, and its value means nothing.
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_SHADOWEDVARIABLES_H
#define WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_SHADOWEDVARIABLES_H

#include "lldb/Expression/DWARFExpression.h"
#include "lldb/lldb-types.h"
#include "llvm/Support/Error.h"
#include <optional>

namespace lldb_private {
class DataExtractor;
class Module;
class Target;

namespace wavelane {

/// Where the variable is on the GPU whose object on the host has a location.
/// \param module  The host's, which has the code for the GPU.
/// \param location  A DWARF expression, in \a unit.
/// \return
///     Nothing for the host's own variables; an error while the GPU has no such
///     variable, since the program hasn't loaded its code.
llvm::Expected<std::optional<lldb::addr_t>>
FindShadowed(Target &target, Module &module, const DataExtractor &location,
             const DWARFExpression::Delegate &unit);

} // namespace wavelane
} // namespace lldb_private

#endif
