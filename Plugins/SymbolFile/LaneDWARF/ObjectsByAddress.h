//===-- ObjectsByAddress.h - objects whose address is known -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function that returns a structure fills it at an address that its caller
// passes, and LLVM (AMDGPUPromoteAlloca) moves private arrays of a kernel to
// local memory. The address is in a vector register then, and clang describes
// the object as it describes one that is in this register:
// `bregx; lit1; swap; xderef`. Older ones write `bregx` alone.
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_OBJECTSBYADDRESS_H
#define WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_OBJECTSBYADDRESS_H

#include "KernelArguments.h"

namespace lldb_private {
class Function;
namespace plugin::dwarf {
class SymbolFileDWARF;
}
namespace wavelane {

/// Gives the variables of a GPU's function that are larger than an element of a
/// register, or described in the old form, the memory that is meant. Where it
/// can't be distinguished from an object in the register, their location says
/// so (MissingLocation::Kind::eAmbiguous).
/// \param memory  A kernel's; null for other functions.
void PlaceObjectsByAddress(plugin::dwarf::SymbolFileDWARF &symbols,
                           Function &function, const KernelMemory *memory);

} // namespace wavelane
} // namespace lldb_private

#endif
