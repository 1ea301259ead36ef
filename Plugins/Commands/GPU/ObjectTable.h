//===-- ObjectTable.h - objects of a GPU as a table -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_COMMANDS_GPU_OBJECTTABLE_H
#define WAVELANE_COMMANDS_GPU_OBJECTTABLE_H

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

/// The text of an object's cell in a column, as shown and as compared by
/// filters; "-" if the object lacks it.
std::string FormatCell(StructuredData::Dictionary &object,
                       llvm::StringRef column);

/// A filter of objects: ids, ranges of ids, and columns with the value that
/// they must have, such as "2-5 kernel=saxpy".
class ObjectFilter {
public:
  static llvm::Expected<ObjectFilter> Parse(const Args &words);

  /// \return The objects that pass; an error for a column that no object
  ///     has.
  llvm::Expected<StructuredData::ArraySP>
  Apply(const StructuredData::Array &objects) const;

  /// Ranges of ids; all if empty.
  llvm::ArrayRef<std::pair<uint64_t, uint64_t>> GetIDs() const { return m_ids; }

private:
  bool HasID(const StructuredData::Dictionary &object) const;

  std::vector<std::pair<uint64_t, uint64_t>> m_ids;
  std::vector<std::pair<std::string, std::string>> m_columns;
};

/// Prints a line for each object, below the columns' names.
/// \param columns
///     The columns to show if an object has a value in them; all if empty.
/// \param short_names  Whether functions lose their namespaces and template
/// arguments.
void PrintObjects(const StructuredData::Array &objects,
                  llvm::ArrayRef<llvm::StringRef> columns, bool short_names,
                  Stream &text);

} // namespace wavelane
} // namespace lldb_private

#endif
