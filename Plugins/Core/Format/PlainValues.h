//===-- PlainValues.h - many values of one plain type -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_CORE_FORMAT_PLAINVALUES_H
#define WAVELANE_CORE_FORMAT_PLAINVALUES_H

#include "Core/Record/LaneRecord.h"
#include "lldb/Symbol/CompilerType.h"
#include <optional>

namespace lldb_private {
class ExecutionContextScope;
class ValueObject;

namespace wavelane {

/// Describes values of a type that LLDB shows by its bits alone, without the
/// objects that LLDB makes for a value: numbers, booleans, enumerations, and
/// pointers of which nothing but the address is shown.
class PlainValues {
public:
  /// \param value One of the values.
  /// \param known What LaneExpression::Describe says about it.
  /// \return nullopt if the values need LLDB's objects, for instance because
  /// the user has given the type a summary.
  static std::optional<PlainValues> Make(ValueObject &value,
                                         const LaneValue &known);

  /// What LaneExpression::Describe would say about the value.
  /// \param bits The value's bytes in the host's order, extended by zeros.
  /// \return A value whose lane the caller sets.
  LaneValue Describe(uint64_t bits, bool with_bytes,
                     ExecutionContextScope *exe_scope);

private:
  PlainValues(const CompilerType &type, uint64_t size)
      : m_type(type), m_size(size), m_format(type.GetFormat()),
        m_encoding(type.GetEncoding()) {}
  std::optional<double> GetNumber(uint64_t bits) const;

  CompilerType m_type;
  uint64_t m_size; ///< In bytes, at most 8.
  lldb::Format m_format;
  lldb::Encoding m_encoding;
};

} // namespace wavelane
} // namespace lldb_private

#endif
