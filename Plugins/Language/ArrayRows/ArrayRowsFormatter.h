//===-- ArrayRowsFormatter.h - arrays of arrays in rows ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_LANGUAGE_ARRAYROWS_ARRAYROWSFORMATTER_H
#define WAVELANE_PLUGINS_LANGUAGE_ARRAYROWS_ARRAYROWSFORMATTER_H

namespace lldb_private {
namespace wavelane {

/// Makes `p` and `frame variable` show arrays of arrays of a GPU's program,
/// such as tiles of matrices, with one row per line.
void InitializeArrayRowsFormatter();

} // namespace wavelane
} // namespace lldb_private

#endif
