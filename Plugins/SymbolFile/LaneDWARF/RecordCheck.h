//===-- RecordCheck.h - structures that contain themselves ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_RECORDCHECK_H
#define WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_RECORDCHECK_H

#include "Plugins/SymbolFile/DWARF/DWARFDIE.h"
#include "llvm/ADT/DenseSet.h"

namespace lldb_private {
namespace wavelane {

/// Finds structures that contain themselves, which only damaged files have:
/// LLDB would lay them out without end.
class RecordCheck {
public:
  /// Whether \a record contains, as a member or a base, a structure that
  /// contains itself.
  bool HasCircle(const plugin::dwarf::DWARFDIE &record) {
    return HasCircle(record, 0);
  }

private:
  bool HasCircle(const plugin::dwarf::DWARFDIE &record, unsigned depth);

  /// Structures that are known to have none, and those that are looked through.
  llvm::DenseSet<lldb::user_id_t> m_good, m_open;
};

} // namespace wavelane
} // namespace lldb_private

#endif
