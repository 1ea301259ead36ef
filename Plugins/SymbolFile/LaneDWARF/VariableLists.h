//===-- VariableLists.h - location lists as DWARF means them ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLDB searches a location list for a single entry that holds. In DWARF,
// several entries may hold, for an object in several places, and default
// entries hold where no others do (DWARF 5, 2.6.2).
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_VARIABLELISTS_H
#define WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_VARIABLELISTS_H

#include "EntryAttributes.h"
#include <atomic>
#include <map>
#include <mutex>

namespace lldb_private {
class Block;
class Variable;

namespace plugin::dwarf {
class SymbolFileDWARF;
}

namespace wavelane {

class VariableLists {
public:
  /// Replaces the lists of the variables of \a block, and of its inner blocks,
  /// by lists that LLDB can search.
  void Prepare(plugin::dwarf::SymbolFileDWARF &symbols, Block &block);

  /// Whether any variable so far has a list with overlapping entries.
  bool HasOverlapping() const { return m_has_overlapping; }
  /// Whether any variable so far has an array of ArrayBounds.
  bool HasArrays() const { return m_has_arrays; }
  void SetHasArrays() { m_has_arrays = true; }

  /// The location list of \a variable if its entries overlap, else null.
  const std::vector<location::LocationListEntry> *
  FindOverlapping(const Variable &variable) const;

private:
  void Prepare(plugin::dwarf::SymbolFileDWARF &symbols, Variable &variable);

  struct List {
    std::vector<location::LocationListEntry> entries;
    AttributeBytes bytes;
  };
  std::atomic<bool> m_has_overlapping = false;
  std::atomic<bool> m_has_arrays = false;
  mutable std::mutex m_mutex;
  std::map<lldb::user_id_t, List> m_overlapping;
};

} // namespace wavelane
} // namespace lldb_private

#endif
