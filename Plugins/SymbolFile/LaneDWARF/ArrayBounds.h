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
#include "FrameTypes.h"
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

  /// Whether clang's array types can't say all of it: the number, the distance
  /// or the location of its elements depends on the frame, or they aren't
  /// counted from 0 or not next to each other.
  bool IsDynamic() const { return m_is_dynamic; }

  /// The number of elements of each dimension, slowest first; nullopt if it
  /// isn't constant.
  std::vector<std::optional<uint64_t>> GetCounts() const;

  /// The dimensions whose rows clang's types can't say: those from the slowest
  /// to the last one with bounds that depend on the frame.
  size_t CountDynamicDimensions() const;

  /// A dimension in the frame of \a context, counted as in GetCounts. The
  /// stride is 0 if the elements are next to each other.
  /// \param place The variable's location; nullopt for an array type by
  ///     itself, which can't depend on it.
  llvm::Expected<ArrayExtent>
  Measure(FrameContext &context, size_t dimension,
          const std::optional<location::Location> &place) const;

  /// The location of the first element.
  llvm::Expected<location::Location>
  FindElements(FrameContext &context, const location::Location &place) const;

private:
  struct Dimension {
    location::AttributeValue count, lower, upper, stride, bit_stride;
    bool is_constant = true;
    /// Its elements are counted from 0 and next to each other.
    bool IsPlain() const {
      return is_constant && !stride && !bit_stride &&
             lower.Constant.value_or(0) == 0;
    }
  };

  llvm::Error Read();
  llvm::Error ReadDimension(const plugin::dwarf::DWARFDIE &subrange);
  llvm::Expected<location::Location>
  FindObject(FrameContext &context, const location::Location &place) const;

  plugin::dwarf::DWARFDIE m_array;
  /// The variable is a reference to the array.
  bool m_is_reference = false;
  bool m_is_dynamic = false;
  bool m_is_reversed = false;
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
