//===-- SIMDLayout.h - where a vector object keeps its elements -*- C++ -*-===//

#ifndef WAVELANE_PLUGINS_LANGUAGE_EXPLICITSIMD_SIMDLAYOUT_H
#define WAVELANE_PLUGINS_LANGUAGE_EXPLICITSIMD_SIMDLAYOUT_H

#include "lldb/Core/ValueObject.h"
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
  /// Consecutive elements in one member: a vector, an array or a scalar, of
  /// \a count elements of which every \a stride'th from \a first on counts.
  struct Run {
    lldb::ValueObjectSP storage_sp;
    CompilerType element_type;
    uint32_t count = 0;
    uint32_t first = 0;
    uint32_t stride = 1;
  };

  void Collect(ValueObject &value, unsigned depth);

  std::vector<Run> m_runs;
  uint32_t m_size = 0;
  bool m_is_mask = false;
  /// The mask has a bit for each element, not an element.
  bool m_is_bits = false;
};

} // namespace wavelane
} // namespace lldb_private

#endif
