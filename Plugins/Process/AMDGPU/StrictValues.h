//===-- StrictValues.h - settings that refuse wrong values ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLDB's values of settings, which stay as they are when they are set to a
// wrong value. The error says what would be right, with the nearest word.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PLUGINS_PROCESS_AMDGPU_STRICTVALUES_H
#define WAVELANE_PLUGINS_PROCESS_AMDGPU_STRICTVALUES_H

#include "lldb/Interpreter/OptionValueProperties.h"
#include "lldb/Interpreter/Property.h"
#include "lldb/lldb-forward.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace lldb_private {
namespace wavelane {

/// What the type of a setting doesn't say of its values.
enum class ValueKind {
  Any,        ///< all of the type
  Number,     ///< in a range
  Checks,     ///< a list of checks
  Launches,   ///< numbers of launches
  File,       ///< an existing file on this machine
  Folder,     ///< an existing folder on this machine
  Suppressed, ///< an existing file of suppressions on this machine
  /// A list of suppressions.
  Suppressions,
};

struct ValueRule {
  ValueKind kind = ValueKind::Any;
  uint64_t least = 0, most = UINT64_MAX; ///< of a number
};

/// Settings whose values are strict. A name that isn't one of them is refused
/// with the nearest.
class StrictProperties : public OptionValueProperties {
public:
  using OptionValueProperties::OptionValueProperties;

  /// Adds settings, as Initialize(). \a get_rule is given their indices.
  void Add(const PropertyDefinitions &definitions,
           llvm::function_ref<ValueRule(size_t)> get_rule);

  lldb::OptionValueSP GetSubValue(const ExecutionContext *exe_ctx,
                                  llvm::StringRef name,
                                  Status &error) const override;
};

} // namespace wavelane
} // namespace lldb_private

#endif
