//===-- CharArrayFormatter.h - arrays of characters -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_LANGUAGE_CHARARRAYS_CHARARRAYFORMATTER_H
#define WAVELANE_PLUGINS_LANGUAGE_CHARARRAYS_CHARARRAYFORMATTER_H

namespace lldb_private {
namespace wavelane {

/// Adds the summary to a category, "char-arrays". LLDB's own one shows what
/// can't be read as an empty string.
void InitializeCharArrayFormatter();

} // namespace wavelane
} // namespace lldb_private

#endif
