//===-- UniquePointerFormatter.h - damaged std::unique_ptr ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_LANGUAGE_UNIQUEPOINTER_UNIQUEPOINTERFORMATTER_H
#define WAVELANE_PLUGINS_LANGUAGE_UNIQUEPOINTER_UNIQUEPOINTERFORMATTER_H

namespace lldb_private {
namespace wavelane {

/// A std::unique_ptr whose debug information has no pointer is shown as it is:
/// LLDB's formatter, which shows all others, would crash.
void InitializeUniquePointerFormatter();

} // namespace wavelane
} // namespace lldb_private

#endif
