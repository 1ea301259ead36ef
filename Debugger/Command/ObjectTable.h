//===-- ObjectTable.h - objects of a GPU as a table -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_DEBUGGER_COMMAND_OBJECTTABLE_H
#define WAVELANE_DEBUGGER_COMMAND_OBJECTTABLE_H

#include "lldb/Utility/StructuredData.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <utility>
#include <vector>

namespace lldb_private {
class Args;
class Stream;

namespace wavelane {

/// What the cell of an object in a column shows, and what filters compare; "-"
/// where the object lacks it.
std::string FormatCell(StructuredData::Dictionary &object,
                       llvm::StringRef column);

/// Which objects are listed: ids, ranges of them, and columns with the value
/// that they are to have, as "2-5 kernel=saxpy".
class ObjectFilter {
public:
  static llvm::Expected<ObjectFilter> Parse(const Args &words);

  /// \return The objects that pass; an error for a column that none has.
  llvm::Expected<StructuredData::ArraySP>
  Apply(const StructuredData::Array &objects) const;

private:
  bool HasID(const StructuredData::Dictionary &object) const;

  std::vector<std::pair<uint64_t, uint64_t>> m_ids;
  std::vector<std::pair<std::string, std::string>> m_columns;
};

/// Prints a line for each object, below the columns' names.
/// \param columns
///     Those that are shown where an object has a value there; all if empty.
/// \param short_names  Whether functions lose their namespaces and template
/// arguments.
void PrintObjects(const StructuredData::Array &objects,
                  llvm::ArrayRef<llvm::StringRef> columns, bool short_names,
                  Stream &text);

} // namespace wavelane
} // namespace lldb_private

#endif
