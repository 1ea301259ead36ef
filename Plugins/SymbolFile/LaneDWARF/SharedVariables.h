//===-- SharedVariables.h - where __shared__ variables are ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Upstream clang lowers __shared__ variables into blocks of local memory after
// it has described them: their addresses in the debug information are zero,
// those of symbols that no longer exist. The layout is reconstructed if
// possible (LocalLayout.h).
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_SHAREDVARIABLES_H
#define WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_SHAREDVARIABLES_H

#include "LocalLayout.h"
#include "Plugins/SymbolFile/DWARF/DWARFDIE.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace lldb_private {
namespace plugin::dwarf {
class DWARFUnit;
}
namespace wavelane {

/// The __shared__ variables of one unit, by their index in .debug_addr. LLVM 20
/// and later describe them without a place: these have an index of ours.
class LocalMemory {
public:
  /// Whether the source declares a variable without a place as __shared__.
  using IsShared =
      llvm::function_ref<bool(const plugin::dwarf::DWARFDIE &variable)>;

  LocalMemory(plugin::dwarf::DWARFUnit &unit, IsShared is_shared);

  /// The index of a variable without a place.
  static uint64_t MakeIndex(const plugin::dwarf::DWARFDIE &variable);
  bool Has(uint64_t index) const { return m_names.count(index) != 0; }
  /// The location of a variable with that index.
  static DWARFExpressionList MakeLocation(const plugin::dwarf::DWARFUnit &unit,
                                          lldb::ModuleSP module,
                                          uint64_t index);

  /// \param get_kernel Called if the place isn't the same in all kernels:
  /// returns the
  ///     mangled name of the running kernel, or an empty string.
  /// \return nullopt if the index isn't that of a __shared__ variable; an error
  ///     if it is, but its place can't be determined.
  llvm::Expected<std::optional<uint64_t>>
  GetOffset(uint64_t index, llvm::function_ref<std::string()> get_kernel) const;

  /// The entries of a function's variables that are described outside the
  /// function's code, such as those of a function that is inlined everywhere.
  /// \param function Its mangled name.
  std::vector<plugin::dwarf::DWARFDIE>
  GetDetached(llvm::StringRef function) const;

private:
  struct Group {
    LocalLayout::Function function;
    std::vector<plugin::dwarf::DWARFDIE> detached;
  };
  void AddVariable(plugin::dwarf::DWARFDIE variable, uint64_t index);

  std::map<std::string, Group> m_groups; ///< By the function's mangled name.
  std::map<uint64_t, std::string> m_names;
  LocalLayout m_layout;
};

} // namespace wavelane
} // namespace lldb_private

#endif
