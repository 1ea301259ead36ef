//===-- LocalMemory.h - where __shared__ variables are ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Upstream clang lowers a kernel's __shared__ variables into one block of local
// memory after it has described them: their addresses in the debug information
// are those of symbols that no longer exist, zero. Where the layout can be told
// again, it is; it must give the size that the kernel's descriptor has.
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_LOCALMEMORY_H
#define WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_LOCALMEMORY_H

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

/// The __shared__ variables of one unit, by their index in .debug_addr.
class LocalMemory {
public:
  explicit LocalMemory(plugin::dwarf::DWARFUnit &unit);

  /// \return nullopt when the index is no __shared__ variable's; an error when
  ///     it is, but its place can't be told.
  llvm::Expected<std::optional<uint64_t>> GetOffset(uint64_t index) const;

private:
  struct Variable {
    std::string name;
    /// Without one, \a problem says why.
    std::optional<uint64_t> offset;
    std::string problem;
  };
  std::map<uint64_t, Variable> m_variables;
};

} // namespace wavelane
} // namespace lldb_private

#endif
