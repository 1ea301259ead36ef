//===-- ArrayBounds.h - arrays that LLDB can't lay out alone ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLDB takes the bounds of an array for constants of C's. Those of an array of
// variable length, and of Fortran's arrays, are expressions or other variables;
// these attributes may also say where the elements are (DWARF 5, 5.5, 5.13 and
// 5.18).
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_ARRAYBOUNDS_H
#define WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_ARRAYBOUNDS_H

#include "FrameContext.h"
#include "Plugins/SymbolFile/DWARF/DWARFDIE.h"
#include <optional>

namespace lldb_private {
namespace wavelane {

class ArrayBounds {
public:
  /// \param die  An array type, or a variable of one, also by reference.
  /// \return nullopt for arrays that LLDB lays out.
  static std::optional<ArrayBounds> Find(const plugin::dwarf::DWARFDIE &die);

  const plugin::dwarf::DWARFDIE &GetArray() const { return m_array; }

  /// Whether the number or the place of its elements depends on the frame.
  bool IsDynamic() const { return m_is_dynamic; }

  /// How many elements each dimension has, slowest first; nullopt where that
  /// isn't constant. An array with such a dimension inside another one is shown
  /// as if it had one dimension: a type can't say more.
  std::vector<std::optional<uint64_t>> GetCounts() const;

  /// The number of elements of the slowest dimension GetCounts gives, in the
  /// frame of \a context.
  /// \param place  Of the variable; nullopt for an array type alone, which then
  ///     can't depend on it.
  llvm::Expected<uint64_t>
  CountElements(FrameContext &context,
                const std::optional<location::Location> &place) const;

  /// Where the first element is.
  llvm::Expected<location::Location>
  FindElements(FrameContext &context, const location::Location &place) const;

private:
  struct Dimension {
    location::AttributeValue count, lower, upper, stride;
    bool is_constant = true;
  };

  llvm::Error Read();
  llvm::Error ReadDimension(const plugin::dwarf::DWARFDIE &subrange);
  std::optional<uint64_t> GetElementSize() const;
  llvm::Expected<location::Location>
  FindObject(FrameContext &context, const location::Location &place) const;

  plugin::dwarf::DWARFDIE m_array;
  /// The variable is a reference to it.
  bool m_is_reference = false;
  bool m_is_dynamic = false;
  uint64_t m_default_lower = 0;
  location::AttributeValue m_data_location, m_allocated, m_associated;
  /// Slowest first.
  std::vector<Dimension> m_dimensions;
  /// What the attributes refer to.
  std::shared_ptr<AttributeBytes> m_bytes = std::make_shared<AttributeBytes>();
  std::string m_problem;
};

} // namespace wavelane
} // namespace lldb_private

#endif
