//===-- FrameTypes.h - types that a frame completes -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLDB lays out objects as clang's types say. Clang has no bit fields that
// cross the storage units of their type, and no arrays whose bounds and strides
// are known in a frame only. FrameTypes are LLDB's type systems with both.
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_FRAMETYPES_H
#define WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_FRAMETYPES_H

#include "lldb/lldb-enumerations.h"
#include "lldb/lldb-forward.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>

namespace lldb_private {
namespace wavelane {

/// Replaces LLDB's type systems for C and C++.
void InitializeFrameTypes();

/// Types of a module, or with \a target alone those of its expressions.
lldb::TypeSystemSP CreateFrameTypes(lldb::LanguageType language, Module *module,
                                    Target *target);

/// Rewrites an expression before it is compiled.
using ExpressionRewriter = std::string (*)(llvm::StringRef expression,
                                           Target &target);

/// \a rewriter is applied to the expressions of all targets; before any is
/// evaluated.
void AddExpressionRewriter(ExpressionRewriter rewriter);

/// One dimension of an array in a frame.
struct ArrayExtent {
  uint64_t count = 0;
  int64_t lower = 0;
  /// The bytes from an element to the next one.
  int64_t stride = 0;
  uint64_t element_size = 0;
};

} // namespace wavelane
} // namespace lldb_private

#endif
