//===-- CallSites.h - the calls that a function describes -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLDB reads only those call sites (DWARF 5, 3.4) that are directly below their
// function. gcc places them in the lexical block or the inlined call around the
// call.
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_CALLSITES_H
#define WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_CALLSITES_H

#include "Plugins/SymbolFile/DWARF/DWARFDIE.h"
#include "lldb/Symbol/Function.h"
#include <optional>
#include <vector>

namespace lldb_private {
namespace wavelane {

/// A call site's entry, DW_TAG_call_site or its predecessor of GNU.
struct CallSite {
  plugin::dwarf::DWARFDIE die;
  bool is_tail_call = false;
  /// File addresses, LLDB_INVALID_ADDRESS if not given.
  lldb::addr_t return_pc = LLDB_INVALID_ADDRESS;
  lldb::addr_t call_pc = LLDB_INVALID_ADDRESS;
  /// The function's own entry or that of its declaration; invalid for an
  /// indirect call.
  plugin::dwarf::DWARFDIE origin;
  /// The expression of the called address of an indirect call; may be empty.
  llvm::ArrayRef<uint8_t> target;
};

/// All calls in the code of \a function, those of inlined calls too.
std::vector<CallSite> ReadCallSites(const plugin::dwarf::DWARFDIE &function);

/// The call sites as LLDB represents them.
std::vector<std::unique_ptr<CallEdge>>
MakeCallEdges(const plugin::dwarf::DWARFDIE &function);

/// Whether both entries are about the same function: the function, a clone of
/// it or a declaration.
bool AreSameFunction(const plugin::dwarf::DWARFDIE &a,
                     const plugin::dwarf::DWARFDIE &b);

/// Whether \a function may call itself by a chain of tail calls, after which
/// its parameters aren't those of the call that its caller describes.
bool MayTailCallItself(const plugin::dwarf::DWARFDIE &function);

} // namespace wavelane
} // namespace lldb_private

#endif
