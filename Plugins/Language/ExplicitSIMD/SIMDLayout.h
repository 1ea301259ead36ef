//===-- SIMDLayout.h - where a vector object keeps its elements -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_LANGUAGE_EXPLICITSIMD_SIMDLAYOUT_H
#define WAVELANE_PLUGINS_LANGUAGE_EXPLICITSIMD_SIMDLAYOUT_H

#include "lldb/ValueObject/ValueObject.h"
#include "llvm/ADT/BitVector.h"
#include <optional>
#include <vector>

namespace lldb_private {
namespace wavelane {

/// The elements of one vector object, wherever its class nests them.
class SIMDLayout {
public:
  /// \param[in] value
  ///     An object of one of the classes, not a reference to one.
  /// \return nullopt when the object isn't laid out as its class should be.
  static std::optional<SIMDLayout> Create(ValueObject &value);

  uint32_t GetSize() const { return m_size; }
  bool IsMask() const { return m_is_mask; }

  /// An element as a child that can be written; null for one bit of a mask and
  /// beyond the end.
  lldb::ValueObjectSP GetElement(uint32_t index) const;

  /// The elements of a mask that are set; nullopt when it can't be read.
  std::optional<llvm::BitVector> GetSetElements() const;

private:
  /// Consecutive elements in one member: a vector, an array or a scalar.
  struct Run {
    lldb::ValueObjectSP storage_sp;
    CompilerType element_type;
    uint32_t count = 0;
  };

  void Collect(ValueObject &value, unsigned depth);
  /// Fills in what of a vector a view's \a region refers to.
  bool TakeRegion(ValueObject &region, unsigned depth);

  std::vector<Run> m_runs;
  uint32_t m_size = 0;
  bool m_is_mask = false;
  /// The mask has a bit for each element, not an element.
  bool m_is_bits = false;

  /// Of a view: the elements of the vector that it refers to, and their type. A
  /// region in two dimensions has rows.
  std::vector<uint32_t> m_view;
  CompilerType m_view_type;
  uint64_t m_width = 0;
  uint64_t m_row = 0;
};

} // namespace wavelane
} // namespace lldb_private

#endif
