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
  /// \param[in] value An object of one of the classes, not a reference.
  /// \return nullopt if the object isn't laid out like its class.
  static std::optional<SIMDLayout> Create(ValueObject &value);

  uint32_t GetSize() const { return m_size; }
  bool IsMask() const { return m_is_mask; }

  /// An element as a writable child; null for a bit of a mask and past the end.
  lldb::ValueObjectSP GetElement(uint32_t index) const;

  /// C++ for an element of an object that C++ calls \a object, without a call.
  /// \param index  As it was written; \a index_expression is C++ for it.
  /// \return Empty where there is none: for a bit of a mask. An error in C++
  ///     for a constant past the end.
  std::string GetElementExpression(llvm::StringRef index,
                                   llvm::StringRef index_expression,
                                   llvm::StringRef object) const;

  /// The set elements of a mask; nullopt if it can't be read.
  std::optional<llvm::BitVector> GetSetElements() const;

private:
  /// Consecutive elements in one member: a vector, an array or a scalar.
  struct Run {
    lldb::ValueObjectSP storage_sp;
    CompilerType element_type;
    uint32_t count = 0;
    /// Behind the object's name, in C++.
    std::string path;
    bool is_scalar = false;

    std::string GetElementExpression(llvm::StringRef object,
                                     llvm::StringRef index) const;
  };

  void Collect(ValueObject &value, unsigned depth, const std::string &path);
  /// Fills in the part of a vector to which a view's \a region refers.
  bool TakeRegion(ValueObject &region, unsigned depth);

  std::vector<Run> m_runs;
  uint32_t m_size = 0;
  bool m_is_mask = false;
  /// The mask has a bit, rather than an element, for each element.
  bool m_is_bits = false;

  /// For a view: the elements of the vector that it refers to, and their type.
  /// A two-dimensional region has rows.
  std::vector<uint32_t> m_view;
  CompilerType m_view_type;
  uint64_t m_width = 0;
  uint64_t m_row = 0;
};

} // namespace wavelane
} // namespace lldb_private

#endif
