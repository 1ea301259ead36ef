//===-- DwarfOptionTable.h - the options of wavelane-dwarf ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_TOOLS_WAVELANE_DWARF_DWARFOPTIONTABLE_H
#define WAVELANE_TOOLS_WAVELANE_DWARF_DWARFOPTIONTABLE_H

#include "llvm/ADT/StringRef.h"

namespace wavelane::dwarfoptions {

struct Option {
  llvm::StringRef Name; ///< without dashes
  llvm::StringRef Value, Text;
};

inline constexpr Option Id = {"id", "ID", "Only the case of this id"};
inline constexpr Option Address4 = {"address-size-4", "",
                                    "Addresses are of 4 bytes, not 8"};
inline constexpr Option DirectE9 = {
    "direct-e9", "", "0xe9 is the old direct code of aspace_implicit_pointer"};

inline constexpr Option All[] = {Id, Address4, DirectE9};

} // namespace wavelane::dwarfoptions

#endif // WAVELANE_TOOLS_WAVELANE_DWARF_DWARFOPTIONTABLE_H
