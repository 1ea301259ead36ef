//===-- ArrayBounds.h - arrays that LLDB can't lay out alone ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLDB expects constant array bounds, as in C. The bounds of variable-length
// arrays and of Fortran's arrays are expressions or other variables; further
// attributes may say where the elements are (DWARF 5, 5.5, 5.13 and 5.18).
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
  /// \param die  An array type, or a variable of such a type or a reference to
  /// it.
  /// \return nullopt for arrays that LLDB lays out.
  static std::optional<ArrayBounds> Find(const plugin::dwarf::DWARFDIE &die);

  const plugin::dwarf::DWARFDIE &GetArray() const { return m_array; }

  /// Whether the number or the location of its elements depends on the frame.
  bool IsDynamic() const { return m_is_dynamic; }

  /// The number of elements of each dimension, slowest first; nullopt if it
  /// isn't constant. If an inner dimension isn't constant, the array is shown
  /// with one dimension, since a type can't express more.
  std::vector<std::optional<uint64_t>> GetCounts() const;

  /// The number of elements of the slowest dimension of GetCounts, in the frame
  /// of \a context.
  /// \param place The variable's location; nullopt for an array type by
  ///     itself, which can't depend on it.
  llvm::Expected<uint64_t>
  CountElements(FrameContext &context,
                const std::optional<location::Location> &place) const;

  /// The location of the first element.
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
  /// The variable is a reference to the array.
  bool m_is_reference = false;
  bool m_is_dynamic = false;
  uint64_t m_default_lower = 0;
  location::AttributeValue m_data_location, m_allocated, m_associated;
  /// Slowest first.
  std::vector<Dimension> m_dimensions;
  /// The bytes that the attributes refer to.
  std::shared_ptr<AttributeBytes> m_bytes = std::make_shared<AttributeBytes>();
  std::string m_problem;
};

} // namespace wavelane
} // namespace lldb_private

#endif
