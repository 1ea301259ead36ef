//===-- JSONSchema.h - the version of the commands' JSON --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_CORE_RECORD_JSONSCHEMA_H
#define WAVELANE_PLUGINS_CORE_RECORD_JSONSCHEMA_H

namespace lldb_private::wavelane {

/// Each object that a command prints with --json, and each element of an array
/// of objects, has the version of docs/commands.schema.json with this key. A
/// change that could break a reader raises it: a key that goes away or gets
/// another meaning. A new key doesn't.
inline constexpr char kSchemaKey[] = "schema";
inline constexpr unsigned kSchemaVersion = 1;

} // namespace lldb_private::wavelane

#endif // WAVELANE_PLUGINS_CORE_RECORD_JSONSCHEMA_H
