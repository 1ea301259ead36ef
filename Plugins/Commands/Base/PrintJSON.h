//===-- PrintJSON.h - LLDB's structured data as JSON ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_COMMANDS_BASE_PRINTJSON_H
#define WAVELANE_PLUGINS_COMMANDS_BASE_PRINTJSON_H

#include "lldb/Utility/StructuredData.h"

namespace lldb_private {
class CommandReturnObject;

namespace wavelane {

/// Writes \a value as AppendJSON() does, with the version of the schema.
void AppendJSON(CommandReturnObject &result, StructuredData::Object &value);

} // namespace wavelane
} // namespace lldb_private

#endif // WAVELANE_PLUGINS_COMMANDS_BASE_PRINTJSON_H
