//===-- ValueText.h - a value in a line -------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_CORE_FORMAT_VALUETEXT_H
#define WAVELANE_CORE_FORMAT_VALUETEXT_H

#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace lldb_private {
class ValueObject;

namespace wavelane {

/// A value without its type and name: "3", "0x1000 \"text\"". Structs and
/// arrays are one line, "(x = 1, y = {2, 3})"; an array of several dimensions
/// has a line for each row. \return An error with the reason if there is no
/// value.
llvm::Expected<std::string> FormatValue(ValueObject &value);

/// The rows of an array of arrays, with columns aligned; empty for other
/// values.
std::vector<std::string> FormatRows(ValueObject &value);

} // namespace wavelane
} // namespace lldb_private

#endif
